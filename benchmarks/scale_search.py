"""Searching very many items: the ten best, rivals, full texts, and where the best one changes.

Measured by ``benchmarks/scale.py``, with ``RIVAE_DATA`` set.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

SEARCHES, RIVALS, BLOCK = 60, 30, 20_000
PANORAMA_LEVELS = 8  # of 2, 4, 8 and 16 the fastest on made points
REACHES = (0, 1, 3, 10)  # s.d. from an item's own z
PATHS, SAMPLES = 3, 100  # queries, and places of each axis


def timed(work: Callable[[], Any], times: int = 1) -> tuple[float, float]:
    """Median and 95 % quantile in ms."""
    took = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        took.append(1000 * (time.perf_counter() - began))
    return float(np.median(took)), float(np.quantile(took, 0.95))


def opened(folder: Path, rows: str = "all") -> Any:
    from rivae.exploring.explorer import Explorer
    from rivae.runs import list_runs

    (run,) = list_runs([folder / "runs"])
    explorer = Explorer.open(run, rows)
    explorer.prepare()
    explorer.topk(explorer.mean, 10)
    return explorer


def searched(folder: Path) -> dict[str, Any]:
    """Ten best of all items from z, near the data and far; the rivals get the same z."""
    explorer = opened(folder)
    retriever, rng = explorer.retriever, np.random.default_rng(0)
    out: dict[str, Any] = {"numbers of a point": retriever.space.n_features}
    asked, found = [], []
    for reach in REACHES:
        z = np.stack([explorer.encode(int(i)) for i in rng.choice(retriever.ids, SEARCHES)])
        turned = rng.integers(0, explorer.n_components, SEARCHES)
        z[np.arange(SEARCHES), turned] += reach * explorer.std[turned] * rng.choice([-1, 1])
        took = [timed(lambda at=at: retriever.nearest(at[None], 10))[0] for at in z]
        out[f"{reach} s.d."] = spread(took)
        asked.append(z)
        found.append(np.concatenate([retriever.nearest(at[None], 10)[0] for at in z]))
    # The average query lies in the middle, as far from all items: moved along the axis that changes
    # most, as in the drag.
    z = np.repeat(explorer.mean[None].astype(float), SEARCHES, axis=0)
    moved = int(np.argmax(explorer.effects))
    z[:, moved] += np.linspace(-3, 3, SEARCHES) * explorer.std[moved]
    took = [timed(lambda at=at: retriever.nearest(at[None], 10))[0] for at in z]
    out["from the average, at most 3 s.d."] = spread(took)
    for users in (2, 4, 8, 16):
        block = asked[1][:users]
        out[f"{users} together"] = timed(lambda block=block: retriever.nearest(block, 10), 9)[0]
    np.savez(folder / "asked.npz", z=np.concatenate(asked), found=np.concatenate(found))
    return out


def spread(took: list[float]) -> list[float]:
    """Median and 95 % quantile."""
    return [float(np.median(took)), float(np.quantile(took, 0.95))]


def rivals(folder: Path) -> dict[str, Any]:
    """The same answers by FAISS on the same points and on V, and by torch on V, in turns with ours.

    A rival's time begins at z as ours does. ``same`` is the share of its answers with our ten ids.
    """
    import faiss
    import torch

    explorer = opened(folder)
    retriever = explorer.retriever
    n, model, space = len(retriever.ids), retriever.model, retriever.space
    faiss.omp_set_num_threads(1)
    torch.set_num_threads(1)
    flat = faiss.IndexFlatL2(space.n_features)
    # It gives up a point as soon as its leading columns are too far, as our two stages do.
    panorama = faiss.IndexFlatL2Panorama(space.n_features, PANORAMA_LEVELS)
    hnsw = faiss.IndexHNSWFlat(space.n_features, 32)
    whole = faiss.IndexFlatIP(model.weight.shape[1] + 1)
    for start in range(0, n, BLOCK):
        rows = np.arange(start, min(start + BLOCK, n))
        flat.add(retriever.index.rows(rows).astype(np.float32))
        v = model.embed_targets(retriever.data.x2, retriever.ids[rows])
        half = -0.5 * np.einsum("nd,nd->n", v, v)
        whole.add(np.column_stack([v, half]).astype(np.float32))
    points = faiss.rev_swig_ptr(flat.get_xb(), n * space.n_features)
    faiss.omp_set_num_threads(os.cpu_count() or 1)
    built = timed(lambda: hnsw.add(points.reshape(n, -1)))[0] / 1000
    panorama.add(points.reshape(n, -1))
    faiss.omp_set_num_threads(1)
    hnsw.hnsw.efSearch = 64
    v_points = faiss.rev_swig_ptr(whole.get_xb(), n * whole.d)
    matrix = torch.from_numpy(v_points.reshape(n, -1))

    def of_points(index: Any) -> Callable[[np.ndarray], np.ndarray]:
        return lambda z: index.search(space.queries(model.hidden(z[None])).astype(np.float32), 10)[
            1
        ][0]

    def decoded(z: np.ndarray) -> np.ndarray:
        return np.append(model.decode(z[None])[0], 1.0).astype(np.float32)

    ways: dict[str, Callable[[np.ndarray], np.ndarray]] = {
        "two stages (ours)": lambda z: retriever.positions(retriever.nearest(z[None], 10)[0][0]),
        "FAISS flat on the points": of_points(flat),
        "FAISS Panorama on the points": of_points(panorama),
        "FAISS HNSW on the points": of_points(hnsw),
        "FAISS flat on V": lambda z: whole.search(decoded(z)[None], 10)[1][0],
        "torch on V": lambda z: torch.topk(matrix @ torch.from_numpy(decoded(z)), 10)[1].numpy(),
    }
    kept = np.load(folder / "asked.npz")
    asked, found = (
        kept["z"][:: len(kept["z"]) // RIVALS],
        kept["found"][:: len(kept["z"]) // RIVALS],
    )
    took: dict[str, list[float]] = {name: [] for name in ways}
    same: dict[str, list[bool]] = {name: [] for name in ways}
    for z, ids in zip(asked, found, strict=True):
        for name, way in ways.items():
            began = time.perf_counter()
            answer = way(z)
            took[name].append(1000 * (time.perf_counter() - began))
            same[name].append(set(retriever.ids[answer]) == set(ids))
    rows = {name: [*spread(took[name]), float(np.mean(same[name]))] for name in ways}
    return {"width of V": int(model.weight.shape[1]), "seconds to build HNSW": built, **rows}


def engine(folder: Path) -> dict[str, Any]:
    """All points in Qdrant's own engine, in this process (Qdrant Edge) and on files: the same ids,
    and what a search takes there and here. No network lies between.
    """
    from rivae.retrieval.engine import push
    from tests.retrieval.edge import EdgeClient

    explorer = opened(folder)
    retriever, rng = explorer.retriever, np.random.default_rng(0)
    own = retriever.index
    with tempfile.TemporaryDirectory(dir=folder) as shards:
        began = time.perf_counter()
        there = push(
            EdgeClient(Path(shards)), "scale", own, lambda some: [{"row": int(i)} for i in some]
        )
        pushed = time.perf_counter() - began
        size = sum(path.stat().st_size for path in Path(shards).rglob("*") if path.is_file())
        z = np.stack([explorer.encode(int(i)) for i in rng.choice(retriever.ids, RIVALS)])
        z[::2] += 3 * explorer.std * rng.choice([-1, 1], (len(z[::2]), explorer.n_components))
        took: dict[str, list[float]] = {"two stages": [], "engine": []}
        same = []
        for query in retriever.space.queries(retriever.model.hidden(z)):
            found = []
            for name, index in (("two stages", own), ("engine", there)):
                began = time.perf_counter()
                found.append(index.search(query[None], 10)[0].tolist())
                took[name].append(1000 * (time.perf_counter() - began))
            same.append(found[0] == found[1])
    cache = folder / "runs" / explorer.run.id / "cache"
    return {
        "items": own.n_items,
        "seconds to push": pushed,
        "answers": len(same),
        "answers with the same ids in the same order": float(np.mean(same)),
        **{name: spread(each) for name, each in took.items()},
        "MB there": size / 1e6,
        "index of all items, MB": sum(p.stat().st_size for p in cache.glob("index-*.npy")) / 1e6,
    }


def texts(folder: Path) -> dict[str, Any]:
    """Searches of all texts, and conditions."""
    explorer = opened(folder)
    out: dict[str, Any] = {}
    for text in ("lemon rice", "number 4711", "gin", "#kind-lemon", "factor 1 > 0.9"):
        explorer.find(text)
        out[f"all of '{text}'"] = timed(lambda text=text: explorer.find(text), 5)
    out["best 10 of 'lemon rice'"] = timed(lambda: explorer.best("lemon rice", 10), 5)
    pages = np.random.default_rng(0).choice(explorer.search_rows, (20, 50))
    took = [timed(lambda page=page: [explorer.title(int(i)) for i in page])[0] for page in pages]
    out["titles of 50 items"] = [float(np.median(took)), float(np.quantile(took, 0.95))]
    return out


def paths(folder: Path) -> dict[str, Any]:
    """Where the best item changes along every axis, exactly, and by a hundred samples of each.

    *missed* is the share of exact items that no sample shows.
    """
    from rivae.retrieval.exact_path import exact_paths

    explorer = opened(folder)
    retriever, d = explorer.retriever, explorer.n_components
    low, high = explorer.mean - 3 * explorer.std, explorer.mean + 3 * explorer.std
    steps = np.linspace(low, high, SAMPLES)
    took: dict[str, list[float]] = {"exact": [], "sampled": []}
    n_items, n_missed = 0, 0
    for row in np.random.default_rng(0).choice(retriever.ids, PATHS):
        z = explorer.encode(int(row))
        began = time.perf_counter()
        exact = exact_paths(retriever, z[None], range(d), low, high)[0]
        took["exact"].append(time.perf_counter() - began)
        began = time.perf_counter()
        grid = np.repeat(z[None], d * SAMPLES, axis=0).reshape(d, SAMPLES, d)
        grid[np.arange(d), :, np.arange(d)] = steps.T
        seen = retriever.nearest(grid.reshape(-1, d), 1)[0].reshape(d, SAMPLES)
        took["sampled"].append(time.perf_counter() - began)
        for path, shown in zip(exact, seen, strict=True):
            items = np.unique(path.ids)
            n_items, n_missed = n_items + len(items), n_missed + len(np.setdiff1d(items, shown))
    return {
        "axes": d,
        "exact, s of all axes": float(np.median(took["exact"])),
        "100 samples of each, s": float(np.median(took["sampled"])),
        "items of an axis": n_items / (PATHS * d),
        "missed by the samples": n_missed / n_items,
    }
