"""A million pairs on this machine: import, training, opening, search, text, memory, the hand.

    python benchmarks/scale.py [--items 1000000] [--folder FOLDER] [--only search,text]

Makes pairs of 256 numbers that share eight factors, with words and tags; imports them, trains RIVAE
with 30 axes briefly, opens the run in processes of their own, and measures each part. With FOLDER
the data and the run stay there for the next call. Every ratio is taken within one call, its two
sides in turn. Writes ``benchmarks/results/scale.md`` and ``scale.json``; ``--items 1000`` tries the
command itself. ``--items 10000000`` starts in closed form, and its files are ``scale-10000000.*``.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import platform
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]  # runs from a clone, installed or not

from scale_app import dragged, many_updates, many_users, opened_first  # noqa: E402
from scale_calculated import calculated  # noqa: E402
from scale_search import engine, opened, paths, rivals, searched, texts  # noqa: E402

RESULTS = ROOT / "benchmarks" / "results"
N_FACTORS, WIDTH, WIDTH_V, N_AXES, NAME = 8, 256, 1024, 30, "scale"
BLOCK = 20_000
SIDES = ("pictures", "texts")
REPORTED = 100_000  # fewer items try the command itself
MILLION = 1_000_000
CLOSED_FORM_FROM = 5 * MILLION  # items whose embedders are fitted by one pass
BYTES_OF_ITEM = 5_600  # table, both matrices, the store with its copies, the run with its index
# Not of so many, unless asked for: they take twice the disk, the memory, or very long.
UNMADE = ("engine", "rivals", "ten thousand updates")
FOODS = (
    "lemon rice soup apple bread curry onion pepper bean cream salt honey garlic butter basil "
    "tomato potato ginger cheese noodle pork beef lentil mint olive pear plum oat sesame thyme"
)
WORDS = FOODS.split()


def make_pairs(folder: Path, n: int) -> None:
    """A table and two matrices of ``n`` pairs; what both sides show are the factors alone."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    nets = [
        [rng.normal(size=s) / np.sqrt(s[0]) for s in ((N_FACTORS + 4, 64), (64, WIDTH))]
        for _ in range(2)
    ]
    sides = [
        np.lib.format.open_memmap(folder / f"{side}.npy", "w+", np.float32, (n, WIDTH))
        for side in SIDES
    ]
    with pq.ParquetWriter(folder / "pairs.parquet", _schema()) as table:
        for start in range(0, n, BLOCK):
            size = min(BLOCK, n - start)
            factors = rng.uniform(-1, 1, (size, N_FACTORS))
            for matrix, (first, second) in zip(sides, nets, strict=True):
                own = rng.normal(size=(size, 4))  # private to this side
                hidden = np.tanh(np.concatenate([2 * factors, 0.5 * own], axis=1) @ first)
                matrix[start : start + size] = hidden @ second
            table.write_table(pa.table(_columns(start, factors, rng), schema=_schema()))
    for matrix in sides:
        matrix.flush()


def _schema() -> Any:
    import pyarrow as pa

    texts = [(name, pa.string()) for name in ("id", "title", "ingredients", "tags")]
    return pa.schema([*texts, *((f"factor {k}", pa.float64()) for k in range(1, N_FACTORS + 1))])


def _columns(start: int, factors: np.ndarray, rng: np.random.Generator) -> dict[str, Any]:
    size = len(factors)
    chosen = rng.integers(0, len(WORDS), (size, 9))
    names = np.array(WORDS)[chosen]
    return {
        "id": [str(start + i) for i in range(size)],
        "title": [f"{a} {b} number {start + i}" for i, (a, b) in enumerate(names[:, :2])],
        "ingredients": ["|".join(row) for row in names[:, 2:7]],
        "tags": ["|".join(f"kind-{word}" for word in row) for row in names[:, 7:]],
        **{f"factor {k}": np.round(factors[:, k - 1], 3) for k in range(1, N_FACTORS + 1)},
    }


def memory_mb() -> dict[str, float]:
    """The largest resident memory of this process so far, and what of it is its own now: the rest
    are pages of files, which the system takes back when it needs them. Also the seconds of the
    processor: on a busy machine less than those that passed.
    """
    said = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    own = int(said["RssAnon"].split()[0]) / 1024
    used = resource.getrusage(resource.RUSAGE_SELF)
    busy = used.ru_utime + used.ru_stime
    return {"cpu_s": busy, "rss_mb": used.ru_maxrss / 1024, "own_mb": own}


# Parts: each runs in a process of its own, so that memory is its own.


