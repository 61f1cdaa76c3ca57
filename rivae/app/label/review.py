"""The Review view: progress, agreement, items to discuss, files.

It shows everybody's labels, so it is not blind.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from rivae.app.label import adjudicate, annotator, exchange, page_keys
from rivae.app.shared import frame, labels
from rivae.app.shell.text import markdown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rivae.app.shared.labels import OpenPlan
    from rivae.labels.guideline import Guideline
    from rivae.labels.review import PlanAgreement, PlanAnswers

NO_LABELS = "Nobody has labelled an item of this plan yet."
ALIKE = "These annotators may be one person, and count as several: {}."
TABLE_HEIGHT = 320  # of tables with a row per annotator and factor
SCALE = (
    "Krippendorff's alpha for ordered levels: 1 is perfect agreement, 0 is chance. From .8 on "
    "labels count as reliable, from .667 on they allow tentative conclusions. From and To are the "
    "95 % interval over items; verdicts are not included."
)


def panel(open_plan: OpenPlan) -> None:
    """Everything about a plan's labels."""
    with frame.tools():
        name = annotator.field("Verdicts are kept under this name.")
        st.space("stretch")
        exchange.files(open_plan)
    annotator.question(name)
    st.caption(
        ":material/visibility: This view shows everybody's labels. Finish your own "
        "labelling first: it is not blind here."
    )
    exchange.outcome(open_plan)
    guideline = _guideline(open_plan)
    answers = _answers(open_plan, guideline)
    agreements = _agreed(answers.digest, answers)
    names = {factor.id: factor.name for factor in guideline.factors}
    _progress(answers, names)
    _agreement(answers, agreements, names)
    adjudicate.panel(open_plan, guideline, answers, agreements)


def _guideline(open_plan: OpenPlan) -> Guideline:
    from rivae.labels.kept_plans import plan_guideline

    return plan_guideline(labels.store(), open_plan.plan)


def _answers(open_plan: OpenPlan, guideline: Guideline) -> PlanAnswers:
    from rivae.labels.opening import labels_url

    last = labels.store().last()
    return _read(labels_url(), last, open_plan.plan.id, guideline.version, open_plan, guideline)


# One holds a row per label: some MB for 40,000.
@st.cache_resource(max_entries=8, show_spinner=False)
def _read(
    url: str, last: int, plan: str, version: str, _open_plan: OpenPlan, _guideline: Guideline
) -> PlanAnswers:
    """The labels of a plan up to the event ``last``."""
    from rivae.labels.review import read_answers

    row_of = dict(zip(_open_plan.keys, _open_plan.plan.order, strict=True))
    return read_answers(labels.store(), row_of, _guideline.ids, len(_open_plan.plan.repeats))


# Keyed by the labels themselves, so that verdicts and labels of other plans change nothing.
@st.cache_resource(max_entries=8, show_spinner=False)
def _agreed(digest: str, _given: PlanAnswers) -> PlanAgreement:
    from rivae.labels.review import measure_agreement

    return measure_agreement(_given)


def _progress(answers: PlanAnswers, names: Mapping[str, str]) -> None:
    from rivae.labels.annotators import alike_groups
    from rivae.labels.review import progress_rows

    rows = progress_rows(answers, names)
    _head("Progress", "progress", rows)
    if not rows:
        st.info(NO_LABELS, icon=":material/info:")
        return
    for group in alike_groups(answers.annotators):
        st.warning(ALIKE.format(markdown(", ".join(group))), icon=":material/info:")
    number, config = st.column_config.NumberColumn, st.column_config
    _table(
        rows,
        {
            "annotator": "Annotator",
            "factor": "Factor",
            "labelled": number(
                "Labelled", help=f"of {answers.n_items:,} items, cannot tell included"
            ),
            "items": None,
            "share": config.ProgressColumn("Of the plan", format="percent", max_value=1.0),
            "cannot tell": number("Cannot tell"),
            "not applicable": number("Does not apply"),
            "unsure": number("Unsure", help="between two levels"),
            "skipped": number("Skipped", help="without a label yet"),
            "repeats answered": number(
                "Repeats", help=f"answered, of {answers.n_repeats:,} hidden repeats"
            ),
            "repeats": None,
            "mean seconds": number("Seconds each", format="%.1f", help="mean time shown"),
        },
    )


def _agreement(answers: PlanAnswers, agreements: PlanAgreement, names: Mapping[str, str]) -> None:
    from rivae.labels.review import alpha_rows, own_rows, pair_rows, why_no_agreement

    rows = alpha_rows(agreements, names)
    _head("Agreement", "agreement", rows)
    number, lacking = st.column_config.NumberColumn, why_no_agreement(answers)
    if lacking:
        st.info(markdown(lacking), icon=":material/info:")
    else:
        st.caption(SCALE)
        _table(
            rows,
            {
                "factor": "Factor",
                "alpha": number("Alpha", format="%.2f"),
                "low 95 %": number("From", format="%.2f"),
                "high 95 %": number("To", format="%.2f"),
                "shared items": number(
                    "Shared items", help="with levels of two or more annotators"
                ),
                "annotators": number("Annotators"),
                "reading": st.column_config.TextColumn("Reading", width="large"),
            },
        )
    kappa = number("Weighted kappa", format="%.2f", help="quadratic weights")
    pairs, own_table = pair_rows(agreements, names), own_rows(agreements, names)
    if pairs:
        with st.expander("Every pair of annotators", icon=":material/group:"):
            _download("pairs", pairs)
            _table(
                pairs,
                {
                    "factor": "Factor",
                    "first": "First",
                    "second": "Second",
                    "shared items": number("Shared items"),
                    "weighted kappa": kappa,
                },
            )
    if own_table:
        with st.expander(
            "Each annotator with themselves, on hidden repeats", icon=":material/repeat:"
        ):
            _download("repeats", own_table)
            _table(
                own_table,
                {
                    "factor": "Factor",
                    "annotator": "Annotator",
                    "repeats": number("Repeats"),
                    "same level": number("Same level", format="percent"),
                    "at most one apart": number("At most one apart", format="percent"),
                    "weighted kappa": kappa,
                },
            )
    elif answers.annotators:
        st.caption("No hidden repeat has been answered twice yet.")


def _head(title: str, name: str, rows: list[dict[str, Any]]) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.subheader(title, anchor=False)
        st.space("stretch")
        if rows:
            _download(name, rows)


def _download(name: str, rows: list[dict[str, Any]]) -> None:
    """The table as a file, made on request."""

    def csv() -> bytes:
        from rivae.base.csv_text import to_csv

        return to_csv(rows).encode()

    content: Callable[[], bytes] = csv
    st.download_button(
        "CSV",
        content,
        file_name=f"labels-{name}.csv",
        mime="text/csv",
        on_click="ignore",
        type="tertiary",
        icon=":material/download:",
        key=f"{page_keys.REVIEW}_{name}_csv",
        help=f"The table of {name} as a file.",
    )


def _table(rows: list[dict[str, Any]], columns: dict[str, Any]) -> None:
    import pandas as pd

    tall = len(rows) > 8
    st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        column_config=columns,
        height=TABLE_HEIGHT if tall else "content",
    )
