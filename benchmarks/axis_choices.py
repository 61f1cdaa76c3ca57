"""Choices of how axes are asked for and proposed, made without the levels that measure them.

    python benchmarks/axis_choices.py RUN RUN ... [--data FOLDER] [--tagged FILE]

What is judged: whether few labels also correct the direction that their texts give, and which
family of proposals is taken. The judges are two. *Tags of other recipes*: words that were learnt to
go with a tag on recipes of other sites (their tags follow food, not photographs), read on the
validation dishes of RUN; and the *kitchen*, whose factors are known, on its validation dishes. No
level of a test dish and no test dish is read.
Writes ``benchmarks/results/axis-choices.md`` and ``axis-choices.parquet``.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cache, partial
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).parents[1]))  # runs from a clone, installed or not

from benchmarks.added_axes import WORDINGS, Floats, Measured, Row, Rows
from rivae.data.base import PairedDataset
from rivae.data.food_factors import FACTOR_NAMES
from rivae.data.store.manifest import ROOT_VARIABLE
from rivae.data.words_view import recipe_text
from rivae.exploring.axes import finder
from rivae.exploring.axes.at_end import best_names
from rivae.exploring.axes.directions import DirectionFinder
from rivae.exploring.axes.proposing import FAMILIES, TIE, family_proposals, own_score
from rivae.exploring.words.proposals import proposed_names
from rivae.metrics.matching import cross_correlation
from rivae.runs import Run
from rivae.runs.added_axes import N_PROPOSED, AddedAxis, AxisSpec

RESULTS = Path(__file__).parent / "results"
TABLE = "axis-choices"
TAGGED = Path(__file__).parents[2] / "shared/data/food/tagged_recipes_noimage.jsonl.gz"
# The tags, as the sites spell them, that mean the high end of a factor. None means stickiness.
TAGS_OF: dict[str, tuple[str, ...]] = {
    "wateriness": ("Soup/Stew", "Drink"),
    "greenness": ("Leafy Green",),
    "baked": ("Bake",),
    "longishness": ("Drink", "Alcoholic"),
    "grains": ("Pasta", "Rice"),
    "dessert": ("Dessert",),
    "fruit": ("Fruit",),
}
# Of what is on the plate; diets, seasons and occasions say nothing of it.
DISH_TAGS = (
    *("Bake", "Dessert", "Vegetable", "Fruit", "Tomato", "Onion", "Milk/Cream", "Cheese", "Egg"),
    *("Herb", "Salad", "Chicken", "Garlic", "Roast", "Drink", "Potato", "Soup/Stew", "Ginger"),
    *("Lemon", "Grill/Barbecue", "Fish", "Pork", "Pasta", "Beef", "Chocolate", "Mushroom", "Nut"),
    *("Orange", "Cake", "Bean", "Apple", "Sauce", "Bacon", "Shrimp", "Rice", "Sandwich"),
)
SIZES, SPLITS, HELD = (30, 100), 3, 0.2
READING = """\
Validation dishes; **no level and no test dish is read**. *Tags of other recipes*: a logistic
regression on the words of {n:,} recipes of other sites says how likely a dish has a tag (AUC on a
fifth of those recipes that it was not fitted to: {auc}); these log odds are the levels
of seven factors ({factors}; no tag means
stickiness). *Kitchen*: its eight true factors. MCC as in added-axes.md, mean of picture and recipe.
*dish tags*: mean over {tags} tags of the largest |r| with one of the axes.
*own score*: what the product chooses by, which reads neither.

Few labels correct: on tags the texts alone are better, for these levels are functions of a text;
on the kitchen, where levels are seen in the picture as well, the correction is better by more.
"""


@cache
def tag_model(path: Path) -> tuple[Callable[[Sequence[str]], Floats], dict[str, float], int]:
    """What says, of texts, the log odds (n, K) of the tags that are used here; the AUC of each on
    recipes that it was not fitted to; and how many recipes there are.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score

    with gzip.open(path, "rt", encoding="utf-8") as lines:
        recipes = [json.loads(line) for line in lines]
    texts = [" ".join([r["title"], *r["ingredients"], *r["instructions"]]) for r in recipes]
    vectorizer = TfidfVectorizer(min_df=5, sublinear_tf=True, stop_words="english")
    words = vectorizer.fit_transform(texts)
    held = np.random.default_rng(0).random(len(texts)) < HELD
    models, aucs = [], {}
    for tag in used_tags():
        has = np.array([tag in recipe["tags"] for recipe in recipes])
        fit = partial(LogisticRegression, C=10.0, solver="liblinear", random_state=0)
        tried = fit().fit(words[~held], has[~held])
        aucs[tag] = float(roc_auc_score(has[held], tried.decision_function(words[held])))
        models.append(fit().fit(words, has))

    def log_odds(of: Sequence[str]) -> Floats:
        rows = vectorizer.transform(of)
        return np.stack([model.decision_function(rows) for model in models], axis=1)

    return log_odds, aucs, len(texts)


