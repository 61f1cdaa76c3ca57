"""Data: what was imported, and the form that takes in a user's own pairs."""

import streamlit as st

from rivae.app.data import panels, quick_panel
from rivae.app.shared import trash

with st.container(horizontal=True, vertical_alignment="bottom"):
    st.title("Data", anchor=False)
    trash.panel("import")
trash.undo("import")
quick_panel.progress()
panels.imported()
st.header("Your own pairs", anchor=False)
panels.import_form()
panels.import_progress()
