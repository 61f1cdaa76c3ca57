"""All about one axis of z, at the side of Explore: how reliable it is, what it changes, what lies
at both of its ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from rivae.app.explore import evidence
from rivae.app.explore.session import PAGE
from rivae.app.explore.state import ExploreState
from rivae.app.panels.component import dock
from rivae.app.shared import charts, words
from rivae.app.shared.effects import axis_effects
from rivae.app.shell import cache, keys, pages
from rivae.app.shell.report import waiting
from rivae.app.shell.text import markdown
from rivae.app.work import certainty
from rivae.exploring.sliders import axes_of

if TYPE_CHECKING:
    from rivae.exploring.explorer import Explorer

N_SHOWN = 8  # columns of the chart


def docked(explorer: Explorer, shown: ExploreState, j: int) -> None:
    """Axis ``j`` of z, from 0."""
    axis, name = axes_of(explorer)[j], explorer.known_names[j]
    poles = axis["left"], axis["right"] or axis["given"]
    title = " ↔ ".join(filter(None, poles)) or axis["short"]
    with dock(title, lambda: PAGE.show_axis(None)):
        _reliable(explorer, j)
        if name is not None and name.evidence:
            st.html(words.chips(name.evidence, name.direction))
        direction = float(explorer.signs[j]) * np.eye(explorer.n_components)[j]
        st.html(evidence.ends(explorer, shown, poles, direction, direction))
        _changes(explorer, shown, axis["short"], axis["name"])
        with st.container(horizontal=True):
            for label, page, params in (
                ("More about it", "traverse", {"view": "Axis", keys.TRAVERSE_CARD: axis["short"]}),
                ("Edit its name", "words", {"part": "Axis names"}),
            ):
                st.page_link(
                    pages.path(page), label=label, query_params={"run": shown.run} | params
                )


def _reliable(explorer: Explorer, j: int) -> None:
    """The score of its name beside chance, how sure it is without labels, and its effect."""
    held = axes_of(explorer)[j]["held"]
    known = certainty.known_certainty(explorer.run)
    parts = [
        f"**{held['text']}** on held-out items" if held else "Its name was not scored",
        *filter(None, [certainty.reasons(known, explorer.axis_names, [j])]),
        f"{explorer.effects[j]:.0%} of small steps along {explorer.axis_ids[j]} change the best "
        "match",
    ]
    st.markdown("  \n".join(f"{part}." for part in parts))


def _changes(explorer: Explorer, shown: ExploreState, axis: str, name: str) -> None:
    """What moving along it changes, with the band that chance reaches."""
    from rivae.figures.effects import effect_bars

    key = f"{cache.model_key(shown.run, shown.asks)}/{shown.rows}"
    with waiting("Measuring what it changes …", 300):
        effects = axis_effects(key, axis, name, explorer)
    st.caption(markdown(effects.sentence))
    if effects.names:
        figure = effect_bars(effects, n=N_SHOWN, dark=charts.is_dark())
        charts.chart(figure, key=f"{keys.EXPLORE_ADDING}_effects_{axis}")
