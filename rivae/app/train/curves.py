"""The curves of one run, and one term of several runs compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from rivae.app.shared import charts
from rivae.app.shared.charts import chart
from rivae.app.shell.fragments import fragment
from rivae.app.shell.text import markdown
from rivae.app.train import page_keys, session

if TYPE_CHECKING:
    from rivae.base.config import RunConfig
    from rivae.figures.training import CurvePanel
    from rivae.jobs.history import Curve, History
    from rivae.jobs.overview import Entry

SCALES = ("Linear", "Log")


def scale_picker() -> bool:
    """Whether scales are logarithmic."""
    choice = st.segmented_control(
        "Scale",
        SCALES,
        default=SCALES[0],
        required=True,
        key=page_keys.SCALE,
        bind="query-params",
        label_visibility="collapsed",
        help="Logarithmic where all values of a term are positive.",
    )
    return choice == SCALES[1]


def panel(entry: Entry, history: History) -> None:
    """The scores of the validations and the objective; the terms of the loss are folded."""
    from rivae.figures.training import panels_of, term_panels, thinning_note

    with st.container(
        horizontal=True, vertical_alignment="bottom", horizontal_alignment="distribute"
    ):
        st.subheader("Curves", anchor=False, width="content")
        log = scale_picker()
    main = panels_of(history.terms, history.scores)
    figure = _figure(entry.id, history.version, log, charts.is_dark(), main, history)
    chart(figure, f"{page_keys.RUN}-curves")
    notes = [thinning_note(history.per_point)]
    if history.damaged:
        rows = "row" if history.damaged == 1 else "rows"
        notes.append(f"{history.damaged:,} damaged {rows} of the run's files were skipped.")
    if sentence := " ".join(note for note in notes if note):
        st.caption(sentence)
    terms = term_panels(history.terms)
    if not terms:
        return
    fold = st.expander("Terms of the loss", key=page_keys.TERMS, bind="query-params")
    if fold.open:
        with fold:
            name = f"{entry.id} terms"
            figure = _figure(name, history.version, log, charts.is_dark(), terms, history)
            chart(figure, f"{page_keys.RUN}-terms")


@st.cache_resource(max_entries=24, show_spinner=False)
def _figure(
    name: str, version: int, log: bool, dark: bool, _panels: list[CurvePanel], _history: History
) -> Any:
    """Drawn once per epoch and theme; a cached figure must not be changed."""
    from rivae.figures.training import training_panels

    return training_panels(_panels, _history.stages, log=log, dark=dark, revision=name)


MAX_RUNS = 8
AXES = ("Epochs", "Time")
DEFAULT_SCORE = "validation score"


def add(run_id: str) -> None:
    """Add a run to the compared curves, and show them; for callbacks."""
    run_ids = [name for name in st.session_state.get(page_keys.OVER) or [] if name != run_id]
    st.session_state[page_keys.OVER] = [*run_ids[-MAX_RUNS + 1 :], run_id]
    session.close_run()


def overlay_panel(found: Sequence[Entry]) -> None:
    """Choose runs and a term; the curves refresh automatically while one of the runs trains."""
    options = [entry.id for entry in found if entry.run is not None and entry.state != "broken"]
    if not options:
        return
    st.subheader("Compare runs", anchor=False)
    run_ids = st.multiselect(
        "Runs to compare",
        options,
        key=page_keys.OVER,
        bind="query-params",
        max_selections=MAX_RUNS,
        placeholder="Choose up to eight runs",
        label_visibility="collapsed",
    )
    if not run_ids:
        return
    entries = {entry.id: entry for entry in found}
    _curves(run_ids, entries)
    _differences({name: e.config for name in run_ids if (e := entries.get(name)) and e.config})


def _curves(chosen: Sequence[str], entries: Mapping[str, Entry]) -> None:
    """One term of the chosen runs."""
    training = any(entries[name].is_training for name in chosen if name in entries)
    histories = _histories(chosen)
    if not histories:
        st.caption("None of these runs has finished an epoch yet.")
    terms = _terms(histories)
    if not terms:
        return
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        term = st.selectbox(
            "Term",
            terms,
            key=page_keys.TERM,
            width=240,
            label_visibility="collapsed",
            format_func=_term_title,
            persist_state="page",
        )
        axis = st.segmented_control(
            "Over",
            AXES,
            default=AXES[0],
            required=True,
            key=page_keys.AXIS,
            bind="query-params",
            label_visibility="collapsed",
        )
        log = scale_picker()
    draw = fragment(run_every=session.EVERY if training else None)(_chart)
    draw(tuple(chosen), str(term), axis == AXES[1], log)


def _differences(configs: Mapping[str, RunConfig]) -> None:
    """The settings of the chosen runs side by side, as far as they differ."""
    from rivae.app.forms.differences import differing_settings

    if len(configs) < 2:
        return
    rows = differing_settings(list(configs.values()))
    if not rows:
        st.caption("All settings of these runs are the same.")
        return
    st.markdown("**Settings that differ**")
    table = [{"Setting": title, **dict(zip(configs, texts, strict=True))} for title, texts in rows]
    st.dataframe(table, hide_index=True, key=f"{page_keys.OVER}-settings")


def _histories(names: Sequence[str]) -> dict[str, History]:
    """The histories of the runs that have finished an epoch."""
    from rivae.jobs.history import history_of

    entries = {entry.id: entry for entry in session.entries()[0]}
    histories = {}
    for name in names:
        entry = entries.get(name)
        if entry is not None and entry.run is not None:
            history = history_of(entry.run.path)
            if history.epoch:
                histories[name] = history
    return histories


def _terms(histories: dict[str, History]) -> list[str]:
    """The scores and terms of any of the runs: first what means the same in every method."""
    terms = dict.fromkeys(name for history in histories.values() for name in history.terms)
    scores = dict.fromkeys(
        f"validation {name}" for history in histories.values() for name in history.scores
    )
    return [*sorted(scores, key=lambda name: name != DEFAULT_SCORE), *terms]


def _term_title(term: str) -> str:
    from rivae.figures.tables import metric_label

    name = term.removeprefix("validation ")
    return metric_label(name) + (" (validation)" if name != term else "")


def _curve(history: History, term: str) -> Curve | None:
    name = term.removeprefix("validation ")
    return (history.terms if name == term else history.scores).get(name)


def _chart(names: tuple[str, ...], term: str, over_time: bool, log: bool) -> None:
    import numpy as np

    from rivae.figures.training import thinning_note, training_overlay

    histories = _histories(names)
    curves = {name: _curve(history, term) for name, history in histories.items()}
    times = {name: histories[name].seconds_at(curve.x) for name, curve in curves.items() if curve}
    longest = max((float(np.nanmax(t)) for t in times.values() if np.isfinite(t).any()), default=0)
    unit, seconds = next(
        (pair for pair in (("hours", 3600.0), ("minutes", 60.0)) if longest > 3 * pair[1]),
        ("seconds", 1.0),
    )
    lines, missing = [], []
    for name in names:
        curve = curves.get(name)
        if curve is None or (over_time and not np.isfinite(times[name]).any()):
            missing.append(name)
            continue
        lines.append((name, curve, times[name] / seconds if over_time else curve.x))
    figure = training_overlay(
        lines,
        title=_term_title(term),
        x_title=f"{unit} of training" if over_time else "epoch",
        log=log,
        dark=charts.is_dark(),
        revision=f"{term} {over_time}",
    )
    chart(figure, f"{page_keys.OVER}-chart")
    notes = [thinning_note(max((curve.per_point for _, curve, _ in lines), default=1))]
    if missing:
        what = "has no times of its epochs" if over_time else "has no such values"
        notes.append(f"Left out, as it {what}: {markdown(', '.join(missing))}.")
    if sentence := " ".join(note for note in notes if note):
        st.caption(sentence)
