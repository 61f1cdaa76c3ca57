"""The tables in README and docs, written from the stored rows of the benchmark.

    python benchmarks/doc_tables.py

A table stands between two comments; the first names the columns, then the data sets, each with the
methods that are shown of it, or with all its lines::

    <!-- table: R@1, MedR, MCC | sprites: rivae, info-nce | synth -->
    <!-- end -->

Numbers are mean ± s.d. over runs, the paper's in brackets. A line is marked where its preset has
changed since, so that its runs have to be repeated.
"""

from __future__ import annotations

import json
import math
import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))  # runs from a clone, installed or not

from rivae.base.errors import RivaeError
from rivae.benchmark.lines import TABLE_LINES
from rivae.benchmark.plan import Cell, completed_row
from rivae.benchmark.report import row_title
from rivae.benchmark.rows import Row, line_key, read_rows
from rivae.benchmark.summary import SummaryLine, summarise
from rivae.benchmark.tables import CHANCE, UNTRAINED, dataset_titles
from rivae.models.registry import METHODS

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results"
TEXTS = (ROOT / "README.md", ROOT / "docs" / "results.md")
BLOCK = re.compile(r"(<!-- table: ([^>]*?) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
EARLIER = "‡"
# The real pairs that we have, among all imports, on what everybody has; and their ridge CCA.
FOOD = "dataset.store=food, dataset.features=statistics+efficientnet-lite0"
USUAL = ("", FOOD, f"{UNTRAINED}, {FOOD}")
IMPORTS, NETWORKS = "pairs", ("embedder", "embedder2")
# heading -> table, metric, range, digits
COLUMNS: dict[str, tuple[str, str, str, int]] = {
    "R@1": ("retrieval", "recall_at_1", "", 2),
    "R@5": ("retrieval", "recall_at_5", "", 2),
    "R@10": ("retrieval", "recall_at_10", "", 2),
    "MedR": ("retrieval", "median_rank", "", 1),
    "D": ("factors", "disentanglement", "paper", 2),
    "C": ("factors", "completeness", "paper", 2),
    "I": ("factors", "informativeness", "paper", 2),
    "D ± 3 s.d.": ("factors", "disentanglement", "prior", 2),
    "MCC": ("standard", "mcc", "", 2),
    "linear R²": ("standard", "r2", "", 2),
    "overlap": ("digits", "overlap", "paper", 4),
    "coverage": ("digits", "coverage", "paper", 3),
}


def number(value: float, digits: int) -> str:
    """.99, 1.00, −.02, 90.2."""
    text = f"{value:.{digits}f}"
    return re.sub(r"^(-?)0\.", r"\1.", text).replace("-", "−")


def cell(line: SummaryLine | None, digits: int) -> str:
    """Mean ± s.d. [paper], "failed", or "–"."""
    if line is None or (math.isnan(line.mean) and line.state != "failed"):
        return "–"
    shown = "failed" if math.isnan(line.mean) else number(line.mean, digits)
    if not math.isnan(line.std) and line.method not in CHANCE:
        shown += f" ± {number(line.std, digits)}"
    if line.paper is None:
        return shown
    return f"{shown} [{line.paper if isinstance(line.paper, str) else f'{line.paper:g}'}]"


def of_earlier_presets(rows: list[Row]) -> set[tuple[str, ...]]:
    """The keys of the lines whose settings are not those that the benchmark would train today."""
    changes = {
        Cell(name, method, preset or "default", (0,), settings=changed).line_key: changed
        for lines in TABLE_LINES.values()
        for name, each in lines.items()
        for method, preset, changed in each
    }
    first = {line_key(row): row for row in rows if row["config"]}
    for key in first:
        parts = key[3].split(", ")
        if key[0] == IMPORTS and all(part.startswith("dataset.") for part in parts):
            changes[key] = tuple(part.split("=", 1) for part in parts)
    found = set()
    for key, row in first.items():
        dataset, method, preset, settings, size = key
        if settings and key not in changes:
            continue  # a line that somebody asked for by hand
        made = Cell(dataset, method, preset, (0,), settings=changes.get(key, ()), size=size)
        try:
            if _compared(made.settings_json, dataset) != _compared(row["config"], dataset):
                found.add(key)
        except RivaeError:
            found.add(key)
    return found


def _compared(config: str, dataset: str) -> dict[str, Any]:
    """Settings to compare; the networks of imports follow what is stored with the data."""
    settings: dict[str, Any] = json.loads(config)
    if dataset == IMPORTS:
        settings["method"] = {k: v for k, v in settings["method"].items() if k not in NETWORKS}
    return settings


def table(spec: str, lines: list[SummaryLine], earlier: set[tuple[str, ...]]) -> str:
    """The table that a comment asks for.

    Raises:
        KeyError: an unknown column.
    """
    heads, *parts = (part.strip() for part in spec.split("|"))
    wanted = [head.strip() for head in heads.split(",")]
    titles = [*["data set"] * (len(parts) > 1), "", *wanted, "n"]
    out = [f"| {' | '.join(titles)} |", "|---" * len(titles) + "|"]
    for part in parts:
        dataset, _, methods = (text.strip() for text in part.partition(":"))
        shown = [name.strip() for name in methods.split(",")] if methods else None
        groups: dict[tuple[str, ...], list[SummaryLine]] = {}
        for line in lines:
            key = (line.dataset, line.method, line.preset, line.settings, line.size)
            usual = line.preset != "paper" and line.settings in USUAL
            if line.dataset != dataset or line.state == "not run":
                continue
            if shown is None or (line.method in shown and usual):
                groups.setdefault(key, []).append(line)
        before = dataset_titles()[dataset]
        for key in sorted(groups, key=_place):
            found = row(groups[key], wanted, key in earlier)
            if found:
                out.append(f"| {f'{before} | ' * (len(parts) > 1)}{found} |")
                before = ""
    return "\n".join(out) + "\n"


def row(mine: list[SummaryLine], heads: list[str], is_earlier: bool) -> str:
    """The cells of one line; "" where it has none of these columns."""
    cells, n = [], 0
    for head in heads:
        *at, digits = COLUMNS[head]
        found = next((x for x in mine if [x.table, x.metric, x.range] == at), None)
        cells.append(cell(found, digits))
        n = max(n, found.n if found else 0)
    if set(cells) == {"–"}:
        return ""
    name, of_chance = row_title(mine[0]), mine[0].method in CHANCE
    name = f"*{name}*" if of_chance else name + f" {EARLIER}" * is_earlier
    return " | ".join([name, *cells, "" if of_chance else str(n)])


def _place(key: tuple[str, ...]) -> tuple[object, ...]:
    methods = [*METHODS, *CHANCE]
    return (key[1] in CHANCE, methods.index(key[1]), key[2], key[3])


def rewritten(text: str, lines: list[SummaryLine], earlier: set[tuple[str, ...]]) -> str:
    """The text with every table as the rows have it."""
    return BLOCK.sub(lambda m: m[1] + table(m[2], lines, earlier) + m[4], text)


def main() -> None:
    """Write the tables of README and docs."""
    rows = [completed_row(row) for row in read_rows(RESULTS)]
    lines, earlier = summarise(rows), of_earlier_presets(rows)
    for path in TEXTS:
        text = path.read_text(encoding="utf-8")
        path.write_text(rewritten(text, lines, earlier), encoding="utf-8")


if __name__ == "__main__":
    main()
