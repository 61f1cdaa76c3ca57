"""The first view of the Metrics page: what one run finds and separates, and how sure that is."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from rivae.app.metrics import (
    cell,
    certainty,
    charts,
    effects_map,
    exports,
    page_keys,
    session,
    verdict,
    work,
)
from rivae.app.metrics.results_table import RESULTS, run_payload
from rivae.app.panels.answers import ONE_WAY
from rivae.app.shared import frame, labels, notices, runs
from rivae.app.shared.runs import short_date
from rivae.app.shell import access, cache, keys, pages
from rivae.app.shell import report as outcome
from rivae.app.shell.text import markdown
from rivae.app.work import evaluating
from rivae.app.work.certainty import known_certainty
from rivae.base.errors import RivaeError
from rivae.base.scripts import styles
from rivae.benchmark.run_report import RangeData, Report, report_of
from rivae.evaluation.evidence import Evidence
from rivae.exploring.words.axis_names import known_names
from rivae.retrieval.ranges import extent
from rivae.runs.evaluation_file import AGAIN, Evaluation

if TYPE_CHECKING:
    from rivae.app.work.tasks import Task
    from rivae.base.config import Asks
    from rivae.runs import Run

NOT_MEASURED = "Not measured yet"
NO_METRICS = "The evaluation of {} has no metrics: " + AGAIN + "."
NO_PLAN = "No plan yet."
NO_LABELS_HERE = "The labels cannot be read here."
ANY_RANGE = "Over any range of z, with all plots"
CORRELATIONS = "Correlations"
# Heights of what is not measured yet, as of what will stand there.
VERDICT_HEIGHT, MAP_HEIGHT = 216, 380


def this_run(run_id: str, asks: Asks) -> None:
    """The verdict on a run, or the measurement of it; by queries of the view ``asks`` where the run
    answers them.
    """
    try:
        run = cache.run(run_id)
        config, either = run.config, runs.asks_either(run)
        usual = "" if either or asks == "first" else ONE_WAY.format("first view")
        asks = asks if either else "first"
        job = evaluating.evaluation_of(run, asks) if run.ready else None
        evaluation, damage = _stored(run, asks, job)
        if evaluation is None:
            run.content_hash  # noqa: B018  # without a model there is nothing to measure
    except RivaeError as error:
        notices.unusable(error)
        return
    st.html(f"<style>{styles('evidence.css')}</style>")
    notices.data_changed(run)
    if usual:
        outcome.warning(usual)
    views = runs.view_names(run, evaluation) if either else None
    by = runs.queries_by(views, evaluation.settings.asks if evaluation else asks) if views else ""
    if views:
        with frame.run_chip():
            runs.asks_control(views, asks, partial(session.choose_asks, run.id))
    if evaluation is None:
        _measure_first(run, asks, job, by, damage)
        return
    session.remember(run.id, asks)
    report = report_of(evaluation, config.dataset.name, config.method.name)
    if not report.groups:
        outcome.warning(NO_METRICS.format(run.id))
        _measure(run, asks, job, again=True)
        return
    if job is not None and job.result is not None:
        st.caption("Measured now and not saved: the folder of this run is read-only.")
    _report(run, report, by)
    if report.stored.along[0].factors and not _has_p(report):
        st.caption("An older version measured this run, without the factors' levels of chance.")
        _measure(run, asks, job, again=True)


def _stored(run: Run, asks: Asks, job: Task | None) -> tuple[Evaluation | None, str]:
    """The evaluation of the run, or None and the error in its file."""
    try:
        return evaluating.known_evaluation(run, asks), ""
    except RivaeError as error:
        return None, str(error)


def _report(run: Run, report: Report, by: str) -> None:
    notices.no_latent(runs.method_of(run))
    method = runs.method_of(run)
    has_map = method is None or method.has_latent
    stored_evidence = work.evidence_of(run, report.stored)
    evidence = stored_evidence if isinstance(stored_evidence, Evidence) else None
    axis_certainty = known_certainty(run)
    n_axes = _n_axes(report, evidence)
    answers = (
        verdict.finds(report, evidence),
        verdict.separates(report, evidence),
        verdict.reliable(report, axis_certainty, known_names(run, n_axes)),
    )
    with st.container(key="verdict"), st.grid(4, min_column_width=240, gap="large"):
        for answer in answers:
            st.html(answer.html)
        with st.container(key="verdict_labels", gap="small"):
            _from_labels(run)
    along = _along(report)
    if has_map:
        effects_map.panel(run, stored_evidence, axis_certainty, along, n_axes)
    cell.panel(run, report, along)
    if any(each.has_table for each in report.along):
        with session.fold(CORRELATIONS, "paper", page_keys.ALONG, page_keys.ALPHA) as is_open:
            if is_open:
                _along_picker(report)
                charts.charts(run, report, along)
                st.page_link(
                    pages.path("traverse"),
                    label=ANY_RANGE,
                    icon=":material/grid_on:",
                    query_params={"view": CORRELATIONS},  # the rest as one left it
                )
    _certainty(run)
    exports.run_panel(report, run.id)
    n = sum(len(group) for _, group in report.groups)
    with session.fold(f"All {n} metrics", "metrics") as is_open:
        if is_open:
            RESULTS(
                run_payload(report, f"All metrics of {run.id}"),
                key=f"{page_keys.TABLE}_run",
            )
            st.caption(_remark(report, by))
    notices.follow_certainty(run)


def _n_axes(report: Report, evidence: Evidence | None) -> int:
    """How many axes the run has, as far as its evaluation tells."""
    if evidence is not None and evidence.effects:
        return len(evidence.effects)
    prior = report.stored.settings.prior
    return len(prior.mean) if prior else 0


def _certainty(run: Run) -> None:
    with session.fold(certainty.TITLE, "sure") as is_open:
        if is_open:
            certainty.panel(run)


def _from_labels(run: Run) -> None:
    """How many plans score the run, and the way to them."""
    try:
        from rivae.labels.kept_plans import kept_plans

        plans = [plan for plan in kept_plans(labels.store()) if run.id in {r.id for r in plan.runs}]
        n_items = sum(len(set(plan.order)) for plan in plans)
        many = "plan scores" if len(plans) == 1 else "plans score"
        sentence = f"{len(plans)} {many} this run, by {n_items:,} items." if plans else NO_PLAN
    except RivaeError:
        plans, sentence = [], NO_LABELS_HERE
    st.html("<h2>From labels?</h2>")
    plan = {keys.LABEL_PLAN: plans[0].id} if plans else {}
    st.page_link(
        pages.path("metrics"),
        label=markdown(sentence),
        icon=":material/new_label:",
        query_params={"show": "labels", "run": run.id, **plan},
    )


def _remark(report: Report, by: str) -> str:
    date = short_date(report.created)
    about = " ".join(part for part in (date and f"on {date}", by) if part)
    when = f"Measured {about}. " if about else ""
    p = "p is the share of shuffled factors that score at least as well."
    return f"{when}Test pairs only. {p if _has_p(report) else ''}"


def _has_p(report: Report) -> bool:
    return any(m.p is not None for _, group in report.groups for m in group)


def _along(report: Report) -> RangeData:
    """Which of the two stored ranges of z the charts show: the one in the address."""
    names = {along.title: along for along in report.along}
    return names.get(st.query_params.get(page_keys.ALONG, ""), report.along[0])


def _along_picker(report: Report) -> None:
    names = {along.title: along for along in report.along if along.has_table}
    if len(names) > 1:
        st.segmented_control(
            "Range of z",
            list(names),
            default=next(iter(names)),
            required=True,
            key=page_keys.ALONG,
            bind="query-params",
            help=". ".join(f"{name}: {extent(along.range)}" for name, along in names.items()),
        )


def _measure_first(run: Run, asks: Asks, job: Task | None, by: str, damage: str) -> None:
    """A run without an evaluation is measured at once; by a button where nobody has logged in, or
    what was begun has ended without a result.
    """
    if not damage and access.may_change() and evaluating.may_begin(job):
        outcome.begin(page_keys.EVALUATE, partial(evaluating.start_evaluation, run, asks))
        job = evaluating.evaluation_of(run, asks)
    st.subheader(NOT_MEASURED, anchor=False)
    if damage:
        outcome.warning(damage)
    st.write(
        f"Retrieval, factors and their levels of chance on the test pairs {by} take "
        "from some seconds to some minutes. You can use other pages in the meantime."
    )
    _measure(run, asks, job)
    if job is not None and job.running:
        for height in (VERDICT_HEIGHT, MAP_HEIGHT):
            st.skeleton(height=height)
    _certainty(run)


def _measure(run: Run, asks: Asks, job: Task | None, again: bool = False) -> None:
    """The button that evaluates the run, and the progress of that; ``again`` replaces results."""
    if job is not None and job.error:
        outcome.warning(job.error)

    running = evaluating.evaluations.running()  # maybe another run's
    if not running:
        st.button(
            "Evaluate again" if again else "Evaluate now",
            icon=":material/speed:",
            type="primary",
            key=page_keys.EVALUATE,
            on_click=_evaluate,
            args=(run, asks, again),
            **(access.control() if again else {}),
        )
    outcome.show(page_keys.EVALUATE)
    if running:
        outcome.watch(running, page_keys.EVALUATE)


def _evaluate(run: Run, asks: Asks, again: bool) -> None:
    def start() -> Task:
        if again:
            access.require()
        return evaluating.start_evaluation(run, asks)

    outcome.begin(page_keys.EVALUATE, start)
