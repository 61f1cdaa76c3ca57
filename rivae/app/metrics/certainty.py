"""How sure the axes of a run are: the table of the Metrics page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from rivae.app.metrics import page_keys
from rivae.app.metrics.results_table import RESULTS
from rivae.app.shared import notices
from rivae.app.work.certainty import known_certainty
from rivae.exploring.sliders import CERTAINTY
from rivae.exploring.words.axis_names import names_of_axes
from rivae.training.alignment.certainty import NO_FITS, picks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rivae.runs import Run
    from rivae.training.alignment.certainty import Certainty

TITLE = "How sure the axes are"
MEASURING = "Being measured: this takes some seconds."
READING = (
    "Without labels, from the independent fits that a contrastive start makes. Fits that share a "
    "wrong bias agree as well."
)
COLUMNS = (
    ("axis", "Axis", "", ""),
    ("verdict", "Verdict", "text", "full, half or empty: the mark on its slider"),
    ("held", "Held by", "", "fits that hold it: R² of at least .8"),
    ("agreement", "Agreement", "", "least |r| with the axis of such a fit that belongs to it"),
    ("inside", "R²", "", "held out, from all axes of a fit; the median"),
    ("turn", "Turn", "", "to the axes of other fits and samples of the pairs; 90 % lie below"),
    ("dependence", "Dependence", "", "highest r with another axis of the run, once both may bend"),
    ("partners", "Plane with", "text wrap", "the other axes of its plane"),
    ("reason", "Why", "text wrap", ""),
)


def panel(run: Run) -> None:
    """The table of a run, or one sentence where nothing can say how sure its axes are."""
    config, settings = run.config, run.config.method.settings
    # Axes aligned to labels or words, and methods without such a start, have nothing to be asked.
    if config.parent is not None or "init" not in settings or picks(settings):
        return
    axis_certainty = known_certainty(run)
    if axis_certainty:
        names = names_of_axes(run, len(axis_certainty))
        RESULTS(payload(axis_certainty, names), key=f"{page_keys.TABLE}_certainty")
    st.caption(READING if axis_certainty else MEASURING if axis_certainty is None else NO_FITS)
    notices.follow_certainty(run)


def payload(known: Certainty, names: Sequence[str]) -> dict[str, Any]:
    """The table for ``results_table.RESULTS``."""
    rows = [
        {
            "name": names[axis.axis],
            "detail": "",
            "quiet": False,
            "title": None,
            "cells": [
                {"main": CERTAINTY[axis.verdict]},
                {"main": f"{axis.n_held} of {axis.n_fits}"},
                {"main": f"{axis.agreement:.2f}"},
                {"main": f"{max(axis.inside, 0):.2f}"},
                {"main": f"{axis.turn:.0f}°"},
                {"main": f"{axis.dependence:.2f}"},
                {"main": ", ".join(names[j] for j in axis.partners) or "–"},
                {"main": axis.reason(names)},
            ],
        }
        for axis in known
    ]
    columns = [
        {"id": name, "label": label, "kind": kind, "title": title or None, "sortable": False}
        for name, label, kind, title in COLUMNS
    ]
    return {"label": TITLE, "columns": columns, "rows": rows, "sort": None, "notes": []}
