"""The pages: their files, and the help of each behind a button."""

from __future__ import annotations

import streamlit as st

from rivae.installed import APP_FILES

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
| Slider | ← → | one small step (s.d. / 20) |
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


def explore() -> None:
    """Keys and meanings, behind a button."""
    _popover(
        "A query is encoded to a point **z**. Each slider moves one number of z, and the "
        "pictures are the items that the model finds most likely for it, best first. The "
        "shade behind a slider shows where the data lie, the thin line is the query itself, "
        "and the bar under a name tells how much that dimension changes the best match.\n"
        + EXPLORE_KEYS,
        icon=KEYBOARD,
    )


def traverse() -> None:
    """What the three views show, behind a button."""
    _popover(
        "A traversal moves one number of **z** and leaves the others where the query has "
        "them.\n\n"
        "* **Strips** show the item retrieved at each point where it changes; a framed picture "
        "is the query's own pair.\n"
        "* **Correlations** compare each dimension with each true factor of the retrieved "
        "items, averaged over queries; click a cell for the plot behind it.\n"
        "* **Plane** moves two dimensions at once; the framed point is the query.\n\n"
        "One s.d. is that of the model's own distribution of z over the training queries. The "
        "paper's range, −10 … 10, depends on the scale that training happened to give z."
    )


def words() -> None:
    """What clouds, contrast, names and tags show, behind a button."""
    _popover(
        "* **Clouds**: 20 test queries are moved along one axis to mean − n s.d., the mean "
        "and mean + n s.d.; a cloud holds the ingredients of the ten best items of each. A "
        "word has one place in all three clouds; its area is the share of items that have it. "
        "Colour and letters tell its relation: underlined goes with more of the chosen "
        "factor, slanted with less, light grey with neither.\n"
        "* **Contrast**: which words tell the two ends apart, with intervals.\n"
        "* **Axis names**: what changes most along each axis, and a name to accept or edit. "
        "Names are kept with the run and shown on every page.\n"
        "* **Tags**: the tags of the items around the food factors, as in the paper's "
        "supplement.\n\n"
        "Words are read from the texts by rules for English recipes; they tell what was "
        "retrieved, not what the model looked at."
    )


def steer() -> None:
    """What the marks mean, and the keys, behind a button."""
    _popover(
        "Every row sets some axes of **z** together and leaves the others at the query; beside "
        "it stand the five best items. **On** and **off** are n s.d. above and below the mean "
        "of the model's own distribution of queries, a number is that many s.d., and a dash "
        "leaves the axis at the query.\n\n"
        "The words are the ingredients of the ten best items of 20 other queries, each moved "
        "to the row's levels; everyday words (in a tenth of all items) are left out.\n\n"
        "| Where | Key | What it does |\n|---|---|---|\n"
        "| Cell | Enter, click | off, on, query, off … |\n"
        "| | + − | half an s.d. more or less |\n"
        "| | O I Q 0 | off, on, query, the mean |\n"
        "| Matrix | ← → ↑ ↓ | from cell to cell, picture, tool |\n"
        "| | Alt ↑ ↓ | moves the row |\n"
        "| Tour | ← → Space | step back, step on |\n"
        "| | Home End | first, last step |\n"
        "| | F, Esc | full screen, leave |",
        icon=KEYBOARD,
    )


def compare() -> None:
    """How runs are tied together, behind a button."""
    from rivae.comparison import COUNTERPART

    _popover(
        "The axes of two runs have no common order: what one calls z1 may be z3 of another, "
        "the other way round. A **factor** is an axis of the first run, the reference. Every "
        "other run moves the axis that varies most with it over the test items: axes are "
        "paired one to one (Hungarian assignment on |corr|); **(−)** marks a pair that runs "
        f"in opposite directions. Below |corr| {COUNTERPART:g} there is **no counterpart**, "
        "and the run stays where it is.\n\n"
        "A slider shifts all runs by the same share of their own axis' range (the central "
        "99 % of their training queries), starting at the query. The strips below run over "
        "that range and show the points where the best item changes; numbers are the same "
        "shifts.\n\n"
        "The first run chosen is the reference. Runs of a method without a latent are moved "
        "along the axes of the embedding v (v1, v2 …)."
    )


def metrics() -> None:
    """What stands in the tables and what to be careful with, behind a button."""
    _popover(
        "* **Tables** hold what the benchmark measured beside the numbers that the paper "
        "prints. *Failed* is a run that diverged, *not run* a line that the paper has and we "
        "have not measured; the small number leads to the reason.\n"
        "* **This run** holds what was measured on one run, each number with the "
        "range it can have and the level of chance.\n"
        "* **From labels** holds D, C and I from the labels of a plan, renewed as labels arrive; "
        "there, axes can be aligned to labels, and the items to label next be suggested.\n\n"
        "D, C and I read the table of correlations. A table of 0.9 and 0.45 has D = 0.91 at "
        "alpha 10 and 0.08 with |corr| itself as the weight, so look at the table too."
    )


def label() -> None:
    """The keys of the Label page and what it hides, behind a button."""
    _popover(
        "**Sweep** asks one question about a sheet of items, **Focus** every question about one "
        "item. You see nothing about where an item comes from: no run, no latent, no rank, no "
        "other annotator. Some items come twice, to measure how steady you are.\n\n"
        "| Key | What it does |\n|---|---|\n"
        "| 1 – 5 | the level, and on to the next |\n"
        "| 0 | cannot tell |\n"
        "| Backspace | takes the last one back, as often as you like |\n"
        "| ← → ↑ ↓ | from item to item |\n"
        "| Space | the last level again |\n"
        "| F | flags the item as unusable, or takes the flag away |\n"
        "| Enter | accepts a suggestion, where one is shown |\n"
        "| G | the guideline |\n"
        "| ? | these keys |\n\n"
        "Every key is kept in this browser until the server has confirmed it, so closing the tab "
        "or losing the connection loses nothing.",
        icon=KEYBOARD,
    )


def train() -> None:
    """How runs are queued and what survives, behind a button."""
    _popover(
        "A run is queued, started in a process of its own when a slot is free (one per graphics "
        "card, one for the CPU) and kept in the folder of runs. It goes on when you close this "
        "page, restart the app or switch the machine off in between: training continues from the "
        "last checkpoint, to the same numbers.\n\n"
        "* **Cancel** stops a run within seconds; **Resume** goes on where it was.\n"
        "* **Failed** says why; **lost** means that the machine was started anew meanwhile.\n"
        "* A run can be opened in Explore while it trains, as soon as its first checkpoint is "
        "there."
    )


def about() -> None:
    """What this is, where the theme is changed, and the keys of the Explore page."""
    import rivae

    with st.expander("About, settings and keys", icon=":material/info:"):
        st.markdown(
            f"RIVAE Explorer {rivae.__version__}. A run is a trained model of pairs: one side is "
            "the query, the other is searched. Between them stands **z**, a few numbers that the "
            "model has learned; moving one of them moves what is found.\n\n"
            "Light or dark: menu ⋮ at the top right, then Settings. Runs are read from the folder "
            "`runs` (or `$RIVAE_RUNS`) and from the demo runs that come with the project.\n\n"
            "Keys on the Explore page:"
        )
        st.markdown(EXPLORE_KEYS)
