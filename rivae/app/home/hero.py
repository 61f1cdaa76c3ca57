"""Home's own panel: one query, three named sliders, and the items that follow them at once."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import streamlit as st

from rivae.app.home import page_keys
from rivae.app.panels.answers import (
    answer,
    card_of,
    existing,
    moved_by,
    moves_of,
    next_rev,
    query_z,
    results,
    rounded,
    settled,
)
from rivae.app.panels.component import SHARED, Component
from rivae.app.panels.links import ExploreLink, checked_amounts
from rivae.app.panels.questions import read_z
from rivae.app.shared.defaults import MAX_TRIED
from rivae.app.shared.runs import chip_title, run_title
from rivae.app.shared.session import answered
from rivae.app.shell import cache, pages, report, web
from rivae.base.errors import RivaeError
from rivae.exploring.explorer import Explorer
from rivae.exploring.placing import AxisKey
from rivae.exploring.sliders import added_sliders, axes_by_key, reliable_first, sliders_of
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
    if link := st.session_state.pop(page_keys.HERO_OPEN, None):
        st.switch_page(pages.path("explore"), query_params=link)
    if st.session_state.pop(page_keys.HERO_OWN, False):
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
        key=page_keys.HERO_PANEL,
        start=lambda asked: _start(explorer, asked),
        open=lambda asked: _open(explorer, run, asked),
        own=lambda asked: st.session_state.update({page_keys.HERO_OWN: True}),
        ask=_ask,
    )


def telling_axes(explorer: Explorer) -> list[AxisKey]:
    """The axes that Explore begins with, the reliable ones; none that is called like another."""
    axes, keys_in_order = axes_by_key(explorer), reliable_first(explorer)
    by_name = {str(axes[key]["name"]) or str(key): key for key in reversed(keys_in_order)}
    return sorted(by_name.values(), key=keys_in_order.index)[:N_AXES]


def _data(explorer: Explorer, run: Run) -> dict[str, Any]:
    query, rev = _query(explorer)
    z = query_z(explorer, query)
    axes = axes_by_key(explorer)  # the latents, then the added ones, as the panel's rows are
    axis_places = [list(axes).index(key) for key in telling_axes(explorer)]
    # Of those that have no slider here, what moves z is enough.
    unsaid: dict[str, Any] = {"about": "", "terms": [], "held": None}
    dims = [
        dim if j in axis_places else {**dim, **unsaid} for j, dim in enumerate(sliders_of(explorer))
    ]
    side = 0 if explorer.shows_whole else explorer.found_side
    return {
        "rev": rev,
        "key": cache.model_key(run.id),
        "url": web.topk_url(),
        "run": run.id,
        "title": chip_title(run.id),
        "side": side,
        "k": N_ITEMS,
        "dims": dims,
        "addedAxes": added_sliders(explorer),
        "chosen": axis_places,
        "z": list(z),
        "aspect": explorer.aspect(side),
        "query": card_of(explorer, query, z),
        "first": results(explorer, np.array(z), N_ITEMS, side),
        "answer": st.session_state.get(page_keys.HERO_ANSWER),
    }


def _query(explorer: Explorer) -> tuple[int, int]:
    """The row that is the query, the first searched one to begin with, and its number."""
    query, rev = st.session_state.get(page_keys.HERO, (explorer.first_item, 0))
    return (query if query < len(explorer.data) else explorer.first_item), rev


def _start(explorer: Explorer, asked: dict[str, Any]) -> None:
    query = asked.get("query")
    try:
        if type(query) is not int:
            query = int(random.choice(explorer.search_rows))
        existing(explorer, query)
    except RivaeError:
        return  # nobody's hand has sent that
    st.session_state[page_keys.HERO] = query, next_rev(_query(explorer)[1])
    st.session_state[page_keys.HERO_ANSWER] = None


def _open(explorer: Explorer, run: Run, asked: dict[str, Any]) -> None:
    query = _query(explorer)[0]
    try:
        z = rounded(read_z(asked.get("z"), explorer.n_components))
        amounts = checked_amounts(asked.get("added"))
    except RivaeError:
        return
    home = moved_by(query_z(explorer, query), amounts, moves_of(explorer) if amounts else {})
    z = settled(z, home)
    changes = {j: v for j, v in enumerate(z) if v != home[j]}
    link = ExploreLink(run.id, query=query, changes=changes, added=amounts)
    st.session_state[page_keys.HERO_OPEN] = link.write()


def _ask(question: dict[str, Any]) -> None:
    st.session_state[page_keys.HERO_ANSWER] = answered(question, answer)
