"""What the labels say so far, beside the desk: D, C and I as ranges that narrow as one works."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import streamlit as st

from rivae.app.shared import labels
from rivae.app.shell import cache, keys, pages
from rivae.app.shell.fragments import fragment
from rivae.app.shell.text import markdown
from rivae.app.work.meters import BackgroundMeter
from rivae.base.errors import RivaeError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rivae.app.shared.labels import OpenPlan
    from rivae.base.progress import Progress
    from rivae.labels.agreement import Agreement
    from rivae.labels.early.estimates import Estimate, LabelEstimates
    from rivae.labels.early.meter import MeterReading
    from rivae.labels.early.of_run import PlanMeter
    from rivae.labels.guideline import Guideline

LETTERS = {"disentanglement": "D", "completeness": "C", "informativeness": "I", "mcc": "MCC"}
EVERY_S, PATIENCE_S = 1.0, 0.3  # a new reading is there within these together
NOTHING_YET = "What your labels say stands here after the first sheet."
NARROW = "D to ± .1 in about {} min"
DONE = "D is known to ± .1"
SHORT = "this plan is too short for D to ± .1"


def panel(opened: OpenPlan, by: str) -> None:
    """One line, and behind it each factor; nothing for plans whose probabilities are unknown."""
    if opened.plan.chances:
        _meter(opened.plan.id, by)


@fragment(run_every=EVERY_S)
def _meter(plan: str, by: str) -> None:
    """A fragment, so that a reading redraws nothing else; keys never wait for it."""
    from rivae.labels.opening import labels_url

    meter = _meter_of(labels_url(), plan)
    with st.container(horizontal=True, vertical_alignment="center", key="label-meter"):
        try:
            meter.ask(labels.store().last(), by, PATIENCE_S)
        except RivaeError as error:
            st.caption(markdown(str(error)))
            return
        if meter.reading is not None and not meter.error:
            _show(plan, meter.reading)
            return
        st.markdown(markdown(meter.error or f"{meter.stage.capitalize()} …"), width="content")
        st.button("Each factor", icon=":material/monitoring:", disabled=True)  # keeps the room


@st.cache_resource(max_entries=4, show_spinner=False)
def _meter_of(url: str, plan: str) -> BackgroundMeter:
    store = labels.store()

    def open_meter(progress: Progress) -> PlanMeter:
        from rivae.labels.early.of_run import PlanMeter

        return PlanMeter(store, plan, progress=progress)

    return BackgroundMeter(open_meter)


def _show(plan: str, reading: MeterReading) -> None:
    from rivae.exploring.words.axis_names import names_of_axes
    from rivae.labels.kept_plans import plan_guideline

    st.markdown(said(reading), width="content")
    with st.popover("Each factor", icon=":material/monitoring:", key=keys.LABEL_METER):
        opened = labels.open_plan(plan)
        first, found = next(iter(reading.runs.items()))
        names = names_of_axes(cache.run(first), len(found.table))
        st.markdown(details(reading, plan_guideline(labels.store(), opened.plan), names))
    if any(factor.best is not None for factor in reading.factors):
        st.page_link(  # a button would redraw this part of the page alone
            pages.path("label"),
            label="Use as axes",
            icon=":material/straighten:",
            query_params={"view": "Axes", keys.LABEL_PLAN: plan},
        )


def said(reading: MeterReading) -> str:
    """The line beside the desk, Markdown: the share that is labelled, the scores of each run, and
    what is still to do.
    """
    if not any(factor.labelled for factor in reading.factors):
        return NOTHING_YET
    parts = [f"**{reading.steps:.0%}** of steps labelled"]
    for name, found in reading.runs.items():
        title = f"{markdown(name)}: " if len(reading.runs) > 1 else ""
        parts.append(title + _scores(found))
    if any(found.scores["disentanglement"].known for found in reading.runs.values()):
        minutes = reading.minutes
        parts.append(
            SHORT if minutes is None else NARROW.format(math.ceil(minutes)) if minutes else DONE
        )
    return " · ".join(parts)


def _scores(found: LabelEstimates) -> str:
    known = [(letter, found.scores[name]) for name, letter in LETTERS.items()]
    if not any(score.known for _, score in known):
        return markdown(known[0][1].reason)
    return " · ".join(f"{letter} **{_range(score)}**" for letter, score in known if score.known)


def _range(score: Estimate) -> str:
    """ ".22–.48", as in the tables of the paper."""
    low, high = (f"{value:.2f}".replace("0.", ".", 1) for value in (score.low, score.high))
    return f"{low}–{high}"


def details(reading: MeterReading, guideline: Guideline, axis_names: Sequence[str]) -> str:
    """A table of the factors in Markdown: labels, the axis that each goes with, agreement; and how
    often answers slip.

    Args:
        axis_names: (d,) of the first run.
    """
    first = next(iter(reading.runs))
    shared = {one.factor: one for one in reading.agreement}
    titles = ["Factor", "Items", f"Goes with, in {markdown(first)}", "Correlation"]
    titles += ["Agreement"] if shared else []
    lines = [_row(titles), "|---" * len(titles) + "|"]
    for factor in reading.factors:
        axis, corr = "–", "needs 6 items"
        if factor.best is not None:
            axis, corr = markdown(axis_names[factor.best[0]]), _range(factor.best[1])
        cells = [markdown(guideline.factor(factor.factor).name), str(factor.labelled), axis, corr]
        if shared:
            one = shared.get(factor.factor)
            cells.append("–" if one is None else _agreement(one))
        lines.append(_row(cells))
    slips = reading.slips
    if not math.isnan(slips.rate):
        lines += [
            "",
            f"Of {slips.n} answers that were asked twice, {slips.rate:.0%} slipped by a level "
            f"({slips.low:.0%} to {slips.high:.0%}).",
        ]
    return "\n".join(lines)


def _agreement(one: Agreement) -> str:
    """Alpha, with its 95 % interval from five shared items on."""
    if math.isnan(one.alpha):
        return "–"
    interval = "" if math.isnan(one.low) else f" ({one.low:.2f} to {one.high:.2f})"
    return f"{one.alpha:.2f}{interval}"


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"
