"""Result rows as a Parquet table and one readable report: paper | ours mean ± s.d. | n."""

from __future__ import annotations

import io
import json
import platform
from pathlib import Path
from typing import Any

import numpy as np

from rivae.benchmark.paper import paper_value
from rivae.benchmark.plan import Cell, cell_key
from rivae.files import write_atomic

RETRIEVAL = ("recall_at_1", "recall_at_5", "recall_at_10", "median_rank")
PAPER_FACTORS = ("disentanglement", "completeness", "informativeness")
STANDARD = (
    "mcc",
    "mcc_spearman",
    "r2",
    "r2_nonlinear",
    "dci_disentanglement",
    "dci_completeness",
    "dci_informativeness",
    "infom",
    "infoc",
    "infoe",
)
DIGITS = ("overlap", "coverage")
LABELS = {
    "recall_at_1": "R@1", "recall_at_5": "R@5", "recall_at_10": "R@10", "median_rank": "MedR",
    "disentanglement": "D", "completeness": "C", "informativeness": "I", "mcc": "MCC",
    "mcc_spearman": "MCC (Spearman)", "r2": "linear R²", "r2_nonlinear": "non-linear R²",
    "dci_disentanglement": "DCI-D", "dci_completeness": "DCI-C", "dci_informativeness": "DCI-I",
    "infom": "InfoM", "infoc": "InfoC", "infoe": "InfoE", "overlap": "overlap",
    "coverage": "coverage",
}  # fmt: skip


def read_rows(out: Path) -> list[dict[str, Any]]:
    """The rows of an earlier sitting in ``out``; none when there was none."""
    import pandas as pd

    path = out / "results.parquet"
    if not path.exists():
        return []
    return [
        {str(key): value for key, value in row.items()}
        for row in pd.read_parquet(path).to_dict("records")
    ]


def write_report(rows: list[dict[str, Any]], out: Path) -> None:
    """Write ``out/results.parquet`` (one row per run and metric) and ``out/results.md``."""
    import pandas as pd

    out.mkdir(parents=True, exist_ok=True)
    stream = io.BytesIO()
    pd.DataFrame(rows).to_parquet(stream, index=False)
    write_atomic(out / "results.parquet", stream.getvalue())
    write_atomic(out / "results.md", report(rows).encode())


def report(rows: list[dict[str, Any]]) -> str:
    """The readable report."""
    lines = [
        "# Results",
        "",
        "Made by `python -m rivae benchmark`; every number is the mean ± s.d. over n runs "
        "(seeds × draws of the data set), none left out, measured on test pairs. The paper's "
        "number stands in brackets. A run that diverged is counted as failed, not dropped in "
        "silence.",
        "",
        f"Python {platform.python_version()} on {platform.machine()}, CPU, one thread per process.",
        "",
    ]
    lines += _table("Retrieval", rows, RETRIEVAL, "")
    lines += _table(
        "Factors, the paper's D/C/I (alpha = 10, traversal from −10 to +10)",
        rows,
        PAPER_FACTORS,
        "paper",
    )
    lines += _table(
        "Factors, the same over mean ± 3 s.d. of the aggregated prior", rows, PAPER_FACTORS, "prior"
    )
    lines += _table("Factors, standard metrics on mu(v1)", rows, STANDARD, "paper")
    lines += _table("Digit transitions", rows, DIGITS, "paper")
    lines += _settings(rows)
    return "\n".join(lines)


def _settings(rows: list[dict[str, Any]]) -> list[str]:
    """The complete configuration behind every line, and how long its runs took."""
    lines = ["## Settings", ""]
    for dataset, method, preset, settings in dict.fromkeys(cell_key(r) for r in rows):
        if preset == "–":
            continue
        mine = [r for r in rows if cell_key(r) == (dataset, method, preset, settings)]
        seconds = [r["seconds"] for r in mine if r.get("seconds") == r.get("seconds")]
        config = Cell(dataset, method, preset, (0,)).configs()[0]
        took = f"{min(seconds):.0f} to {max(seconds):.0f} s" if seconds else "not recorded"
        name = f"{dataset} / {method} ({preset}{', ' + settings if settings else ''})"
        values = {
            "method": config.method.settings,
            "training": config.training.model_dump(mode="json"),
        }
        lines += [
            f"<details><summary>{name}: wall time {took} a run or batch</summary>",
            "",
            "```json",
            json.dumps(values, indent=1),
            "```",
            "</details>",
            "",
        ]
    return lines


def _table(
    title: str, rows: list[dict[str, Any]], metrics: tuple[str, ...], where: str
) -> list[str]:
    keys = list(dict.fromkeys(cell_key(r) for r in rows))
    body = []
    for key in keys:
        mine = [r for r in rows if cell_key(r) == key]
        runs = {(r["draw"], r["seed"]): r["state"] for r in mine}
        failed = sum(state != "finished" for state in runs.values())
        cells = []
        for metric in metrics:
            scores = [
                r["score"]
                for r in mine
                if r["metric"] == metric and r["range"] in (where, "") and r["state"] == "finished"
            ]
            cells.append(_cell(scores, paper_value(key[0], key[1], metric)))
        if all(cell == "–" for cell in cells) and (failed < len(runs) or where):
            continue
        note = f"{len(runs)}" + (f", {failed} failed" if failed else "")
        name = f"{key[1]} ({key[2]}{', ' + key[3] if key[3] else ''})"
        body.append(f"| {key[0]} | {name} | {' | '.join(cells)} | {note} |")
    if not body:
        return []
    header = " | ".join(LABELS[m] for m in metrics)
    return [
        f"## {title}",
        "",
        f"| data set | method (preset) | {header} | n |",
        "|---" * (len(metrics) + 3) + "|",
        *body,
        "",
    ]


def _cell(scores: list[float], paper: float | None) -> str:
    finite = np.array([s for s in scores if s == s])
    if not len(finite):
        return "–"
    digits = 4 if finite.mean() < 0.05 else (2 if finite.mean() >= 1 else 3)
    text = f"{finite.mean():.{digits}f} ± {finite.std():.{digits}f}"
    return text + (f" [{paper:g}]" if paper is not None else "")
