"""How often the 90 % intervals of D, C, I and MCC from a part of the labels hold the value that all
labels give.

    python benchmarks/label_estimates.py [--food RUN … --runs FOLDER --data FOLDER] [--draws 500]

Each draw takes 20 of 200 queries, labels the first items of ``rivae.labels.early.sample`` and
estimates from them. The kitchen is always there; RUNs are evaluated runs on the store of
``benchmarks/food_axes.py``, scored on model-made levels (``rivae.labels.food_levels``). The dishes
are cut in two by the last bit of the SHA-256 of their id: the constants of the estimator were
chosen on the kitchen and half A, half B reports. A draw that is measured is kept in ``--kept``, so
run it again to go on.

Writes label-estimates.md and label-estimates.json.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[1]))  # runs from a clone, installed or not

from rivae.base.files import write_atomic
from rivae.data.base import PairedDataset
from rivae.data.food_factors import FACTOR_NAMES
from rivae.data.store.manifest import ROOT_VARIABLE
from rivae.evaluation.replay import replay
from rivae.figures.tables import with_spread
from rivae.labels.early.estimates import SCORES, best_axes, estimate
from rivae.labels.early.ground import Ground
from rivae.labels.early.paths import PathSums
from rivae.labels.early.sample import N_QUERIES, REPEATS, sample_items
from rivae.labels.early.slips import SlipRate, slip_rate, slipped
from rivae.labels.food_levels import level_matrix, model_levels
from rivae.metrics.matching import assignment, cross_correlation
from rivae.metrics.measures.dci_paper import paper_scores
from rivae.retrieval.retriever import Retriever
from rivae.retrieval.traversal import Traversal, traverse
from rivae.runs import find_run

ROOT = Path(__file__).resolve().parents[1]
Floats = NDArray[np.float64]
SIZES = (20, 40, 80, 160)
N_KNOWN = 200  # queries of which each draw takes 20
SLIP = 0.1
KITCHEN = ("demo-kitchen", "demo-kitchen-cos-sim-lvm")
ANNOTATOR = "pass-1"  # whose model-made levels are the labels
WANTED = 0.86
LETTER = {"disentanglement": "D", "completeness": "C", "informativeness": "I", "mcc": "MCC"}
ROLES = {"": "chosen on", "A": "chosen on", "B": "reported"}

READING = f"""## How to read this

* Held: share of the draws whose 90 % interval holds the value that all labels give, for the same
  {N_QUERIES} queries (for MCC: for all searched items). **Asked for: {WANTED:.2f}**; a lower share
  is in bold. A share of .90 from 500 draws is known to ± .013.
* Error: estimate less that value, mean ± s.d. over the draws. Width: mean of the interval.
* The sample is that of ``rivae labels plan --minutes``: three of four items are the most retrieved,
  the fourth is drawn at random. n counts both.
* The levels of dishes are model-made (one of two passes), not those of a person.
"""


def half_of(item: str) -> str:
    """A or B, by the last bit of the SHA-256 of an item's id."""
    return "AB"[hashlib.sha256(item.encode()).digest()[-1] & 1]


