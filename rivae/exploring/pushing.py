"""Sends the points of a run to an engine (``rivae.retrieval.engine``), with what to choose by."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rivae.base.config import Asks, Rows
from rivae.base.progress import Progress, silent
from rivae.data.conditions import tag_name
from rivae.exploring.explorer import Explorer
from rivae.retrieval.engine import QdrantIndex, push
from rivae.retrieval.fallback import FallingBack
from rivae.runs import Run

if TYPE_CHECKING:
    from qdrant_client import QdrantClient


def push_run(
    client: QdrantClient,
    run: Run,
    rows: Rows = "all",
    asks: Asks = "first",
    progress: Progress = silent,
) -> QdrantIndex:
    """Embed the items of ``run``, unless they are kept, and send them; may be resumed.

    Each item takes its data row, title, split, tags and factors along.

    Args:
        progress: takes what is being done, and the share done.

    Raises:
        RivaeError: the run or its data cannot be read, or the engine does not answer.
    """
    progress("opening the data and the model", 0.0)
    explorer = Explorer.open(
        run, rows, asks=asks, progress=lambda share: progress("embedding the items", share)
    )
    retriever = explorer.retriever
    index = retriever.index
    if isinstance(index, FallingBack):
        if isinstance(index.there, QdrantIndex):
            return index.there  # this process asks that engine, and it has all of them
        index = index.here()
    n = index.n_items

    def payloads(positions: NDArray[np.int64]) -> list[Mapping[str, Any]]:
        return [_payload(explorer, int(row)) for row in retriever.ids[positions]]

    return push(
        client,
        retriever.index_key(),
        index,
        payloads,
        lambda n_there: progress(f"{n_there:,} of {n:,} items have arrived", n_there / n),
    )


def _payload(explorer: Explorer, row: int) -> dict[str, Any]:
    data = explorer.data
    recipe, factors = data.recipe(row), data.factors
    values = {} if factors is None else {f"factor_{k}": v for k, v in enumerate(factors[row])}
    return {
        "row": row,
        "title": data.title(row),
        "split": next(name for name, rows in data.splits.items() if _holds(rows, row)),
        "tags": [tag_name(tag) for tag in recipe.tags] if recipe is not None else [],
        # JSON has no NaN: what is unknown is left out.
        **{name: float(value) for name, value in values.items() if np.isfinite(value)},
    }


def _holds(rows: NDArray[np.int64], row: int) -> bool:
    """Whether sorted ``rows`` have ``row``."""
    at = int(np.searchsorted(rows, row))
    return at < len(rows) and int(rows[at]) == row
