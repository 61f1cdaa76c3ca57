"""A run as one archive that the browser takes away."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

from rivae.errors import RivaeError
from rivae.ui import outcome, state

if TYPE_CHECKING:
    from rivae.runs import Run

# An archive is built in memory before the browser gets it.
MAX_DOWNLOAD = 500_000_000


def panel(run: Run) -> None:
    """What the archive holds, how large it is, and the button that makes it."""
    from rivae.jobs.archive import MANIFEST, parts_of
    from rivae.jobs.words import size_text

    whole = any((run.path / "checkpoints").glob("*")) and st.checkbox(
        "With checkpoints", key=f"{state.TRAIN_MANAGE}_whole_{run.id}",
        help="The states of training, to resume the run on another machine.",
    )  # fmt: skip
    try:
        parts = parts_of(run, whole)
    except RivaeError as error:
        outcome.warning(str(error))
        return
    size = sum(part.n_bytes for part in parts)
    training = _is_training(run)
    st.caption(f"{len(parts)} files and {MANIFEST}, {size_text(size)}")
    if size > MAX_DOWNLOAD:
        st.caption("Too large for a browser: copy the run's folder from the machine instead.")
    st.download_button(
        "Download", content(run, whole), file_name=f"{run.id}.zip", mime="application/zip",
        on_click="ignore", key=f"{state.TRAIN_MANAGE}_download_{run.id}",
        icon=":material/download:",
        disabled=training or size > MAX_DOWNLOAD,
        help="It is being trained: export it when it is over." if training else None,
    )  # fmt: skip


def content(run: Run, whole: bool) -> Callable[[], bytes]:
    """What makes the archive when it is asked for."""

    def make() -> bytes:
        from rivae.jobs.archive import export_run

        stream = io.BytesIO()
        export_run(run, stream, checkpoints=whole)
        return stream.getvalue()

    return make


def _is_training(run: Run) -> bool:
    try:
        return run.status.state == "running"
    except RivaeError:
        return False