@dataclass
class World:
    """A run, the items searched and their levels.

    Attributes:
        name, role: of the table; the role is "chosen on" or "reported".
        traversal: of ``N_KNOWN`` queries.
        levels: (N, K), NaN where the model could not tell.
    """

    name: str
    role: str
    ground: Ground
    retriever: Retriever
    traversal: Traversal
    levels: Floats

    @classmethod
    def of(cls, run_id: str, half: str = "") -> World:
        """The run, on the kitchen's true levels or on those of one half of the dishes."""
        run = find_run(run_id)
        data = run.load_dataset()
        rows, report = np.sort(data.splits["test"]), run.evaluation
        assert report is not None
        if half:
            names = data.item_ids()
            rows = rows[[half_of(str(names[row])) == half for row in rows]]
        retriever = Retriever(run.load_method(data), data, rows)
        queries = np.sort(np.random.default_rng(0).permutation(rows)[:N_KNOWN])
        every = Retriever(retriever.method, data, data.splits["test"], model=retriever.model)
        values = replay(every, data, report, range(every.n_components), chosen=[0]).values
        found = traverse(retriever, retriever.encode(queries)[0], values)
        return cls(
            f"{run_id}, half {half}" if half else run_id,
            ROLES[half],
            Ground.of(retriever, found),
            retriever,
            found,
            _levels(data, rows, half),
        )

    def measure(self, draw: int, slip: float = 0.0) -> Iterator[dict[str, Any]]:
        """One row per number of items."""
        rng = np.random.default_rng([draw, len(self.levels)])
        chosen = np.sort(rng.choice(len(self.traversal.z_ref), N_QUERIES, replace=False))
        ids = self.traversal.ids[chosen]
        ground, items = self.ground_of(ids), self.ground.items
        apart = np.isnan(self.levels)
        truth = all_label_scores(ground, self.levels)
        tables = ground.paths.tables(
            np.where(apart, 1.0, self.levels)[None], (~apart).astype(np.float64)
        )
        seen = slipped(self.levels, slip, rng)
        best = items[np.argsort(-ground.step_share, kind="stable")]
        best = best[: int((ground.step_share > 0).sum())]
        for n in SIZES:
            sample = np.searchsorted(items, sample_items(best, items, n, random_state=draw).rows)
            given = np.full(self.levels.shape, np.nan)
            given[sample] = seen[sample]
            said = np.zeros_like(apart)
            said[sample] = apart[sample]
            ways = {"": estimate(ground, given, FACTOR_NAMES, said, random_state=draw)}
            if slip:
                rate = repeated(given, slipped(self.levels, slip, rng), rng)
                ways["corrected"] = estimate(
                    ground, given, FACTOR_NAMES, said, slips=rate, random_state=draw
                )
            for way, found in ways.items():
                row: dict[str, Any] = {"draw": draw, "n": n, "slip": slip, "way": way}
                row["rate"] = found.slips.rate if found.slips else None
                row["steps"] = found.share
                row["cells"] = float(((found.low <= tables[0]) & (tables[0] <= found.high)).mean())
                row["cell_width"] = float((found.high - found.low).mean())
                for name in SCORES:
                    one = found.scores[name]
                    row[name] = [truth[name], one.value, one.low, one.high]
                yield row

    def ground_of(self, ids: NDArray[np.int64]) -> Ground:
        """The ground of some queries; what it knows of items is shared."""
        ground = object.__new__(Ground)
        ground.__dict__ = dict(self.ground.__dict__)
        ground.paths = PathSums.of(replace(self.traversal, ids=ids), self.ground.items)
        ground.step_share = ground.paths.step_share
        return ground


def repeated(levels: Floats, again: Floats, rng: np.random.Generator) -> SlipRate:
    """The rate of slips as hidden repeats tell it: some answers (N, K) given once more."""
    given = np.argwhere(~np.isnan(levels))
    some = given[rng.permutation(len(given))[: round(REPEATS * len(given))]]
    first, second = (
        pd.DataFrame(
            {
                "annotator": ANNOTATOR,
                "item": some[:, 0],
                "factor": [FACTOR_NAMES[k] for k in some[:, 1]],
                "level": answers[tuple(some.T)],
            }
        )
        for answers in (levels, again)
    )
    return slip_rate(first, second)


def all_label_scores(ground: Ground, levels: Floats) -> dict[str, float]:
    """The scores from the levels (N, K) of all items of a ground, NaN where there is none."""
    apart = np.isnan(levels)
    tables = ground.paths.tables(np.where(apart, 1.0, levels)[None], (~apart).astype(np.float64))
    scores = paper_scores(best_axes(tables, ground.n_selected))[0]
    chosen = ground.population
    strength = np.column_stack(
        [
            cross_correlation(ground.z[~out], level[~out, None])[:, 0]
            for level, out in zip(levels[chosen].T, apart[chosen].T, strict=True)
        ]
    )
    matched = np.abs(strength[assignment(strength)]).sum() / levels.shape[1]
    return dict(zip(SCORES, [*scores.tolist(), float(matched)], strict=True))


def _levels(data: PairedDataset, rows: NDArray[np.int64], half: str) -> Floats:
    if half:
        return level_matrix(model_levels(data), rows, [ANNOTATOR])
    assert data.factors is not None
    return data.factors[rows] + 1.0


def kept_rows(world: World, kept: Path, draws: int, slip: float) -> list[dict[str, Any]]:
    """The rows of a world; draws that are missing are measured and kept one by one."""
    path = kept / f"{world.name.replace(', half ', '-')}-{slip:g}.jsonl"
    rows: list[dict[str, Any]] = []
    for line in path.read_text().splitlines() if path.exists() else []:
        with suppress(json.JSONDecodeError):  # the last one, where it was cut off
            rows.append(json.loads(line))
    ways = 1 + bool(slip)
    counts = Counter(row["draw"] for row in rows)
    done = {draw for draw, n in counts.items() if n == ways * len(SIZES)}
    rows = [row for row in rows if row["draw"] in done]
    write_atomic(path, "".join(json.dumps(row) + "\n" for row in rows).encode())
    for draw in range(draws):
        if draw not in done:
            new = list(world.measure(draw, slip))
            with path.open("a") as file:
                file.write("".join(json.dumps(row) + "\n" for row in new))
            rows += new
    return [row for row in rows if row["draw"] < draws]


