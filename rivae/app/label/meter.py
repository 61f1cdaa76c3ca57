"""What the labels say so far, beside the desk: D, C and I as ranges that narrow as one works."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import streamlit as st

from rivae.app.label import page_keys
from rivae.app.shared import labels
from rivae.app.shared.runs import method_title
from rivae.app.shell import cache, keys, pages
from rivae.app.shell.fragments import fragment
from rivae.app.shell.text import markdown
from rivae.app.work.meters import BackgroundMeter
from rivae.base.errors import RivaeError
from rivae.base.wording import join_words, short

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rivae.app.shared.labels import OpenPlan
    from rivae.base.progress import Progress
    from rivae.labels.agreement import Agreement
    from rivae.labels.early.comparing import Difference
    from rivae.labels.early.estimates import LabelEstimates
    from rivae.labels.early.intervals import Estimate
    from rivae.labels.early.meter import MeterReading
    from rivae.labels.early.of_run import PlanMeter
    from rivae.labels.guideline import Guideline

LETTERS = {"disentanglement": "D", "completeness": "C", "informativeness": "I", "mcc": "MCC"}
EVERY_S, PATIENCE_S = 1.0, 0.3  # a new reading is there within these together
NOTHING_YET = "What your labels say stands here after the first sheet."
NARROW = "D to ± .1 in about {} min"
DONE = "D is known to ± .1"
SHORT = "this plan is too short for D to ± .1"
MORE = "Not shown: {}"
UNDECIDED = "No difference between {} and {} is beyond chance yet."
DECIDED = "Beyond chance, {} is {} than {}{}."
MAY_BE = "; in {} the difference may be chance"
CORRECTED = " All ranges here are corrected for that."


def panel(open_plan: OpenPlan, by: str) -> None:
    """One line, and behind it each factor; nothing for plans whose probabilities are unknown."""
    if open_plan.plan.chances:
        _meter(open_plan.plan.id, by)


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

    titles = _titles(tuple(reading.runs))
    st.markdown(said(reading, titles), width="content")
    with st.popover("Each factor", icon=":material/monitoring:", key=page_keys.METER):
        open_plan = labels.open_plan(plan)
        first, estimates = next(iter(reading.runs.items()))
        names = names_of_axes(cache.run(first), len(estimates.table))
        st.markdown(details(reading, plan_guideline(labels.store(), open_plan.plan), names, titles))
    if any(factor.best is not None for factor in reading.factors):
        st.page_link(  # a button would redraw this part of the page alone
            pages.path("label"),
            label="Use as axes",
            icon=":material/straighten:",
            query_params={"view": "Axes", keys.LABEL_PLAN: plan},
        )


def _titles(runs: Sequence[str]) -> dict[str, str]:
    """What tells the runs of one data set apart in few words: their methods, else their names."""
    by_run = {name: method_title(cache.run(name).config.method.name) for name in runs}
    return {
        name: title if list(by_run.values()).count(title) == 1 else name
        for name, title in by_run.items()
    }


def said(reading: MeterReading, titles: Mapping[str, str]) -> str:
    """What stands beside the desk, Markdown: the share that is labelled, the scores, and what is
    still to do; of several runs each in a line, and whether two of them differ beyond chance.

    Args:
        titles: of the runs, by id.
    """
    from rivae.labels.early.comparing import MAX_COMPARED

    if not any(factor.labelled for factor in reading.factors):
        return NOTHING_YET
    first = [f"**{reading.steps:.0%}** of steps labelled"]
    lines: list[str] = []
    if len(reading.runs) == 1:
        first += [_scores(estimates) for estimates in reading.runs.values()]
    elif all(_reason(estimates) for estimates in reading.runs.values()):
        first.append(_reason(next(iter(reading.runs.values()))))
    else:
        run_ids = list(reading.runs)[:MAX_COMPARED]
        lines = [f"{markdown(titles[name])}: {_scores(reading.runs[name])}" for name in run_ids]
        lines += [compared(one, titles) for one in _leading(reading)]
        if more := [markdown(titles[name]) for name in list(reading.runs)[MAX_COMPARED:]]:
            lines.append(f":small[{MORE.format(', '.join(more))}]")
    if any(estimates.scores["disentanglement"].known for estimates in reading.runs.values()):
        minutes = reading.minutes
        first.append(
            SHORT if minutes is None else NARROW.format(math.ceil(minutes)) if minutes else DONE
        )
    return "  \n".join([" · ".join(first), *lines])


def _leading(reading: MeterReading) -> list[Difference]:
    """The difference of the two runs with the highest D; none while there are no scores."""
    intervals = {
        name: estimates.scores["disentanglement"].value
        for name, estimates in reading.runs.items()
        if estimates.scores["disentanglement"].known
    }
    pairs = [one for one in reading.differences if {one.first, one.second} <= set(intervals)]
    return sorted(pairs, key=lambda one: -intervals[one.first] - intervals[one.second])[:1]


def compared(found: Difference, titles: Mapping[str, str]) -> str:
    """Whether two runs differ beyond chance, in a sentence of Markdown."""
    intervals = {name: one for name, one in found.scores.items() if one.known}
    higher = [name for name in found.beyond_chance if intervals[name].low > 0]
    lower = [name for name in found.beyond_chance if intervals[name].high < 0]
    # What is more of a thing comes first.
    is_turned = len(lower) > len(higher)
    if is_turned:
        higher, lower = lower, higher
    names = [markdown(titles[name]) for name in (found.first, found.second)]
    first, second = names[::-1] if is_turned else names
    if not higher:
        return UNDECIDED.format(first, second)

    def by(some: Sequence[str]) -> str:
        parts = [f"{LETTERS[name]} (by {_by(intervals[name])})" for name in some]
        return join_words(parts)

    ways = [f"{way} in {by(some)}" for way, some in (("higher", higher), ("lower", lower)) if some]
    rest = [
        letter for name, letter in LETTERS.items() if name in intervals.keys() - {*higher, *lower}
    ]
    return DECIDED.format(
        first, " and ".join(ways), second, MAY_BE.format(join_words(rest)) if rest else ""
    )


def _by(difference: Estimate) -> str:
    """How much, whichever is higher."""
    ends = sorted((abs(difference.low), abs(difference.high)))
    return "–".join(short(value) for value in ends)


def _reason(estimates: LabelEstimates) -> str:
    """Why there is no score at all; "" where there is one."""
    scores = [estimates.scores[name] for name in LETTERS]
    return "" if any(score.known for score in scores) else markdown(scores[0].reason)


def _scores(estimates: LabelEstimates) -> str:
    scores = [(letter, estimates.scores[name]) for name, letter in LETTERS.items()]
    return _reason(estimates) or " · ".join(
        f"{letter} **{_range(score)}**" for letter, score in scores if score.known
    )


def _range(score: Estimate) -> str:
    """ ".22–.48", as in the tables of the paper."""
    return f"{short(score.low)}–{short(score.high)}"


def details(
    reading: MeterReading,
    guideline: Guideline,
    axis_names: Sequence[str],
    titles: Mapping[str, str],
) -> str:
    """A table of the factors in Markdown: labels, the axis that each goes with, agreement; and how
    often answers slip, and every two runs that are compared.

    Args:
        axis_names: (d,) of the first run.
        titles: of the runs, by id.
    """
    first = titles[next(iter(reading.runs))]
    agreement_of = {one.factor: one for one in reading.agreement}
    heads = ["Factor", "Items", f"Goes with, in {markdown(first)}", "Correlation"]
    heads += ["Agreement"] if agreement_of else []
    lines = [_row(heads), "|---" * len(heads) + "|"]
    for factor in reading.factors:
        axis, corr = "–", "needs 6 items"
        if factor.best is not None:
            axis, corr = markdown(axis_names[factor.best[0]]), _range(factor.best[1])
        cells = [markdown(guideline.factor(factor.factor).name), str(factor.labelled), axis, corr]
        if agreement_of:
            one = agreement_of.get(factor.factor)
            cells.append("–" if one is None else _agreement(one))
        lines.append(_row(cells))
    slips = reading.slips
    is_corrected = any(estimates.slips is not None for estimates in reading.runs.values())
    if not math.isnan(slips.rate):
        lines += [
            "",
            f"Of {slips.n} answers that were asked twice, {slips.rate:.0%} slipped by a level "
            f"({slips.low:.0%} to {slips.high:.0%}).{CORRECTED * is_corrected}",
        ]
    if len(reading.differences) > 1:
        lines += ["", *(f"{compared(one, titles)}  " for one in reading.differences)]
    return "\n".join(lines)


def _agreement(one: Agreement) -> str:
    """Alpha, with its 95 % interval from five shared items on."""
    if math.isnan(one.alpha):
        return "–"
    interval = "" if math.isnan(one.low) else f" ({one.low:.2f} to {one.high:.2f})"
    return f"{one.alpha:.2f}{interval}"


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"
