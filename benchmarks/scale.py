"""A million pairs on this machine: import, training, opening, search, text, memory, the hand.

    python benchmarks/scale.py [--items 1000000] [--folder FOLDER] [--only search,text]

Makes pairs of 256 numbers that share eight factors, with words and tags; imports them, trains RIVAE
with 30 axes briefly, opens the run in processes of their own, and measures each part. With FOLDER
the data and the run stay there for the next call. Every ratio is taken within one call, its two
sides in turn. Writes ``benchmarks/results/scale.md`` and ``scale.json``; ``--items 1000`` tries the
command itself.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # runs from a clone, installed or not

RESULTS = ROOT / "benchmarks" / "results"
N_FACTORS, WIDTH, N_AXES, NAME = 8, 256, 30, "scale"
BLOCK = 20_000
FOODS = (
    "lemon rice soup apple bread curry onion pepper bean cream salt honey garlic butter basil "
    "tomato potato ginger cheese noodle pork beef lentil mint olive pear plum oat sesame thyme"
)
WORDS = FOODS.split()
SEARCHES = 60


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
        for side in ("pictures", "texts")
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


def timed(work: Callable[[], Any], times: int = 1) -> tuple[float, float]:
    """Median and 95 % quantile in ms."""
    took = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        took.append(1000 * (time.perf_counter() - began))
    return float(np.median(took)), float(np.quantile(took, 0.95))


def rss_mb() -> float:
    """The largest resident memory of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


# Parts: each runs in a process of its own, so that memory is its own.


def part_import(folder: Path) -> dict[str, float]:
    """The import of the table with its matrices."""
    from rivae.importing import ImportSettings, PairsImport, run_import
    from rivae.importing.mapping import make_mapping

    factors = tuple(f"factor {k}" for k in range(1, N_FACTORS + 1))
    columns = ["id", "title", "ingredients", "tags", *factors]
    mapping = make_mapping(columns, {"factors": factors, "picture": None})
    source = PairsImport(
        folder / "pairs.parquet",
        [],
        mapping,
        embeddings=(folder / "pictures.npy", folder / "texts.npy"),
    )
    began, told = time.perf_counter(), {}

    def tell(stage: str, share: float) -> None:
        told.setdefault("texts" if "texts" in stage else "records", time.perf_counter() - began)

    run_import(source, ImportSettings(NAME, root=folder / "data"), progress=tell)
    whole = time.perf_counter() - began
    files = sum(1 for _ in (folder / "data" / NAME).rglob("*"))
    return {"seconds": whole, "text_index_seconds": whole - told["texts"], "files": files}


def part_train(folder: Path) -> dict[str, float]:
    """A short training on the cached embeddings; how well it ends does not matter here."""
    from rivae.config import DatasetConfig, MethodChoice, RunConfig
    from rivae.runs import Run
    from rivae.training import Trainer, TrainingJob

    settings = {
        "n_components": N_AXES,
        "init": "none",
        "ivae_epochs": 0,
        "joint_epochs": 1,
        "n_mismatches": None,
        "axes": "as-trained",
    }
    dataset = DatasetConfig(name="pairs", settings={"store": NAME, "features": "own"})
    config = RunConfig(
        name=NAME, dataset=dataset, method=MethodChoice(name="rivae", settings=settings)
    )
    run = Run.create(config, folder / "runs")
    began = time.perf_counter()
    Trainer([TrainingJob(run, run.load_dataset())]).fit()
    return {"seconds": time.perf_counter() - began}


def _explorer(folder: Path, rows: str = "all") -> Any:
    from rivae.explorer import Explorer
    from rivae.runs import list_runs

    (run,) = list_runs([folder / "runs"])
    explorer = Explorer.open(run, rows)
    explorer.prepare()
    explorer.topk(explorer.mean, 10)
    return explorer


def part_open(folder: Path) -> dict[str, float]:
    """Opening the run on all items, up to its first ten."""
    began = time.perf_counter()
    _explorer(folder)
    return {"seconds": time.perf_counter() - began}


