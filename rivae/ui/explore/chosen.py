"""What the map's lasso has chosen: described for the panel below it, and taken to Label."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from rivae.maps import among
from rivae.plots.clouds import one_line
from rivae.ui.panels.answers import lasso_of
from rivae.ui.panels.questions import Chosen, read
from rivae.ui.shared.labels import ChosenItems
from rivae.ui.shared.words import words_of
from rivae.ui.shell import keys
from rivae.words.item_words import has_texts

if TYPE_CHECKING:
    from rivae.explorer import Explorer
    from rivae.ui.panels.answers import OpenRun

MAX_FACTORS = 6  # those that differ most


def about(question: dict[str, Any], open_run: OpenRun) -> dict[str, Any]:
    """What tells the items inside a lasso from the others; see ``rivae.selection.Selection``.

    Raises:
        ConfigError: a field is missing, of the wrong kind or out of range.
        RunError: there is no such run, or it is not ready.
    """
    from rivae.selection import describe

    asked = read(Chosen, question)
    explorer = open_run(asked.run, asked.rows, asked.asks)
    inside = among(explorer, lasso_of(asked.within))
    sets = words_of(explorer.data).sets if has_texts(explorer.data) else None
    found = asdict(describe(explorer, inside.ids if inside else [], sets))
    found["factors"] = found["factors"][:MAX_FACTORS]
    for term in (*found["more"], *found["less"]):
        term["word"] = one_line(term["word"])
    return {"seq": asked.seq, **found}


def keep_for_label(explorer: Explorer, run: str, said: Mapping[str, Any]) -> None:
    """Keep the chosen items for the Label page; of more than fit in a plan a random part.

    Raises:
        ConfigError: ``said`` is no lasso.
    """
    from rivae.labels.suggest import MAX_SUGGESTED

    inside = among(explorer, lasso_of(said))
    if inside is None:
        return
    rows = np.random.default_rng(0).permutation(np.sort(inside.ids))[:MAX_SUGGESTED]
    chosen = ChosenItems(run, explorer.asks, tuple(rows.tolist()), len(inside.ids))
    st.session_state[keys.LABEL_CHOSEN] = chosen