def part_import(folder: Path) -> dict[str, float]:
    """The import of the table with its matrices."""
    from rivae.data.importing import ImportSettings, PairsImport, run_import
    from rivae.data.importing.mapping import make_mapping

    factors = tuple(f"factor {k}" for k in range(1, N_FACTORS + 1))
    columns = ["id", "title", "ingredients", "tags", *factors]
    mapping = make_mapping(columns, {"factors": factors}, needs_picture=False)
    source = PairsImport(
        folder / "pairs.parquet",
        [],
        mapping,
        embeddings=(folder / f"{SIDES[0]}.npy", folder / f"{SIDES[1]}.npy"),
    )
    began = time.perf_counter()
    run_import(source, ImportSettings(NAME, root=folder / "data"))
    whole = time.perf_counter() - began
    for side in SIDES:
        (folder / f"{side}.npy").unlink()  # the store has its own
    place = folder / "data" / NAME
    own = [path for path in place.rglob("*") if path.is_file()]
    texts = sum(path.stat().st_size for path in own if "features" not in path.parts) / 1e6
    return {
        "seconds": whole,
        "files": len(own),
        "MB of texts": texts,
    }


def part_train(folder: Path) -> dict[str, float]:
    """A short training on the cached embeddings; how well it ends does not matter here. Of very
    many items the embedders are a start in closed form, and only the heads of z are trained.
    """
    from rivae.base.config import DatasetConfig, MethodChoice, RunConfig
    from rivae.data.store import PairStore
    from rivae.models.presets.by_shape import LINEAR
    from rivae.models.settings import CLOSED_FORM
    from rivae.runs import Run
    from rivae.training import Trainer, TrainingJob

    settings = {
        "n_components": N_AXES,
        "dim_v": WIDTH_V,
        "head_hidden": (100, 100),
        "init": "none",
        "ivae_epochs": 0,
        "joint_epochs": 1,
        "n_mismatches": None,
        "axes": "as trained",
    }
    data = PairStore(folder / "data" / NAME)
    if len(data) >= CLOSED_FORM_FROM:
        linear = {"embedder": LINEAR, "embedder2": LINEAR, "shared": False}
        start = {"init": CLOSED_FORM, "dim_v": 64, "ivae_epochs": 1, "joint_epochs": 0}
        settings |= {**linear, **start, "batch_size": 4096}
    dataset = DatasetConfig(name="pairs", settings={"store": NAME, "features": "own"})
    config = RunConfig(
        name=NAME, dataset=dataset, method=MethodChoice(name="rivae", settings=settings)
    )
    run = Run.create(config, folder / "runs")
    began = time.perf_counter()
    Trainer([TrainingJob(run, run.load_dataset())]).fit()
    seconds = time.perf_counter() - began
    epochs = zip(run.metrics(), run.timing.rows(), strict=True)
    return {"seconds": seconds, **{f"{row['stage']}, s": took["seconds"] for row, took in epochs}}


def part_words(folder: Path) -> dict[str, float]:
    """Until ``rivae train`` says something in a terminal, and how long it will take."""
    chosen = {"dataset.store": NAME, "dataset.features": "own", "init": "none", "ivae_epochs": 0}
    settings = [part for name, value in chosen.items() for part in ("--set", f"{name}={value}")]
    line = [sys.executable, "-m", "rivae", "train", "pairs", "--name", "words", *settings]
    ours, theirs = os.openpty()
    with tempfile.TemporaryDirectory() as scratch:
        began = time.perf_counter()
        training = subprocess.Popen(
            line, env={**os.environ, "RIVAE_RUNS": scratch}, stdout=theirs, stderr=theirs
        )
        os.close(theirs)
        said, first = "", 0.0
        while " left" not in said:
            said += os.read(ours, 4096).decode()
            first = first or time.perf_counter() - began
        left = time.perf_counter() - began
        training.terminate()
        training.wait()
    os.close(ours)
    return {"first words, s": first, "time left is said, s": left}


def part_evaluate(folder: Path) -> dict[str, float]:
    """``rivae evaluate``: every metric, and what each axis changes."""
    os.environ["RIVAE_RUNS"] = str(folder / "runs")
    from rivae.cli.main import main as rivae

    began = time.perf_counter()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        rivae(["evaluate", NAME])
    return {"seconds": time.perf_counter() - began}


def part_open(folder: Path) -> dict[str, float]:
    """Opening the run on all items, up to its first ten, in a process that has begun."""
    import rivae.exploring.explorer
    import rivae.models.methods  # noqa: F401

    began = time.perf_counter()
    opened(folder)
    return {"seconds": time.perf_counter() - began}


