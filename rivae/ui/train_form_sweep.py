"""One setting with several values: every value with every seed is a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from rivae.errors import ConfigError
from rivae.ui import train_form_state as form
from rivae.ui.text import markdown

if TYPE_CHECKING:
    from rivae.jobs.draft import Checked


def panel(checked: Checked, disabled: bool) -> None:
    """Which setting is swept, and its values."""
    from rivae.jobs.field_text import expected
    from rivae.jobs.sweep import MAX_RUNS, variants

    draft = form.draft()
    known = {field.path: field for field in checked.fields}
    note = f" · {markdown(known[draft.sweep].label)}" if draft.sweep in known else ""
    with st.expander(f"Sweep{note}", key=form.key("group_sweep"), type="compact"):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            options = ["", *known] if draft.sweep in known else ["", draft.sweep, *known]
            st.selectbox(
                "Setting that takes several values", list(dict.fromkeys(options)),
                key=form.shown("sweep", draft.sweep), width=300, disabled=disabled,
                on_change=form.put, args=("sweep",),
                format_func=lambda path: _name(path) if path else "none",
            )  # fmt: skip
            st.text_input(
                "Values", key=form.shown("values", draft.values), width=420,
                placeholder="0.01, 0.1, 1", disabled=disabled or not draft.sweep,
                on_change=form.put, args=("values",),
            )  # fmt: skip
        if draft.sweep in known:
            st.caption(
                f"Each is {markdown(expected(known[draft.sweep]))}; separate them by commas, or by "
                "semicolons where a value has commas itself."
            )
        else:
            st.caption(f"Every value with every seed is a run; at most {MAX_RUNS} at once.")
        if draft.sweep and draft.values.strip():
            try:
                variants(draft)
            except ConfigError as error:
                form.trouble(str(error))


def _name(path: str) -> str:
    section, _, label = path.partition(".")
    return label if section == "method" else path
