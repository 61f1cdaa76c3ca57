"""The script behind every page: navigation, the frame around the page, and its address."""

# ruff: noqa: E402  (our own imports need the path below)

import sys
from contextlib import suppress
from pathlib import Path

import streamlit as st

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:  # for `streamlit run rivae/app/main.py`, without the launcher
    sys.path.insert(0, str(ROOT))

from rivae.app.panels.component import page_frame
from rivae.app.shared import address, finder, frame
from rivae.app.shell import fragments, keys
from rivae.app.shell.pages import HOME, EndOfPage, name_of, pages
from rivae.base.installed import APP_FILES

# A file of ours: for a material icon the browser would ask a server on the internet.
ICON = str(APP_FILES / "assets" / "icon.png")
st.set_page_config(page_icon=ICON, layout="wide")

opened = st.navigation(
    [
        st.Page(page.path, title=page.views[0].title, default=name == HOME)
        for name, page in pages().items()
    ],
    position="hidden",  # the frame has the links
)
page = pages()[opened.url_path or HOME]
entered = st.session_state.get(keys.PAGE) != page.name
st.session_state[keys.ENTERED] = entered
st.session_state[keys.PAGE] = page.name
finder.follow()
if entered:
    fragments.forget_all()
if entered or address.came_by_link(page):
    address.arrive(page)
view = address.change_view(page, entered)
address.leave(page)  # now and at the end: a click may interrupt a page half-way
st.set_page_config(page_title=address.title(name_of(view)))
frame.draw(page, view)
with suppress(EndOfPage):
    opened.run()
frame.finish(page)
page_frame()
address.leave(page)
st.set_page_config(page_title=address.title(name_of(view)))