PARTS: dict[str, Callable[[Path], dict[str, Any]]] = {
    "import": part_import,
    "train": part_train,
    "first words of a training": part_words,
    "open the first time": opened_first,
    "open again": part_open,
    "evaluate": part_evaluate,
    "search": searched,
    "rivals": rivals,
    "engine": engine,
    "text": texts,
    "change points": paths,
    "drag": dragged,
    "20 users": partial(many_users, workers=0),
    "20 users - 2 workers": partial(many_users, workers=2),
    "ten thousand updates": many_updates,
}
ONCE = {"import": "data", "train": "runs"}  # parts whose result stays, and where


def child(part: str, folder: Path) -> dict[str, Any]:
    """One part in a process of its own, with its largest memory."""
    env = {**os.environ, "OMP_NUM_THREADS": "1", "RIVAE_DATA": str(folder / "data")}
    env["PYTHONPATH"] = str(ROOT)  # Qdrant's engine is that of the tests
    line = [sys.executable, "-W", "ignore", __file__, "--part", part, "--folder", str(folder)]
    load = os.getloadavg()[0]
    done = subprocess.run(line, env=env, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return {**found, "load": load}


def main() -> None:
    """Measure, print, and write the results."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--items", type=int, default=MILLION)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--only", help="parts, separated by commas")
    parser.add_argument("--part", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.part:
        found = PARTS[asked.part](asked.folder)
        print(json.dumps({**found, **memory_mb()}))
        return
    with tempfile.TemporaryDirectory() as scratch:
        folder = asked.folder or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / "pairs.parquet").exists():
            require_disk(folder, asked.items)
            make_pairs(folder, asked.items)
        name = "scale" if asked.items == MILLION else f"scale-{asked.items}"
        kept = RESULTS / f"{name}.json"
        measured = {
            document["items"]: document["parts"]
            for path in RESULTS.glob("scale*.json")
            for document in [json.loads(path.read_text())]
        }
        results = measured.setdefault(asked.items, {})
        usual = [p for p in PARTS if asked.items < CLOSED_FORM_FROM or p not in UNMADE]
        for part in asked.only.split(",") if asked.only else usual:
            if part in ONCE and (folder / ONCE[part]).exists():
                continue
            results[part] = child(part, folder)
            print(part, json.dumps(results[part]), flush=True)
            about = {"items": asked.items, "machine": platform.machine(), "cpus": os.cpu_count()}
            if asked.items >= REPORTED:
                kept.write_text(json.dumps({**about, "parts": results}, indent=1) + "\n")
                kept.with_suffix(".md").write_text(report(about, measured))


def require_disk(folder: Path, n: int) -> None:
    """Say what disk ``n`` pairs take; end where there is less."""
    needed, free = n * BYTES_OF_ITEM / 1e9, shutil.disk_usage(folder).free / 1e9
    said = f"{n:,} pairs take {needed:.1f} GB in {folder}, where {free:.1f} are free"
    if needed > free:
        raise SystemExit(f"{said}: choose another place with --folder")
    print(said, flush=True)


def report(about: dict[str, Any], measured: dict[int, dict[str, Any]]) -> str:
    """What was measured as a table; of two or three numbers see the heading."""
    results = measured[about["items"]]
    lines = [
        "# A million pairs" if about["items"] == MILLION else f"# {about['items']:,} pairs",
        "",
        f"{about['items']:,} pairs, {about['machine']}, {about['cpus']} cores; "
        "`python benchmarks/scale.py`. Each part in a process of its own; parts may come from "
        "calls on different days. Two numbers are median and 95 % quantile in ms; a third is the "
        "share of answers with the same ten ids as ours. *own_mb* is memory of the process's own, "
        "*rss_mb* counts mapped files, too; *cpu_s* is seconds of the processor, *load* the load "
        "average before the part: above 2, other work slowed it down.",
        "",
        "| part | what | measured |",
        "|---|---|---|",
    ]
    for part, found in results.items():
        lines += [f"| {part} | {what} | {_said(value)} |" for what, value in found.items()]
    return "\n".join([*lines, *calculated(about["items"], measured)]) + "\n"


def _said(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_said(each)}" for name, each in value.items())
    if isinstance(value, list | tuple):
        return " / ".join(map(_said, value))
    return f"{value:.3g}" if isinstance(value, float) and value < 100 else f"{value:,.0f}"


if __name__ == "__main__":
    main()
