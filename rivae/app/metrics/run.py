"""The second view of the Metrics page: all measurements on one run."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from rivae.app.metrics import cell, certainty, charts, exports, session, work
from rivae.app.metrics.report import RangeData, Report, report_of, run_payload
from rivae.app.metrics.results_table import RESULTS
from rivae.app.panels.answers import ONE_WAY
from rivae.app.shared import frame, notices, runs
from rivae.app.shared.charts import headline
from rivae.app.shared.runs import short_date
from rivae.app.shell import access, cache, keys
from rivae.app.shell import report as outcome
from rivae.base.errors import RivaeError
from rivae.retrieval.ranges import extent
from rivae.runs.evaluation_file import AGAIN, Evaluation

if TYPE_CHECKING:
    from rivae.app.work.tasks import Task
    from rivae.base.config import Asks
    from rivae.runs import Run

NOT_MEASURED = "Not measured yet"
NO_METRICS = "The evaluation of {} has no metrics: " + AGAIN + "."


def this_run(run_id: str, asks: Asks) -> None:
    """All metrics of a run, its correlation table, D and C, or the button that measures them; by
    queries of the view ``asks`` where the run answers them.
    """
    try:
        run = cache.run(run_id)
        config, either = run.config, runs.asks_either(run)
        usual = "" if either or asks == "first" else ONE_WAY.format("first view")
        asks = asks if either else "first"
        job = work.evaluation_of(run, asks) if run.ready else None
        stored, damage = _stored(run, asks, job)
        if stored is None:
            run.content_hash  # noqa: B018  # without a model there is nothing to measure
    except RivaeError as error:
        notices.unusable(error)
        return
    notices.data_changed(run)
    if usual:
        outcome.warning(usual)
    views = runs.view_names(run, stored) if either else None
    by = runs.queries_by(views, stored.settings.asks if stored else asks) if views else ""
    if views:
        with frame.run_chip():
            runs.asks_control(views, asks, partial(session.choose_asks, run.id))
    if stored is None:
        st.subheader(NOT_MEASURED, anchor=False)
        if damage:
            outcome.warning(damage)
        st.write(
            f"Retrieval, factors and their levels of chance on the test pairs {by} take "
            "from some seconds to some minutes. You can use other pages in the meantime."
        )
        _measure(run, asks, job)
        certainty.panel(run)
        return
    session.remember(run.id, asks)
    report = report_of(stored, config.dataset.name, config.method.name)
    if not report.groups:
        outcome.warning(NO_METRICS.format(run.id))
        _measure(run, asks, job, again=True)
        return
    if job is not None and job.result is not None:
        st.caption("Measured now and not saved: the folder of this run is read-only.")
    _report(run, report, by)
    certainty.panel(run)
    if report.stored.along[0].factors and not _has_p(report):
        st.caption("An older version measured this run, without the factors' levels of chance.")
        _measure(run, asks, job, again=True)


def _stored(run: Run, asks: Asks, job: Task | None) -> tuple[Evaluation | None, str]:
    """The evaluation of the run, or None and the error in its file."""
    if job is not None and job.result is not None:
        # Newer than a file that could not be written.
        return Evaluation.model_validate(job.result), ""
    try:
        return run.evaluation_of(asks), ""
    except RivaeError as error:
        return None, str(error)


def _report(run: Run, report: Report, by: str) -> None:
    notices.no_latent(runs.method_of(run))
    with frame.tools():
        along = _along_picker(report)
    with st.grid(2, min_column_width=500, gap="large"):
        with st.container():
            with headline("All metrics"):
                exports.run_panel(report, run.id)
            RESULTS(
                run_payload(report, f"All metrics of {run.id}"), key=f"{keys.METRICS_TABLE}_run"
            )
            st.caption(_remark(report, by))
        with st.container():
            if along is not None:
                charts.charts(run, report, along)
    if along is not None:
        cell.panel(run, report, along)


def _remark(report: Report, by: str) -> str:
    date = short_date(report.created)
    said = " ".join(part for part in (date and f"on {date}", by) if part)
    when = f"Measured {said}. " if said else ""
    p = "p is the share of shuffled factors that score at least as well."
    return f"{when}Test pairs only. {p if _has_p(report) else ''}"


def _has_p(report: Report) -> bool:
    return any(m.p is not None for _, group in report.groups for m in group)


def _along_picker(report: Report) -> RangeData | None:
    """Which of the two stored ranges of z the charts show."""
    names = {along.title: along for along in report.along}
    if len(names) < 2:
        return next(iter(names.values()), None)
    chosen = st.segmented_control(
        "Range of z",
        list(names),
        default=next(iter(names)),
        required=True,
        key=keys.METRICS_ALONG,
        bind="query-params",
        help=". ".join(f"{name}: {extent(along.range)}" for name, along in names.items()),
    )
    return names.get(str(chosen), next(iter(names.values())))


def _measure(run: Run, asks: Asks, job: Task | None, again: bool = False) -> None:
    """The button that evaluates the run, and the progress of that; ``again`` replaces results."""
    if job is not None and job.error:
        outcome.warning(job.error)

    running = work.evaluations.running()  # maybe another run's
    st.button(
        "Evaluate again" if again else "Evaluate now",
        icon=":material/speed:",
        type="primary",
        key=keys.METRICS_EVALUATE,
        on_click=_evaluate,
        args=(run, asks, again),
        **(access.control(bool(running)) if again else {"disabled": bool(running)}),
    )
    outcome.show(keys.METRICS_EVALUATE)
    if running:
        outcome.watch(running, keys.METRICS_EVALUATE)


def _evaluate(run: Run, asks: Asks, again: bool) -> None:
    def start() -> Task:
        if again:
            access.require()
        return work.start_evaluation(run, asks)

    outcome.begin(keys.METRICS_EVALUATE, start)
