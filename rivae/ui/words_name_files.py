"""Axis names and their evidence as files: taken away, and brought back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from rivae.errors import RivaeError
from rivae.ui import cache, exports, state
from rivae.ui.text import markdown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rivae.explorer import Explorer
    from rivae.words.naming import AxisName, Evidence


def panel(
    explorer: Explorer, run_id: str, named: Mapping[int, AxisName],
    evidence: Sequence[Sequence[Evidence]],
) -> None:  # fmt: skip
    """A button that opens the files of the axis names and the Python that makes the evidence."""
    from rivae.ui.words_names import evidence_rows, names_json
    from rivae.words.kept_names import names_path

    def csv() -> bytes:
        from rivae.plots.tables import to_csv

        return to_csv(evidence_rows(explorer.axis_ids, evidence)).encode()

    with st.popover("Files", icon=":material/download:"):
        with st.container(horizontal=True):
            st.download_button(
                "Names, JSON", names_json(named, cache.run(run_id).model_key),
                file_name=f"{run_id}-axis_names.json", mime="application/json",
                on_click="ignore", disabled=not named, key=f"{state.WORDS_NAME}_json",
            )  # fmt: skip
            st.download_button(
                "Evidence, CSV", csv, file_name=f"{run_id}-axis-evidence.csv", mime="text/csv",
                on_click="ignore", key=f"{state.WORDS_NAME}_csv",
            )  # fmt: skip
        st.file_uploader(
            "Names from a file (they replace those of the same axes)", type=["json"],
            key=state.WORDS_FILE, on_change=_uploaded, args=(run_id, explorer.n_components),
        )  # fmt: skip
        where = names_path(cache.run(run_id))
        st.caption(f"Kept in {markdown('/'.join(where.parts[-2:]))}.")
        exports.python(run_id, "axis-evidence")


def _uploaded(run_id: str, d: int) -> None:
    """Take over the names of a file, or say why not."""
    from rivae.words.axis_names import change_names
    from rivae.words.names_file import MAX_BYTES, read_names

    file = st.session_state[state.WORDS_FILE]
    if file is None:
        return
    run = cache.run(run_id)
    try:
        names = read_names(file.read(MAX_BYTES + 1), d, run.model_key)
        change_names(run, d, {name.dim: name for name in names})
    except RivaeError as error:
        st.session_state[state.WORDS_SAID] = str(error)
        return
    said = "1 name was" if len(names) == 1 else f"{len(names)} names were"
    st.session_state[state.WORDS_SAID] = f"{said} taken over from the file."
