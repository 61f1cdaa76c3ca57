"""The third view of the Metrics page: scores of the runs of a plan from labels."""

from __future__ import annotations

import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from rivae.app.metrics import labels_axes, labels_charts, labels_data, page_keys, session
from rivae.app.metrics.labels_table import SCORES_TITLE, scores_payload
from rivae.app.metrics.results_table import RESULTS
from rivae.app.shared import frame, labels, notices, runs, share
from rivae.app.shared.charts import headline
from rivae.app.shared.runs import run_picker
from rivae.app.shell import keys, pages
from rivae.app.shell.fragments import fragment
from rivae.app.shell.text import markdown
from rivae.base.errors import RivaeError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from streamlit.delta_generator import DeltaGenerator

    from rivae.app.metrics.labels_data import PlanScores, ScoredRun
    from rivae.labels.run_scores import Labelled

EVERY = 3  # seconds between two looks for new labels
REST = 5  # scores use at most a sixth of the time, however fast labels arrive

NO_PLAN = "Scores from labels need a labelling plan. Make one on the Label page."
NO_LABELS = "Plan {} has no labels yet: label some of its items first."
AXES = "Axes from these labels"
OTHER_PLAN = "Run {} is not part of this plan, so another one is shown."


@dataclass(frozen=True)
class Drawn:
    """The state that the page shows.

    Attributes:
        plan: the plan of the scores.
        seq: number of the last label they include.
        at: when they were drawn, seconds of a monotonic clock.
        cost: seconds that the last scores of newer labels took; 0 before the first.
    """

    plan: str
    seq: int
    at: float
    cost: float = 0.0

    def rests(self, now: float) -> bool:
        """Whether it is too early to look for newer labels."""
        return now - self.at < max(EVERY - 1, REST * self.cost)


def next_drawn(before: Drawn | None, plan: str, seq: int, took: float, now: float) -> Drawn:
    """The page's state after a drawing whose scores took ``took`` seconds.

    The first drawing of a plan also loads models and searches with them. Newer labels cost less,
    and on a busy machine a rest after it would delay them for a minute.
    """
    if before is None or before.plan != plan:
        return Drawn(plan, seq, now)
    cost = before.cost if before.seq == seq else took
    return Drawn(plan, seq, now, cost)


def from_labels() -> None:
    """Scores of a plan's runs from the current labels, and what to label next."""
    try:
        names = labels.plan_names()
        labels.say_missing(names)
        if not names:
            _no_plan()
            return
        with frame.tools():
            plan = labels.plan_picker(names)
        _plan(plan)
    except RivaeError as error:
        st.warning(markdown(str(error)), icon=":material/info:")


def _no_plan() -> None:
    st.write(NO_PLAN)
    st.page_link(
        pages.path("label"),
        label="Make a plan",
        icon=":material/new_label:",
        query_params={"view": "Plans"},
    )


def _plan(chosen: str) -> None:
    start = time.monotonic()
    before = st.session_state.get(page_keys.LABELS)
    # Models have to be searched the first time; later the scores are known, and grey would flicker.
    with _waiting(shown=before is None or before.plan != chosen) as tell:
        tell("Opening the data of the plan")
        open_plan = labels.open_plan(chosen)
        seq = labels.store().last()
        scores = labels_data.scores_of(open_plan, seq, tell)
        tell("Reading the labels")
        all_labels = labels.labelled(open_plan, scores.guideline, seq)
    took = time.monotonic() - start
    line = _chosen(scores)
    if len(all_labels.rows):
        _scores(scores)
        if line is not None:
            labels_charts.charts(line, scores)
    else:
        st.write(NO_LABELS.format(markdown(chosen)))
        st.page_link(
            pages.path("label"),
            label="Label",
            icon=":material/new_label:",
            query_params={"plan": chosen},
        )
    if line is not None:
        _axes(line, scores, all_labels)
    st.session_state[page_keys.LABELS] = next_drawn(before, chosen, seq, took, time.monotonic())
    _watch()


@contextmanager
def _waiting(*, shown: bool) -> Iterator[Callable[[str], None]]:
    """A line with the current step, over a grey outline of a table and two charts."""
    place = st.empty()
    if not shown:
        yield lambda step: None
        return
    with place.container(), ExitStack() as grey:
        line = st.empty()
        grey.enter_context(st.skeleton(height=210))
        for column in st.columns(2):
            with column:
                grey.enter_context(st.skeleton(height=300))
        yield lambda step: _say(line, step)
    place.empty()


