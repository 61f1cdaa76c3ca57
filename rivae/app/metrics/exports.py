"""What Metrics shares: its tables as CSV, LaTeX, Markdown and, as a dot plot, PNG and SVG."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from rivae.app.shared import share
from rivae.benchmark.run_report import Report, run_csv_rows, run_scores
from rivae.benchmark.table_views import TableView, csv_rows

METRICS = "All metrics"


def table_files(view: TableView, dataset: str) -> dict[str, share.Content]:
    """A table of the benchmark by file ending."""
    from rivae.base.csv_text import to_csv
    from rivae.figures.tables import to_latex, to_markdown

    def text(write: Callable[..., str]) -> str:
        return write(view.scores, corner="Method", digits=view.digits, best=view.best)

    return {
        "csv": lambda: to_csv(csv_rows(view, dataset)),
        "tex": lambda: text(to_latex),
        "md": lambda: text(to_markdown),
    }


def dot_files(view: TableView) -> dict[str, share.Content]:
    """The dot plot of a table by file ending; none where no browser can draw it."""
    from rivae.benchmark.table_views import dots
    from rivae.figures.export import export_bytes

    def drawn(kind: str) -> share.Content:
        return lambda: export_bytes(dots(view, title=view.title), kind)

    return {kind: drawn(kind) for kind in ("png", "svg") if share.has_browser()}


def run_files(report: Report, run_id: str) -> dict[str, share.Content]:
    """All metrics of a run by file ending."""
    from rivae.base.csv_text import to_csv
    from rivae.figures.tables import to_latex, to_markdown

    def text(write: Callable[..., str], heading: str) -> str:
        tables = run_scores(report, run_id).items()
        return "\n".join(
            heading.format(name) + write(rows, corner="Run", digits=4) for name, rows in tables
        )

    return {
        "csv": lambda: to_csv(run_csv_rows(report, run_id)),
        "tex": lambda: text(to_latex, "% {}\n"),
        "md": lambda: text(to_markdown, "## {}\n\n"),
    }


def table_panel(view: TableView, dataset: str) -> None:
    """Offer a table of the benchmark."""
    files = table_files(view, dataset)
    if view.has_dots:
        files |= dot_files(view)
    share.offer(share.Panel(view.title, f"{dataset}-{view.id}", files=files))


def run_panel(report: Report, run_id: str) -> None:
    """Offer a run's metrics."""
    asks = report.stored.settings.asks
    stem = f"{run_id}-metrics" if asks == "first" else f"{run_id}-metrics-{asks}"
    python = partial(share.python, run_id, "metrics", asks=asks)
    share.offer(share.Panel(METRICS, stem, files=run_files(report, run_id), python=python))
