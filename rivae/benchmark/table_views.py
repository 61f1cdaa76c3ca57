"""The benchmark's tables as they are shown and exported.

Lines of ``rivae.benchmark.summary`` become one :class:`TableView` per table of a data set.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rivae.figures.tables import Score, best_cells
from rivae.metrics.registry import metric
from rivae.retrieval.ranges import PAPER, extent

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from rivae.benchmark.summary import SummaryLine

HEADINGS = {
    "retrieval": "Retrieval",
    "factors": "Disentanglement, completeness, informativeness",
    "digits": "Digit transitions",
    "standard": "Standard metrics of z",
    "steps": "Steps on the axes",
    "alpha": "D and C at other alpha",
    "ablation": "Ablation of the embedder regulariser",
}
NOTES = {
    "retrieval": "R@k is the share of test queries whose own pair is among the first k items, "
    "MedR the median rank of the own pair. Among N items chance gives k / N and (N + 1) / 2; "
    "N is 1,000; 2,000 for Split-MNIST, 359 for Split digits.",
    "factors": "The paper's scores in [0, 1] with alpha = 10 in rho(c) = exp(alpha c), which the "
    "paper leaves open; {extent}. Read them against the chance level where one is given: axes "
    "that mean nothing can score well above 0.",
    "digits": "Overlap is at most 1/45 = 0.0222, coverage at most 1; {extent}. Chance is not 0: "
    "shuffled digits cover nearly everything, so read both together.",
    "standard": "Of z itself, without retrieval; in [0, 1], R² also below 0. The paper has none "
    "of them. A random rotation of few true factors still has a high MCC: read every number "
    "against the chance level where one is given.",
    "steps": "The same runs with their axes as trained and after each step that applies, which "
    "every method gets alike; a step changes no retrieval. One rule chooses on validation pairs "
    "which of them the other tables show, where † marks runs measured after one step only; "
    "{extent}.",
    "alpha": "The same correlation tables with other alpha, and with |corr| itself as the weight "
    "(linear); {extent}.",
    "ablation": "RIVAE with and without L_Reg, the paper's ablation.",
}
DOTS = ("retrieval", "factors", "digits", "standard")  # tables with a dot plot
CHANCE = "chance"
RECIPE = (
    "On Recipe1M the paper scores 10 of 30 axes, chosen by their correlation with the 8 "
    "factors: a selection that lifts every score."
)


@dataclass(frozen=True)
class TableRow:
    """One row: its name, the small print below it, and whether it may be the best."""

    key: str
    name: str
    detail: str
    ranked: bool


@dataclass(frozen=True)
class TableView:
    """One table of one data set.

    Attributes:
        id: retrieval, factors, digits, standard, steps, alpha or ablation.
        title: its heading.
        note: how to read its numbers, in plain text.
        lines: its rows in the paper's order.
        scores: one per row and metric; ``Score.row`` is ``TableRow.key``.
        paper: whether the paper's numbers are shown.
    """

    id: str
    title: str
    note: str
    lines: tuple[TableRow, ...]
    scores: tuple[Score, ...]
    paper: bool

    @property
    def best(self) -> set[tuple[str, str]]:
        """(row, column) of the best of our values; chance and shortened runs do not compete."""
        left_out = {line.key for line in self.lines if not line.ranked}
        return best_cells(self.scores, self.digits, left_out)

    @cached_property
    def digits(self) -> dict[str, int]:
        """Decimals by column."""
        return {score.column: metric(score.column).decimals for score in self.scores}

    @property
    def has_dots(self) -> bool:
        """Whether a dot plot shows it: one line per method, and anything measured."""
        return self.id in DOTS and any(score.value is not None for score in self.scores)


def dots(view: TableView, *, dark: bool = False, title: str = "") -> go.Figure:
    """The table as a dot plot; a name that several rows share is followed by its small print."""
    from rivae.figures.score_dots import score_dots

    often = Counter(line.name for line in view.lines)
    names = {line.key: line.name if often[line.name] == 1 else line.key for line in view.lines}
    levels = {line.key for line in view.lines if line.key.startswith(CHANCE)}
    return score_dots(view.scores, chance=levels, names=names, dark=dark, title=title)


def presets_of(names: Iterable[str]) -> list[str]:
    """The presets among ``names``, "default" first."""
    found = {name for name in names if name not in ("", "–")}
    return sorted(found, key=lambda name: (name != "default", name))


def table_views(
    lines: Sequence[SummaryLine],
    dataset: str,
    *,
    where: str = PAPER,
    preset: str | None = None,
    paper: bool = True,
) -> list[TableView]:
    """The tables of one data set.

    Args:
        where: the range of the traversal, "paper" or "prior".
        preset: only runs of this preset (and lines that have none); None shows all.
        paper: with the paper's numbers.
    """
    kept = [
        line
        for line in lines
        if line.dataset == dataset
        and (line.preset in ("", "–") or preset is None or line.preset == preset)
        and (line.range in ("", where) or line.table == "standard")
        and (line.table != "ablation" or line.method == "rivae")
    ]
    views = []
    for table in dict.fromkeys(line.table for line in kept):
        mine = [line for line in kept if line.table == table]
        if table == "ablation" and not any(line.settings for line in mine):
            continue
        note = NOTES.get(table, "").format(extent=extent(where))
        if dataset == "recipe1m" and table == "factors":
            note = f"{note} {RECIPE}"
        rows = {_key(line): _row(line) for line in mine}
        views.append(
            TableView(
                table,
                HEADINGS.get(table, table),
                note,
                tuple(rows.values()),
                tuple(_score(line, paper) for line in mine),
                paper,
            )
        )
    return views


def _key(line: SummaryLine) -> str:
    size = "" if line.size == "full" else line.size
    step = line.axes if line.table == "steps" else ""
    detail = ", ".join(part for part in (line.preset.replace("–", ""), size, step) if part)
    return f"{line.title} ({detail})" if detail else line.title


def _row(line: SummaryLine) -> TableRow:
    short = f"{line.size}: shortened, no result" if line.size != "full" else ""
    preset = f"preset {line.preset}" if line.preset not in ("", "–") else ""
    detail = " · ".join(part for part in (preset, short, _axes(line)) if part)
    chance = line.method.startswith(CHANCE)
    return TableRow(_key(line), line.title, detail, not chance and line.size == "full")


def _axes(line: SummaryLine) -> str:
    """Which steps on the axes the row shows, and of the table of steps how often each is chosen."""
    if not line.axes or line.table == "alpha":
        return ""
    chosen = line.table == "steps" and line.n_chosen
    return f"axes: {line.marked_axes}" + (
        f", chosen for {line.n_chosen} of {line.n}" * bool(chosen)
    )


def _score(line: SummaryLine, paper: bool) -> Score:
    def known(value: float) -> float | None:
        return value if math.isfinite(value) else None

    printed = line.paper if paper else None
    is_number = isinstance(printed, int | float)
    return Score(
        row=_key(line),
        column=line.metric,
        value=line.mean if line.state == "ours" else None,
        std=known(line.std),
        paper=float(printed) if is_number and printed is not None else None,
        higher_is_better=metric(line.metric).higher_is_better,
        low=known(line.low),
        high=known(line.high),
        n=line.n_runs - line.n_failed if line.state == "ours" else 0,
        n_failed=line.n_failed,
        state="" if line.state == "ours" else line.state,
        reason=line.reason,
        paper_failed=printed == "failed",
    )


def csv_rows(view: TableView, dataset: str) -> list[dict[str, Any]]:
    """The table with one number per column, for a CSV file."""
    return [
        {
            "dataset": dataset,
            "table": view.id,
            "method": score.row,
            "metric": score.column,
            "state": score.state or "ours",
            "mean": score.value,
            "sd": score.std,
            "low_95": score.low,
            "high_95": score.high,
            "n": score.n,
            "n_failed": score.n_failed,
            "paper": "failed" if score.paper_failed else score.paper,
            "reason": score.reason,
        }
        for score in view.scores
    ]
