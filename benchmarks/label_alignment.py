"""How D/C/I and MCC grow with a few labels, on the kitchen, whose factors are known.

    python benchmarks/label_alignment.py [--draws 5] [--out FOLDER]

Labels are the true levels of training items with the slips of an annotator; scores are those of the
test pairs against the true factors. Writes label-alignment.md and label-alignment.parquet.
"""

from __future__ import annotations

import argparse
import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray

from rivae.data.base import PairedDataset
from rivae.data.food_factors import FACTOR_NAMES, FOOD_FACTORS
from rivae.labels.align import align_axes
from rivae.labels.suggest import suggest_items
from rivae.metrics.correlation import correlation_table
from rivae.metrics.matching import assignment, cross_correlation
from rivae.metrics.measures.dci_paper import paper_dci
from rivae.models.base import Method
from rivae.retrieval.ranges import paper_grid
from rivae.retrieval.retriever import Retriever
from rivae.retrieval.traversal import traverse
from rivae.runs import find_run
from rivae.training.alignment.folding import scaled_axes

ROOT = Path(__file__).resolve().parents[1]
Floats = NDArray[np.float64]
RUNS = ("demo-kitchen", "demo-kitchen-cos-sim-lvm")
SIZES = (10, 30, 100, 300)
POOL = 1500  # training items among which items are drawn or suggested
SLIP, CANNOT_TELL = 0.2, 0.03
N_QUERIES = 40
SCORES = {
    "mcc": "MCC",
    "own": "corr. of axis k with factor k",
    "disentanglement": "D",
    "completeness": "C",
    "informativeness": "I",
    "r2": "R² from axis k",
}

READING = """## How to read this

* Thirty labelled items are enough where no axis is a factor ("turned"): the MCC of RIVAE goes from
  .54 to .89 (random items) or .91 (suggested ones), that of Cos-Sim-LVM from .53 to .86 or .88. A
  hundred give .92 and .89 to .90, all 4,200 give .93 and .90. Ten are too few there.
* Both demo runs had independent components taken after training, which found the factors without
  any label. Labels then add names, signs and order and at most .02 of MCC; ten random ones cost
  some.
* Where no axis is a factor, suggested items beat random ones by .12 to .14 at 10 labels and by .02
  at 30, in every draw: 30 suggested ones do nearly what 100 random ones do. From 100 labels on the
  choice hardly matters.
* One data set, drawn from eight independent factors, and simulated annotators: real labels are
  correlated and their slips are not random."""


@dataclass
class Start:
    """A model as it is before alignment, with what every measurement of it needs."""

    name: str
    method: Method
    data: PairedDataset
    train: Floats
    test: Floats
    queries: Floats
    retriever: Retriever

    @classmethod
    def of(cls, name: str, retriever: Retriever, n_queries: int = N_QUERIES) -> Start:
        """Encode training rows and the items that are searched, some of which are the queries."""
        data, rows = retriever.data, retriever.ids
        queries = np.sort(np.random.default_rng(0).permutation(rows)[:n_queries])
        latents = (retriever.encode(each)[0] for each in (data.splits["train"], rows, queries))
        return cls(name, retriever.method, data, *latents, retriever)

    def turned(self, name: str, seed: int = 0) -> Start:
        """The same model with axes turned at random in white coordinates: no axis is a factor."""
        values, vectors = np.linalg.eigh(np.cov(self.train.T))
        d = len(values)
        turn = np.linalg.qr(np.random.default_rng(seed).normal(size=(d, d)))[0]
        matrix = (vectors / np.sqrt(values)) @ turn
        scaled = scaled_axes(self.train @ matrix, 10.0)
        return self.changed(name, matrix @ scaled.matrix, scaled.offset)

    def changed(self, name: str, matrix: Floats, offset: Floats) -> Start:
        """The start in other coordinates."""
        method = copy.deepcopy(self.method)
        method.apply_affine(torch.from_numpy(matrix).float(), torch.from_numpy(offset).float())
        moved = (z @ matrix + offset for z in (self.train, self.test, self.queries))
        # Where f is affine, its output layer and with it the points that are searched change, too.
        retriever = Retriever(method, self.data, self.retriever.ids, asks=self.retriever.asks)
        return Start(name, method, self.data, *moved, retriever)

    def scores(self, aligned: bool) -> dict[str, float]:
        """Scores on the test pairs; axis k is factor k where ``aligned``, else the best match."""
        rows, all_factors = self.data.splits["test"], self.data.factors
        assert all_factors is not None
        factors = all_factors[rows]
        table = cross_correlation(self.test, factors)
        matched = np.abs(table[assignment(table)])
        n_factors = factors.shape[1]
        own = table[np.arange(n_factors), np.arange(n_factors)] if aligned else matched
        found = traverse(self.retriever, self.queries, paper_grid())
        dci = paper_dci(correlation_table(found, all_factors, FOOD_FACTORS).absolute)
        return {
            "mcc": float(matched.mean()),
            "own": float(own.mean()),
            "r2": float((own**2).mean()),
            **{name: r.score for name, r in dci.items()},
        }


