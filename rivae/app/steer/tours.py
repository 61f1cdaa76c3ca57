"""Tours: made with the flags of rows, edited and shared in the row of the tabs; presented by
``?tour=ID&step=N``.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import streamlit as st

from rivae.app.shared import trash
from rivae.app.shell import access, gate
from rivae.app.shell.text import markdown
from rivae.app.steer import page_keys
from rivae.base.errors import RivaeError

if TYPE_CHECKING:
    from rivae.exploring.tours import Tour, TourStep

FIELD = page_keys.TOUR_FIELD


def in_hand() -> Tour | None:
    """The tour that this visitor makes or has chosen; None without one."""
    from rivae.exploring import tours

    if not (tour_id := st.session_state.get(page_keys.TOUR)):
        return None
    with suppress(RivaeError):  # it was deleted, or is damaged: the list says so
        return tours.read_tour(tour_id)
    return None


def steps_in_hand() -> list[dict[str, Any]]:
    """What each step of the tour in hand shows, and its caption; a row that is one of them has its
    flag up.
    """
    tour = in_hand()
    return [{"heading": s.heading, **setting_of(s)} for s in tour.steps] if tour else []


def setting_of(step: TourStep) -> dict[str, Any]:
    """What a step shows, as the panels take it."""
    return {
        "run": step.run,
        "query": step.query,
        "asks": step.asks,
        "axes": list(step.row.axes),
        "levels": list(step.row.levels),
        "n_sigma": step.n_sigma,
    }


def flag(step: TourStep, title: str) -> None:
    """Adds a step to the tour in hand, to a new one called ``title`` where there is none; a step
    that shows the same is taken out instead, as far as the visitor may.

    Raises:
        RivaeError: the visitor may not take it out, or the tour cannot be written.
    """
    from rivae.exploring import tours

    tour, setting = in_hand(), setting_of(step)

    def change(now: Tour) -> Tour:
        others = tuple(one for one in now.steps if setting_of(one) != setting)
        if others == now.steps:
            return replace(now, steps=(*now.steps, step))
        access.require()
        return replace(now, steps=others)

    if tour is None:
        tour = tours.add_tour(title, [step])
        st.session_state[page_keys.TOUR] = tour.id
    else:
        tour = tours.change_tour(tour.id, change, on_delete=trash.remember)
    if step not in tour.steps:  # a row that was added says so itself
        st.toast(f"**{markdown(step.heading)}**: removed from {markdown(tour.title)}")


def caption(step: TourStep) -> None:
    """The step of the tour in hand that shows what ``step`` does takes its heading over.

    Raises:
        RivaeError: the visitor may not change it, or the tour cannot be written.
    """
    from rivae.exploring import tours

    setting = setting_of(step)

    def captioned(one: TourStep) -> TourStep:
        return replace(one, heading=step.heading) if setting_of(one) == setting else one

    def change(now: Tour) -> Tour:
        access.require()
        return replace(now, steps=tuple(map(captioned, now.steps)))

    if (tour := in_hand()) is not None:
        tours.change_tour(tour.id, change, on_delete=trash.remember)


def tools() -> None:
    """*Present* for the tour in hand, and all tours with what can be done with them."""
    from rivae.exploring import tours

    tour = in_hand()
    if tour is not None and tour.steps:
        st.button(
            "Present",
            icon=":material/slideshow:",
            type="primary",
            key=f"{FIELD}_present",
            on_click=present,
            args=(tour.id,),
        )
    with st.popover("Tours", icon=":material/flag:", width="content"), st.container(width=460):
        if notice := st.session_state.pop(page_keys.TOUR_NOTICE, ""):
            st.warning(markdown(notice), icon=":material/info:")
        trash.undo("tour")
        if tour is None:
            st.caption("A tour presents rows one after the other. Flag a row to begin one.")
        else:
            _edit(tour)
        for entry in tours.list_tours():
            if entry.tour is None:
                _damaged(entry.id, entry.problem)
            elif tour is None or entry.id != tour.id:
                _other(entry.id, entry.tour)
        with st.container(horizontal=True):
            _import()
            trash.panel("tour")


def _other(tour_id: str, tour: Tour) -> None:
    """A tour that is not in hand: present it, or take it into the hand."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.button(
            markdown(tour.title),
            icon=":material/slideshow:",
            key=f"{FIELD}_{tour_id}_shortcut",
            disabled=not tour.steps,
            on_click=present,
            args=(tour_id,),
            width="stretch",
        )
        st.button("Edit", key=f"{FIELD}_{tour_id}_edit", on_click=_take, args=(tour_id,))


