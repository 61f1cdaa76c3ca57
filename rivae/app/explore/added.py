"""All about an axis that was added, at the side of Explore: evidence, name, Remove and Undo."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from rivae.app.explore import evidence, page_keys
from rivae.app.explore.session import PAGE, Adding
from rivae.app.explore.state import ExploreState
from rivae.app.shell import access, cache, report
from rivae.app.shell.fragments import fragment
from rivae.app.shell.text import markdown
from rivae.runs.added_axes import AddedAxis, remove_added, restore_added
from rivae.runs.axis_names import MAX_NAME

if TYPE_CHECKING:
    from rivae.exploring.explorer import Explorer

PLACE = "add-axis"


def page_again() -> None:
    """Draw the page again, not this part of it alone, where its panel has other axes to show."""
    if st.session_state.pop(page_keys.RENEWED, False):
        st.rerun()


@fragment()
def known(explorer: Explorer, state: ExploreState, axis: AddedAxis) -> None:
    """The evidence for an axis that was added, its name, and Remove."""
    page_again()
    report.show(PLACE)
    evidence.short(explorer, axis)
    key = f"{page_keys.AXIS_NAME}_{axis.id}_{axis.created}"
    st.session_state.setdefault(key, axis.name)
    args = (state.run, axis, key)
    st.text_input(
        "Name", key=key, max_chars=MAX_NAME, on_change=_rename, args=args, **access.control()
    )
    evidence.long(explorer, state, axis)
    st.button(
        "Remove",
        icon=":material/delete:",
        key=f"{page_keys.AXIS_NAME}_remove",
        on_click=_remove,
        args=(state.run, axis),
        **access.control(),
    )


def _rename(run_id: str, axis: AddedAxis, key: str) -> None:
    from rivae.exploring.axes.adding import rename_axis

    def change() -> str:
        access.require()
        other = rename_axis(cache.run(run_id), axis.id, str(st.session_state[key]))
        PAGE.renew()
        return f"{axis.id} is {other.name} now."

    report.attempt(PLACE, change)


def _remove(run_id: str, axis: AddedAxis) -> None:
    def change() -> str:
        access.require()
        removed = remove_added(cache.run(run_id), axis.id)
        PAGE.show_axis(Adding())
        st.session_state[page_keys.REMOVED] = (run_id, removed)
        PAGE.renew()
        return f"Removed {removed.name}."

    report.attempt(PLACE, change)


def undo(run_id: str) -> None:
    """A line about the axis that this visitor removed last, with Undo."""
    of_run, last_axis = st.session_state.get(page_keys.REMOVED) or ("", None)
    if of_run != run_id or last_axis is None:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small", border=True):
        st.markdown(f"Removed **{markdown(last_axis.name)}**.", width="content")
        key = f"{page_keys.AXIS_NAME}_undo"
        st.button(
            "Undo", icon=":material/undo:", key=key, on_click=_restore, args=(run_id, last_axis)
        )


def _restore(run_id: str, axis: AddedAxis) -> None:
    def change() -> str:
        access.require()
        restore_added(cache.run(run_id), axis)
        st.session_state[page_keys.REMOVED] = None
        PAGE.renew()
        return f"{axis.name} is back."

    report.attempt(PLACE, change)
