"""Data: what was imported, and the form that takes in a user's own pairs."""

import streamlit as st

from rivae.app.data import panels, quick_panel
from rivae.app.shared import frame, trash
from rivae.app.shell.pages import Page, View

PAGE = Page(
    views=(View("Data", "Train", order=2),),
    blurb="Imported data sets; import your own pictures and texts.",
)

with frame.tools():
    trash.panel("import")
trash.undo("import")
quick_panel.progress()
panels.imported()
st.header("Your own pairs", anchor=False)
panels.import_form()
panels.import_progress()
