"""A tour step by step over everything else: ``?tour=ID&step=N``."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import streamlit as st

from rivae.app.panels.component import Component
from rivae.app.panels.links import whole_number
from rivae.app.shared import notices
from rivae.app.shell import cache, web
from rivae.app.shell.text import markdown
from rivae.app.steer import page_keys, session
from rivae.app.steer.tours import setting_of
from rivae.base.errors import RivaeError

if TYPE_CHECKING:
    from rivae.exploring.tours import Tour

NAMES = ("tour", "step")


def is_open() -> bool:
    """Whether the address asks for a tour."""
    return "tour" in st.query_params


def show() -> None:
    """The tour in the address, or one sentence about why it cannot be shown."""
    from rivae.exploring import tours

    session.PAGE.refresh()  # the matrix is mounted again when the presenter comes back
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
    _replaced(tour)
    step = whole_number(st.query_params.get("step", "1"), 1, len(tour.steps)) or 1
    answers = {"answer": page_keys.TOUR_ANSWER, "words": page_keys.TOUR_WORDS}
    values = {name: st.session_state.get(key) for name, key in answers.items()}
    _PRESENTER(
        {**payload(tour), **values, "step": step, "colors": session.word_colors()},
        key=page_keys.TOUR_PANEL,
        step=_on_step,
        leave=lambda _: _leave(),
        ask=lambda question: session.ask(question, page_keys.TOUR_ANSWER),
        ask_words=lambda question: session.ask(question, page_keys.TOUR_WORDS),
    )
    _back()


def _replaced(tour: Tour) -> None:
    """A sentence for each run of the tour whose data are not those of its training: the rows that
    its steps name are other items now.
    """
    for run_id in dict.fromkeys(step.run for step in tour.steps):
        with suppress(RivaeError):  # the step says that its run is not here
            notices.data_changed(cache.run(run_id))


def payload(tour: Tour) -> dict[str, Any]:
    """The words and settings of all steps; pictures are asked for one step ahead."""
    return {
        "id": tour.id,
        "title": tour.title,
        "url": web.steer_url(),
        "pictures": web.pictures_url(cache.data_version(*(s.run for s in tour.steps))),
        "steps": [{"heading": s.heading, "note": s.note, **setting_of(s)} for s in tour.steps],
    }


def _back() -> None:
    st.button("Back to the matrix", icon=":material/arrow_back:", on_click=_leave)


def _on_step(step: int) -> None:
    if step > 0:
        st.query_params["step"] = str(step)


def _leave() -> None:
    for name in NAMES:
        if name in st.query_params:
            del st.query_params[name]
    st.session_state[page_keys.TOUR_ANSWER] = st.session_state[page_keys.TOUR_WORDS] = None
    session.come_back()


# The view over everything else.
_PRESENTER = Component(
    "rivae_tour",
    js=("tour.js",),
    css=("base.css", "cloud.css", "tour.css"),
    # The step that is shown (from 1), whether the presenter is done, and questions where the web
    # route is missing.
    reports={"step": int, "leave": bool, "ask": dict, "ask_words": dict},
)
