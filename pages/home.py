"""Home: data sets and trained runs."""

import streamlit as st

from rivae.runs.notes import is_archived
from rivae.ui.home.cards import dataset_cards, run_cards
from rivae.ui.shared import notices
from rivae.ui.shell import cache, pages

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
dataset_cards(runs)

pages.about()
