"""The pages: their files, and the help of each behind a button."""

from __future__ import annotations

import streamlit as st

from rivae.base.installed import APP_FILES

_PAGES = APP_FILES / "pages"

HOME = _PAGES / "home.py"
EXPLORE = _PAGES / "explore.py"
TRAVERSE = _PAGES / "traverse.py"
STEER = _PAGES / "steer.py"
COMPARE = _PAGES / "compare.py"
WORDS = _PAGES / "words.py"
LABEL = _PAGES / "label.py"
METRICS = _PAGES / "metrics.py"
TRAIN = _PAGES / "train.py"
DATA = _PAGES / "data.py"


KEYBOARD = ":material/keyboard:"
EXPLORE_KEYS = """
| Where | Key | What it does |
|---|---|---|
| Slider | ← → | one small step |
| | Shift ← → | half an s.d. |
| | PgUp PgDn | one s.d. |
| | Home End | ends of the range |
| | Delete | back to the query |
| | L | lock: reset and random leave it alone |
| Pictures | ← → ↑ ↓ | from picture to picture |
| | Enter | open it |
| Page | browser back | undo the last change |
"""


def _popover(text: str, icon: str = ":material/help:") -> None:
    with st.popover("Help", icon=icon):
        st.markdown(text)


DISC = (
    "After a contrastive start that kept its fits, the disc beside an axis says how sure it is "
    "without labels: full is sure, half is sure only as a plane with other axes, empty is unsure. "
)
SURE = DISC + "The reason shows when you point at it."
LISTED = DISC + "The reason shows at the question mark of the list."


def explore() -> None:
    """The help of Explore, behind a button."""
    _popover(
        "A query is encoded to a point **z**. Each slider moves one number of z, and the "
        "pictures are the items that the model finds most likely for it, best first. The "
        "shade behind a slider shows where the data are, the thin line marks the query, and "
        "the bar under a name shows how much that axis changes the best match. "
        "**Add an axis** makes a slider of your words, of a tag or factor, or of chosen items: it "
        "moves all of z along one direction, and leaves the other named axes where they are with "
        "*Only this*. " + SURE + "\n" + EXPLORE_KEYS,
        icon=KEYBOARD,
    )


def traverse() -> None:
    """The help of Traverse, behind a button."""
    _popover(
        "A traversal moves one number of **z** and keeps the others at the query.\n\n"
        "* **Strips** show the item retrieved at each point where it changes; a framed picture "
        "is the query's own pair.\n"
        "* **Correlations** compare each axis with each true factor of the retrieved "
        "items, averaged over queries; click a cell for the plot behind it.\n"
        "* **Plane** moves two axes at once; the framed point is the query.\n"
        "* **Path** leads from the query to other items, straight or where the data lie, and "
        "plays.\n\n"
        "One s.d. is that of z over the training queries. The paper's range, −10 … 10, depends on "
        "the scale that training happened to give z.\n\n" + LISTED
    )


def words() -> None:
    """The help of Words, behind a button."""
    _popover(
        "* **Clouds**: 20 test queries are moved along one axis to mean − n s.d., the mean "
        "and mean + n s.d.; a cloud holds the ingredients of the ten best items of each. A "
        "word has one place in all three clouds; its area is the share of items that have it. "
        "Colour and style show its relation: underlined goes with more of the chosen "
        "factor, slanted with less, light grey with neither.\n"
        "* **Contrast**: words that tell the two ends apart, with intervals.\n"
        "* **Axis names**: the largest changes along each axis, and a name to accept or edit. "
        "Names are kept with the run and shown on every page.\n"
        "* **Tags**: the tags of the items around the food factors, as in the paper's "
        "supplement.\n\n"
        "Words are read from the texts by rules for English recipes. They describe the retrieved "
        "items, not what the model looked at.\n\n" + LISTED
    )


def steer() -> None:
    """The help of Steer, behind a button."""
    _popover(
        "Every row sets some axes of **z** together, keeps the others at the query and shows the "
        "five best items. **On** and **off** are n s.d. above and below the mean of the "
        "training queries, a number is that many s.d., and a dash leaves the axis at the "
        "query.\n\n"
        "The words are the ingredients of the ten best items of 20 other queries, each moved "
        "to the row's levels, without everyday words (in a tenth of all items).\n\n" + SURE + "\n\n"
        "| Where | Key | What it does |\n|---|---|---|\n"
        "| Cell | Enter, click | off, on, query, off … |\n"
        "| | + − | half an s.d. more or less |\n"
        "| | O I Q 0 | off, on, query, the mean |\n"
        "| Matrix | ← → ↑ ↓ | from cell to cell, picture, tool |\n"
        "| | Alt ↑ ↓ | move the row |\n"
        "| Tour | ← → Space | previous, next step |\n"
        "| | Home End | first, last step |\n"
        "| | F, Esc | full screen, leave |",
        icon=KEYBOARD,
    )


