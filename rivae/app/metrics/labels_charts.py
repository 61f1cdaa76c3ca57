"""Charts of one run from labels: the correlation table, coverage by factor, D and C by alpha."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from rivae.app.metrics import page_keys, session
from rivae.app.metrics.charts import THRESHOLD, alpha_panel
from rivae.app.metrics.labels_table import COVERAGE_TITLE, coverage_payload
from rivae.app.metrics.results_table import RESULTS
from rivae.app.shared import share
from rivae.app.shared.charts import chart, headline, is_dark
from rivae.app.shell.fragments import fragment
from rivae.app.shell.text import markdown
from rivae.exploring.words.axis_names import names_of_axes

if TYPE_CHECKING:
    from rivae.app.metrics.labels_data import PlanScores, ScoredRun
    from rivae.labels.scores import LabelScores


def charts(line: ScoredRun, scores: PlanScores) -> None:
    """The charts of the chosen run, or why there are none."""
    if line.all_factors is None:
        st.warning(markdown(f"{line.run.id}: {line.trouble}."), icon=":material/info:")
        st.button(
            "Evaluate it",
            icon=":material/speed:",
            key=page_keys.LABELS_EVALUATE,
            on_click=session.show_run,
            args=(line.run.id,),
        )
        return
    with st.grid(2, min_column_width=500, gap="large"):
        with st.container():
            _correlations(line, scores, line.all_factors)
        with st.container():
            _coverage(line, scores, line.all_factors)
            _alpha(line, scores)


def _correlations(line: ScoredRun, found: PlanScores, scores: LabelScores) -> None:
    from rivae.figures.heatmap import correlation_heatmap

    table, ids = scores.table.absolute, found.guideline.ids
    names = names_of_axes(line.run, len(table))
    factor_places = [k for k, n in enumerate(scores.coverage.queries) if n > 0]
    title = f"Correlation with labels: {line.run.id}"
    headline(title)
    files, stem = correlation_files(line, scores, names), f"{line.run.id}-label-correlations"
    share.offer(share.Panel(title, stem, files=files))
    if not factor_places:
        st.caption("No query of this run is labelled enough yet, so there is nothing to correlate.")
        return
    figure = correlation_heatmap(
        table[:, factor_places],
        found.names([ids[k] for k in factor_places]),
        names,
        threshold=THRESHOLD,
        dark=is_dark(),
    )
    chart(figure, page_keys.LABELS_HEATMAP)
    few, many = (end([scores.coverage.queries[k] for k in factor_places]) for end in (min, max))
    st.caption(
        markdown(
            f"|corr| of {names[0][:1]} with the level of the best item, mean over the queries with "
            f"enough labels ({few}{'' if few == many else f' to {many}'} of "
            f"{scores.settings['n_queries']}); {THRESHOLD:g} and above framed."
        )
    )


def _coverage(line: ScoredRun, found: PlanScores, scores: LabelScores) -> None:
    headline(COVERAGE_TITLE)
    RESULTS(
        coverage_payload(
            scores.coverage, found.names(found.guideline.ids), int(scores.settings["n_queries"])
        ),
        key=f"{page_keys.TABLE}_coverage",
    )


@fragment()
def _alpha(line: ScoredRun, scores: PlanScores) -> None:
    """D and C of the scored factors at any alpha."""
    if line.scores is None or min(line.scores.coverage.queries) == 0:
        return
    table = line.scores.table.absolute
    if table.shape[1] > 1 or table.shape[0] > 1:
        headline("D and C against alpha")
        alpha_panel(table, scores.names(scores.factors), key=page_keys.LABELS_CURVE)


def score_files(scores: PlanScores) -> dict[str, share.Content]:
    """The scores of all runs as a file, by ending."""
    from rivae.base.csv_text import to_csv

    def rows() -> list[dict[str, Any]]:
        from rivae.labels.run_scores import score_rows

        plan, version = scores.opened.plan.id, scores.guideline.version
        columns = {"plan": plan, "guideline": version, "labels_up_to": scores.seq}
        return [
            {**row, **columns}
            for line in scores.lines
            if line.scores is not None
            for row in score_rows(line.run.id, line.scores)
        ]

    return {"csv": lambda: to_csv(rows())}


def correlation_files(
    line: ScoredRun, scores: LabelScores, names: list[str]
) -> dict[str, share.Content]:
    """The correlation table of a run as a file, by ending."""
    from rivae.base.csv_text import to_csv

    def rows() -> list[dict[str, Any]]:
        from rivae.labels.run_scores import correlation_rows

        return correlation_rows(line.run.id, scores, names)

    return {"csv": lambda: to_csv(rows())}
