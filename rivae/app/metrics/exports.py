"""The tables of the Metrics page as CSV, LaTeX, Markdown and, as a dot plot, PNG and SVG."""

from __future__ import annotations

import re
from collections.abc import Callable

import streamlit as st

from rivae.app.shared import exports
from rivae.benchmark.run_report import Report, run_csv_rows, run_scores
from rivae.benchmark.table_views import TableView, csv_rows

Content = Callable[[], str | bytes]


def table_files(view: TableView, dataset: str) -> dict[str, Content]:
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


def dot_files(view: TableView) -> dict[str, Content]:
    """The dot plot of a table by file ending; none where no browser can draw it."""
    from rivae.benchmark.table_views import dots
    from rivae.figures.export import export_bytes

    def drawn(kind: str) -> Content:
        return lambda: export_bytes(dots(view, title=view.title), kind)

    return {kind: drawn(kind) for kind in ("png", "svg") if exports.has_browser()}


def run_files(report: Report, run_id: str) -> dict[str, Content]:
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
    """The Export button of a table of the benchmark."""
    files = table_files(view, dataset)
    if view.has_dots:
        files |= dot_files(view)
    panel(files, f"{dataset}-{view.id}")


def run_panel(report: Report, run_id: str) -> None:
    """The Export button of a run's metrics."""
    asks = report.stored.settings.asks
    panel(
        run_files(report, run_id),
        f"{run_id}-metrics" if asks == "first" else f"{run_id}-metrics-{asks}",
        more=lambda: exports.python(run_id, "metrics", asks=asks),
    )


def panel(files: dict[str, Content], name: str, more: Callable[[], None] | None = None) -> None:
    """An Export button for files by ending ("csv", "tex", "png" …); ``name`` begins their names and
    ``more`` draws what else there is.
    """
    # The name may come from a file: nothing that a file system could take for a folder.
    stem = re.sub(r"[^A-Za-z0-9._-]+", "-", name)
    titles = {"csv": "CSV", "tex": "LaTeX", "md": "Markdown"}
    with st.popover("Export", icon=":material/download:"):
        with st.container(horizontal=True):
            for ending, content in files.items():
                st.download_button(
                    titles.get(ending, ending.upper()),
                    _encoded(content),
                    file_name=f"{stem}.{ending}",
                    key=f"export-{stem}-{ending}",
                    on_click="ignore",
                )
        if more is not None:
            more()


def _encoded(content: Content) -> Callable[[], bytes]:
    def encoded() -> bytes:
        made = content()
        return made if isinstance(made, bytes) else made.encode()

    return encoded
