"""A run brought in as an archive, as the Export of a run makes it."""

from __future__ import annotations

import streamlit as st

from rivae.errors import ConfigError
from rivae.ui import access, outcome, state
from rivae.ui.text import markdown

PLACE = "train_import"
# It is held in memory until it is unpacked.
MAX_MEGABYTES = 500
_FILE, _NAME, _REMARKS = (f"{state.TRAIN_IMPORT}_{what}" for what in ("file", "name", "remarks"))


def panel() -> None:
    """A button that opens the import."""
    with st.popover("Import", icon=":material/upload:", help="A run from another machine"):
        may = access.may_change()
        if not may:
            st.caption(f"Log in to {access.WHAT}.")
        st.file_uploader(
            "Archive of a run", type=["zip"], key=_FILE, max_upload_size=MAX_MEGABYTES,
            disabled=not may, help="What Export of a run made. Its model and "
            "its settings are checked; nothing in it is executed.",
        )  # fmt: skip
        st.text_input("Name here", key=_NAME, max_chars=80, placeholder="as in the archive",
                      disabled=not may)  # fmt: skip
        st.button("Import run", type="primary", key=f"{state.TRAIN_IMPORT}_start", disabled=not may,
                  on_click=_import)  # fmt: skip
        outcome.show(PLACE)
        for remark in st.session_state.pop(_REMARKS, ()):
            st.caption(f":material/info: {markdown(remark)}")


def _import() -> None:
    """Unpack and check it; what was chosen stays where that fails."""
    file = st.session_state.get(_FILE)
    name = str(st.session_state.get(_NAME) or "").strip()
    remarks: list[str] = []

    def change() -> str:
        from rivae.jobs.archive_import import import_run
        from rivae.runs import runs_root

        access.require()
        if file is None:
            raise ConfigError("choose the archive of a run first")
        done = import_run(file, runs_root(), name, files=not access.files_locked())
        remarks.extend(done.remarks)
        st.session_state[_NAME] = ""
        return f"{done.run.id} is imported."

    if outcome.tried(PLACE, change):
        st.session_state[_REMARKS] = tuple(f"{text[:1].upper()}{text[1:]}." for text in remarks)