def compare() -> None:
    """The help of Compare, behind a button."""
    from rivae.exploring.comparison import COUNTERPART

    _popover(
        "The axes of two runs have no common order: z1 of one run may be z3 of another, and "
        "reversed. A **factor** here is an axis of the first run, the reference. Every "
        "other run moves the axis that varies most with it over the test items: axes are "
        "paired one to one (Hungarian assignment on |corr|); **(−)** marks a pair that runs "
        f"in opposite directions. Below |corr| {COUNTERPART:g} there is **no counterpart**, "
        "and the run stays where it is.\n\n"
        "A slider shifts every run by the same share of its axis' range (the central 99 % of its "
        "training queries), starting at the query. The strips below cover that range and show "
        "the points where the best item changes; numbers are the same shifts.\n\n"
        "The first run chosen is the reference. Runs of a method without a latent move along "
        "the axes of the embedding v (v1, v2 …)."
    )


def metrics() -> None:
    """The help of Metrics, behind a button."""
    _popover(
        "* **Tables** show the benchmark's numbers next to the paper's. *Failed* is a run that "
        "diverged, *not run* a row of the paper that we have not measured; the small number "
        "leads to the reason.\n"
        "* **This run** shows the scores of one run, each with its range and the level of "
        "chance.\n"
        "* **From labels** shows D, C and I from the labels of a plan, updated as labels arrive. "
        "You can also align axes to labels there, and get suggestions for items to label "
        "next.\n\n"
        "D, C and I are computed from the table of correlations. A table of 0.9 and 0.45 has "
        "D = 0.91 at alpha 10 and 0.08 with |corr| itself as the weight, so look at the table too."
    )


def label() -> None:
    """The help of Label, behind a button."""
    _popover(
        "**Sweep** asks one question about a sheet of items, **Focus** every question about one "
        "item. You do not see where an item comes from: no run, no axis, no rank, no other "
        "annotator. Some items come twice, to measure how consistent you are.\n\n"
        "| Key | What it does |\n|---|---|\n"
        "| 1 – 5 | set the level and go to the next item |\n"
        "| 0 | cannot tell |\n"
        "| Backspace | undo the last answer; press again to undo more |\n"
        "| ← → ↑ ↓ | from item to item |\n"
        "| Space | repeat the last level |\n"
        "| S | skip: the item comes back when nothing else is left |\n"
        "| F | flag the item as unusable, or remove the flag |\n"
        "| Z | keep the picture enlarged (Sweep) |\n"
        "| Enter | accept a suggestion, if one is shown |\n"
        "| G | the guideline |\n"
        "| ? | these keys |\n\n"
        "This browser keeps every answer until the server has confirmed it, so closing the tab or "
        "losing the connection loses nothing.",
        icon=KEYBOARD,
    )


def train() -> None:
    """The help of Train, behind a button."""
    _popover(
        "A run is queued, starts in a separate process when a slot is free (one per graphics card, "
        "one for the CPU) and is kept in the folder of runs. It continues when you close this page "
        "or restart the app. If the machine was switched off, resume it: training continues from "
        "the last checkpoint and ends with the same numbers.\n\n"
        "* **Cancel** stops a run within seconds; **Resume** continues from there.\n"
        "* **Failed** says why; **lost** means that the machine restarted.\n"
        "* You can open a run in Explore while it trains, as soon as it has a checkpoint."
    )


def about() -> None:
    """About the app, how to change the theme, and the keys of the Explore page."""
    import rivae

    with st.expander("About, settings and keys", icon=":material/info:"):
        st.markdown(
            f"RIVAE Explorer {rivae.__version__}. A run is a trained model of pairs: one side is "
            "the query, the other is searched. Between them is **z**, a few numbers that the "
            "model has learned. Change one of them, and the results change.\n\n"
            "Light or dark: menu ⋮ at the top right, then Settings. Runs are read from the folder "
            "`runs` (or `$RIVAE_RUNS`) and from the demo runs that come with the project.\n\n"
            "Keys on the Explore page:"
        )
        st.markdown(EXPLORE_KEYS)
