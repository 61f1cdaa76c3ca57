"""Managing one run: notes and tags, rename, archive, export and delete."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

import streamlit as st

from rivae.app.shared import address, labels, trash
from rivae.app.shell import access, cache, keys, report
from rivae.app.shell.text import markdown
from rivae.app.train import archive, page_keys, session
from rivae.base.errors import RivaeError, RunError

if TYPE_CHECKING:
    from rivae.runs import Run
    from rivae.runs.notes import About

PLACE = "train_manage"


def panel(run_id: str) -> None:
    """Notes and tags of a run, and buttons that change it; nothing if there is no such run.

    Not for a fragment: after renaming and deleting, the page is drawn again.
    """
    from rivae.runs.folders import require_own
    from rivae.runs.notes import About, about

    try:
        run = cache.run(run_id)
    except RivaeError:
        return
    report.show(f"{PLACE}_{run_id}")
    try:
        about_run = about(run)
    except RivaeError as error:
        report.warning(str(error))
        about_run = About()
    _words(about_run)
    try:
        require_own(run)
    except RivaeError as error:
        _buttons(run, about_run, str(error))
        return
    _buttons(run, about_run, "" if access.may_change() else f"Log in to {access.WHAT}.")


def _words(about_run: About) -> None:
    """The stored note and tags."""
    if about_run.archived or about_run.tags:
        with st.container(horizontal=True, gap="xsmall"):
            if about_run.archived:
                st.badge("archived", icon=":material/inventory_2:", color="gray")
            for tag in about_run.tags:
                st.badge(markdown(tag), icon=":material/label:", color="blue")
    if about_run.note:
        st.markdown("  \n".join(markdown(line) for line in about_run.note.split("\n")))


def _buttons(run: Run, about_run: About, why_not: str) -> None:
    """The buttons; those that change the run are disabled with the reason ``why_not``, if any."""
    off, help_text = bool(why_not), why_not or None
    with st.container(horizontal=True, gap="small"):
        with st.popover("Notes", icon=":material/edit_note:", disabled=off, help=help_text):
            _notes(run, about_run)
        with st.popover("Rename", icon=":material/edit:", disabled=off, help=help_text):
            _rename(run)
        st.button(
            "Unarchive" if about_run.archived else "Archive",
            icon=":material/unarchive:" if about_run.archived else ":material/archive:",
            key=_key("archive", run),
            disabled=off,
            on_click=_archive,
            args=(run, not about_run.archived),
            help=help_text
            or "Hides the run from Home and from the lists of runs. Nothing is deleted.",
        )
        with st.popover("Export", icon=":material/download:"):
            archive.export_panel(run)
        with st.popover("Delete", icon=":material/delete:", disabled=off, help=help_text):
            _delete(run)


def _notes(run: Run, about_run: About) -> None:
    from rivae.runs.notes import MAX_NOTE, MAX_TAGS

    with st.form(_key("notes", run), border=False):
        # First, so that its list does not cover the button.
        st.multiselect(
            "Tags",
            list(dict.fromkeys([*about_run.tags, *_known_tags()])),
            default=list(about_run.tags),
            key=_key("tags", run),
            accept_new_options=True,
            max_selections=MAX_TAGS,
            placeholder="Type a tag, press Enter",
        )
        st.text_area("Note", about_run.note, max_chars=MAX_NOTE, key=_key("note", run), height=140)
        st.form_submit_button(
            "Save", type="primary", key=_key("keep", run), on_click=_keep, args=(run,)
        )


def _known_tags() -> list[str]:
    """The tags of all runs, offered so that a tag is spelled the same everywhere."""
    from rivae.runs.notes import about

    tags: set[str] = set()
    for run in cache.runs():
        with suppress(RivaeError):
            tags.update(about(run).tags)
    return sorted(tags)


def _keep(run: Run) -> None:
    from rivae.runs.notes import keep_about

    note, tags = (st.session_state.get(_key(name, run)) for name in ("note", "tags"))

    def change() -> str:
        keep_about(run, note=str(note or ""), tags=[str(tag) for tag in tags or ()])
        return "Saved notes and tags."

    _tried(run, change)


def _archive(run: Run, archived: bool) -> None:
    from rivae.runs.notes import keep_about

    def change() -> str:
        keep_about(run, archived=archived)
        return f"Archived {run.id}." if archived else f"Unarchived {run.id}."

    _tried(run, change)


def _rename(run: Run) -> None:
    with st.form(_key("renaming", run), border=False):
        st.text_input(
            "New name",
            run.id,
            max_chars=80,
            key=_key("name", run),
            help="a–z, 0–9, '.', '_' and '-', beginning with a letter or digit.",
        )
        st.caption("Runs derived from it, its queue entry and tours are updated.")
        st.form_submit_button(
            "Rename", type="primary", key=_key("rename", run), on_click=_renamed, args=(run,)
        )


def _renamed(run: Run) -> None:
    name = str(st.session_state.get(_key("name", run)) or "").strip()

    def change() -> str:
        from rivae.jobs.renaming import rename

        if name != run.id and (plans := _plans(run)):
            raise RunError(
                f"the labelling plan {plans[0]} uses {run.id}, so this run keeps its name"
            )
        rename(run, name)
        _forget(run, name)
        return f"Renamed {run.id} to {name}."

    _tried(run, change, leaves=True)


def _delete(run: Run) -> None:
    """The confirmation: the run, its size, and what is kept."""
    from rivae.base.files import folder_bytes
    from rivae.jobs.units import size_text
    from rivae.runs.trash import KEPT_DATES

    size = size_text(folder_bytes(run.path))
    st.markdown(
        f"**{markdown(run.id)}** takes {size}. It stays in the trash for {KEPT_DATES} days and "
        "can be restored."
    )
    children = [other.id for other in cache.runs() if other.parent == run.id]
    if children:
        st.caption(f"Runs derived from it are kept: {markdown(', '.join(children))}.")
    with suppress(RivaeError):
        if plans := _plans(run):
            st.caption(
                f"Used by labelling plans ({markdown(', '.join(plans))}). Labels stay; a "
                "plan can be opened as long as one of its runs is here."
            )
    st.button(
        f"Delete {markdown(run.id)}, {size}",
        icon=":material/delete:",
        type="primary",
        key=_key("delete", run),
        on_click=_deleted,
        args=(run,),
    )


def _deleted(run: Run) -> None:
    def change() -> str:
        from rivae.jobs.deletion import delete_run

        trash.remember(delete_run(run))
        _forget(run, "")
        return ""

    _tried(run, change, leaves=True)


def _tried(run: Run, change: Callable[[], str], leaves: bool = False) -> None:
    """Do it if the visitor may; the message is shown at the run, or at the page it ``leaves``."""
    lines: list[str] = []

    def done() -> str:
        access.require()
        lines.append(change())
        return "" if leaves else lines[0]

    if report.attempt(f"{PLACE}_{run.id}", done) and leaves:
        report.attempt(session.PLACE, lambda: lines[0])


def _forget(run: Run, name: str) -> None:
    """Remove a run that is gone from the session's pages; a renamed run stays open."""
    for key in (keys.EXPLORE.state, keys.STEER.state, keys.COMPARE.state):
        entry = st.session_state.get(key)
        if run.id in (getattr(entry, "run", ""), *getattr(entry, "runs", ())):
            st.session_state.pop(key)
    address.renamed(run.id, name)
    if session.chosen_run() == run.id:
        if name:
            session.open_run(name)
        else:
            session.close_run()


def _plans(run: Run) -> list[str]:
    """The labelling plans that name the run; LabelError where labels cannot be read."""
    from rivae.labels.kept_plans import plans_of_run
    from rivae.labels.opening import labels_are_kept

    return plans_of_run(labels.store(), run.id) if labels_are_kept() else []


def _key(what: str, run: Run) -> str:
    return f"{page_keys.MANAGE}_{what}_{run.id}"
