"""The readable report: per table of the paper "paper | ours mean ± s.d. | n", and the settings."""

from __future__ import annotations

import json
import platform
from collections.abc import Sequence
from pathlib import Path

from rivae.base.files import write_atomic
from rivae.base.table import Table
from rivae.benchmark.paper import printed_decimals
from rivae.benchmark.rows import Row, line_key, write_rows
from rivae.benchmark.scores import RULE
from rivae.benchmark.summary import NO_CHOICE, SummaryLine, counted, summarise
from rivae.benchmark.tables import by_samples, columns, dataset_titles, digit_range, title
from rivae.data.names import dataset_title
from rivae.evaluation.of_run import DIGIT_RANGES, N_QUERIES_DIGITS, N_QUERIES_RANGES
from rivae.figures.tables import with_spread
from rivae.metrics.registry import metric
from rivae.retrieval.ranges import PAPER
from rivae.training.alignment.registry import STEPS

Group = list[SummaryLine]  # the lines of one row of a table: one per metric

HEADINGS = {
    ("retrieval", ""): "Retrieval by the mean of z",
    ("retrieval", by_samples("1")): "Retrieval by one sample z ~ P(z|v1), as in the paper",
    ("retrieval", by_samples("20")): "Retrieval by the mean score of 20 samples z ~ P(z|v1)",
    ("factors", "paper"): "Factors: the paper's D/C/I (α = 10, traversal from −10 to +10)",
    ("factors", "prior"): "Factors: D/C/I over mean ± 3 s.d. of the aggregated prior",
    ("digits", "paper"): "Digit transitions (traversal from −10 to +10)",
    ("digits", "prior"): "Digit transitions over mean ± 3 s.d. of the aggregated prior",
    ("standard", ""): "Factors: standard metrics of z",
    ("steps", "paper"): "Steps on the axes: the same runs as trained and after each step",
    ("alpha", "paper"): "Sensitivity of D and C to α (−10 to +10; linear: |corr| as the weight)",
}
INTRODUCTION = (
    "Made by `python -m rivae benchmark`. Every number is measured on test pairs and is the mean "
    "± s.d. (dividing by n − 1) over n runs, seeds × draws of the data set (on Sprites every seed "
    "has its own split), none left out but those that failed, and these are counted in the last "
    'column. "paper" is what the paper prints, "–" where it prints nothing. Preset `default` '
    "unless the line says otherwise. "
    "The 95 % intervals of the means are in `results.parquet` as `rivae.benchmark.summary` reads "
    "it, cut at the range of the metric. Standard metrics are those of mu(v1), or of the mean of "
    "Q(z|v1,v2) on data whose query fixes only the distribution of its factors (Synth, modulated). "
    "Every setting is in [settings.md](settings.md)."
)
AXES = (
    "What is measured on axes is measured after the step on the axes that one rule chooses, named "
    f"in the column *axes*. {RULE} The tables of steps have the others, – where they were not "
    f"measured. {NO_CHOICE}: at least one run was measured after a single step, so the rule had no "
    "choice."
)
WAITED = (
    "From start to end, with the time in which a run was stopped or shared its processor: "
    "no comparison of methods."
)
SHORTENED = {
    "quick": "**Quick runs: a tenth of the epochs, few seeds. No number here is a result.**",
    "tiny": "**Tiny runs, to see that everything works. No number here is a result.**",
}


def write_report(rows: Sequence[Row], out: Path) -> None:
    """Write ``results.parquet``, ``results.md`` and ``settings.md`` into ``out``."""
    write_rows(rows, out)
    write_atomic(out / "results.md", report(rows).encode())
    write_atomic(out / "settings.md", settings_report(rows).encode())


def report(rows: Sequence[Row]) -> str:
    """The tables of all data sets, the ablation and the run times, as Markdown."""
    lines = summarise(rows)
    marks = [SHORTENED[size] for size in dict.fromkeys(r["size"] for r in rows) if size != "full"]
    text = ["# Results" + (" (shortened runs)" if marks else ""), "", *marks, *[""] * bool(marks)]
    text += [INTRODUCTION, "", AXES, "", _machine(), ""]
    for dataset, name in dataset_titles().items():
        mine = [line for line in lines if line.dataset == dataset]
        tables = [
            part
            for (table, where), heading in HEADINGS.items()
            for part in (
                _steps(heading, mine)
                if table == "steps"
                else _table(heading, table, _groups(mine, table, where))
            )
        ]
        tables += _digit_ranges(mine)
        if tables:
            text += [f"## {name}", "", *tables]
    text += _ablation(_groups(lines, "ablation", ""))
    text += _times(rows)
    return "\n".join(text)


