"""Where the pairs of an import come from: files sent by the browser, or paths on this machine."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from rivae.app.data import page_keys
from rivae.app.shell import access, gate, report
from rivae.app.shell.text import markdown
from rivae.base.errors import RivaeError
from rivae.base.reading.tables import SUFFIXES
from rivae.data.importing.uploads import forget, keep_files
from rivae.data.pictures import PICTURE_SUFFIXES
from rivae.data.store.manifest import data_root
from rivae.jobs.units import size_text
from rivae.runs import named_files

UPLOAD, HERE = "Upload", "On this machine"
FIRST = "Drop a table with one pair per row, and its pictures; or a zip with both"
PICTURES, TABLE = "Next: the pictures, or a zip of them", "Next: the table, one pair per row"
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
    if why_not := access.files_locked():
        st.caption(why_not)
        return _uploaded()
    way = st.segmented_control(
        "Files",
        (UPLOAD, HERE),
        default=UPLOAD,
        required=True,
        key=page_keys.WAY,
        label_visibility="collapsed",
    )
    return _named() if way == HERE else _uploaded()


# Sent by the browser


def _uploaded() -> Files | None:
    """What was sent so far; the place to drop more while something is missing."""
    paths = _kept()
    tables = [path for path in paths if path.suffix.lower() != ".zip"]
    images = tuple(path for path in paths if path not in tables)
    files = Files(tables[0], images) if tables else None
    is_complete = files is not None and _has_pictures(files)
    with st.container(horizontal=True, gap="medium"):
        for n, path in enumerate(paths):
            _sent(n, path)
    if not is_complete:
        _drop_zone(FIRST if not paths else PICTURES if tables else TABLE)
    report.show(PLACE)
    return files if is_complete else None


def _kept() -> tuple[Path, ...]:
    paths: tuple[Path, ...] = st.session_state.get(page_keys.UPLOAD, ())
    return tuple(path for path in paths if path.is_file())  # removed a day later


def _drop_zone(label: str) -> None:
    """One place for the table and its pictures; a new one after every drop."""
    n = len(_kept())
    st.file_uploader(
        label,
        type=[*(s.lstrip(".") for s in (*SUFFIXES, *PICTURE_SUFFIXES)), "gz", "zip"],
        accept_multiple_files=True,
        key=f"{page_keys.UPLOAD}_file_{n}",
        max_upload_size=gate.large_file(),
        on_change=_keep,
        args=(f"{page_keys.UPLOAD}_file_{n}",),
    )


def _sent(n: int, path: Path) -> None:
    """A file that was sent and is kept on the disk."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", width="content"):
        size = size_text(path.stat().st_size)
        st.markdown(f":material/check: **{markdown(path.name)}**, {size}", width="content")
        st.button(
            "Remove",
            icon=":material/close:",
            type="tertiary",
            key=f"{page_keys.UPLOAD}_remove_{n}",
            on_click=_remove,
            args=(path,),
        )


def _keep(key: str) -> None:
    """Write what was sent to the disk, where the process of the import reads it."""

    def change() -> str:
        access.require()
        sent = [(file.name, file) for file in st.session_state.get(key) or ()]
        table, pictures = keep_files(data_root().absolute(), sent)
        kept = [path for path in _kept() if not table or path.suffix.lower() == ".zip"]
        st.session_state[page_keys.UPLOAD] = tuple(dict.fromkeys((*table, *kept, *pictures)))
        return ""

    report.attempt(PLACE, change)


def _remove(path: Path) -> None:
    forget([path])
    st.session_state[page_keys.UPLOAD] = tuple(other for other in _kept() if other != path)


def _has_pictures(files: Files) -> bool:
    """Whether pictures were named, or stand in the table or folder itself."""
    from rivae.base.reading.tables import InputTable
    from rivae.data.importing.plan import column_with_pictures

    if files.images or files.table.is_dir():  # what is wrong with a folder is said with its columns
        return True
    try:
        return bool(column_with_pictures(InputTable(files.table).preview()))
    except RivaeError:  # another encoding: a text table with all its pictures is rare
        return False


# Named by a path


def _named() -> Files | None:
    from rivae.data.importing.recipe1m import is_recipe1m

    one, two = st.columns(2)
    table = one.text_input(
        "Table, or folder of tars, Parquet or Recipe1M",
        key=page_keys.TABLE,
        placeholder="for example /data/recipes.csv",
        help="A full path on this machine.",
    )
    images = two.text_input(
        "Pictures: folder or zip",
        key=page_keys.IMAGES,
        placeholder="for example /data/photos.zip",
        help="Separate several with semicolons. Recipe1M: leave empty if they are in the folder.",
    )
    if not table.strip():
        return None
    try:
        path = named_files.read_path(table, "the table")
        parts = [part for part in images.split(";") if part.strip()]
        places = tuple(named_files.read_path(part, "the pictures") for part in parts)
        files = Files(path, places, _tags() if is_recipe1m(path) else None)
    except RivaeError as error:
        report.warning(str(error))
        return None
    if not _has_pictures(files):
        st.caption(f"{PICTURES}.")
        return None
    return files


def _tags() -> Path | None:
    text = st.text_input(
        "food.com's table of tags (optional)",
        key=page_keys.TAGS,
        placeholder="for example /data/RAW_recipes.csv",
    )
    return named_files.read_path(text, "the table of tags") if text.strip() else None