def summary(world: World, rows: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """One line per number of items, way and score."""
    for way in dict.fromkeys(row["way"] for row in rows):
        for n in SIZES:
            some = [row for row in rows if row["n"] == n and row["way"] == way]
            for name in SCORES:
                truth, value, low, high = np.array([row[name] for row in some]).T
                known = ~np.isnan(value)
                held = (low <= truth) & (truth <= high)
                error, width = (value - truth)[known], (high - low)[known]
                yield {
                    "world": world.name,
                    "role": world.role,
                    "slip": some[0]["slip"],
                    "way": way,
                    "n": n,
                    "score": LETTER[name],
                    "draws": len(some),
                    "given": float(known.mean()),
                    "held": float(held[known].mean()) if known.any() else None,
                    "truth": float(truth.mean()),
                    "error": float(error.mean()) if known.any() else None,
                    "error_sd": float(error.std(ddof=1)) if known.sum() > 1 else None,
                    "width": float(width.mean()) if known.any() else None,
                    "steps": float(np.mean([row["steps"] for row in some])),
                    "cells": float(np.mean([row["cells"] for row in some])),
                    "cell_width": float(np.mean([row["cell_width"] for row in some])),
                }


def report(lines: list[dict[str, Any]]) -> str:
    """The tables."""
    draws = sorted({line["draws"] for line in lines})
    counts = f"{draws[0]}" if len(draws) == 1 else f"{draws[0]} to {draws[-1]}"
    out = [
        "# Scores from a part of the labels: how often the interval holds",
        "",
        f"`python benchmarks/label_estimates.py`: {counts} draws a line.",
        "",
        READING,
    ]
    heads = dict.fromkeys((line["world"], line["slip"], line["way"]) for line in lines)
    for world, slip, way in heads:
        some = [e for e in lines if (e["world"], e["slip"], e["way"]) == (world, slip, way)]
        slips = f", {slip:.0%} of the labels off by one" if slip else ""
        slips += f", {way} for slips" if way else ""
        out += [
            f"## {world} ({some[0]['role']}){slips}: {some[0]['draws']} draws",
            "",
            "| n | steps | "
            + " | ".join(f"{s}: held, error, width" for s in LETTER.values())
            + " | cells held, width |",
            "|---|---|---|---|---|---|---|",
        ]
        for n in SIZES:
            of_n = [line for line in some if line["n"] == n]
            cells = [f"{n}", f"{of_n[0]['steps']:.2f}", *map(_cell, of_n)]
            cells.append(f"{of_n[0]['cells']:.2f}, {of_n[0]['cell_width']:.2f}")
            out.append(f"| {' | '.join(cells)} |")
        out += ["", f"All labels: {', '.join(_truth(e) for e in some[: len(SCORES)])}.", ""]
    return "\n".join(out)


def _truth(line: dict[str, Any]) -> str:
    return f"{line['score']} {line['truth']:.3f}"


def _cell(line: dict[str, Any]) -> str:
    if line["held"] is None:
        return "no number"
    held = f"{line['held']:.2f}" if line["held"] >= WANTED else f"**{line['held']:.2f}**"
    part = "" if line["given"] > 0.995 else f" of the {line['given']:.0%} with a number"
    spread = line["error_sd"] if line["error_sd"] is not None else float("nan")
    return f"{held}{part}, {with_spread(line['error'], spread, 3)}, {line['width']:.2f}"


def main() -> None:
    """Measure what is missing and write the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--draws", type=int, default=500)
    parser.add_argument("--slip-draws", type=int, default=100)
    parser.add_argument("--food", nargs="*", default=[], metavar="RUN", help="evaluated runs")
    parser.add_argument("--runs", type=Path, help="folder of these runs; as the app has it")
    parser.add_argument("--data", type=Path, help="folder of the stores; as the app has it")
    parser.add_argument("--kept", type=Path, default=ROOT / "build" / "label-estimates")
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results")
    parser.add_argument("--halves", default="BA", help="A alone while something is chosen")
    parser.add_argument("--batch", type=int, default=25, help="draws of one world in a row")
    options = parser.parse_args()
    if options.data:
        os.environ[ROOT_VARIABLE] = str(options.data)
    if options.runs:
        os.environ["RIVAE_RUNS"] = str(options.runs)
    options.kept.mkdir(parents=True, exist_ok=True)
    names = [(run, "") for run in KITCHEN] + [
        (r, half) for half in options.halves for r in options.food
    ]
    worlds = [World.of(*name) for name in names]
    for upto in [*range(options.batch, options.draws, options.batch), options.draws]:
        lines: list[dict[str, Any]] = []
        for slip, most in ((0.0, options.draws), (SLIP, options.slip_draws)):
            for world in worlds:
                if n := min(upto, most):
                    lines += summary(world, kept_rows(world, options.kept, n, slip))
        options.out.mkdir(parents=True, exist_ok=True)
        write_atomic(options.out / "label-estimates.md", report(lines).encode())
        write_atomic(
            options.out / "label-estimates.json",
            (json.dumps({"lines": lines}, indent=1) + "\n").encode(),
        )
        print(f"{upto} draws", flush=True)


if __name__ == "__main__":
    main()
