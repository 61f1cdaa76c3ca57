"""What training gains on a start in closed form: validation pairs before and after, by settings.

    python benchmarks/closed_form.py RUNS [--data FOLDER]

RUNS is a folder with trained runs of ``init=ridge-cca``. For those of the table, on the store of
``benchmarks/food_axes.py``:

    rivae features food statistics efficientnet-lite0
    F="--set dataset.features=statistics+efficientnet-lite0"
    rivae train food --name closed $F --set method.joint_epochs=0
    rivae train food --name rivae $F
    rivae train food --name rivae-60 $F --set method.n_components=60 --set method.dim_v=60 \\
        --set 'method.head_hidden=[120]'
    rivae train food --name rivae-fast $F --set method.embedder_rate=1
    rivae train food --name rivae-slow $F --set method.joint_learning_rate=0.00002
    rivae train food --name info-nce-ica --method info-nce-ica $F
    rivae train food --name info-nce-ica-fast --method info-nce-ica $F \\
        --set method.learning_rate=0.001

Ranks are among test items; settings were chosen by validation pairs. Writes
``benchmarks/results/closed-form.md``.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # runs from a clone, installed or not

from rivae.data.store.manifest import ROOT_VARIABLE
from rivae.metrics.measures.retrieval import retrieval_metrics
from rivae.models.settings import CLOSED_FORM
from rivae.retrieval.retriever import Retriever
from rivae.runs import Run
from rivae.runs.folders import list_runs
from rivae.runs.refinement import kept_scores

RESULTS = Path(__file__).parent / "results" / "closed-form.md"
SETTINGS = ("joint_learning_rate", "learning_rate", "embedder_rate")


def row(run: Run) -> str:
    """One run as a row of the table."""
    settings, data = run.config.method.settings, run.load_dataset()
    rows = [(r["stage"], r["validation"]["score"]) for r in run.metrics() if "validation" in r]
    trains = ("joint", run.config.method.name)  # what comes before them is the start
    before = max((score for stage, score in rows if stage not in trains), default=math.nan)
    after = max((score for stage, score in rows if stage in trains), default=math.nan)
    method = run.load_method(data)
    ranks = []
    for asks in ("first", "second"):
        retriever = Retriever(method, data, data.splits["test"], asks=asks)
        test, size = data.splits["test"], data.search_size
        found = retrieval_metrics(retriever, test, search_size=size)["median_rank"]
        ranks.append(f"{found.score:.1f} ± {found.std or 0:.1f}")
    rates = ", ".join(f"{name} {settings[name]:g}" for name in SETTINGS if settings.get(name))
    return (
        f"| {run.id} | {method.n_components} | {rates} | {before:.4f} | {after:.4f} "
        f"| {kept_scores(run)['score']:.4f} | {ranks[0]} | {ranks[1]} |"
    )


def main() -> None:
    """Read the runs and write the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("runs", type=Path)
    parser.add_argument("--data", type=Path, help="folder of imports")
    options = parser.parse_args()
    if options.data:
        os.environ[ROOT_VARIABLE] = str(options.data)
    chosen = [
        run
        for run in sorted(list_runs([options.runs]), key=lambda run: run.id)
        if run.status.state == "finished" and run.config.method.settings.get("init") == CLOSED_FORM
    ]
    lines = [
        "# What training gains on a start in closed form",
        "",
        "`python benchmarks/closed_form.py RUNS`. Mean reciprocal rank of at most 1,000 validation "
        "pairs, the mean of both directions; median rank among 1,000 test items, mean ± s.d. of "
        "ten draws.",
        "",
        "| run | axes | rates | start | best of training | kept | MedR picture → recipe | back |",
        "|---|---|---|---|---|---|---|---|",
        *map(row, chosen),
    ]
    RESULTS.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
