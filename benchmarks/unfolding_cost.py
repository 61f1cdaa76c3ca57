"""What does it cost to unfold the embeddings of the pairs, as the contrastive start does?

    python benchmarks/unfolding_cost.py [--pairs 1000,10000,100000,1000000]

Unfolds a made sheet of three factors in as many dimensions as three fits of both sides have, all
fits together and each of them alone, and writes ``benchmarks/results/unfolding-cost.md``. Up to
10,000 pairs are unfolded, the others are placed next to them.
"""

from __future__ import annotations

import argparse
import platform
import sys
import time
from pathlib import Path

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).parents[1]))  # runs from a clone, installed or not

from rivae.metrics.measures.r2 import held_out_r2
from rivae.training.starts import COMPARED_ROWS, unfolded_rows
from rivae.training.unfolding import placed, unfold

RESULTS = Path(__file__).parent / "results"
FITS, DIM, SHORT = 3, 128, 0.4  # one fit's dimensions, both sides; the third side of the sheet


def sheet(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows (n, FITS * DIM) of a curled sheet of three uniform factors (n, 3)."""
    rng = np.random.default_rng(0)
    factors = rng.uniform(size=(n, 3))
    waves = rng.standard_normal((FITS * DIM, 3)) * [2.0, 2.0, 2.0 * SHORT]
    rows = np.cos(factors @ waves.T + rng.uniform(0, 2 * np.pi, FITS * DIM))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32), factors


def measure(n: int) -> str:
    """A row of the table for ``n`` pairs."""
    rows, factors = sheet(n)
    chosen = unfolded_rows(n)
    times = [time.process_time()]
    axes = unfold(rows[chosen], 3).axes
    times.append(time.process_time())
    for i in range(FITS):
        unfold(rows[chosen[:COMPARED_ROWS], i * DIM : (i + 1) * DIM], 3)
    times.append(time.process_time())
    if n > len(chosen):
        axes = placed(rows, rows[chosen], axes)
    times.append(time.process_time())
    seconds = " | ".join(f"{s:.1f}" for s in np.diff(times))
    r2 = min(held_out_r2(axes, factor, "linear", 0) for factor in factors.T)
    return f"| {n:,} | {seconds} | {r2:.3f} |"


def main() -> None:
    """Measure and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", default="1000,10000,100000,1000000")
    rows = []
    for n in parser.parse_args().pairs.split(","):
        rows.append(measure(int(n)))
        print(rows[-1], flush=True)
    text = (
        "# What unfolding costs\n\n"
        f"`python benchmarks/unfolding_cost.py`; CPU seconds on {platform.machine()} with "
        f"{torch.get_num_threads()} thread(s), a made sheet of three factors in {FITS * DIM} "
        "dimensions.\n"
        f"*Alone*: each of {FITS} fits on at most {COMPARED_ROWS:,} pairs, for the marks of the "
        "axes. *Placed*: pairs beyond 10,000,\nin proportion to their number. R² is linear and "
        "held out, of the factor that is found worst.\n\n"
        "| pairs | unfolded together | alone | placed | R² |\n|---|---|---|---|---|\n"
        + "\n".join(rows)
        + "\n"
    )
    (RESULTS / "unfolding-cost.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