def _machine() -> str:
    return (
        f"Python {platform.python_version()} on {platform.machine()}; one thread per process "
        "where the command was started as the README says."
    )


def _groups(lines: Sequence[SummaryLine], table: str, where: str) -> list[Group]:
    """The lines of one table, those of one row together."""
    rows: dict[tuple[str, ...], Group] = {}
    for line in lines:
        if line.table == table and line.range == where:
            key = (line.dataset, line.method, line.preset, line.settings, line.size)
            rows.setdefault(key, []).append(line)
    return list(rows.values())


def _table(heading: str, table: str, groups: list[Group]) -> list[str]:
    if table == "alpha":
        return _alpha(heading, groups)
    if not groups:
        return []
    metrics = [m for m in columns(table) if any(line.metric == m for g in groups for line in g)]
    has_paper = {
        m: any(li.paper is not None for g in groups for li in g if li.metric == m) for m in metrics
    }
    on_axes = any(line.axes for group in groups for line in group)
    head = ["method", "axes"] if on_axes else ["method"]
    for m in metrics:
        label = metric(m).label
        head += [f"{label}: paper", "ours"] if has_paper[m] else [label]
    body = []
    for group in groups:
        cells = (
            [row_title(group[0]), _fullest(group).marked_axes] if on_axes else [row_title(group[0])]
        )
        for m in metrics:
            line = next((line for line in group if line.metric == m), None)
            cells += [paper_text(line)] if has_paper[m] else []
            cells.append(ours_text(line))
        body.append([*cells, count_text(group)])
    return [f"### {heading}", "", *_markdown([*head, "n"], body), ""]


def _steps(heading: str, lines: Sequence[SummaryLine]) -> list[str]:
    """The axes of every method as trained and after each step: one row per method and metric."""
    rows: dict[tuple[str, str], Group] = {}
    for line in lines:
        if line.table == "steps" and line.range in ("", PAPER):
            rows.setdefault((row_title(line), line.metric), []).append(line)
    if not rows:
        return []
    steps_measured = {line.axes for group in rows.values() for line in group}
    # Also unmeasured ones of this package, so that its tables keep their columns.
    own_steps = {name for name in STEPS.first if not STEPS[name].needs}
    steps = [step for step in STEPS if step in steps_measured | own_steps]
    body = []
    for (name, key), group in rows.items():
        by_step = {line.axes: line for line in group}
        counts = {line.axes: line.n_chosen for line in group if line.n_chosen}
        cells = [ours_text(by_step.get(step)) for step in steps]
        n = _fullest(group).n
        body.append([name, metric(key).label, *cells, counted(counts) or "–", str(n)])
    return [f"### {heading}", "", *_markdown(["method", "", *steps, "chosen", "n"], body), ""]


def _digit_ranges(lines: Sequence[SummaryLine]) -> list[str]:
    """Overlap and coverage by range of the traversals: one row per method and metric."""
    ranges = [digit_range(n_std) for n_std in DIGIT_RANGES]
    groups_by_range = [_groups(lines, "digits", where) for where in ranges]
    rows: dict[tuple[str, str], list[str]] = {}
    for column, groups in enumerate(groups_by_range):
        for group in groups:
            for line in sorted(group, key=lambda each: each.metric, reverse=True):
                cells = rows.setdefault((row_title(line), line.metric), ["–"] * len(ranges))
                cells[column] = ours_text(line)
    if not rows:
        return []
    body = [[name, metric(key).label, *cells] for (name, key), cells in rows.items()]
    heading = "### Digit transitions by how far the traversal goes (mean ± so many s.d.)"
    note = (
        f"Of at most {N_QUERIES_RANGES} queries, where the tables above have up to "
        f"{N_QUERIES_DIGITS:,}: fewer queries lower the overlap, so compare along a row only."
    )
    return [heading, "", note, "", *_markdown(["method", "", *ranges], body), ""]


def _alpha(heading: str, groups: list[Group]) -> list[str]:
    """One row per method and letter, one column per alpha."""
    body, head = [], ["method", ""]
    for letter in ("D", "C"):
        labels = {m: metric(m).label for m in columns("alpha")}
        metrics = [m for m in labels if labels[m].startswith(letter)]
        head = ["method", "", *(labels[m].split(", ")[1] for m in metrics)]
        for group in groups:
            by_metric = {line.metric: line for line in group}
            values = [ours_text(by_metric.get(m)) for m in metrics]
            body.append([row_title(group[0]), letter, *values])
    return [f"### {heading}", "", *_markdown(head, body), ""] if body else []


