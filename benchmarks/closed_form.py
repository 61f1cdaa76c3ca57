"""Real photographs and recipes on frozen features: how well every method retrieves, and what its
training gains on the start in closed form.

    python benchmarks/closed_form.py RUNS [--data FOLDER]

RUNS is a folder with runs of ``rivae benchmark --tables pairs`` on features, or of ``rivae train``;
seeds of one configuration are one row. The rows of other features or numbers of axes, after
``rivae features food statistics efficientnet-lite0 efficientnet-lite2 minilm``::

    F="--set dataset.store=food --set dataset.features=statistics+efficientnet-lite0"
    rivae benchmark --tables pairs --seeds 3 $F
    rivae benchmark --tables pairs --methods rivae --seeds 1 $F --set joint_epochs=0
    rivae benchmark --tables pairs --methods rivae --seeds 1 $F --set joint_epochs=0 \\
        --set n_components=60 --set dim_v=60 --set 'head_hidden=[120]'

A run that has been measured is kept. Writes ``benchmarks/results/closed-form.md`` and ``.parquet``.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

sys.path.insert(0, str(Path(__file__).parents[1]))  # runs from a clone, installed or not

from benchmarks.cells import Row, asked_runs, mean_and_spread, row_title, with_measured
from rivae.base.config import Asks
from rivae.benchmark.tables import RIDGE_CCA
from rivae.metrics.measures.retrieval import MEDIAN_RANK, RECALL, retrieval_metrics
from rivae.models.registry import METHODS
from rivae.models.settings import CLOSED_FORM
from rivae.retrieval.retriever import Retriever
from rivae.runs import Run
from rivae.runs.folders import list_runs
from rivae.runs.refinement import kept_scores, refinable

RESULTS = Path(__file__).parent / "results"
TABLE = RESULTS / "closed-form.parquet"
WAYS: dict[str, Asks] = {"picture → recipe": "first", "recipe → picture": "second"}
SEARCHED = 1000  # of the test items; ten draws
READING = """\
15,228 photographs and recipes (10,660 to train with). Mean reciprocal rank of 1,000 validation
pairs, the mean of both directions where the method asks both ways: *start* before its last stage,
*training* in the best epoch of that stage, *kept* of what the run is: every method keeps its best
epoch, or its start. Cos-Sim-LVM and Bi-VAE have no start in closed form. R@k and median rank are
among 1,000 test items, mean of ten draws; ± is the s.d. over n seeds. **Ridge CCA** is the start in
closed form and no more: nothing in it is drawn, so it has one run.
"""
COLUMNS = {"start": "start", "training": "training", "kept": "kept"}
SCORES = {**{m.key: f"R@{k}" for k, m in RECALL.items()}, MEDIAN_RANK.key: "MedR"}


def gained(run: Run) -> dict[str, float]:
    """Validation scores of the start, of the best epoch of the last stage, and of what is kept."""
    rows = [(r["stage"], r["validation"]["score"]) for r in run.metrics() if "validation" in r]
    last = None if refinable(run.config) else rows[-1][0]  # all of a run that is its start
    before = [score for stage, score in rows if stage != last]
    training = max((score for stage, score in rows if stage == last), default=math.nan)
    kept = kept_scores(run).get("score", math.nan)
    if kept > training:  # what the last stage began with, measured between two epochs
        before.append(kept)
    return {"start": max(before, default=math.nan), "training": training, "kept": kept}


def runs_on_features(folder: Path) -> Iterator[tuple[Run]]:
    """The finished runs that read features, or start in closed form."""
    for run in sorted(list_runs([folder]), key=lambda run: run.id):
        init = run.config.method.settings.get("init")
        reads_features = run.config.dataset.settings.get("features")
        if run.status.state == "finished" and (init == CLOSED_FORM or reads_features):
            yield (run,)


def measure(run: Run) -> list[Row]:
    """A row for every view that may ask."""
    data = run.load_dataset()
    method, test = run.load_method(data), data.splits["test"]
    out = []
    for way, asks in WAYS.items():
        if asks != "first" and not method.asks_both_ways:
            continue
        found = retrieval_metrics(
            Retriever(method, data, test, asks=asks), test, search_size=SEARCHED
        )
        out.append({"way": way, **gained(run), **{k: found[k].score for k in SCORES}})
    return out


def table(rows: pd.DataFrame) -> str:
    """Mean ± s.d. over the seeds of every method and its features."""
    titles = ["", "n", *COLUMNS.values(), "asks", *SCORES.values()]
    lines = [f"| {' | '.join(titles)} |", "|---" * len(titles) + "|"]
    order = {name: i for i, name in enumerate((RIDGE_CCA, *METHODS))}
    rows = rows.assign(place=rows["method"].map(order)).sort_values(
        ["place", "kind"], kind="stable"
    )
    for (_, method, kind, way), own in rows.groupby(["place", "method", "kind", "way"], sort=False):
        cells = [row_title(method, kind), str(len(own))]
        cells += [mean_and_spread(own[name], 4) for name in COLUMNS] + [way]
        cells += [mean_and_spread(own[k], 1 if k == MEDIAN_RANK.key else 3) for k in SCORES]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    """Measure what is not measured yet and write the table of everything that was."""
    rows = with_measured(TABLE, runs_on_features(asked_runs(__doc__)), measure)
    text = (
        "# Retrieval on frozen features, and what training gains\n\n"
        f"`python benchmarks/closed_form.py RUNS`\n\n{READING}\n{table(rows)}\n"
    )
    RESULTS.joinpath("closed-form.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
