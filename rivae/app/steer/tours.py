"""Tours: chosen, edited and shared below the Steer matrix; presented by ``?tour=ID&step=N``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from rivae.app.shared import trash
from rivae.app.shell import access, gate, keys
from rivae.app.shell.text import markdown
from rivae.base.errors import RivaeError

if TYPE_CHECKING:
    from rivae.exploring.tours import Tour

FIELD = keys.STEER_TOUR_FIELD


def panel() -> None:
    """All tours: one is chosen, with what can be done with it."""
    from rivae.exploring import tours

    st.subheader("Tours", anchor=False)
    if notice := st.session_state.pop(keys.TOUR_NOTICE, ""):
        st.warning(markdown(notice), icon=":material/info:")
    trash.undo("tour")
    found = tours.list_tours()
    for bad in found:
        if bad.tour is None:
            _damaged(bad.id, bad.problem)
    known = {entry.id: entry.tour for entry in found if entry.tour is not None}
    if not known:
        st.caption(
            "A tour is a series of rows with headings and notes that a presenter steps through. "
            "Add the first step with a row's flag."
        )
        with st.container(horizontal=True):
            _import()
            trash.panel("tour")
        return
    if st.session_state.get(keys.STEER_TOUR) not in known:
        st.session_state[keys.STEER_TOUR] = next(iter(known))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.selectbox(
            "Tour",
            list(known),
            format_func=lambda t: known[t].title,
            key=keys.STEER_TOUR,
            width=340,
        )
        tour = known[chosen]
        st.button(
            "Present",
            icon=":material/slideshow:",
            type="primary",
            disabled=not tour.steps,
            key=f"{FIELD}_present",
            on_click=present,
            args=(tour.id,),
        )
        with st.popover("Edit", icon=":material/edit:", **access.control()):
            _edit(tour)
        st.download_button(
            "Export",
            lambda: tours.to_bytes(tour),
            file_name=f"{tour.id}.json",
            mime="application/json",
            icon=":material/download:",
            on_click="ignore",
            key=f"{FIELD}_export",
        )
        _import()
        trash.panel("tour")
    for n, step in enumerate(tour.steps, 1):
        runs = "" if n > 1 and tour.steps[n - 2].run == step.run else f" · {step.run}"
        st.markdown(f"{n}\\. {markdown(step.heading)} :small[:gray[{markdown(runs)}]]")


def shortcuts() -> None:
    """A list of the tours that can be presented, for the top of the page; nothing without any."""
    from rivae.exploring import tours

    ready = [entry for entry in tours.list_tours() if entry.tour is not None and entry.tour.steps]
    if not ready:
        return
    with st.popover("Tours", icon=":material/slideshow:"):
        st.caption("Present a tour. They are edited below the matrix.")
        for entry in ready:
            assert entry.tour is not None
            st.button(
                markdown(entry.tour.title),
                key=f"{FIELD}_{entry.id}_shortcut",
                on_click=present,
                args=(entry.id,),
                width="stretch",
            )


def present(tour_id: str, step: int = 1) -> None:
    """Opens the presenter's view; for callbacks."""
    st.query_params.from_dict({"tour": tour_id, "step": str(step)})


