"""Home's own panel: one query, three named sliders, and the items that follow them at once."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import streamlit as st

from rivae.app.panels.answers import answer, card_of, existing, next_rev, query_z, results
from rivae.app.panels.component import SHARED, Component
from rivae.app.panels.links import ExploreLink
from rivae.app.panels.questions import read_z
from rivae.app.shared.defaults import MAX_TRIED
from rivae.app.shared.runs import chip_title, run_title
from rivae.app.shared.session import answered
from rivae.app.shell import cache, keys, pages, report, web
from rivae.base.errors import RivaeError
from rivae.exploring.explorer import Explorer
from rivae.exploring.sliders import reliable_dims, sliders_of
from rivae.runs import Run

N_AXES, N_ITEMS, HEIGHT = 3, 8, 560

PANEL = Component(
    "rivae_hero",
    js=(*SHARED, "hero.js"),
    css=("base.css", "explore.css", "hero.css"),
    # Another query, a number or None for any; z to go on with in Explore; the way to the visitor's
    # own pictures; a question where the web route is missing.
    reports={"start": dict, "open": dict, "own": dict, "ask": dict},
)


def hero(telling: Sequence[Run]) -> None:
    """The panel on the first run of ``telling`` that can be opened and has latent axes; nothing
    without one.
    """
    if link := st.session_state.pop(keys.HERO_OPEN, None):
        st.switch_page(pages.path("explore"), query_params=link)
    if st.session_state.pop(keys.HERO_OWN, False):
        st.switch_page(pages.path("train"))
    for run in telling[:MAX_TRIED]:
        try:
            with report.waiting(f"Opening {run_title(run)} …", HEIGHT):
                explorer = cache.explorer(run.id)
                if explorer.method.has_latent:
                    data = _data(explorer, run)
                    break
        except RivaeError:
            continue  # its card says what is wrong
    else:
        return
    PANEL(
        data,
        key=keys.HERO_PANEL,
        start=lambda asked: _start(explorer, asked),
        open=lambda asked: _open(explorer, run, asked),
        own=lambda asked: st.session_state.update({keys.HERO_OWN: True}),
        ask=_ask,
    )


def telling_axes(explorer: Explorer) -> list[int]:
    """The axes of z that say most: reliable ones first, and none that is called like another."""
    dims, axes = sliders_of(explorer), reliable_dims(explorer)
    by_name = {str(dims[j]["name"]) or str(j): j for j in reversed(axes)}
    return sorted(by_name.values(), key=axes.index)[:N_AXES]


def _data(explorer: Explorer, run: Run) -> dict[str, Any]:
    query, rev = _query(explorer)
    z = query_z(explorer, query)
    dims, axes = sliders_of(explorer), telling_axes(explorer)
    side = 0 if explorer.shows_whole else explorer.found_side
    return {
        "rev": rev,
        "key": cache.model_key(run.id),
        "url": web.topk_url(),
        "run": run.id,
        "title": chip_title(run.id),
        "side": side,
        "k": N_ITEMS,
        "axes": axes,
        "dims": [dims[j] for j in axes],
        "z": list(z),
        "aspect": explorer.aspect(side),
        "query": card_of(explorer, query, z),
        "first": results(explorer, np.array(z), N_ITEMS, side),
        "answer": st.session_state.get(keys.HERO_ANSWER),
    }


def _query(explorer: Explorer) -> tuple[int, int]:
    """The row that is the query, the first searched one to begin with, and its number."""
    query, rev = st.session_state.get(keys.HERO, (int(explorer.search_rows[0]), 0))
    return (query if query < len(explorer.data) else int(explorer.search_rows[0])), rev


def _start(explorer: Explorer, asked: dict[str, Any]) -> None:
    query = asked.get("query")
    try:
        if type(query) is not int:
            query = int(random.choice(explorer.search_rows))
        existing(explorer, query)
    except RivaeError:
        return  # nobody's hand has sent that
    st.session_state[keys.HERO] = query, next_rev(_query(explorer)[1])
    st.session_state[keys.HERO_ANSWER] = None


def _open(explorer: Explorer, run: Run, asked: dict[str, Any]) -> None:
    query = _query(explorer)[0]
    try:
        z = read_z(asked.get("z"), explorer.n_components)
    except RivaeError:
        return
    home = query_z(explorer, query)
    changes = {j: round(float(v), 4) for j, v in enumerate(z) if abs(v - home[j]) > 1e-4}
    st.session_state[keys.HERO_OPEN] = ExploreLink(run.id, query=query, changes=changes).write()


def _ask(question: dict[str, Any]) -> None:
    st.session_state[keys.HERO_ANSWER] = answered(question, answer)
