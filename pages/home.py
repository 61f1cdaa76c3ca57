"""Home: data sets and trained runs."""

import streamlit as st

from rivae.app.home.about import about
from rivae.app.home.cards import dataset_cards, other_datasets
from rivae.app.home.hero import hero
from rivae.app.shared import address, notices
from rivae.app.shell import cache
from rivae.app.shell.first_runs import telling_runs
from rivae.app.shell.pages import Page, View
from rivae.runs.notes import is_archived

PAGE = Page(
    views=(View("Home", "Home"),),
    blurb="Data sets and trained runs. Choose one to explore.",
)

st.title("RIVAE Explorer", anchor=False)
st.markdown("Drag a slider, and watch what the model retrieves change.")

hero(telling_runs(address.run_in_hand() or ""))

runs = [run for run in cache.runs() if not is_archived(run)]
if runs:
    st.header("Data sets", anchor=False)
    dataset_cards(runs)
else:
    notices.no_runs()

st.header("Start with other data", anchor=False)
other_datasets(runs)

about()
