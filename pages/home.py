"""Home: data sets and trained runs."""

import streamlit as st

from rivae.data.registry import dataset_names, describe_dataset
from rivae.runs.notes import is_archived
from rivae.ui import cache, notices, page_help
from rivae.ui.home_cards import dataset_card, run_cards
from rivae.ui.run_cards import describe_run

st.title("RIVAE Explorer", anchor=False)
st.markdown(
    "See and steer what a cross-modal retrieval model has learned: pick a run, drag a slider, "
    "and watch the retrieved pictures change."
)

runs = [run for run in cache.runs() if not is_archived(run)]
if runs:
    run_cards(runs)
else:
    notices.no_runs()

st.subheader("Data sets", anchor=False)
by_dataset = [describe_run(run).dataset for run in runs]
with st.grid(4, min_column_width=240):
    for name in dataset_names():
        dataset_card(name, describe_dataset(name)[0], by_dataset.count(name))

page_help.about()