def part_search(folder: Path) -> dict[str, Any]:
    """Ten best of all items, beside FAISS on the same points and on V."""
    import faiss

    explorer = _explorer(folder)
    retriever, rng = explorer.retriever, np.random.default_rng(0)
    n, model, space = len(retriever.ids), retriever.model, retriever.space
    out: dict[str, Any] = {}
    for reach in (1, 3, 10):
        z = explorer.encode(int(retriever.ids[0])) + np.zeros((SEARCHES, N_AXES))
        z[np.arange(SEARCHES), rng.integers(0, N_AXES, SEARCHES)] += (
            reach * explorer.std[0] * rng.choice([-1, 1], SEARCHES)
        )
        took = [timed(lambda at=at: retriever.nearest(at[None], 10))[0] for at in z]
        out[f"{reach} s.d."] = [float(np.median(took)), float(np.quantile(took, 0.95))]
    faiss.omp_set_num_threads(1)
    queries = space.queries(model.hidden(z)).astype(np.float32)
    ours = retriever.nearest(z, 10)[0]
    flat = faiss.IndexFlatL2(space.n_features)
    whole = faiss.IndexFlatIP(model.weight.shape[1] + 1)
    for start in range(0, n, BLOCK):
        rows = np.arange(start, min(start + BLOCK, n))
        flat.add(retriever.index.rows(rows).astype(np.float32))
        v = model.embed_targets(retriever.data.x2, retriever.ids[rows])
        half = -0.5 * np.einsum("nd,nd->n", v, v)
        whole.add(np.column_stack([v, half]).astype(np.float32))
    decoded = np.column_stack([model.decode(z), np.ones(len(z))]).astype(np.float32)
    for name, index, asked in (("flat on points", flat, queries), ("flat on V", whole, decoded)):
        took = [timed(lambda at=at, on=index: on.search(at[None], 10))[0] for at in asked]
        found = retriever.ids[index.search(asked, 10)[1]]
        same = float(np.mean([set(a) == set(b) for a, b in zip(found, ours, strict=True)]))
        out[name] = [float(np.median(took)), float(np.quantile(took, 0.95)), same]
    return out


def part_text(folder: Path) -> dict[str, Any]:
    """Searches of all texts, and conditions."""
    explorer = _explorer(folder)
    out: dict[str, Any] = {}
    for text in ("lemon rice", "number 4711", "gin", "#kind-lemon", "factor 1 > 0.9"):
        explorer.find(text)
        out[f"all of '{text}'"] = timed(lambda text=text: explorer.find(text), 5)
    out["best 10 of 'lemon rice'"] = timed(lambda: explorer.best("lemon rice", 10), 5)
    pages = np.random.default_rng(0).choice(explorer.search_rows, (20, 50))
    took = [timed(lambda page=page: [explorer.title(int(i)) for i in page])[0] for page in pages]
    out["titles of 50 items"] = [float(np.median(took)), float(np.quantile(took, 0.95))]
    return out


PARTS: dict[str, Callable[[Path], dict[str, Any]]] = {
    "import": part_import,
    "train": part_train,
    "open the first time": part_open,
    "open again": part_open,
    "search": part_search,
    "text": part_text,
}
ONCE = {"import": "data", "train": "runs"}  # parts whose result stays, and where


def child(part: str, folder: Path) -> dict[str, Any]:
    """One part in a process of its own, with its largest memory."""
    env = {**os.environ, "OMP_NUM_THREADS": "1", "RIVAE_DATA": str(folder / "data")}
    line = [sys.executable, "-W", "ignore", __file__, "--part", part, "--folder", str(folder)]
    done = subprocess.run(line, env=env, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    """Measure, print, and write the results."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--items", type=int, default=1_000_000)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--only", default=",".join(PARTS), help="parts, separated by commas")
    parser.add_argument("--part", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.part:
        found = PARTS[asked.part](asked.folder)
        print(json.dumps({**found, "rss_mb": rss_mb()}))
        return
    with tempfile.TemporaryDirectory() as scratch:
        folder = asked.folder or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / "pairs.parquet").exists():
            make_pairs(folder, asked.items)
        results: dict[str, Any] = {}
        for part in asked.only.split(","):
            if part in ONCE and (folder / ONCE[part]).exists():
                continue
            results[part] = child(part, folder)
            print(part, json.dumps(results[part]), flush=True)
    about = {
        "items": asked.items,
        "machine": platform.machine(),
        "cpus": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
    }
    (RESULTS / "scale.json").write_text(json.dumps({**about, "parts": results}, indent=1) + "\n")


if __name__ == "__main__":
    main()
