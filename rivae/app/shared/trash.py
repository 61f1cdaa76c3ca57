"""Deleted runs, imports, tours and axis names: an Undo right after it, and a list to restore
from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from rivae.app.shared.runs import short_date
from rivae.app.shell import access, cache, keys, report
from rivae.app.shell.text import markdown

if TYPE_CHECKING:
    from rivae.runs.trash import Deleted, Kind, Trash

SHOWN = 20
KEPT = "Kept until the app has run on 30 other dates, then removed for good."
NOUN: dict[Kind, str] = {
    "run": "run",
    "import": "data set",
    "tour": "tour",
    "names": "set of axis names",
}


def remember(deleted: Deleted) -> None:
    """Keep what the visitor has just deleted, for ``undo``; for callbacks."""
    st.session_state[_key("last", deleted.kind)] = deleted


def undo(kind: Kind) -> None:
    """A line about the visitor's last deletion, with Undo, until it is undone. The result of
    restoring is shown here too.
    """
    from rivae.jobs.units import size_text

    report.show(_key("said", kind))
    last: Deleted | None = st.session_state.get(_key("last", kind))
    if last is None:
        return
    if not any(entry.id == last.id for entry in _trash(kind).entries()):
        st.session_state.pop(_key("last", kind))
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small", border=True):
        st.markdown(
            f"{_done(last)} **{markdown(last.name)}** ({size_text(last.bytes)}).",
            width="content",
        )
        st.button(
            "Undo", icon=":material/undo:", key=_key("undo", kind), on_click=_restore, args=(last,)
        )
        st.button(
            "Dismiss", type="tertiary", key=_key("dismiss", kind), on_click=_dismiss, args=(kind,)
        )


def panel(kind: Kind, only: str = "") -> None:
    """A button that opens the trash, or its entries named ``only``; nothing where it is empty."""
    from rivae.jobs.units import size_text

    entries = [entry for entry in _trash(kind).entries() if only in ("", entry.name)]
    if not entries:
        return
    may = access.may_change()
    with st.popover("Trash", icon=":material/delete_sweep:", help=f"Deleted {NOUN[kind]}s"):
        st.caption(KEPT + ("" if may else f" Log in to {access.WHAT}."))
        for item in entries[:SHOWN]:
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                st.markdown(f"**{markdown(item.name)}**", width="content")
                when = short_date(item.deleted.isoformat())
                st.caption(f"{when} · {size_text(item.bytes)}", width="content")
                st.space("stretch")
                st.button(
                    "Restore",
                    icon=":material/undo:",
                    key=_key(item.id, kind),
                    disabled=not may,
                    on_click=_restore,
                    args=(item,),
                )
        if len(entries) > SHOWN:
            st.caption(f"{len(entries) - SHOWN} more: `rivae trash` lists them all.")


def import_button(folder: Path) -> None:
    """A button that deletes an import, after saying how large it is and which runs need it."""
    from rivae.base.files import folder_bytes
    from rivae.jobs.deletion import runs_on
    from rivae.jobs.units import size_text

    may = access.may_change()
    with st.popover(
        "Delete",
        icon=":material/delete:",
        type="tertiary",
        disabled=not may,
        help=None if may else f"Log in to {access.WHAT}.",
    ):
        size = size_text(folder_bytes(folder))
        st.markdown(
            f"**{markdown(folder.name)}** takes {size}. It stays in the trash until "
            "the app has run on 30 other dates, and can be restored."
        )
        if runs := [run.id for run in runs_on(folder, cache.runs())]:
            st.caption(f"Runs that do not open without it: {markdown(', '.join(runs))}.")
        st.button(
            f"Delete {markdown(folder.name)}, {size}",
            icon=":material/delete:",
            type="primary",
            key=_key(f"delete_{folder.name}", "import"),
            on_click=_delete_import,
            args=(folder.name,),
        )


def _delete_import(name: str) -> None:
    def change() -> str:
        from rivae.jobs.deletion import delete_import

        access.require()
        remember(delete_import(name))
        return ""

    report.attempt(_key("said", "import"), change)


def _restore(deleted: Deleted) -> None:
    def change() -> str:
        from rivae.jobs.deletion import restore
        from rivae.runs.trash import RESTORED

        access.require()
        name = restore(deleted)
        _dismiss(deleted.kind, deleted.id)
        return RESTORED.format(name)

    report.attempt(_key("said", deleted.kind), change)


def _dismiss(kind: Kind, only: str = "") -> None:
    last: Deleted | None = st.session_state.get(_key("last", kind))
    if last is not None and only in ("", last.id):
        st.session_state.pop(_key("last", kind))


def _trash(kind: Kind) -> Trash:
    from rivae.jobs.deletion import TRASHES

    return TRASHES[kind]()


def _done(last: Deleted) -> str:
    if last.kind == "names":
        return "Removed or replaced axis names of"
    return "Changed" if last.more.get("earlier") else "Deleted"


def _key(what: str, kind: Kind) -> str:
    return f"{keys.TRASH}_{kind}_{what}"