def used_tags() -> list[str]:
    """Every tag that is read here, once."""
    return list(dict.fromkeys([*(tag for tags in TAGS_OF.values() for tag in tags), *DISH_TAGS]))


def tag_levels(
    path: Path, tags: Sequence[Sequence[str]], data: PairedDataset, rows: Rows
) -> Floats:
    """The largest log odds of each group of tags, (n, K)."""
    recipes = [data.recipe(int(row)) for row in rows]
    odds = tag_model(path)[0]([recipe_text(one) if one else "" for one in recipes])
    at = {tag: k for k, tag in enumerate(used_tags())}
    return np.stack([odds[:, [at[tag] for tag in group]].max(axis=1) for group in tags], axis=1)


def true_levels(data: PairedDataset, rows: Rows) -> Floats:
    """The factors of the kitchen, (n, 8)."""
    names = [spec.name for spec in data.factor_specs]
    return np.asarray(data.factors, dtype=np.float64)[rows][
        :, [names.index(n) for n in FACTOR_NAMES]
    ]


NAMES_OF_Z = "z, its eight best names"
CORRECTED = "few labels correct it"
UNCORRECTED = "texts alone say the direction of few labels"


def on_texts_alone() -> AbstractContextManager[object]:
    """Labels do not correct the direction that their texts give."""
    return mock.patch.object(DirectionFinder, "corrected", lambda self, weights, z, levels: weights)


