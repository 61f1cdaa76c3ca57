"""The tables of ``benchmarks/food_scores.py`` for a person, from its rows."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from benchmarks.cells import mean_and_spread, row_title
from rivae.benchmark.paper import paper_value
from rivae.benchmark.tables import RIDGE_CCA
from rivae.benchmark.tables import title as method_title
from rivae.data.food_factors import FACTOR_LABELS
from rivae.labels.food_levels import MODEL_MADE
from rivae.metrics import registry
from rivae.models.registry import METHODS

MISSING = "not run"
LETTERS = {"d": "disentanglement", "c": "completeness", "i": "informativeness"}
OVER = {"all": "all axes", "ten": "ten axes"}
PARTS = {"mcc": "mcc", "own": "mcc_own", "r2": "r2"}
NULLS = {"turned": "axes turned at random", "shuffled": "levels shuffled"}
GROUP = ["method", "kind", "config", "asks"]
PASSES = "one pass"  # instead of a method: what one pass of the levels tells of the other
# The least that a network must beat, and those whose z has axes, in the order of the paper.
ROWS = (RIDGE_CCA, *(name for name in METHODS if METHODS.said(name, "has_latent", True)))

READING = f"""\
Test dishes and **{MODEL_MADE}** of the paper's eight factors, no people's. No preset or setting was
chosen by them; they had been seen once when axes of words became the preset. They were made from
photograph and recipe together, so neither view can tell all of them. n is the number of seeds of
one full configuration; in brackets the features that it reads. **Ridge CCA** is the start of every
method, untrained and without a seed: the least that a network must beat. A method without a run has
a dash.

* **D, C, I** are the paper's (alpha 10, z from −10 to 10): correlations with the levels of the
  dishes that are retrieved while one axis moves. Mean of 100 queries in steps of .5, for counts of
  labels of 20 queries in steps of 1: on the kitchen 51 and 11 of the paper's 201 steps change them
  by .03 at most ([traversal-scores.md](traversal-scores.md)). *Ten axes* are those with
  the highest correlation with any factor, as the paper chose them for Recipe1M; they are chosen by
  the scored levels, which raises the scores. Means over seeds; below each the lowest and the
  highest end of the seeds' 95 % intervals, over queries and over the two passes of the levels.
* **The intervals** take off the bias that redrawing shows, and reach to the estimate: D and C
  of few queries lie too high (those of 20 in [food-axes.md](food-axes.md) do), and percentiles
  would miss the estimate. How often they hold the truth, also where the axes are chosen, is in
  [label-intervals.md](label-intervals.md): I of chosen axes less often than asked for.
