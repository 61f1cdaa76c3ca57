"""The presenter's view of a tour as part of the Steer page: ``?tour=ID&step=N``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from rivae.errors import RivaeError
from rivae.ui import routes, state, steer_session
from rivae.ui.components.tour_panel import tour_panel
from rivae.ui.links import whole_number
from rivae.ui.text import markdown

if TYPE_CHECKING:
    from rivae.tours import Tour

NAMES = ("tour", "step")


def is_open() -> bool:
    """Whether the address asks for a tour."""
    return "tour" in st.query_params


def show() -> None:
    """The tour in the address, or one sentence about why it cannot be shown."""
    from rivae import tours

    steer_session.refresh()  # the matrix is mounted anew when the presenter comes back
    try:
        tour = tours.read_tour(st.query_params["tour"])
    except RivaeError as error:
        st.warning(markdown(str(error)), icon=":material/info:")
        _back()
        return
    if not tour.steps:
        st.info(f"{markdown(tour.title)} has no steps yet.")
        _back()
        return
    step = whole_number(st.query_params.get("step", "1"), 1, len(tour.steps)) or 1
    answers = {"answer": state.TOUR_ANSWER, "words": state.TOUR_WORDS}
    said = {name: st.session_state.get(key) for name, key in answers.items()}
    tour_panel(
        {**payload(tour), **said, "step": step, "colors": steer_session.word_colors()},
        key=state.TOUR_PANEL,
        on_step=_on_step,
        on_leave=_leave,
        on_ask=lambda: steer_session.ask(_reported("ask"), state.TOUR_ANSWER),
        on_ask_words=lambda: steer_session.ask(_reported("ask_words"), state.TOUR_WORDS),
    )
    _back()


def payload(tour: Tour) -> dict[str, Any]:
    """The words and settings of all steps; pictures are asked for one step ahead."""
    return {
        "id": tour.id,
        "title": tour.title,
        "url": routes.steer_url(),
        "pictures": routes.pictures_url(),
        "steps": [
            {
                "heading": s.heading, "note": s.note, "run": s.run, "query": s.query,
                "axes": list(s.row.axes), "levels": list(s.row.levels), "n_sigma": s.n_sigma,
            }
            for s in tour.steps
        ],
    }  # fmt: skip


def _back() -> None:
    st.button("Back to the matrix", icon=":material/arrow_back:", on_click=_leave)


def _reported(name: str) -> Any:
    return getattr(st.session_state.get(state.TOUR_PANEL), name, None)


def _on_step() -> None:
    step = _reported("step")
    if type(step) is int and step > 0:
        st.query_params["step"] = str(step)


def _leave() -> None:
    for name in NAMES:
        if name in st.query_params:
            del st.query_params[name]
    st.session_state[state.TOUR_ANSWER] = st.session_state[state.TOUR_WORDS] = None
    steer_session.come_back()
