"""How well a short text that somebody types finds its dish: R@k and MedR, text to picture.

    python benchmarks/short_texts.py RUN RUN ... [--data FOLDER]

RUN is the folder of a run on imported pairs that can be asked with texts (see ``food_axes.py``);
runs are seeds of one row. Of 1,000 test recipes each is asked with a part of its text, as Explore
takes it: z is the mean of P(z|v2), and the pictures of the 1,000 are searched. Writes
``benchmarks/results/short-texts.md``.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).parents[1]))  # runs from a clone, installed or not

from benchmarks.cells import kind_of, mean_and_spread, method_of, row_title
from rivae.base.errors import DataError
from rivae.data.base import Recipe
from rivae.data.store.manifest import ROOT_VARIABLE
from rivae.exploring.explorer import Explorer
from rivae.retrieval.base import median_rank, ranks_of_targets, recall_at_k
from rivae.retrieval.retriever import Retriever
from rivae.runs import Run

RESULTS = Path(__file__).parent / "results"
N_ITEMS = 1000
PARTS: dict[str, Callable[[Recipe], str]] = {
    "title": lambda recipe: recipe.title,
    "first ingredient": lambda recipe: " ".join(recipe.ingredients[:1]),
    "first three ingredients": lambda recipe: " ".join(recipe.ingredients[:3]),
    "title and ingredients": lambda recipe: " ".join((recipe.title, *recipe.ingredients)),
    "whole recipe": lambda recipe: " ".join(
        (recipe.title, *recipe.ingredients, *recipe.instructions)
    ),
}
SCORES = ("R@1", "R@5", "R@10", "MedR", "not understood")


def measured(run: Run) -> dict[str, tuple[float, ...]]:
    """R@1, R@5, R@10, MedR and the share of texts without a known word, by part of the text."""
    explorer = Explorer.open(run, "test", asks="second")
    rows = np.random.default_rng(0).permutation(explorer.search_rows)[:N_ITEMS]
    retriever = Retriever(explorer.method, explorer.data, rows, asks="second")
    recipes = [explorer.data.recipe(int(row)) for row in rows]
    out = {}
    for name, part in PARTS.items():
        ranks = np.full(len(rows), (len(rows) + 1) / 2)  # of a text without a known word: chance
        lost = 0
        for i, recipe in enumerate(recipes):
            assert recipe is not None
            try:
                z = explorer.encode_text(part(recipe))
            except DataError:
                lost += 1
                continue
            distances = retriever.all_squared_distances(z[None])
            ranks[i] = ranks_of_targets(distances, np.array([i]))[0]
        recalls = (recall_at_k(ranks, k) for k in (1, 5, 10))
        out[name] = (*recalls, median_rank(ranks), lost / len(rows))
    return out


def main() -> None:
    """Measure all runs and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", nargs="+", type=Path)
    parser.add_argument("--data", type=Path)
    asked = parser.parse_args()
    if asked.data:
        os.environ[ROOT_VARIABLE] = str(asked.data.resolve())
    runs = [Run(path) for path in asked.runs]
    each = [measured(run) for run in runs]
    models = ", ".join(sorted({row_title(method_of(run), kind_of(run)) for run in runs}))
    lines = [
        "# Short texts, text → picture",
        "",
        f"`python benchmarks/short_texts.py RUN RUN ...`; {models}, {len(each)} seeds, "
        f"{N_ITEMS:,} test recipes; mean ± s.d. over seeds. By chance R@1 is {1 / N_ITEMS:.3f}, "
        f"MedR {(N_ITEMS + 1) / 2:.0f}.",
        "",
        f"| what is typed | {' | '.join(SCORES)} |",
        "|---" * (len(SCORES) + 1) + "|",
    ]
    for name in PARTS:
        scores = pd.DataFrame([one[name] for one in each], columns=SCORES)
        cells = [mean_and_spread(scores[k], 1 if k == "MedR" else 3) for k in SCORES]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    (RESULTS / "short-texts.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
