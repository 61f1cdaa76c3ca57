"""Exact top-10 search among up to 1,000,000 items of 1,024 dimensions, one query at a time.

``python benchmarks/search.py`` writes ``benchmarks/results/search.md``: median and p95 wall time of
one search (projection of the query included, the decoder's hidden layer not), the memory of the
points, and the time to project the data base. The decoder is random (leaky ReLU), m hidden units.
"""

from __future__ import annotations

import os
import platform
import sys
import time
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

from rivae.retrieval.model import make_space
from rivae.retrieval.registry import choose_index
from rivae.retrieval.storage import build_index

OUT = Path(__file__).parent / "results" / "search.md"
DIM_V, BLOCK, QUERIES, K = 1024, 20_000, 200, 10


def measure(n_items: int, m: int) -> str:
    """One row of the table."""
    rng = np.random.default_rng(0)
    weight, bias = rng.normal(size=(m, DIM_V)) / np.sqrt(DIM_V * m), np.zeros(DIM_V)
    space = make_space(weight, bias)
    hidden = rng.normal(size=(n_items, m))
    hidden = np.where(hidden > 0, hidden, 0.2 * hidden)
    points, spent = [], 0.0
    for start in range(0, n_items, BLOCK):
        # Items lie near the decoder's surface, as those of a trained model do.
        v = hidden[start : start + BLOCK] @ weight
        v += rng.normal(size=v.shape) * 0.3 / np.sqrt(DIM_V)
        v /= np.linalg.norm(v, axis=1, keepdims=True)
        began = time.process_time()
        points.append(space.items(v))
        spent += time.process_time() - began
    table = np.concatenate(points)
    index = build_index(choose_index(*table.shape), len(table), table.__getitem__)
    queries = hidden[rng.integers(n_items, size=QUERIES)] + 0.1 * rng.normal(size=(QUERIES, m))
    times = []
    for query in queries:
        began = time.perf_counter()
        index.search(space.queries(query[None]), K)
        times.append(1000 * (time.perf_counter() - began))
    median, p95 = np.percentile(times, [50, 95])
    # What reading the points once costs here: the floor of any search that looks at every item.
    table = np.ascontiguousarray(table, dtype=np.float32)
    vector = table[0].copy()
    floor = []
    for _ in range(20):
        began = time.perf_counter()
        table @ vector
        floor.append(1000 * (time.perf_counter() - began))
    megabytes = n_items * index.n_features * 4 / 2**20
    return (
        f"| {n_items:,} | {m} | {type(index).__name__} | {median:.2f} / {p95:.2f} "
        f"| {np.median(floor):.2f} | {megabytes:.0f} | {spent:.1f} |"
    )


def main() -> None:
    """Measure every size and write the table."""
    lines = [
        "# Exact search, top 10, one query",
        "",
        f"{platform.machine()}, one thread, load average {os.getloadavg()[0]:.1f} at the start. "
        "Made by `python benchmarks/search.py`.",
        "",
        "| items of 1,024 dims | hidden units m | index | median / p95 ms | reading them once, ms "
        "| float32 points, MB | projecting, CPU-s |",
        "|---|---|---|---|---|---|---|",
    ]
    for n_items in (10_000, 100_000, 1_000_000):
        for m in (10, 100):
            lines.append(measure(n_items, m))
            print(lines[-1], flush=True)
    OUT.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(OUT)


if __name__ == "__main__":
    main()
