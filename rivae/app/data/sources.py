"""Where the pairs of an import come from: files sent by the browser, or paths on this machine."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from rivae.app.shell import access, gate, keys, report
from rivae.app.shell.text import markdown
from rivae.base.errors import RivaeError
from rivae.base.reading.tables import SUFFIXES
from rivae.data.importing.uploads import forget, keep_pictures, keep_table
from rivae.data.pictures import PICTURE_SUFFIXES
from rivae.jobs.units import size_text
from rivae.runs import named_files

UPLOAD, HERE = "Upload", "On this machine"
PLACE = "data_upload"


@dataclass(frozen=True)
class Files:
    """What an import reads: a table or a folder of Recipe1M, pictures, and food.com's tags."""

    table: Path
    images: tuple[Path, ...]
    tags: Path | None = None


def files() -> Files | None:
    """The controls that choose them; None while something is missing, with a word about it."""
    if not access.may_change():
        st.info("Log in at the top of the Train page to import pairs.", icon=":material/lock:")
        return None
    if locked := access.files_locked():
        st.caption(locked)
        return _uploaded()
    way = st.segmented_control(
        "Files",
        (UPLOAD, HERE),
        default=UPLOAD,
        required=True,
        key=keys.DATA_WAY,
        label_visibility="collapsed",
    )
    return _named() if way == HERE else _uploaded()


# Sent by the browser


def _uploaded() -> Files | None:
    one, two = st.columns(2)
    with one:
        table = _sent(
            "table", "Table: one pair per row", [*(s.lstrip(".") for s in SUFFIXES), "gz"]
        )
    with two:
        images = _sent(
            "images",
            "Pictures: a zip, or all of them",
            ["zip", *(s.lstrip(".") for s in PICTURE_SUFFIXES)],
        )
    report.show(PLACE)
    return _with_pictures(Files(table[0], images)) if table else None


def _with_pictures(files: Files) -> Files | None:
    """``files``, or None and a word while their pictures are missing."""
    if not files.images and not files.table.is_dir() and not _hold_pictures(files.table):
        st.caption("Next: the pictures.")
        return None
    return files


def _hold_pictures(table: Path) -> bool:
    """Whether the pictures stand in the table itself."""
    from rivae.base.reading.tables import preview
    from rivae.data.importing.plan import column_with_pictures

    try:
        return bool(column_with_pictures(preview(table)))
    except RivaeError:  # another encoding: a text table with all its pictures is rare
        return False


def _sent(what: str, label: str, types: list[str]) -> tuple[Path, ...]:
    """An upload that is kept on the disk, or the control that takes one."""
    kept: tuple[Path, ...] = st.session_state.get(_key(what), ())
    kept = tuple(path for path in kept if path.is_file())  # removed a day later
    if not kept:
        st.file_uploader(
            label,
            type=types,
            accept_multiple_files=what == "images",
            key=f"{_key(what)}_file",
            max_upload_size=gate.large_file(),
            on_change=_keep,
            args=(what,),
        )
        return ()
    with st.container(horizontal=True, vertical_alignment="center", border=True):
        size = size_text(sum(path.stat().st_size for path in kept))
        names = ", ".join(path.name for path in kept)
        st.markdown(f":material/check: **{markdown(names)}**, {size}", width="stretch")
        st.button(
            "Remove",
            icon=":material/close:",
            type="tertiary",
            key=f"{_key(what)}_remove",
            on_click=_remove,
            args=(what,),
        )
    return kept


def _keep(what: str) -> None:
    """Write what was sent to the disk, where the process of the import reads it."""
    from rivae.data.store.manifest import data_root

    def change() -> str:
        access.require()
        root, found = data_root().absolute(), st.session_state.get(f"{_key(what)}_file")
        if what == "images":
            kept = keep_pictures(root, [(file.name, file) for file in found or ()])
        else:
            kept = (keep_table(root, (found.name, found)),) if found is not None else ()
        st.session_state[_key(what)] = kept
        return ""

    report.attempt(PLACE, change)


def _remove(what: str) -> None:
    forget(st.session_state.pop(_key(what), ()))


def _key(what: str) -> str:
    return f"{keys.DATA_UPLOAD}_{what}"


# Named by a path


def _named() -> Files | None:
    one, two = st.columns(2)
    table = one.text_input(
        "Table, or folder of Recipe1M",
        key=keys.DATA_TABLE,
        placeholder="for example /data/recipes.csv",
        help="A full path on this machine.",
    )
    images = two.text_input(
        "Pictures: folder or zip",
        key=keys.DATA_IMAGES,
        placeholder="for example /data/photos.zip",
        help="Separate several with semicolons. Recipe1M: leave empty if they are in the folder.",
    )
    if not table.strip():
        return None
    try:
        path = named_files.read_path(table, "the table")
        named = [part for part in images.split(";") if part.strip()]
        places = tuple(named_files.read_path(part, "the pictures") for part in named)
        return _with_pictures(Files(path, places, _tags() if path.is_dir() else None))
    except RivaeError as error:
        report.warning(str(error))
        return None


def _tags() -> Path | None:
    text = st.text_input(
        "food.com's table of tags (optional)",
        key=keys.DATA_TAGS,
        placeholder="for example /data/RAW_recipes.csv",
    )
    return named_files.read_path(text, "the table of tags") if text.strip() else None