def _say(line: DeltaGenerator, step: str) -> None:
    line.caption(f":material/hourglass_top: {markdown(step)} …")


def _chosen(scores: PlanScores) -> ScoredRun | None:
    """The line of the run in the address, else of the one last looked at, else the first."""
    lines = {line.run.id: line for line in scores.lines if line.run.ready}
    if not lines:
        return None
    run_in_hand, _, remark = session.current_run("")
    address_run = st.query_params.get("run", "")
    if address_run and run_in_hand == address_run and run_in_hand not in lines:
        remark = OTHER_PLAN.format(markdown(run_in_hand[:80]))
    run_id = run_in_hand if run_in_hand in lines else next(iter(lines))
    with frame.tools():
        run_picker(run_id, list(lines), key=keys.METRICS_RUN, on_change=session.choose_run)
    if remark:
        st.warning(remark, icon=":material/info:")
    if not remark:
        session.remember(run_id)
    return lines[run_id]


def _scores(scores: PlanScores) -> None:
    headline(SCORES_TITLE)
    stem = f"{scores.opened.plan.id}-scores"
    share.offer(share.Panel(SCORES_TITLE, stem, files=labels_charts.score_files(scores)))
    RESULTS(scores_payload(scores), key=f"{page_keys.TABLE}_labels")
    for sentence in _remarks(scores):
        st.caption(markdown(sentence))


def _remarks(scores: PlanScores) -> list[str]:
    """How the numbers were measured, sentence by sentence."""
    from rivae.labels.scores import MIN_QUERIES, MIN_SHARE, PAPER_SELECTED

    line_scores = [line.scores for line in scores.lines if line.scores is not None]
    waiting = [f for f in scores.guideline.ids if f not in scores.factors]
    remarks = []
    if line_scores:
        over = ", ".join(sorted({s.interval_over for s in line_scores}))
        remarks.append(
            f"Of {', '.join(scores.names(scores.factors))}; "
            f"alpha = {line_scores[0].settings['alpha']:g}; levels are the median over "
            "annotators, verdicts of the review in their place. "
            f"Intervals: 95 % over {over}."
        )
        if not any(s.selected for s in line_scores):
            remarks.append(
                f"No run has more than {PAPER_SELECTED} axes, so none were selected by correlation."
            )
        else:
            remarks.append(
                "The paper chose 10 axes on Recipe1M by their correlation, which raises every "
                "score; both are shown."
            )
    if waiting:
        remarks.append(
            f"Not scored yet: {', '.join(scores.names(waiting))}. A factor counts once "
            f"{MIN_QUERIES} queries of a run are labelled in it, "
            f"a query once {MIN_SHARE:.0%} of its points are."
        )
    if scores.opened.plan.purpose == "axes":
        remarks.append(
            "The items of this plan were chosen to align axes; for D, C and I, "
            "label complete queries of a plan for scores."
        )
    if len(line_scores) > 1:
        remarks.append(
            "A place is given only to a run whose interval overlaps no other run's; a tie is not "
            "ranked. Runs share queries and annotators, so more labels may still separate them."
        )
    if any(line.parent for line in scores.lines):
        remarks.append(
            "A derived run retrieves other items along its axes than the plan's: check how "
            "many of them are labelled. A run aligned to these labels is scored on the "
            "labels it was fitted to."
        )
    return remarks


def _axes(line: ScoredRun, scores: PlanScores, all_labels: Labelled) -> None:
    """The way to axes from the labels, and suggestions, for a model with a latent."""
    method = runs.method_of(line.run)
    if method is None or not method.has_latent:
        notices.no_latent(method)
        return
    st.page_link(
        pages.path("label"),
        label=AXES,
        icon=":material/straighten:",
        query_params={"view": "Axes", keys.LABEL_PLAN: scores.opened.plan.id},
    )
    labels_axes.suggest_panel(line.run, scores, all_labels)


@fragment(run_every=EVERY)
def _watch() -> None:
    """Draws the page again when there are newer labels."""
    drawn = st.session_state[page_keys.LABELS]
    if drawn.rests(time.monotonic()):
        return  # also when the page itself has just been drawn
    try:
        newer = labels.store().last() != drawn.seq
    except RivaeError as error:
        st.caption(markdown(str(error)))
        return
    if newer:
        st.rerun()
