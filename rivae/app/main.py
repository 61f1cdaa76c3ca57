"""The script behind every page: navigation and page settings, nothing else."""

# ruff: noqa: E402  (our own imports need the path below)

import sys
from pathlib import Path

import streamlit as st

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:  # for `streamlit run rivae/app/main.py`, without the launcher
    sys.path.insert(0, str(ROOT))

from rivae.app.panels.component import page_frame
from rivae.app.shared import address
from rivae.app.shell import keys
from rivae.app.shell.pages import (
    COMPARE,
    DATA,
    EXPLORE,
    HOME,
    LABEL,
    METRICS,
    STEER,
    TRAIN,
    TRAVERSE,
    WORDS,
)
from rivae.base.installed import APP_FILES

# A file of ours: for a material icon the browser would ask a server on the internet.
ICON = str(APP_FILES / "assets" / "icon.png")
# A page's name is seen where the navigation is folded: on a phone. Its style comes with it, so that
# nothing flashes elsewhere: the other styles of pages arrive last, and never if one stops half-way.
NAME_STYLE = """<style>
h1.page-name { font-size: 1.5rem; font-weight: 600; margin: 0; padding: 0; }
@media (min-width: 769px) { .stElementContainer:has(.page-name) { display: none; } }
</style>"""
st.set_page_config(page_icon=ICON, layout="wide")

page = st.navigation(
    [
        st.Page(
            HOME,
            title="Home",
            icon=":material/home:",
            default=True,
            help="Data sets and trained runs. Choose one to explore.",
        ),
        st.Page(
            EXPLORE,
            title="Explore",
            icon=":material/tune:",
            help="Drag a slider and see the retrieved pictures change.",
        ),
        st.Page(
            TRAVERSE,
            title="Traverse",
            icon=":material/timeline:",
            help="What each axis does: strips, correlations with true factors, planes.",
        ),
        st.Page(
            WORDS,
            title="Words",
            icon=":material/sort_by_alpha:",
            help="Words that change along an axis; names for the axes; tags around factors.",
        ),
        st.Page(
            STEER,
            title="Steer",
            icon=":material/grid_on:",
            help="Several axes at once: rows of pictures and words; tours to present.",
        ),
        st.Page(
            COMPARE,
            title="Compare",
            icon=":material/view_column:",
            help="Two to six runs side by side, moved along matching axes.",
        ),
        st.Page(
            LABEL,
            title="Label",
            icon=":material/new_label:",
            help="Label retrieved items, factor by factor, with the keyboard.",
        ),
        st.Page(
            METRICS,
            title="Metrics",
            icon=":material/leaderboard:",
            help="The paper's tables next to ours, and all scores of one run.",
        ),
        st.Page(
            TRAIN,
            title="Train",
            icon=":material/model_training:",
            help="Start, watch, stop and resume training runs.",
        ),
        st.Page(
            DATA,
            title="Data",
            icon=":material/database:",
            help="Imported data sets; import your own pictures and texts.",
        ),
    ],
    position="top",
)

entered = st.session_state.get(keys.PAGE) != page.url_path
st.session_state[keys.ENTERED] = entered
st.session_state[keys.PAGE] = page.url_path
if entered:
    address.arrive(page.url_path)
address.leave(page.url_path)  # now and at the end: a page may stop half-way
st.set_page_config(page_title=address.title(page.title))
if page.url_path not in ("", DATA.stem):  # Home and Data begin with a title of their own
    st.html(f'<h1 class="page-name">{page.title}</h1>{NAME_STYLE}')
page.run()
page_frame()
address.leave(page.url_path)
st.set_page_config(page_title=address.title(page.title))
