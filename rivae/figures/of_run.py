"""The traversal figures of a run as files: strips, the correlation table, the plot matrix."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from rivae.base.csv_text import to_csv
from rivae.base.errors import DataError
from rivae.base.files import make_folder, write_atomic
from rivae.base.progress import Progress, silent
from rivae.exploring.words.axis_names import axis_signs, given_names, labels
from rivae.figures.heatmap import correlation_heatmap
from rivae.figures.scatter import plot_matrix
from rivae.figures.sheet import to_html, to_image, to_svg
from rivae.figures.traversals import strips_of, strips_sheet
from rivae.metrics.correlation import correlation_table, numeric_factors
from rivae.retrieval.ranges import Range, traversal_values
from rivae.retrieval.retriever import Retriever
from rivae.retrieval.traversal import Traversal, traverse
from rivae.runs import Run

PLOT_QUERIES = 20


def write_traversals(
    run: Run,
    folder: Path,
    *,
    queries: Sequence[int] | None = None,
    dims: Sequence[int] | None = None,
    traversal: Range = "paper",
    k: int = 3,
    changes_only: bool = True,
    progress: Progress | None = None,
) -> list[Path]:
    """Write the strips of some queries, and the factor plots where the data have factors.

    Args:
        queries: data rows; the first three test rows by default.
        dims: axes from 0; all by default.
        traversal: see ``rivae.retrieval.ranges.traversal_values``.
        changes_only: only points where the best item changes, as in the paper's figures.
        progress: called with the current step and the share of the work done.

    Returns:
        The files written: per query a strip as PNG, SVG, HTML and CSV; the heat map of |corr| and
        the plot matrix as HTML.

    Raises:
        ConfigError, DataError, RunError: with one sentence for the user.
    """
    tell = progress or silent
    data = run.load_dataset()
    retriever = Retriever(run.load_method(data), data, data.splits["test"])
    rows = list(queries) if queries else data.splits["test"][:3].tolist()
    for row in rows:
        if not 0 <= row < len(data):
            raise DataError(f"there is no query {row}: rows run from 0 to {len(data) - 1}")
    values, _ = traversal_values(traversal, retriever.prior(data.splits["train"][:10_000]))
    make_folder(folder)
    axes = list(range(retriever.n_components)) if dims is None else list(dims)
    z_ref, _ = retriever.encode(rows)
    traversals = traverse(
        retriever, z_ref, values, axes, k, lambda share: tell("traversing", 0.5 * share)
    )
    as_named, files = traversals.turned(axis_signs(run, retriever.n_components)), []
    for n, row in enumerate(rows):
        tell(f"drawing the strips of query {n + 1} of {len(rows)}", 0.5 + 0.3 * n / len(rows))
        sheet = strips_sheet(
            strips_of(
                as_named,
                n,
                _axis_labels(run, retriever),
                changes_only=changes_only,
            ),
            lambda i: data.picture(i, 0 if data.shows_whole else 2),
            query=data.picture(row, 1),
            query_title=data.title(row),
            title=data.title,
            marked=(row,),
        )
        stem = folder / f"{run.id}-query-{row}"
        stream = io.BytesIO()
        to_image(sheet).save(stream, "PNG")
        contents = {
            ".png": stream.getvalue(),
            ".svg": to_svg(sheet).encode(),
            ".html": to_html(sheet, title=f"{run.id}: {data.title(row)}").encode(),
            ".csv": to_csv(_rows(traversals, n)).encode(),
        }
        for suffix, content in contents.items():
            files.append(stem.with_name(stem.name + suffix))
            write_atomic(files[-1], content)
    tell("drawing the factors", 0.8)
    return files + _factor_plots(run, retriever, folder, values, axes)


def _rows(traversal: Traversal, query: int) -> list[dict[str, float | int]]:
    """One row per axis, point and rank."""
    return [
        {
            "dimension": int(j) + 1,
            "z": float(traversal.values[p, t]),
            "rank": rank + 1,
            "item": int(item),
        }
        for p, j in enumerate(traversal.dims)
        for t in range(traversal.values.shape[1])
        for rank, item in enumerate(traversal.ids[query, p, t])
    ]


def _axis_labels(run: Run, retriever: Retriever) -> list[str]:
    """The axes with the names that an analyst gave them."""
    d = retriever.n_components
    return labels(retriever.method.axis_names(d), given_names(run, d), axis_signs(run, d))


def _factor_plots(
    run: Run, retriever: Retriever, folder: Path, values: np.ndarray, dims: list[int]
) -> list[Path]:
    data = retriever.data
    columns = numeric_factors(data.factor_specs)
    if data.factors is None or not columns:
        return []
    names = [data.factor_specs[k].name for k in columns]
    names_of_all = _axis_labels(run, retriever)
    axes = [names_of_all[j] for j in dims]
    z_ref, _ = retriever.encode(data.splits["test"][:PLOT_QUERIES])
    traversal = traverse(retriever, z_ref, values, dims).turned(axis_signs(run, len(names_of_all)))
    factors = data.factors[traversal.ids[..., 0]][..., columns]
    table = correlation_table(traversal, data.factors, data.factor_specs).absolute
    figures = {
        "correlation": correlation_heatmap(table, names, axes, title=run.id),
        "factors": plot_matrix(traversal.values, factors, names, axes, table=table),
    }
    files = []
    for name, figure in figures.items():
        files.append(folder / f"{run.id}-{name}.html")
        write_atomic(files[-1], figure.to_html(include_plotlyjs=True).encode())
    return files