def _ablation(groups: list[Group]) -> list[str]:
    metrics = columns("ablation")
    head = ["data set", "method"]
    for m in metrics:
        head += [f"{metric(m).label}: paper", "ours"]
    body = []
    for group in groups:
        cells = [dataset_title(group[0].dataset), row_title(group[0])]
        for m in metrics:
            line = next((line for line in group if line.metric == m), None)
            cells += [paper_text(line), ours_text(line)]
        body.append([*cells, count_text(group)])
    return ["## Ablation: the embedder regulariser", "", *_markdown([*head, "n"], body), ""]


def row_title(line: SummaryLine) -> str:
    """The method, with its preset where that is not the default, and the size of short runs."""
    notes = [f"preset {line.preset}"] if line.preset not in ("", "default") else []
    notes += [line.size] if line.size != "full" and line.preset else []
    return f"{line.title} ({', '.join(notes)})" if notes else line.title


def paper_text(line: SummaryLine | None) -> str:
    """The number in the paper, with its decimals."""
    if line is None or line.paper is None:
        return "–"
    if line.paper == "failed":
        return "Failed"
    return f"{line.paper:.{printed_decimals(line.metric)}f}"


def ours_text(line: SummaryLine | None) -> str:
    """Mean ± s.d., or the state."""
    if line is None:
        return "–"
    if line.state != "ours":
        return line.state
    if not line.n:
        return "undefined"
    return with_spread(line.mean, line.std, metric(line.metric).decimals)


def _fullest(group: Group) -> SummaryLine:
    return max(group, key=lambda each: each.n)


def count_text(group: Group) -> str:
    """The number of runs of a row, how many failed, and why."""
    line = _fullest(group)
    parts = [str(line.n)] if line.n else []
    reason = f": {line.reason}" if line.reason else ""
    if line.n_failed:
        parts.append(f"failed ({line.n_failed} of {line.n_runs}){reason}")
    elif line.state == "not run":
        parts.append(f"not run{reason}")
    elif reason:
        parts.append(f"others not run{reason}")
    return ", ".join(parts)


def _markdown(head: Sequence[str], body: Sequence[Sequence[str]]) -> list[str]:
    return Table.of(head, body).markdown().splitlines()


def _times(rows: Sequence[Row]) -> list[str]:
    """How long the runs of every line took."""
    spans: dict[tuple[str, ...], dict[tuple[int, int], Row]] = {}
    for row in rows:
        if row["seconds"] is not None:
            on = "" if row["device"] == "cpu" else ", on a card"
            on += ", in bfloat16" if row["precision"] == "bf16" else ""
            spans.setdefault((*line_key(row), on), {})[row["draw"], row["seed"]] = row
    body = []
    for key, runs in spans.items():
        seconds = [float(run["seconds"]) for run in runs.values()]
        batch = max(int(run["batch"]) for run in runs.values())
        took = f"{min(seconds):.0f}" + (f" to {max(seconds):.0f}" if len(seconds) > 1 else "")
        how = (f"in batches of up to {batch}" if batch > 1 else "one by one") + key[-1]
        body.append([key[0], title(key[1], key[3]), key[2], str(len(runs)), how, took])
    head = ["data set", "method", "preset", "runs", "trained", "wall time of a run or batch [s]"]
    return ["## Run time", "", WAITED, "", *_markdown(head, body), ""] if body else []


def settings_report(rows: Sequence[Row]) -> str:
    """The settings of the runs of every line, see ``plan.settings_json``."""
    about = "Of every line in [results.md](results.md). Runs say their own number format."
    text = ["# Settings", "", about, ""]
    configs = {line_key(row): row["config"] for row in rows if row["config"]}
    for (dataset, method, preset, settings, size), config in configs.items():
        notes = ", ".join(filter(None, [preset, settings, "" if size == "full" else size]))
        text += [f"## {dataset} / {method} ({notes})", "", "```json", "{"]
        for group, values in json.loads(config).items():
            text += [f' "{group}": {{']
            text += [f'  "{k}": {json.dumps(v)},' for k, v in values.items()]
            text[-1] = text[-1].removesuffix(",")
            text += [" },"]
        text[-1] = text[-1].removesuffix(",")
        text += ["}", "```", ""]
    return "\n".join(text)