def _take(tour_id: str) -> None:
    st.session_state[page_keys.TOUR] = tour_id or None


def present(tour_id: str, step: int = 1) -> None:
    """Opens the presenter's view; for callbacks."""
    st.query_params.from_dict({"tour": tour_id, "step": str(step)})


def _edit(tour: Tour) -> None:
    """Title and steps in place, and what can be done with the whole tour."""
    from rivae.exploring import tours

    key = f"{FIELD}_{tour.id}"
    st.text_input(
        "Title",
        tour.title,
        key=f"{key}_title_{hash(tour.title)}",
        max_chars=tours.MAX_TITLE,
        on_change=_write,
        args=(tour.id, None, f"{key}_title_{hash(tour.title)}", "title"),
        **access.control(),
    )
    for n, step in enumerate(tour.steps):
        _step(tour, n, step)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.download_button(
            "Export",
            lambda: tours.to_bytes(tour),
            file_name=f"{tour.id}.json",
            mime="application/json",
            icon=":material/download:",
            on_click="ignore",
            key=f"{FIELD}_export",
        )
        st.button(
            "Delete",
            icon=":material/delete:",
            key=f"{key}_delete",
            on_click=_delete,
            args=(tour.id,),
            **access.control(),
        )
        st.button("New tour", icon=":material/add:", key=f"{key}_new", on_click=_take, args=("",))


def _step(tour: Tour, n: int, step: TourStep) -> None:
    """One step: its caption, its note, its place."""
    from rivae.exploring import tours

    # With the text in the key: after a move the fields belong to other steps.
    key_prefix = (
        f"{FIELD}_{tour.id}_{n}_{len(tour.steps)}_{hash((step.heading, step.note, step.run))}"
    )
    another = f" · {step.run}" if len({one.run for one in tour.steps}) > 1 else ""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="xsmall"):
        st.text_input(
            markdown(f"Step {n + 1}{another}"),
            step.heading,
            key=f"{key_prefix}_heading",
            max_chars=tours.MAX_HEADING,
            on_change=_write,
            args=(tour.id, n, f"{key_prefix}_heading", "heading"),
            **access.control(),
        )
        with st.popover("", icon=":material/notes:", help="What to say"):
            st.text_area(
                "Note",
                step.note,
                key=f"{key_prefix}_note",
                max_chars=tours.MAX_NOTE,
                on_change=_write,
                args=(tour.id, n, f"{key_prefix}_note", "note"),
                **access.control(),
            )
        for name, to, icon, tip in (
            ("up", n - 1, ":material/arrow_upward:", "Earlier"),
            ("down", n + 1, ":material/arrow_downward:", "Later"),
            ("remove", None, ":material/close:", "Remove"),
        ):
            beyond = to is not None and not 0 <= to < len(tour.steps)
            st.button(
                "",
                icon=icon,
                key=f"{key_prefix}_{name}",
                on_click=_move,
                args=(tour.id, n, to),
                **{**access.control(beyond), "help": tip},
            )


def _write(tour_id: str, n: int | None, field: str, what: str) -> None:
    """Takes a text over as it was typed: of step ``n``, or of the tour."""
    text = st.session_state[field]

    def change(tour: Tour) -> Tour:
        if n is None:
            return replace(tour, **{what: text})
        steps = list(tour.steps)
        steps[n] = replace(steps[n], **{what: text})
        return replace(tour, steps=tuple(steps))

    _change(tour_id, change)


def _delete(tour_id: str) -> None:
    """Into the trash, with an offer to undo it; for callbacks."""
    from rivae.exploring import tours

    def delete() -> None:
        access.require()
        if trash_entry := tours.delete_tour(tour_id):
            trash.remember(trash_entry)

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
        st.session_state[page_keys.TOUR] = tours.add_tour(tour.title, tour.steps).id

    _guarded(take)


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
        missing = "this step no longer exists: reload the page"
        st.session_state[page_keys.TOUR_NOTICE] = (
            str(error) if isinstance(error, RivaeError) else missing
        )
