"""Result rows as lines of the tables: mean, s.d., interval, n, the paper's number, a state.

The report and the app read ``results.parquet`` through this module::

    lines = summarise(read_rows(Path("benchmarks/results")))
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from scipy.special import stdtrit

from rivae.benchmark.paper import Printed, paper_lines, paper_value
from rivae.benchmark.rows import Row, line_key
from rivae.benchmark.tables import (
    CHANCE,
    OF_THE_PAPER,
    REPEATED,
    TABLES,
    WITHOUT_REG,
    columns,
    dataset_titles,
    title,
)
from rivae.metrics.registry import metric as known
from rivae.models.registry import METHODS
from rivae.retrieval.ranges import PAPER, PRIOR
from rivae.training.alignment.registry import STEPS

NO_CHOICE = "†"
LineState = Literal["ours", "failed", "not run"]
RunScore = tuple[int, int, float]  # draw, seed, score
Column = tuple[str, str, str]  # table, metric, range


@dataclass(frozen=True)
class SummaryLine:
    """One metric of one line of one table.

    Attributes:
        dataset: e.g. "synth" (``dataset_title`` has the title).
        table: retrieval, factors (the paper's D/C/I), digits, standard, steps, alpha or ablation.
        method: e.g. "rivae", or "chance-rotation" and "chance-items".
        title: the method's name for readers, with changed settings.
        preset: default or paper; "" for a chance level and for what was never run.
        settings: changed settings, e.g. "lambda_reg=0.0", or "".
        metric: e.g. "recall_at_1" (``rivae.metrics.registry``).
        range: of the traversal, "paper" (-10 ... 10), "prior" (mean +- 3 s.d.), for digits also
            "10 s.d." and the like; of retrieval "20 samples" of z and the like; "" for none.
        mean, std: over runs; std divides by n - 1. NaN where there is nothing to average.
        low, high: ends of a 95 % Student t interval of the mean. Draws of the data set are the
            independent units where there are several (the seeds of one draw are averaged first),
            otherwise seeds are. Cut at the range of the metric, since the interval of two units
            often exceeds it. NaN with one unit.
        n: runs with a value.
        n_failed: runs that diverged. The mean leaves them out.
        reason: why runs failed, or why the line was not run.
        state: "ours" with at least one finished run, "failed" when all failed, "not run".
        paper: the printed number, "failed" where the paper prints that, or None.
        n_runs: all runs, finished or failed.
        size: "full"; "quick" and "tiny" are shortened and no result.
        axes: of the table of steps the step on the axes; elsewhere, of how many runs which one was
            chosen. Empty where the metric depends on none.
        n_chosen: runs for which the rule chose among several steps: that of ``axes`` in the table
            of steps, any elsewhere.
    """

    dataset: str
    table: str
    method: str
    title: str
    preset: str
    settings: str
    metric: str
    range: str
    mean: float
    std: float
    low: float
    high: float
    n: int
    n_failed: int
    reason: str
    state: LineState
    paper: Printed | None
    n_runs: int = 0
    size: str = "full"
    axes: str = ""
    n_chosen: int = 0

    @property
    def marked_axes(self) -> str:
        """``axes``, marked where the rule had no choice for some of the runs."""
        unchosen = self.axes and self.table != "steps" and self.n_chosen < self.n
        return f"{self.axes} {NO_CHOICE}" if unchosen else self.axes


def summarise(rows: Sequence[Row]) -> list[SummaryLine]:
    """All lines of all tables, in the order of the report, with those that only the paper has. The
    lines of a data set depend on its own rows only.

    Args:
        rows: from ``rivae.benchmark.rows.read_rows``.
    """
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(line_key(row), []).append(row)
    of_datasets = _columns(rows)
    lines: list[SummaryLine] = []
    for key, mine in groups.items():
        lines += _lines(key, mine, of_datasets.get(key[0], set()))
    present = {(line.dataset, line.table, line.method, line.settings) for line in lines}
    for dataset, table, method, settings in paper_lines():
        if (dataset, table, method, settings) not in present:
            for metric in columns(table):
                where = "paper" if table in ("factors", "digits") else ""
                key = (dataset, method, "", settings, "full")
                lines.append(_line(key, (table, metric, where), [], "not run", "", 0, 0))
    return _sorted(lines)


def _columns(rows: Sequence[Row]) -> dict[str, set[Column]]:
    """The columns of each data set that any method has."""
    columns_of: dict[str, set[Column]] = {}
    for dataset, table, _, _ in paper_lines():
        where = "paper" if table in ("factors", "digits") else ""
        columns_of.setdefault(dataset, set()).update((table, m, where) for m in columns(table))
    for dataset, metric, where in {(r["dataset"], r["metric"], r["range"]) for r in rows}:
        mine = columns_of.setdefault(dataset, {("retrieval", m, "") for m in columns("retrieval")})
        mine.update(_tables_of(metric, where))
    return columns_of


def _tables_of(metric: str, where: str) -> set[Column]:
    return {
        (table, metric, where)
        for table in TABLES
        if table not in REPEATED and metric in columns(table)
    }


def _lines(key: tuple[str, ...], rows: list[Row], of_dataset: set[Column]) -> list[SummaryLine]:
    states: dict[tuple[int, int], tuple[str, str]] = {}
    scores: dict[tuple[str, str], list[RunScore]] = {}
    steps: dict[tuple[str, str, str], list[RunScore]] = {}
    axes_of: dict[tuple[str, str], Counter[str]] = {}
    n_chosen_of: Counter[tuple[str, str, str]] = Counter()
    for row in rows:
        run = (row["draw"], row["seed"])
        states[run] = (row["state"], row["message"])
        if row["state"] == "finished" and row["metric"]:
            score = row["score"]
            run_score = (*run, math.nan if score is None else float(score))
            metric_range = row["metric"], row["range"]
            if row["axes"]:
                steps.setdefault((*metric_range, row["axes"]), []).append(run_score)
                n_chosen_of[*metric_range, row["axes"]] += bool(row["chosen"])
            if row["chosen"] is None or row["chosen"]:
                scores.setdefault(metric_range, []).append(run_score)
                axes_of.setdefault(metric_range, Counter())[row["axes"]] += 1
    n_runs = sum(state != "not run" for state, _ in states.values())
    failures = [message for state, message in states.values() if state == "failed"]
    not_run = [message for state, message in states.values() if state == "not run"]
    state: LineState = "ours" if scores else ("failed" if failures else "not run")
    reasons = Counter(failures or not_run).most_common(1)
    reason = reasons[0][0] if reasons else ""
    if scores:
        mine = {c for metric, where in scores for c in _tables_of(metric, where)}
    else:
        mine = {c for c in of_dataset if c[0] not in ("alpha", "ablation")}
    _, method, _, settings, _ = key
    if method == "rivae" and settings in ("", WITHOUT_REG):
        mine |= {("ablation", m, "") for t, m, where in mine if (t, where) == ("retrieval", "")}

    def line(column: Column, run_scores: list[RunScore], axes: str, n_chosen: int) -> SummaryLine:
        blank = _line(key, column, run_scores, state, reason, len(failures), n_runs)
        return replace(blank, axes=axes, n_chosen=n_chosen)

    lines = []
    for column in mine:
        metric_range = column[1:]
        n_chosen = sum(n for of, n in n_chosen_of.items() if of[:2] == metric_range)
        axes = counted(axes_of.get(metric_range, Counter()))
        lines.append(line(column, scores.get(metric_range, []), axes, n_chosen))
    for (metric, where, step), after in steps.items():
        if metric in columns("steps") and where in ("", PAPER, PRIOR):
            n_chosen = n_chosen_of[metric, where, step]
            lines.append(line(("steps", metric, where), after, step, n_chosen))
    return lines


def counted(steps: Mapping[str, int]) -> str:
    """Steps of runs in words: "scaled", or "scaled 2, independent 3" where runs differ."""
    names = sorted((name for name in steps if name), key=_step_place)
    return names[0] if len(names) == 1 else ", ".join(f"{name} {steps[name]}" for name in names)


def _step_place(name: str) -> int:
    return [*STEPS, name].index(name)


def _line(
    key: tuple[str, ...],
    column: Column,
    scores: list[RunScore],
    state: LineState,
    reason: str,
    n_failed: int,
    n_runs: int,
) -> SummaryLine:
    dataset, method, preset, settings, size = key
    table, metric, where = column
    finite = [s for s in scores if math.isfinite(s[2])]
    values = np.array([s[2] for s in finite])
    low, high = np.clip(interval(finite), known(metric).low, known(metric).high).tolist()
    return SummaryLine(
        dataset=dataset,
        table=table,
        method=method,
        title=title(method, settings),
        preset=preset,
        settings=settings,
        metric=metric,
        range=where,
        mean=float(values.mean()) if len(values) else math.nan,
        std=float(values.std(ddof=1)) if len(values) > 1 else math.nan,
        low=low,
        high=high,
        n=len(values),
        n_failed=n_failed,
        reason=reason,
        state=state,
        paper=paper_value(dataset, method, metric, settings) if where in OF_THE_PAPER else None,
        n_runs=n_runs,
        size=size,
    )


def interval(scores: Sequence[RunScore], level: float = 0.95) -> tuple[float, float]:
    """Student t interval of the mean of (draw, seed, score); (NaN, NaN) with one unit.

    Seeds of one draw share its data and are not independent of each other.
    """
    by_draw: dict[int, list[float]] = {}
    for draw, _, score in scores:
        by_draw.setdefault(draw, []).append(score)
    units = [float(np.mean(v)) for v in by_draw.values()]
    if len(units) == 1:
        units = next(iter(by_draw.values()))
    if len(units) < 2:
        return math.nan, math.nan
    half = stdtrit(len(units) - 1, 0.5 + level / 2) * np.std(units, ddof=1) / len(units) ** 0.5
    return float(np.mean(units) - half), float(np.mean(units) + half)


def datasets_of(names: Iterable[str]) -> list[str]:
    """The data sets that have tables where there are rows of ``names``, in the order of the
    report: those of the paper, too.
    """
    every = {*names, *(dataset for dataset, *_ in paper_lines())}
    titles = list(dataset_titles())
    return sorted(every, key=lambda name: _place(titles, name))


def _place(names: Sequence[str], name: str) -> tuple[int, str]:
    return (names.index(name) if name in names else len(names), name)


def _sorted(lines: Sequence[SummaryLine]) -> list[SummaryLine]:
    datasets, methods = list(dataset_titles()), (*METHODS, *CHANCE)
    metrics = {table: columns(table) for table in TABLES}

    def order(line: SummaryLine) -> tuple[object, ...]:
        # Methods in the paper's order, the baselines, then ablations, then the chance levels.
        kind = 2 if line.method not in METHODS else (1 if line.settings else 0)
        return (
            _place(datasets, line.dataset),
            _place(TABLES, line.table),
            kind,
            _place(methods, line.method),
            line.settings,
            line.preset,
            line.size,
            metrics[line.table].index(line.metric),
            line.range,
            _step_place(line.axes) if line.table == "steps" else 0,
        )

    return sorted(lines, key=order)
