"""A small table with pictures, made anew for every test that asks."""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import rivae.base.cluster
from rivae.cli.main import main
from tests.waiting import PATIENCE_S


def jpeg(number: int, size: tuple[int, int] = (40, 30), mode: str = "RGB") -> bytes:
    """A picture that differs by ``number``."""
    rng = np.random.default_rng(number)
    pixels = rng.integers(0, 255, (*size[::-1], 3)).astype(np.uint8)
    buffer = io.BytesIO()
    Image.fromarray(pixels).convert(mode).save(buffer, "JPEG")
    return buffer.getvalue()


def rows(n: int = 40) -> list[dict[str, Any]]:
    """Records of dishes 0 .. n - 1."""
    return [
        {
            "id": f"d{i}",
            "image": f"{i}.jpg",
            "title": f"Dish {i}",
            "ingredients": f"1 cup water\n{i} eggs",
            "instructions": "Stir.\nServe.",
            "tags": "soup|easy",
            "heat": str(i % 3),
            "weight": f"{i / 7:.3f}",
        }
        for i in range(n)
    ]


def write_plates(folder: Path, title: str = "Plate") -> Path:
    """40 pictures in ``folder/photos`` and their table, which is returned."""
    (folder / "photos").mkdir()
    lines = ["photo,name,steps,depth"]
    for i in range(40):
        Image.new("RGB", (20, 20), (6 * i, 0, 90)).save(folder / "photos" / f"{i}.png")
        lines.append(f"{i}.png,{title} {i},stir and serve,{i % 4}")
    table = folder / "dishes.csv"
    table.write_text("\n".join(lines))
    return table


N_SOUPS, WIDTH = 5_000, 24


@pytest.fixture
def soups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The import "soups": pairs of which only embeddings are there."""
    rng = np.random.default_rng(0)
    shared = rng.normal(size=(N_SOUPS, 6))
    for side in ("pictures", "texts"):
        own = [
            shared @ rng.normal(size=(6, WIDTH // 2)),
            rng.normal(size=(N_SOUPS, WIDTH // 2)),
        ]
        np.save(tmp_path / f"{side}.npy", np.concatenate(own, axis=1).astype(np.float32))
    table = tmp_path / "soups.csv"
    table.write_text("id,title\n" + "".join(f"s{i},Soup {i}\n" for i in range(N_SOUPS)))
    monkeypatch.setenv("RIVAE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("RIVAE_RUNS", str(tmp_path / "runs"))
    monkeypatch.chdir(tmp_path)
    paths = [str(tmp_path / f"{side}.npy") for side in ("pictures", "texts")]
    assert main(["import", str(table), "--name", "soups", "--embeddings", *paths]) == 0
    return tmp_path


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    folder = tmp_path / "pictures"
    folder.mkdir()
    for i in range(40):
        (folder / f"{i}.jpg").write_bytes(jpeg(i))
    return folder


@pytest.fixture
def write_table(tmp_path: Path) -> Callable[..., Path]:
    def write(records: list[dict[str, Any]], name: str = "table.csv", encoding="utf-8") -> Path:
        path = tmp_path / name
        with path.open("w", newline="", encoding=encoding) as stream:
            writer = csv.DictWriter(stream, list(records[0]))
            writer.writeheader()
            writer.writerows(records)
        return path

    return write


def tree(root: Path, files: dict[str, bytes]) -> Path:
    """A folder of these files."""
    for path, data in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)
    root.mkdir(parents=True, exist_ok=True)
    return root


def packed(path: Path, files: dict[str, bytes]) -> Path:
    """A zip of these files."""
    with zipfile.ZipFile(path, "w") as out:
        for name, data in files.items():
            out.writestr(name, data)
    return path


@pytest.fixture(scope="session")
def cluster() -> Iterator[Any]:
    """A scheduler and two workers on this machine; tests that use it are of one group."""
    dask, distributed = pytest.importorskip("dask"), pytest.importorskip("distributed")
    # Dask would give up a worker that is not back within 15 s, as on a slow machine, for good.
    patient = dask.config.set({"distributed.deploy.lost-worker-timeout": f"{PATIENCE_S} s"})
    with (
        patient,
        pytest.MonkeyPatch.context() as patch,
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as started,
    ):
        patch.setattr(rivae.base.cluster, "NO_WORKER_S", PATIENCE_S)
        yield started


@pytest.fixture(scope="session")
def address(cluster: Any) -> str:
    """Of its scheduler."""
    return str(cluster.scheduler_address)


@pytest.fixture
def kept_apart(cluster: Any) -> Iterator[None]:
    """Both workers stand again after a test that ends some."""
    from tests.importing.clusters import both_stand

    yield
    both_stand(cluster)