def labels_of(factors: Floats, rng: np.random.Generator) -> Floats:
    """True levels 1 to 5 with slips of one level and some "cannot tell" (NaN)."""
    levels = factors + 1
    slips = (rng.random(levels.shape) < SLIP) * rng.choice([-1.0, 1.0], levels.shape)
    seen = np.clip(levels + slips, 1, 5)
    return np.where(rng.random(levels.shape) < CANNOT_TELL, np.nan, seen)


def measure(start: Start, draws: int) -> list[dict[str, Any]]:
    """One row per way of choosing, number of items and draw."""
    truth = start.data.factors
    assert truth is not None
    truth = truth[start.data.splits["train"]]
    head = {"start": start.name, "how": "before", "n": 0, "draw": 0}
    rows = [{**head, "choice": "", **start.scores(aligned=False)}]
    whole = align_axes(start.train, start.train, truth + 1, FACTOR_NAMES)
    best = start.changed("", whole.change.matrix, whole.change.offset)
    rows.append(
        {
            **head,
            "how": "all, no slips",
            "n": len(truth),
            "choice": whole.start,
            **best.scores(aligned=True),
        }
    )
    for how in ("random", "suggested"):
        for n in SIZES:
            for draw in range(draws):
                rng = np.random.default_rng(draw)
                pool = rng.permutation(len(truth))[:POOL]
                none = np.empty((0, start.train.shape[1]))
                items = (
                    pool[:n]
                    if how == "random"
                    else pool[suggest_items(start.train, start.train[pool], none, n)]
                )
                levels = labels_of(truth[items], rng)
                found = align_axes(start.train, start.train[items], levels, FACTOR_NAMES)
                made = start.changed("", found.change.matrix, found.change.offset)
                rows.append(
                    {
                        "start": start.name,
                        "how": how,
                        "n": n,
                        "draw": draw,
                        "choice": found.start,
                        **made.scores(aligned=True),
                    }
                )
            print(start.name, how, n, flush=True)
    return rows


def report(table: pd.DataFrame, draws: int) -> str:
    """The table for a person."""
    lines = [
        "# What a few labels do to the axes",
        "",
        f"`python benchmarks/label_alignment.py`, {draws} draws of items and slips, mean ± s.d. "
        f"Labels: the kitchen's eight factors of training items, {100 * SLIP:.0f} % of the levels "
        f'one off, {100 * CANNOT_TELL:.0f} % "cannot tell". Items: random ones, or those that '
        f"`rivae.labels.suggest` names among the same {POOL:,} (it sees no label). Scores: the 900 "
        f"test pairs against the true factors; D/C/I with alpha 10, z from −10 to 10 by 0.1, "
        f"{N_QUERIES} test queries, all ten dimensions. Before alignment the axis of a factor is "
        "the best match one to one; afterwards axis k is factor k, no match is looked for. MCC "
        'here is over all test pairs. "Turned": the same model after a random turn of its white '
        'coordinates, which is what training gives where nothing fixes the axes. "All, no '
        f'slips": every training item, the most that a linear change can do.',
        "",
        f"| start | items | labels | {' | '.join(SCORES.values())} | shrunk to |",
        "|---" * (len(SCORES) + 4) + "|",
    ]
    for (start, how, n), part in table.groupby(["start", "how", "n"], sort=False):
        cells = [
            f"{part[key].mean():.3f}" + (f" ± {part[key].std(ddof=1):.3f}" if len(part) > 1 else "")
            for key in SCORES
        ]
        choice = ", ".join(f"{k} {v}×" for k, v in part["choice"].value_counts().items() if k)
        lines.append(f"| {start} | {how} | {n or '–'} | {' | '.join(cells)} | {choice} |")
    return "\n".join([*lines, "", _verdict(table), "", READING, ""])


def _verdict(table: pd.DataFrame) -> str:
    """Suggested against random items, paired by draw."""
    lines = [
        "## Do suggested items beat random ones?",
        "",
        "Difference of the correlation of axis k with factor k, same draws.",
        "",
        "| start | labels | suggested − random | better in |",
        "|---|---|---|---|",
    ]
    for (start, n), part in table[table["n"].isin(SIZES)].groupby(["start", "n"], sort=False):
        by_draw = part.pivot(index="draw", columns="how", values="own")
        gain = by_draw["suggested"] - by_draw["random"]
        lines.append(
            f"| {start} | {n} | {gain.mean():+.3f} ± {gain.std(ddof=1):.3f} | "
            f"{(gain > 0).sum()} of {len(gain)} draws |"
        )
    return "\n".join(lines)


def main() -> None:
    """Measure every start and write the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results")
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for name in RUNS:
        run = find_run(name)
        data = run.load_dataset()
        start = Start.of(name, Retriever(run.load_method(data), data, data.splits["test"]))
        rows += measure(start, options.draws)
        rows += measure(start.turned(f"{name}, turned"), options.draws)
    table = pd.DataFrame(rows)
    options.out.mkdir(parents=True, exist_ok=True)
    table.to_parquet(options.out / "label-alignment.parquet", index=False)
    text = report(table, options.draws)
    (options.out / "label-alignment.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
