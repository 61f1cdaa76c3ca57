"""How often the 90 % interval of the difference of two runs holds the difference that all labels
give, and how often it is said to be beyond chance.

    python benchmarks/label_differences.py [--draws 60] [--kept FILE] [--out FOLDER]

The kitchen's two runs, with its true levels. Each draw takes 20 of 200 queries, labels the first
items of a plan for both runs, and compares them. A draw that is measured is kept, so run it again
to go on. Writes label-differences.md.
"""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))  # runs from a clone, installed or not

from benchmarks.label_estimates import (
    KITCHEN,
    LETTER,
    N_KNOWN,
    ROOT,
    SIZES,
    Floats,
    World,
    all_label_scores,
)
from rivae.base.files import write_atomic
from rivae.data.food_factors import FACTOR_NAMES
from rivae.labels.early.comparing import compare
from rivae.labels.early.estimates import SCORES, estimate
from rivae.labels.early.sample import N_QUERIES, sample_items

READING = """## How to read this

* Difference: of the first run less the second, from all labels, mean over the draws. Error: the
  estimate less that. Held: share of the draws whose 90 % interval holds it.
* Two intervals: the width of what the two runs' own intervals leave of the difference.
* Said: share of the draws that call the difference beyond chance; wrong: those of them with the
  other sign than all labels. By two intervals: share where the runs' own do not overlap.
"""


def measure(worlds: list[World], draw: int) -> list[dict[str, Any]]:
    """One row per number of items: by score the true difference, the estimate with its interval,
    and what two intervals leave.
    """
    rng = np.random.default_rng([draw, 7])
    chosen = np.sort(rng.choice(N_KNOWN, N_QUERIES, replace=False))
    grounds = {one.name: one.ground_of(one.traversal.ids[chosen]) for one in worlds}
    first, second = grounds
    levels = worlds[0].levels
    truth = {name: all_label_scores(ground, levels) for name, ground in grounds.items()}
    items = grounds[first].items
    share = np.stack([ground.step_share for ground in grounds.values()])
    # As `most_retrieved`: those of most runs first, then of most steps.
    order = np.lexsort((items, -share.sum(axis=0), -(share > 0).sum(axis=0)))
    best = items[order[: int((share > 0).any(axis=0).sum())]]
    rows = []
    for n in SIZES:
        sample = np.searchsorted(items, sample_items(best, items, n, random_state=draw).rows)
        given = np.full(levels.shape, np.nan)
        given[sample] = levels[sample]
        (found,) = compare(grounds, given, FACTOR_NAMES, random_state=draw)
        alone = [estimate(one, given, FACTOR_NAMES, random_state=draw) for one in grounds.values()]
        row: dict[str, Any] = {"d": draw, "n": n}
        for name in SCORES:
            one = found.scores[name]
            a, b = (each.scores[name] for each in alone)
            ends = (one.value, one.low, one.high, a.low - b.high, a.high - b.low)
            row[name] = [truth[first][name] - truth[second][name], *map(float, ends)]
        rows.append(row)
    return rows


def report(rows: list[dict[str, Any]], names: tuple[str, ...]) -> str:
    """The table."""
    draws = len({row["d"] for row in rows})
    lines = [
        "# Differences of two runs from a part of the labels",
        "",
        f"`python benchmarks/label_differences.py --draws {draws}`: {names[0]} less {names[1]}, "
        f"eight factors, {draws} draws.",
        "",
        READING,
        "| n | | difference | error, mean ± s.d. | held | width | two intervals | said | wrong "
        "| by two intervals |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for n in SIZES:
        for name in SCORES:
            lines.append(_line(n, name, np.array([row[name] for row in rows if row["n"] == n])))
    return "\n".join([*lines, ""])


def _line(n: int, name: str, numbers: Floats) -> str:
    truth, value, low, high, apart_low, apart_high = numbers.T
    said = (low > 0) | (high < 0)
    wrong = said & (np.sign(value) != np.sign(truth))
    error = value - truth
    cells = [
        f"{n}",
        LETTER[name],
        f"{truth.mean():+.3f}",
        f"{error.mean():+.3f} ± {error.std(ddof=1):.3f}",
        f"{((low <= truth) & (truth <= high)).mean():.2f}",
        f"{(high - low).mean():.2f}",
        f"{(apart_high - apart_low).mean():.2f}",
        f"{said.mean():.2f}",
        f"{wrong.mean():.2f}",
        f"{((apart_low > 0) | (apart_high < 0)).mean():.2f}",
    ]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Measure what is missing and write the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--draws", type=int, default=60)
    parser.add_argument("--kept", type=Path, default=ROOT / "build" / "label-differences.jsonl")
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results")
    options = parser.parse_args()
    options.kept.parent.mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, Any]] = []
    for line in options.kept.read_text().splitlines() if options.kept.exists() else []:
        with suppress(json.JSONDecodeError):  # the last one, where it was cut off
            rows.append(json.loads(line))
    done = {d for d in {row["d"] for row in rows} if sum(r["d"] == d for r in rows) == len(SIZES)}
    rows = [row for row in rows if row["d"] in done and row["d"] < options.draws]
    missing = [draw for draw in range(options.draws) if draw not in done]
    worlds = [World.of(name) for name in KITCHEN] if missing else []
    for draw in missing:
        new = measure(worlds, draw)
        with options.kept.open("a") as file:
            file.write("".join(json.dumps(row) + "\n" for row in new))
        rows += new
    options.out.mkdir(parents=True, exist_ok=True)
    write_atomic(options.out / "label-differences.md", report(rows, KITCHEN).encode())


if __name__ == "__main__":
    main()
