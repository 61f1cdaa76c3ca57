"""The curves of one run on the Train page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from rivae.ui import state, theme
from rivae.ui.metrics_layout import QUIET

if TYPE_CHECKING:
    from rivae.jobs.overview import Entry
    from rivae.jobs.watch import History

SCALES = ("Linear", "Log")


def scale_picker() -> bool:
    """Whether scales are logarithmic."""
    chosen = st.segmented_control(
        "Scale", SCALES, default=SCALES[0], required=True, key=state.TRAIN_SCALE,
        bind="query-params", label_visibility="collapsed",
        help="Logarithmic where all values of a term are positive.",
    )  # fmt: skip
    return chosen == SCALES[1]


def panel(entry: Entry, history: History) -> None:
    """Every term of the loss and the scores of the validations."""
    from rivae.plots.theme import alt_text
    from rivae.plots.training import thinning_note

    with st.container(horizontal=True, vertical_alignment="bottom",
                      horizontal_alignment="distribute"):  # fmt: skip
        st.subheader("Curves", anchor=False, width="content")
        log = scale_picker()
    figure = _figure(entry.id, history.version, log, theme.is_dark(), history)
    st.plotly_chart(figure, theme=None, key=f"{state.TRAIN_RUN}-curves", alt=alt_text(figure),
                    config=QUIET)  # fmt: skip
    notes = [thinning_note(history.per_point)]
    if history.damaged:
        rows = "row" if history.damaged == 1 else "rows"
        notes.append(f"{history.damaged:,} damaged {rows} of the run's files were left out.")
    if said := " ".join(note for note in notes if note):
        st.caption(said)


@st.cache_resource(max_entries=24, show_spinner=False)
def _figure(run_id: str, version: int, log: bool, dark: bool, _history: History) -> Any:
    """Drawn once per epoch and look; a figure is only read."""
    from rivae.plots.training import panels_of, training_panels

    return training_panels(
        panels_of(_history.terms, _history.scores), _history.stages, log=log, dark=dark,
        revision=run_id,
    )  # fmt: skip