class Judge:
    """One run and the levels that judge its axes: of ``factors``, in the order of the columns."""

    def __init__(
        self,
        run: Run,
        factors: Sequence[str],
        levels_of: Callable[[PairedDataset, Rows], Floats],
        dish_tags_of: Callable[[PairedDataset, Rows], Floats] | None = None,
    ) -> None:
        self.factors = factors
        self.measured = Measured(run, "validation", levels_of)
        self.tags = dish_tags_of and dish_tags_of(self.measured.finder.data, self.measured.rows)

    def rows(self) -> Iterator[Row]:
        """Every choice, both ways."""
        for what, choice in ((CORRECTED, nullcontext), (UNCORRECTED, on_texts_alone)):
            with choice():
                yield from self._labels(what)
        yield from self._families()

    def _labels(self, what: str) -> Iterator[Row]:
        some = self.measured
        for split in range(SPLITS):
            order = np.random.default_rng(split).permutation(len(some.rows))
            pool, rest = order[: len(order) // 2], np.sort(order[len(order) // 2 :])
            for n in SIZES:
                for lines in (False, True):
                    reads = [self._labelled(pool[:n], k, lines) for k in range(len(self.factors))]
                    for row in some.rows_of(what, reads, True, rest):
                        named = f"{n} labels" + (" and lines" if lines else "")
                        yield {"question": "few labels", "with": named, **row}

    def _labelled(self, dishes: Rows, k: int, lines: bool) -> tuple[float, ...]:
        some, levels = self.measured, self.measured.levels[dishes, k]
        # People give five levels, not log odds: the fifth of all dishes that it lies in.
        cuts = np.quantile(some.levels[:, k], [0.2, 0.4, 0.6, 0.8])
        five = 1.0 + np.searchsorted(cuts, levels)
        pairs = tuple((some.ids[i], float(level)) for i, level in zip(dishes, five, strict=True))
        low, high = WORDINGS[next(iter(WORDINGS))][self.factors[k]] if lines else ("", "")
        spec = AxisSpec("labels", high, low, levels=pairs)
        with mock.patch.object(finder, "MIN_ROWS", len(dishes) + 1):  # its own score is not read
            return some.finder.draft(spec).reads

    def _families(self) -> Iterator[Row]:
        found = self.measured.finder
        for family, axes in family_proposals(found, N_PROPOSED).items():
            names = " · ".join(_poles(axis) for axis in axes)
            yield from self._family(
                family, names, [axis.reads for axis in axes], own_score(found, axes)
            )
        names_of_z = proposed_names(found.model.method, found.data)
        dims, own = best_names(found, names_of_z, N_PROPOSED)
        names = " · ".join(name.name for dim in dims if (name := names_of_z[dim]))
        yield from self._family(NAMES_OF_Z, names, np.eye(found.model.n_components)[dims], own)

    def _family(self, family: str, names: str, reads: Any, own: float) -> Iterator[Row]:
        rows = self.measured.rows_of(family, reads, False)
        for row, z in zip(rows, self.measured.z, strict=True):
            tags = self._best(z @ np.array(reads).T)
            yield {"question": "family", "with": names, **row, "own": own, "tags": tags}

    def _best(self, readings: Floats) -> float:
        if self.tags is None:
            return np.nan
        return float(np.abs(cross_correlation(readings, self.tags)).max(axis=0).mean())


def _poles(axis: AddedAxis) -> str:
    low, high = axis.poles
    return f"{low} ↔ {high}" if low else high


def report(table: pd.DataFrame, tagged: Path) -> str:
    """The table for a person."""
    _, aucs, n = tag_model(tagged)
    auc = f"{min(aucs.values()):.2f} to {max(aucs.values()):.2f}"
    head = READING.format(n=n, auc=auc, factors=", ".join(TAGS_OF), tags=len(DISH_TAGS))
    lines = ["# Choices of added axes, without the levels", "", head]
    for run, part in table.groupby("run", sort=False):
        lines += [f"## {run}", ""]
        own = part[part["question"] == "few labels"]
        lines += ["| given | choice | MCC | named right |", "|---" * 4 + "|"]
        for (given, what), rows in own.groupby(["with", "what"], sort=False):
            scores = f"{rows.mcc.mean():.3f} | {rows.named.mean():.3f}"
            lines.append(f"| {given} | {what} | {scores} |")
        lines.append("")
        own = part[part["question"] == "family"]
        lines += ["| family | MCC | dish tags | own score | axes |", "|---" * 5 + "|"]
        for (family, names), rows in own.groupby(["what", "with"], sort=False):
            tags = "–" if rows.tags.isna().all() else f"{rows.tags.mean():.3f}"
            lines.append(
                f"| {family} | {rows.mcc.mean():.3f} | {tags} | {rows.own.mean():.3f} | {names} |"
            )
        lines.append("")
    lines += [
        f"A family is preferred to those before it ({', '.join(FAMILIES)}) where its own score is "
        f"more than {TIE} above. At the end of a run the proposals are kept where theirs is more "
        f"than {TIE} above that of the names of z (on the kitchen it is not)."
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure all runs that are not measured yet and write the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("runs", type=Path, nargs="*", help="folders of runs on real food")
    parser.add_argument("--kitchen", type=Path, help="a run of the kitchen; demo-kitchen")
    parser.add_argument("--data", type=Path, help="folder of the stores; as the app has it")
    parser.add_argument("--tagged", type=Path, default=TAGGED, help="tagged recipes of other sites")
    chosen = parser.parse_args()
    if chosen.data:
        os.environ[ROOT_VARIABLE] = str(chosen.data)
    kitchen = chosen.kitchen or Path(__file__).parents[1] / "assets/demo/demo-kitchen"
    path = RESULTS / f"{TABLE}.parquet"
    table = pd.read_parquet(path) if path.exists() else pd.DataFrame(columns=["run", "model"])
    groups = list(TAGS_OF.values())
    for folder in [*chosen.runs, kitchen]:
        run = Run(folder)
        if run.model_key in set(table["model"]):
            continue
        if folder == kitchen:
            judge = Judge(run, FACTOR_NAMES, true_levels)
        else:
            judge = Judge(
                run,
                tuple(TAGS_OF),
                partial(tag_levels, chosen.tagged, groups),
                partial(tag_levels, chosen.tagged, [(tag,) for tag in DISH_TAGS]),
            )
        rows = [{"run": run.id, "model": run.model_key, **row} for row in judge.rows()]
        before = table[table["run"] != run.id]
        table = pd.concat([part for part in (before, pd.DataFrame(rows)) if len(part)])
        table.to_parquet(path, index=False)
        print(run.id, flush=True)
    (RESULTS / f"{TABLE}.md").write_text(report(table, chosen.tagged), encoding="utf-8")


if __name__ == "__main__":
    main()
