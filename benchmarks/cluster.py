"""What the way to a Dask cluster and back costs, with all of it on this machine.

    python benchmarks/cluster.py [--pictures 2000] [--rounds 3]

Pictures of 256 pixels with a table are imported and described by EfficientNet-Lite0: by as many
threads as there are cores, by as many workers of one thread each, and by these while one is killed
in the middle; in turn, in one call. The results have to be the same files. On a machine alone a
cluster can only cost; what more machines save is not measured here. Writes
``benchmarks/results/cluster.md``.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import platform
import signal
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # runs from a clone, installed or not

from rivae.base.cores import n_cores  # noqa: E402
from rivae.cli.main import main as rivae  # noqa: E402

RESULTS = ROOT / "benchmarks" / "results"
WAYS = ("threads here", "workers", "workers, one killed")
NAME, SOURCE = "noise", "efficientnet-lite0"


def make_pairs(folder: Path, n: int) -> None:
    """A table and ``n`` JPEGs of coloured noise at four scales."""
    rng = np.random.default_rng(0)
    (folder / "photos").mkdir()
    for i in range(n):
        small = rng.integers(0, 255, (4 + i % 60, 4 + i % 60, 3), dtype=np.uint8)
        picture = Image.fromarray(small).resize((320, 256), Image.Resampling.BICUBIC)
        picture.save(folder / "photos" / f"{i}.jpg")
    lines = [f"{i},Dish {i},{i}.jpg" for i in range(n)]
    (folder / "table.csv").write_text("\n".join(["id,title,picture", *lines]))


@contextlib.contextmanager
def workers() -> Iterator[tuple[str, list[int]]]:
    """The address of a scheduler with a worker for each core, and their processes."""
    from distributed import Client, LocalCluster

    with LocalCluster(
        n_workers=n_cores(), threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        with Client(cluster) as client:  # what a worker imports is not timed
            client.run(__import__, "torch")
        yield cluster.scheduler_address, [worker.pid for worker in cluster.workers.values()]


def seconds(folder: Path, way: str) -> tuple[float, float, dict[str, bytes]]:
    """Of the import and of the features, and the files that came of them."""
    os.environ["RIVAE_DATA"] = str(folder / way)
    with contextlib.ExitStack() as stack:
        on: list[str] = []
        if way != WAYS[0]:
            address, processes = stack.enter_context(workers())
            on = ["--on", address]
            if way == WAYS[2]:
                end = threading.Timer(3, os.kill, (processes[0], signal.SIGKILL))
                end.start()
        times = [time.perf_counter()]
        table, photos = str(folder / "table.csv"), str(folder / "photos")
        commands = (
            ["import", table, "--images", photos, "--name", NAME],
            ["features", str(folder / way / NAME), SOURCE],
        )
        for command in commands:
            with contextlib.redirect_stdout(io.StringIO()):
                if rivae([*command, *on]):
                    raise SystemExit(f"{command[0]} failed")
            times.append(time.perf_counter())
    made = (folder / way / NAME).rglob("*.*")
    kept = {path.name: path.read_bytes() for path in made if path.suffix in (".npy", ".bin")}
    return times[1] - times[0], times[2] - times[1], kept


def main() -> None:
    """Measure and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pictures", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    taken: dict[str, list[tuple[float, float]]] = {way: [] for way in WAYS}
    same: dict[str, bool] = dict.fromkeys(WAYS, True)
    for _ in range(args.rounds):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            make_pairs(folder, args.pictures)
            expected: dict[str, bytes] = {}
            for way in WAYS:
                *times, files = seconds(folder, way)
                taken[way].append((times[0], times[1]))
                expected = expected or files
                same[way] &= files == expected and bool(files)
                print(way, [round(s, 1) for s in times], "same files:", same[way], flush=True)
    rows = [
        "| "
        + " | ".join(
            [
                way,
                *(f"{statistics.median(t[k] for t in taken[way]):.1f}" for k in (0, 1)),
                "yes" if same[way] else "**no**",
            ]
        )
        + " |"
        for way in WAYS
    ]
    text = (
        "# A cluster on one machine\n\n"
        f"`python benchmarks/cluster.py`; {platform.machine()}, {n_cores()} cores, "
        f"{args.pictures:,} pictures, seconds, median of {args.rounds} rounds in turn.\n\n"
        f"| by | import | {SOURCE} | the same files |\n|---|---|---|---|\n" + "\n".join(rows) + "\n"
    )
    (RESULTS / "cluster.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
