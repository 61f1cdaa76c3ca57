"""All about one axis of z, at the side of Explore: how reliable it is, what it changes, what lies
at both of its ends.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from rivae.app.explore import changes, evidence, page_keys
from rivae.app.explore.session import PAGE
from rivae.app.explore.state import ExploreState
from rivae.app.panels.component import dock
from rivae.app.shared import charts, naming, trash
from rivae.app.shared.effects import axis_effects
from rivae.app.shell import access, cache, keys, pages, report
from rivae.app.shell.report import waiting
from rivae.app.shell.text import markdown
from rivae.app.work import certainty
from rivae.exploring.sliders import axes_of
from rivae.runs.axis_names import MAX_NAME, AxisName

if TYPE_CHECKING:
    from rivae.exploring.explorer import Explorer

N_SHOWN = 8  # words, and columns of the chart
NAMED = "axis-named"
PARTS = ("name", "low", "high")


def docked(explorer: Explorer, state: ExploreState, j: int) -> None:
    """Axis ``j`` of z, from 0."""
    axis = axes_of(explorer)[j]
    poles = axis["left"], axis["right"] or axis["given"]
    title = " ↔ ".join(filter(None, poles)) or axis["short"]
    with dock(title, lambda: PAGE.show_axis(None)):
        _reliable(explorer, j)
        if axis["terms"]:
            st.caption(markdown(f"Behind its name: {', '.join(axis['terms'][:N_SHOWN])}."))
        direction = float(explorer.signs[j]) * np.eye(explorer.n_components)[j]
        st.html(evidence.ends(explorer, state, poles, direction, direction))
        _changes(explorer, state, axis)
        _name(explorer, state, j)
        card = {"view": "Axis", keys.TRAVERSE_CARD: axis["short"]}
        with st.container(horizontal=True):
            _link(state, "More about it", "traverse", card)
            _link(state, "All names", "words", {"part": "Axis names"})


def _reliable(explorer: Explorer, j: int) -> None:
    """The score of its name beside chance, how sure it is without labels, and its effect."""
    held_out = axes_of(explorer)[j]["held"]
    axis_certainty = certainty.known_certainty(explorer.run)
    parts = [
        f"**{held_out['text']}** on held-out items" if held_out else "Its name was not scored",
        *filter(None, [certainty.reasons(axis_certainty, explorer.axis_names, [j])]),
        f"{explorer.effects[j]:.0%} of small steps along {explorer.axis_ids[j]} change the best "
        "match",
    ]
    st.markdown("  \n".join(f"{part}." for part in parts))


def _changes(explorer: Explorer, state: ExploreState, axis: dict[str, Any]) -> None:
    """What moving along it changes, with the band that chance reaches."""
    from rivae.figures.effects import effect_bars

    key = f"{cache.model_key(state.run, state.asks)}/{state.rows}"
    with waiting("Measuring what it changes …", 300):
        effects = axis_effects(key, axis["short"], axis["name"], explorer)
    st.caption(markdown(replace(effects, axis=changes.called(axis)).sentence))
    if effects.names:
        figure = effect_bars(effects, n=N_SHOWN, dark=charts.is_dark())
        charts.chart(figure, key=f"{keys.EXPLORE_ADDING}_effects_{axis['short']}")


def _name(explorer: Explorer, state: ExploreState, j: int) -> None:
    """Its name and what lies at both ends, to edit."""
    trash.undo("names")
    report.show(NAMED)
    name = explorer.known_names[j]
    parts = (name.name, name.low, name.high) if name else ("", "", "")
    key = f"{page_keys.AXIS_NAME}_{explorer.axis_ids[j]}_{hash(parts)}"
    is_given = name is not None and not name.proposed
    with st.form(f"{key}_form", border=False):
        for label, part, text in zip(("Name", "Left end", "Right end"), PARTS, parts, strict=True):
            st.text_input(label, text, key=f"{key}_{part}", max_chars=MAX_NAME)
        st.form_submit_button(
            "Save",
            key=f"{key}_save",
            on_click=_save,
            args=(explorer, state.run, j, key),
            **(access.control() if is_given else {}),
        )


def _save(explorer: Explorer, run_id: str, j: int, key: str) -> None:
    def change() -> str:
        text, low, high = (str(st.session_state[f"{key}_{part}"]).strip() for part in PARTS)
        before = explorer.known_names[j] or AxisName(j, text or "?", 1)
        changed = naming.typed(before, text, low, high) if text else None
        naming.change(run_id, explorer.n_components, {j: changed})
        PAGE.renew()
        return f"{explorer.axis_ids[j]} is {text} now." if text else "Its name is removed."

    report.attempt(NAMED, change)


def _link(state: ExploreState, label: str, page: str, params: dict[str, str]) -> None:
    st.page_link(pages.path(page), label=label, query_params={"run": state.run, **params})