def _edit(tour: Tour) -> None:
    """Title, and every step's heading, note and place."""
    from rivae.exploring import tours

    key = f"{FIELD}_{tour.id}"
    st.text_input(
        "Title",
        tour.title,
        key=f"{key}_title",
        max_chars=tours.MAX_TITLE,
        on_change=lambda: _change(
            tour.id, lambda t: replace(t, title=st.session_state[f"{key}_title"])
        ),
    )
    for n, step in enumerate(tour.steps):
        # With the text in the key: after a move the fields belong to other steps.
        own = f"{key}_{n}_{len(tour.steps)}_{hash((step.heading, step.note, step.run))}"
        with st.expander(f"{n + 1}. {markdown(step.heading)}"):
            st.text_input(
                "Heading", step.heading, key=f"{own}_heading", max_chars=tours.MAX_HEADING
            )
            st.text_area("Note", step.note, key=f"{own}_note", max_chars=tours.MAX_NOTE)
            with st.container(horizontal=True):
                st.button(
                    "Save",
                    key=f"{own}_save",
                    type="primary",
                    on_click=_save_step,
                    args=(tour.id, n, own),
                )
                st.button(
                    "",
                    icon=":material/arrow_upward:",
                    key=f"{own}_up",
                    disabled=n == 0,
                    help="Earlier",
                    on_click=_move,
                    args=(tour.id, n, n - 1),
                )
                st.button(
                    "",
                    icon=":material/arrow_downward:",
                    key=f"{own}_down",
                    help="Later",
                    disabled=n == len(tour.steps) - 1,
                    on_click=_move,
                    args=(tour.id, n, n + 1),
                )
                st.button(
                    "Remove",
                    icon=":material/close:",
                    key=f"{own}_remove",
                    on_click=_move,
                    args=(tour.id, n, None),
                )
    with st.container(horizontal=True, vertical_alignment="center"):
        sure = st.checkbox("Delete the tour", key=f"{key}_sure")
        st.button(
            "Delete",
            icon=":material/delete:",
            disabled=not sure,
            key=f"{key}_delete",
            on_click=_delete,
            args=(tour.id,),
        )


def _delete(tour_id: str) -> None:
    """Into the trash, with an offer to undo it; for callbacks."""
    from rivae.exploring import tours

    def delete() -> None:
        access.require()
        if done := tours.delete_tour(tour_id):
            trash.remember(done)

    _guarded(delete)


def _damaged(tour_id: str, problem: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.warning(markdown(f"{tour_id}: {problem}"), icon=":material/info:")
        key = f"{FIELD}_{tour_id}_bad"
        st.button("Delete", key=key, on_click=_delete, args=(tour_id,), **access.control())


def _import() -> None:
    with st.popover("Import", icon=":material/upload:"):
        st.file_uploader(
            "A tour that this app exported",
            type=["json"],
            key=f"{FIELD}_file",
            max_upload_size=gate.SMALL_FILE,
            on_change=_take_file,
        )


def _take_file() -> None:
    from rivae.exploring import tours

    file = st.session_state.get(f"{FIELD}_file")
    if file is None:
        return

    def take() -> None:
        tour = tours.from_bytes(file.getvalue())
        st.session_state[keys.STEER_TOUR] = tours.add_tour(tour.title, tour.steps).id

    _guarded(take)


def _save_step(tour_id: str, n: int, own: str) -> None:
    heading, note = (st.session_state[f"{own}_{name}"] for name in ("heading", "note"))

    def change(tour: Tour) -> Tour:
        steps = list(tour.steps)
        steps[n] = replace(steps[n], heading=heading, note=note)
        return replace(tour, steps=tuple(steps))

    _change(tour_id, change)


def _move(tour_id: str, n: int, to: int | None) -> None:
    """Step ``n`` to another place, or out of the tour."""

    def change(tour: Tour) -> Tour:
        steps = list(tour.steps)
        step = steps.pop(n)
        if to is not None:
            steps.insert(to, step)
        return replace(tour, steps=tuple(steps))

    _change(tour_id, change)


def _change(tour_id: str, change: Callable[[Tour], Tour]) -> None:
    from rivae.exploring import tours

    def act() -> None:
        access.require()
        tours.change_tour(tour_id, change, on_delete=trash.remember)

    _guarded(act)


def _guarded(change: Callable[[], object]) -> None:
    """Runs a change; what cannot be done is said on the page."""
    try:
        change()
    except (RivaeError, IndexError) as error:  # IndexError: another session removed the step
        gone = "this step no longer exists: reload the page"
        st.session_state[keys.TOUR_NOTICE] = str(error) if isinstance(error, RivaeError) else gone
