"""Data: what was imported, and the form that takes in a visitor's own pairs."""

from rivae.app.data import cards, own_pairs
from rivae.app.shared import frame, trash
from rivae.app.shell.pages import Page, View

PAGE = Page(
    views=(View("Data", "Train", order=2),),
    blurb="Imported data sets; import your own pictures and texts.",
)

with frame.tools():
    trash.panel("import")
trash.undo("import")
own_pairs.panel()
cards.imported()
