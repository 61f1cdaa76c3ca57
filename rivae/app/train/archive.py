"""Export of a run as one archive for the browser, and import of such an archive."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

from rivae.app.shell import access, gate, report
from rivae.app.shell.text import markdown
from rivae.app.train import page_keys
from rivae.base.errors import ConfigError, RivaeError

if TYPE_CHECKING:
    from rivae.runs import Run

# An archive is built in memory before the browser gets it.
MAX_DOWNLOAD = 500_000_000


def export_panel(run: Run) -> None:
    """The number of files and size of the archive, and the button that downloads it."""
    from rivae.jobs.units import size_text
    from rivae.runs.archive import MANIFEST, parts_of

    checkpoints = any((run.path / "checkpoints").glob("*")) and st.checkbox(
        "With checkpoints",
        key=f"{page_keys.MANAGE}_whole_{run.id}",
        help="Needed to resume training on another machine.",
    )
    try:
        parts = parts_of(run, checkpoints)
    except RivaeError as error:
        report.warning(str(error))
        return
    size = sum(part.n_bytes for part in parts)
    training = run.is_training
    st.caption(f"{len(parts)} files and {MANIFEST}, {size_text(size)}")
    if size > MAX_DOWNLOAD:
        st.caption("Too large for a browser: copy the run's folder from the machine instead.")
    st.download_button(
        "Download",
        content(run, checkpoints),
        file_name=f"{run.id}.zip",
        mime="application/zip",
        on_click="ignore",
        key=f"{page_keys.MANAGE}_download_{run.id}",
        icon=":material/download:",
        disabled=training or size > MAX_DOWNLOAD,
        help="The run is training: export it when it has ended." if training else None,
    )


def content(run: Run, checkpoints: bool) -> Callable[[], bytes]:
    """A function that makes the archive when it is downloaded."""

    def make() -> bytes:
        from rivae.runs.archive import export_run

        stream = io.BytesIO()
        export_run(run, stream, checkpoints=checkpoints)
        return stream.getvalue()

    return make


PLACE = "train_import"
NO_FILE = "choose the archive of a run first"
_FILE, _NAME, _REMARKS = (f"{page_keys.IMPORT}_{what}" for what in ("file", "name", "remarks"))


def import_panel() -> None:
    """A button that opens the import."""
    with st.popover("Import", icon=":material/upload:", help="A run from another machine"):
        may = access.may_change()
        if not may:
            st.caption(f"Log in to {access.WHAT}.")
        st.file_uploader(
            "Archive of a run",
            type=["zip"],
            key=_FILE,
            max_upload_size=gate.large_file(),
            disabled=not may,
            help="A file made by a run's Export. Model and "
            "settings are checked; nothing in it is executed.",
        )
        st.text_input(
            "New name", key=_NAME, max_chars=80, placeholder="as in the archive", disabled=not may
        )
        st.button(
            "Import run",
            type="primary",
            key=f"{page_keys.IMPORT}_start",
            disabled=not may,
            on_click=_import,
        )
        report.show(PLACE)
        for remark in st.session_state.pop(_REMARKS, ()):
            st.caption(f":material/info: {markdown(remark)}")


def _import() -> None:
    """Unpack and check it; the chosen file and name stay if that fails."""
    file = st.session_state.get(_FILE)
    name = str(st.session_state.get(_NAME) or "").strip()
    remarks: list[str] = []

    def change() -> str:
        from rivae.jobs.archive_import import import_run
        from rivae.runs import runs_root

        access.require()
        if file is None:
            raise ConfigError(NO_FILE)
        new_run = import_run(file, runs_root(), name, files=not access.files_locked())
        remarks.extend(new_run.remarks)
        st.session_state[_NAME] = ""
        return f"Imported {new_run.run.id}."

    if report.attempt(PLACE, change):
        st.session_state[_REMARKS] = tuple(f"{text[:1].upper()}{text[1:]}." for text in remarks)
