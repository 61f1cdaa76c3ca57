"""What a lasso or words have chosen: its place on the map, what is special about it, and its way
to Label.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from rivae.app.panels.answers import lasso_of
from rivae.app.panels.questions import Chosen, Found, read
from rivae.app.shared.labels import ChosenItems
from rivae.app.shared.words import tags_of, words_of
from rivae.app.shell import keys
from rivae.exploring.maps import among
from rivae.exploring.words.item_words import has_texts
from rivae.figures.cloud_layout import one_line

if TYPE_CHECKING:
    from rivae.app.panels.answers import OpenRun
    from rivae.exploring.explorer import Explorer
    from rivae.retrieval.retriever import Retriever

MAX_FACTORS = 6  # those that differ most


def about(question: dict[str, Any], open_run: OpenRun) -> dict[str, Any]:
    """What tells the chosen items from the others; see ``rivae.exploring.selection.Selection``.

    Raises:
        ConfigError: a field is missing, of the wrong kind or out of range.
        RunError: there is no such run, or it is not ready.
    """
    from rivae.exploring.selection import describe

    request = read(Chosen, question)
    explorer = open_run(request.run, request.rows, request.asks)
    inside = _chosen(explorer, request)
    sets = words_of(explorer.data).sets if has_texts(explorer.data) else None
    tags = tags_of(explorer.data)
    description = asdict(describe(explorer, inside.ids if inside else [], sets, tags))
    description["factors"] = description["factors"][:MAX_FACTORS]
    kinds = ("more", "less", "more_tags", "less_tags")
    for term in (term for kind in kinds for term in description[kind]):
        term["word"] = one_line(term["word"])
    return {"seq": request.seq, **description}


def found(question: dict[str, Any], open_run: OpenRun) -> bytes:
    """A bit for each searched item, the lowest of a byte first: whether it has all words.

    Raises:
        ConfigError: a field is missing, of the wrong kind or out of range.
        RunError: there is no such run, or it is not ready.
    """
    request = read(Found, question)
    explorer = open_run(request.run, request.rows, request.asks)
    has = np.isin(explorer.search_rows, explorer.find(request.only))
    return np.packbits(has, bitorder="little").tobytes()


def _chosen(explorer: Explorer, request: Chosen) -> Retriever | None:
    lasso = lasso_of(request.within) if request.within is not None else None
    return among(explorer, lasso, request.only)


def keep_for_label(explorer: Explorer, run: str, report: Mapping[str, Any]) -> bool:
    """Keep the chosen items for the Label page, of more than fit in a plan a random part; False
    where there are none.

    Raises:
        ConfigError: the browser's ``report`` names no lasso and no words that can be used.
    """
    from rivae.labels.suggest import MAX_SUGGESTED

    rows = items(explorer, run, report)
    if not rows:
        return False
    some = np.random.default_rng(0).permutation(rows)[:MAX_SUGGESTED]
    chosen_items = ChosenItems(run, explorer.asks, tuple(some.tolist()), len(rows))
    st.session_state[keys.LABEL_CHOSEN] = chosen_items
    return True


def items(explorer: Explorer, run: str, report: Mapping[str, Any]) -> tuple[int, ...]:
    """The data rows of the chosen items, in order; () where nothing was chosen.

    Raises:
        ConfigError: the browser's ``report`` names no lasso and no words that can be used.
    """
    fields = {name: report[name] for name in ("within", "only") if name in report}
    request = read(Chosen, {"run": run, "seq": 0, **fields})
    if request.within is None and not request.only.split():
        return ()
    inside = _chosen(explorer, request)
    return () if inside is None else tuple(np.sort(inside.ids).tolist())
