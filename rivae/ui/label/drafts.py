"""What a new plan asks: the eight food factors, another plan's, or a file; then changed at will."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from rivae.errors import LabelError
from rivae.ui.label import factors
from rivae.ui.shared import labels
from rivae.ui.shell import keys
from rivae.ui.work import report

if TYPE_CHECKING:
    from rivae.labels.schema import Guideline

KEY = keys.LABEL_NEW
FOOD, FILE = "food", "file"
PLACE = "draft"


def panel(names: Sequence[str]) -> Guideline:
    """The choice of factors and their editor; the guideline that the new plan starts with.

    Raises:
        LabelError: the chosen plan's guideline is damaged, or no file has been given.
    """
    options = [FOOD, *(f"plan:{name}" for name in names), FILE]
    begun = st.selectbox(
        "Factors",
        options,
        format_func=_title,
        key=f"{KEY}_base",
        width=340,
        help="What annotators are asked about every item.",
    )
    if begun == FILE:
        st.file_uploader(
            "A guideline as this app exports it",
            type=["json"],
            key=f"{KEY}_guideline",
            on_change=_uploaded,
        )
    report.show(PLACE)
    guideline = _current(begun)
    with st.expander(
        f"{len(guideline.factors)} factors: see, change, add",
        icon=":material/tune:",
    ):
        factors.editor(
            f"new-{begun}",
            guideline,
            current=lambda: _current(begun),
            save=lambda changed: _keep(begun, changed),
            removable=True,
        )
    return guideline


def _title(option: str) -> str:
    if option.startswith("plan:"):
        return f"Those of the plan {option.removeprefix('plan:')}"
    return "From a file" if option == FILE else "The eight food factors"


def _current(begun: str) -> Guideline:
    """The guideline as the visitor has it now."""
    from rivae.labels.kept_plans import kept_plan, plan_guideline
    from rivae.labels.schema import read_guideline

    drafts: dict[str, Guideline] = st.session_state.get(keys.LABEL_DRAFTS, {})
    if begun in drafts:
        return drafts[begun]
    if begun == FILE:
        raise LabelError("choose the file of a guideline: every plan has one under Files and link")
    if begun == FOOD:
        return read_guideline()
    store = labels.store()
    return plan_guideline(store, kept_plan(store, begun.removeprefix("plan:")))


def _keep(begun: str, changed: Guideline) -> None:
    """Remember the changes of this visitor; each beginning has its own."""
    drafts = st.session_state.get(keys.LABEL_DRAFTS, {})
    st.session_state[keys.LABEL_DRAFTS] = {**drafts, begun: changed}


def _uploaded() -> None:
    from rivae.labels.schema import MAX_GUIDELINE_BYTES, parse_guideline

    file = st.session_state.get(f"{KEY}_guideline")
    if file is None:
        return

    def take() -> str:
        _keep(FILE, parse_guideline(file.read(MAX_GUIDELINE_BYTES + 1), file.name[:80]))
        return ""

    report.attempt(PLACE, take)
