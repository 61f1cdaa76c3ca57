"""The first view of the Metrics page: the benchmark's tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from rivae.errors import DataError
from rivae.ui import metrics_exports, metrics_results, metrics_session, outcome, page_help, state
from rivae.ui.components.result_table import result_table
from rivae.ui.metrics_layout import headline
from rivae.ui.metrics_payload import payload
from rivae.ui.metrics_tables import RANGES, TableView, datasets_of, presets_of, table_views
from rivae.ui.text import markdown

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

HOW_TO_READ = (
    "Mean ± s.d. over n runs, none left out; below it the 95 % interval of the mean (wide where "
    "there are two runs), cut at the range of the metric. The best of our means in a column is "
    "bold and underlined; chance levels take no part. ↑ higher is better, ↓ lower. Click a heading "
    "to sort, again to turn it round, again for the paper's order."
)


def tables(bar: DeltaGenerator) -> None:
    """The tables of one data set; ``bar`` is the row at the top of the page."""
    try:
        with outcome.waiting("Reading the results of the benchmark …", 420):
            lines = metrics_results.summary()
    except DataError as error:
        st.warning(markdown(str(error)), icon=":material/info:")
        return
    if not lines:
        st.subheader("No benchmark results yet", anchor=False)
        st.write(
            "The tables fill once the methods of the paper have been trained and measured on this "
            "machine, which takes hours to days; README.md says how, under *The benchmark*. What "
            "is measured on single runs stands under *This run*."
        )
        return
    names = _dataset_names(datasets_of(lines))
    with bar:
        title = st.segmented_control(
            "Data set", list(names), default=next(iter(names)), required=True,
            key=state.METRICS_DATASET, bind="query-params",
        ) or next(iter(names))  # fmt: skip
        choice = st.segmented_control(
            "Range of z", list(RANGES), default="Paper", required=True, key=state.METRICS_RANGE,
            bind="query-params",
            help="The paper's −10 … 10, which depends on the scale that training gave z, or "
            "mean ± 3 s.d. of the model's own prior. The paper has numbers for its own only.",
        )  # fmt: skip
        presets = presets_of(lines)
        preset = st.selectbox(
            "Preset", ["all", *presets], key=state.METRICS_PRESET, bind="query-params", width=130,
            help="Settings of our own (default), or the paper's.",
        )  # fmt: skip
        paper = st.toggle(
            "Paper's numbers", value=True, key=state.METRICS_PAPER, bind="query-params"
        )
        page_help.metrics()
    views = table_views(
        lines, names[title], where=RANGES[choice or "Paper"],
        preset=preset if preset in presets else None, paper=paper,
    )  # fmt: skip
    st.caption(HOW_TO_READ)
    for view in views:
        _table(view, title, names[title])


def _dataset_names(found: list[str]) -> dict[str, str]:
    """Titles of the data sets, each with its own name; a foreign name is its own title."""
    from rivae.benchmark.names import DATASETS

    return {DATASETS.get(name, name): name for name in found}


def _table(view: TableView, title: str, dataset: str) -> None:
    with headline(view.title):
        metrics_exports.table_panel(view, dataset)
    data = payload(view, metrics_session.sort_of(view.id), f"{title}: {view.title}")
    result_table(
        data, key=metrics_session.table_key(view.id),
        on_sort=lambda: metrics_session.clicked_heading(view.id),
    )  # fmt: skip
    st.caption(markdown(view.note))
