"""Data: what was imported, and the form that takes in a user's own pairs."""

import streamlit as st

from rivae.ui import data_form, data_panels, trash

with st.container(horizontal=True, vertical_alignment="bottom"):
    st.title("Data", anchor=False)
    trash.panel("import")
trash.undo("import")
data_panels.imported()
st.subheader("Your own pairs", anchor=False)
data_form.form()
data_form.task()