* **[The paper's numbers]** are of Recipe1M: other dishes, other networks, levels by hand. *failed*:
  it gives none.
* **Chance**: the same z after a random turn of its white coordinates (*axes turned at random*), and
  the same run with the levels of whole dishes given to other dishes (*levels shuffled*,
  mean ± s.d. over 20 shuffles of each run, for R² of two).
"""
READING_FACTORS = """\
## Each factor

z of the dishes themselves, no retrieval; each mean of 5 halvings of the dishes, matched or fitted
on one half and scored on the other. *MCC* matches each factor with an axis of its own. *MCC (own
part)* is made for factors that depend on each other, as these do (desserts have fruit, drinks stand
in glasses): it does not count what an axis tells of a factor by way of others, and counts what
others hide, so it may also be above MCC. *Linear R²* takes all axes together. The last two columns
are the mean of the same measure at chance. *One pass*: the levels of one pass as if they were z, so
no z can be expected above it.
"""
READING_COUNTS = """\
## How many labels buy the axes

Half of the test dishes may be labelled, the other half is searched and scored; 3 splits of each
seed, mean ± s.d. over all. Random dishes, or those that `rivae.labels.suggest` names, which sees no
label, or all of that half; the axes are aligned by `rivae.labels.align`. A factor whose few labels
are all equal, or fewer than six, is not aligned: *aligned* is the mean number of factors that were.
With the few queries D and C lie higher than above: compare them with the first line of each block
only.
"""


def groups(rows: pd.DataFrame) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """Method, view that asks, and rows of every full configuration; missing methods have none."""
    for method in ROWS:
        own = rows[rows["method"] == method]
        if own.empty:
            yield method, "", own
        for key, part in own.groupby(GROUP, sort=True):
            yield method, str(key[-1]), part


def _printed(method: str, letter: str) -> str:
    value = paper_value("recipe1m", method, LETTERS[letter])
    return "" if value is None else f" [{value if value == 'failed' else f'{value:.3f}'}]"


def dci_table(rows: pd.DataFrame) -> str:
    """D, C and I of every configuration, and below it at chance."""
    columns = [(letter, over) for over in OVER for letter in LETTERS]
    heads = [f"{letter.upper()}, {OVER[over]}" for letter, over in columns]
    lines = [f"| runs | asks | n | {' | '.join(heads)} |", "|" + "---|" * (3 + len(columns))]
    for method, asks, part in groups(rows):
        printed = {c: _printed(method, c[0]) if c[1] == "ten" else "" for c in columns}
        if part.empty:
            cells = [f"–{printed[c]}" for c in columns]
            lines.append(f"| {method_title(method)} | {MISSING} | 0 | {' | '.join(cells)} |")
            continue
        own = part[part["of"] == "run"]
        cells = [
            f"{mean_and_spread(own[f'{a}_{b}'])}{printed[a, b] if asks == 'picture' else ''}<br>"
            f"{own[f'{a}_{b}_low'].min():.3f} … {own[f'{a}_{b}_high'].max():.3f}"
            for a, b in columns
        ]
        name = row_title(method, own["kind"].iloc[0])
        lines.append(f"| {name} | {asks} | {len(own)} | {' | '.join(cells)} |")
        for of, words in NULLS.items():
            null = part[part["of"] == of]
            cells = [mean_and_spread(null[f"{a}_{b}"]) for a, b in columns]
            lines.append(f"| *{words}* | {asks} | {null['run'].nunique()} | {' | '.join(cells)} |")
    return "\n".join(lines)


def factor_table(rows: pd.DataFrame) -> str:
    """MCC, own part and R² of the eight factors."""
    heads = [*FACTOR_LABELS.values(), "mean", *NULLS.values()]
    lines = [f"| runs | asks | measure | n | {' | '.join(heads)} |"]
    lines.append("|" + "---|" * (4 + len(heads)))
    for method, asks, part in groups(rows):
        for key, metric in PARTS.items():
            label = registry.metric(metric).label
            if part.empty:
                dashes = " | ".join("–" * len(heads))
                lines.append(f"| {method_title(method)} | {MISSING} | {label} | 0 | {dashes} |")
                continue
            own = part[part["of"] == "run"]
            cells = [f"{own[f'{key}_{name}'].mean():.3f}" for name in FACTOR_LABELS]
            cells.append(mean_and_spread(own[key]))
            cells += [f"{part.loc[part['of'] == of, key].mean():.3f}" for of in NULLS]
            name = row_title(method, own["kind"].iloc[0])
            lines.append(f"| {name} | {asks} | {label} | {len(own)} | {' | '.join(cells)} |")
    for _, bound in rows[rows["method"] == PASSES].iterrows():
        for key, metric in PARTS.items():
            cells = [f"{bound[f'{key}_{name}']:.3f}" for name in FACTOR_LABELS]
            cells += [f"{bound[key]:.3f}", "–", "–"]
            label = registry.metric(metric).label
            lines.append(f"| *{PASSES} of the levels* | – | {label} | – | {' | '.join(cells)} |")
    return "\n".join(lines)


def count_table(rows: pd.DataFrame) -> str:
    """The scores after so many labels."""
    columns = {
        "aligned": "aligned",
        **{key: registry.metric(metric).label for key, metric in PARTS.items() if key != "r2"},
        **{f"{a}_{b}": f"{a.upper()}, {OVER[b]}" for b in OVER for a in LETTERS},
    }
    lines = [f"| runs | asks | labels | dishes | n | {' | '.join(columns.values())} |"]
    lines.append("|" + "---|" * (5 + len(columns)))
    for method, asks, part in groups(rows):
        if part.empty:
            dashes = " | ".join("–" * len(columns))
            lines.append(f"| {method_title(method)} | {MISSING} | – | – | 0 | {dashes} |")
            continue
        for (n, how), own in part.groupby(["n", "how"], sort=True):
            cells = [
                f"{own[c].mean():.1f}" if c == "aligned" else mean_and_spread(own[c])
                for c in columns
            ]
            name = row_title(method, own["kind"].iloc[0])
            seeds = own["run"].nunique()
            lines.append(
                f"| {name} | {asks} | {n} | {how or '–'} | {seeds} | {' | '.join(cells)} |"
            )
    return "\n".join(lines)


def report(scores: pd.DataFrame, counts: pd.DataFrame) -> str:
    """All tables; rows need not be there for every method."""
    return (
        f"# Real food, scored with {MODEL_MADE}\n\n"
        f"`python benchmarks/food_scores.py RUNS`\n\n{READING}\n{dci_table(scores)}\n\n"
        f"{READING_FACTORS}\n{factor_table(scores)}\n\n"
        f"{READING_COUNTS}\n{count_table(counts)}\n"
    )
