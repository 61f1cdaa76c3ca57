"""The second view of the Metrics page: everything that was measured on one run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from rivae.errors import RivaeError
from rivae.ui import (
    axes,
    cache,
    metrics_cell,
    metrics_charts,
    metrics_evaluate,
    metrics_exports,
    metrics_session,
    notices,
    page_help,
    state,
)
from rivae.ui.components.result_table import result_table
from rivae.ui.metrics_along import Along, extent
from rivae.ui.metrics_layout import headline
from rivae.ui.metrics_report import Report, report_of
from rivae.ui.metrics_run_table import run_payload
from rivae.ui.run_cards import short_date
from rivae.ui.text import markdown

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

    from rivae.runs import Run
    from rivae.ui.background import Job


def this_run(run_id: str, bar: DeltaGenerator) -> None:
    """All metrics of a run, its correlation table and its D and C, or the way to get them.

    ``bar`` is the row at the top of the page.
    """
    try:
        run = cache.run(run_id)
        config, job = run.config, metrics_evaluate.job_of(run) if run.ready else None
        stored, damage = _stored(run, job)
        if stored is None:
            run.content_hash  # noqa: B018  # without a model there is nothing to measure
    except RivaeError as error:
        notices.unusable(error)
        return
    if stored is None:
        _not_measured(run, job, damage)
        return
    metrics_session.remember(run.id)
    report = report_of(stored, config.dataset.name, config.method.name)
    if not report.groups:
        st.warning(
            f"The evaluation of {markdown(run.id)} holds no metric: evaluate the run again with "
            f"`rivae evaluate {run.id}`.", icon=":material/info:",
        )  # fmt: skip
        return
    if job is not None and job.result is not None:
        st.caption("Measured now and not saved: the folder of this run is not written to.")
    _report(run, report, bar)


def _stored(run: Run, job: Job | None) -> tuple[dict[str, Any] | None, str]:
    """The evaluation of the run, or None and what is wrong with its file."""
    stored, damage = None, ""
    try:
        stored = run.evaluation
    except RivaeError as error:
        damage = str(error)
    if stored is None and job is not None:
        stored = job.result
    return stored, damage


def _report(run: Run, report: Report, bar: DeltaGenerator) -> None:
    notices.no_latent(axes.method_of(run))
    with bar:
        along = _along_picker(report)
        page_help.metrics()
    with st.grid(2, min_column_width=500, gap="large"):
        with st.container():
            with headline("All metrics"):
                metrics_exports.run_panel(report, run.id)
            result_table(
                run_payload(report, f"All metrics of {run.id}"),
                key=f"{state.METRICS_TABLE}_run", on_sort=lambda: None,
            )  # fmt: skip
            st.caption(_remark(run, report))
        with st.container():
            if along is not None:
                metrics_charts.charts(run, report, along)
    if along is not None:
        metrics_cell.panel(run, report, along)


def _remark(run: Run, report: Report) -> str:
    date = short_date(report.created)
    when = f"Measured on {date}. " if date else ""
    if any(m.p is not None for _, group in report.groups for m in group):
        chance = "p is the share of shuffled factors that score at least as well."
    else:
        chance = (
            "The level of chance of the factors was not measured; "
            f"`rivae evaluate {run.id}` does."
        )
    return f"{when}Test pairs only. {chance}"


def _along_picker(report: Report) -> Along | None:
    """Which of the two stored ranges of z the charts show."""
    names = {along.name: along for along in report.along}
    if len(names) < 2:
        return next(iter(names.values()), None)
    chosen = st.segmented_control(
        "Range of z", list(names), default=next(iter(names)), required=True,
        key=state.METRICS_ALONG, bind="query-params",
        help=". ".join(f"{name}: {extent(name)}" for name in names),
    )  # fmt: skip
    return names.get(str(chosen), next(iter(names.values())))


def _not_measured(run: Run, job: Job | None, damage: str) -> None:
    """The button that measures the run, or how far that is; ``damage`` of an older evaluation."""
    if job is not None and job.running:
        _progress(run.id)
        return
    st.subheader("Not measured yet", anchor=False)
    if trouble := (job.error if job is not None else "") or damage:
        st.warning(markdown(trouble), icon=":material/info:")
    st.write(
        "Retrieval, factors and their levels of chance on the test pairs take from some seconds to "
        "some minutes. Other pages can be used meanwhile."
    )
    if st.button("Evaluate now", icon=":material/speed:", type="primary",
                 key=state.METRICS_EVALUATE):  # fmt: skip
        try:
            metrics_evaluate.start(run)
        except RivaeError as error:
            st.warning(markdown(str(error)), icon=":material/info:")
        else:
            st.rerun()
    st.caption("The same in a terminal:")
    st.code(f"python -m rivae evaluate {run.id}", language="bash")


@st.fragment(run_every=1)
def _progress(run_id: str) -> None:
    """How far the evaluation is; the page starts anew once it is over."""
    job = metrics_evaluate.job_of(cache.run(run_id))
    if job is None or not job.running:
        st.rerun()
        return
    st.subheader("Evaluating", anchor=False)
    st.progress(job.share, text=f"{markdown(job.stage)}, {job.share:.0%}")
    st.caption("It goes on when you leave this page.")
