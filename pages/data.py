"""Data: what was imported, and the form that takes in a user's own pairs."""

import streamlit as st

from rivae.ui import data_form, data_panels

st.title("Data", anchor=False)
data_panels.imported()
st.subheader("Your own pairs", anchor=False)
data_form.form()
