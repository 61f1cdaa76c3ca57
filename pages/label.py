"""Label: what the runs retrieve, factor by factor, by keyboard; agreement; plans."""

import streamlit as st

from rivae.app.label import axes, begin, desk, plans, review
from rivae.app.shared import address, frame, labels
from rivae.app.shell import keys, report
from rivae.app.shell.pages import Page, View
from rivae.base.errors import RivaeError

PAGE = Page(
    views=(
        View("Label", "Label", {"view": "Label"}),
        View("Axes from labels", "Label", {"view": "Axes"}, order=1),
        View("Review", "Label", {"view": "Review"}, order=2),
        View("Plans", "Label", {"view": "Plans"}, order=3),
        View("New labels", "Label", {"view": "New"}, order=4, has_tab=False),
    ),
    blurb="Label retrieved items, factor by factor, with the keyboard.",
    always=("plan", "by"),
    help="""
*Which run* and *how many minutes* are all that has to be said: the items that say most come first,
and D, C and I stand under *Evidence* as soon as 20 of them are labelled.

**Sweep** asks one question about a sheet of items, **Focus** every question about one item. You do
not see where an item comes from: no run, no axis, no rank, no other annotator. Some items come
twice, to measure how consistent you are. **Axes from labels** turns the labels into axes with both
poles, shows the same query before and after, and says when nothing is gained.

| Key | What it does |
|---|---|
| 1 – 5 | set the level and go to the next item |
| Shift and 1 – 4 | unsure between this level and the next |
| 0 | cannot tell |
| N | the question does not apply to the item |
| Backspace | undo the last answer; press again to undo more |
| ← → ↑ ↓ | from item to item |
| Space | repeat the last level |
| S | skip: the item comes back when nothing else is left |
| F | flag the item as unusable, or remove the flag |
| Z | keep the picture enlarged (Sweep) |
| Enter | accept a suggestion, if one is shown |
| G | the guideline |
| ? | these keys |

This browser keeps every answer until the server has confirmed it, so closing the tab or losing the
connection loses nothing.
""",
)

try:
    names = labels.plan_names()
    view = address.view()
    if not names and view != "Plans":  # there is nothing else to show
        view = "New labels"
    labels.say_missing(names)
    chosen = ""
    if view in ("Label", "Axes from labels", "Review"):
        with frame.tools():
            chosen = labels.plan_picker(names)
            if view == "Label":
                begin.button()
    if view != "Label" or st.session_state[keys.ENTERED]:
        desk.enter()
    if view == "Plans":
        plans.panel(names)
    elif view == "New labels":
        begin.panel(names)
    elif chosen and view == "Axes from labels":
        axes.panel(chosen)
    elif chosen:
        with st.skeleton(height=480):
            opened = labels.open_plan(chosen)
        (desk if view == "Label" else review).panel(opened)
except RivaeError as error:
    report.warning(str(error))
