"""The address of a page: its own part, and what the visitor takes from page to page.

The bar at the top opens a page under its bare address. ``arrive`` fills it, before the page reads
it, with the address that the page had when it was left and with the run and query in hand. So a
page has one source of its state, a link, and every view can be reloaded, shared and returned to.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.state import get_session_state

from rivae.app.panels.links import UPLOAD
from rivae.app.shell import keys
from rivae.app.shell.pages import HOME, Page, View, pages

if TYPE_CHECKING:
    from rivae.base.config import Asks


OF_LIVE = ("run", "q", "z", "add", "only", "k", "rows")  # the results that Live shows
OF_RUNS = {"run", "runs"}  # one of them stands in the address of each page of runs, once drawn
PASSING = ("tour", "step")  # of one visit only
AVERAGE = "the average query"
ONLY_EXPLORE = (
    "Only the Live view can use your own picture or text as the query: here you see {} instead."
)
NO_SUCH_RUN = "The run in the link cannot be read, so another one is shown."


def read(names: Collection[str]) -> dict[str, str]:
    """The query parameters that belong to a page."""
    return {name: st.query_params[name] for name in names if name in st.query_params}


def write(params: Mapping[str, str], names: Collection[str]) -> None:
    """Put ``params`` into the address, which adds one step to the browser's history.

    Other parameters (e.g. streamlit's own "embed") are left alone.
    """
    if params != read(names):
        other_names = [name for name in st.query_params if name not in names]
        others = {name: st.query_params.get_all(name) for name in other_names}
        st.query_params.from_dict({**others, **params})


def save(params: Mapping[str, str], names: Collection[str], known: str) -> None:
    """``write`` of the state that the page shows; ``known`` is the session key that holds what was
    last read or written, by which the page tells its own changes from the visitor's.
    """
    write(params, names)
    st.session_state[known] = dict(params)


def add(params: Mapping[str, str]) -> None:
    """Add ``params`` to the address where it does not name them yet."""
    missing = {name: text for name, text in params.items() if name not in st.query_params}
    if missing:
        st.query_params.update(missing)


# The run and query in hand


def in_hand() -> dict[str, str]:
    """The run, the query and the view that asks ("ask", unless it is the first) that the visitor
    last looked at, as in an address; empty at first.
    """
    return dict(st.session_state.get(keys.IN_HAND, {}))


def run_in_hand() -> str | None:
    """The run the visitor last looked at."""
    return in_hand().get("run")


def asks_in_hand() -> Asks:
    """The view that asked where the visitor last looked."""
    asks_by_name: dict[str, Asks] = {"second": "second", "both": "both"}
    return asks_by_name.get(in_hand().get("ask", ""), "first")


def take(run: str, query: object = None, asks: Asks | None = None) -> None:
    """The visitor looks at ``run`` and, where the page has them, at ``query`` and the view that
    ``asks``.

    A query of the visitor's own stays in hand on pages that cannot use it.
    """
    in_hand_now = in_hand() if run_in_hand() == run else {}
    q, ask = in_hand_now.get("q"), asks or in_hand_now.get("ask")
    if query is not None and not (q and UPLOAD.fullmatch(q) and page().name != "explore"):
        q = str(query)
    fields = {"run": run, "q": q, "ask": ask if ask != "first" else None}
    st.session_state[keys.IN_HAND] = {name: text for name, text in fields.items() if text}


def renamed(run: str, name: str) -> None:
    """A run was renamed, or deleted (""): no page comes back to the old name."""
    if run_in_hand() == run:
        st.session_state[keys.IN_HAND] = {"run": name} if name else {}
    addresses: dict[str, dict[str, str]] = st.session_state.get(keys.ADDRESSES, {})
    for page, params in list(addresses.items()):
        if run in (params.get("run"), *params.get("runs", "").split(",")):
            del addresses[page]


def choose_asks(asks: Asks) -> None:
    """Another view is the query from now on, on a page without a session of its own."""
    if asks == "first":
        st.query_params.pop("ask", None)
    else:
        st.query_params["ask"] = asks


# From page to page


def to_view(page: Page, view: View) -> dict[str, str]:
    """The parameters of a link to a view: of the page that is shown with the rest of its address;
    that of another page is filled when the visitor arrives there.
    """
    if page.name != st.session_state.get(keys.PAGE):
        return dict(view.params)
    now = st.query_params.to_dict()
    # Of what only that view shows, its controls have taken nothing along: it is as it was left.
    left = st.session_state.get(keys.VIEW_ADDRESSES, {}).get((page.name, view.title), {})
    own_fields = {name: text for name, text in left.items() if name not in page.takes}
    all_fields = {**own_fields, **now} if left.get("run") == now.get("run") else now
    besides = (*page.view_names, *PASSING)
    return {
        **{name: text for name, text in all_fields.items() if name not in besides},
        **view.params,
    }


def came_by_link(page: Page) -> bool:
    """Whether a link of another page leads to ``page``, which is shown already: the visitor has
    clicked twice, or before the links of this page were there.
    """
    fields, last = st.query_params.to_dict(), st.session_state.get(keys.ADDRESSES, {})
    is_bare = fields.keys() <= page.view_names
    return is_bare and not _goes_back() and bool(OF_RUNS & last.get(page.name, {}).keys())


def arrive(page: Page) -> None:
    """The visitor has come to ``page``: fill its address if it is bare or names a view alone."""
    fields = st.query_params.to_dict()
    is_tab = bool(fields) and fields.keys() <= page.view_names
    new_fields = {
        name: next((new for key, old, new in page.former if (key, old) == (name, text)), text)
        for name, text in _without_upload(page.name, fields).items()
    }
    last_fields = dict(st.session_state.get(keys.ADDRESSES, {}).get(page.name, {}))
    if is_tab:
        usual = page.views[0].params
        for name in page.view_names:
            last_fields.pop(name, None)
        view = {name: text for name, text in new_fields.items() if usual.get(name) != text}
        full_fields = {**_filled(page, last_fields), **view}
    elif new_fields and (_goes_back() or new_fields != {"run": run_in_hand()}):
        full_fields = {
            **{name: last_fields[name] for name in page.always if name in last_fields},
            **new_fields,
        }
    else:
        full_fields = _filled(page, last_fields)
    if full_fields != fields:
        st.query_params.from_dict(full_fields)
        # Controls that Streamlit binds to the address take their first value from here.
        with get_session_state().query_params() as params:
            params.set_initial_query_params_from_current()


def change_view(page: Page, entered: bool) -> View:
    """The view that the address of ``page`` names, and the address put into the browser where
    another view than before has come: a link to the page that is shown does not do that.
    """
    fields = st.query_params.to_dict()
    view, before = page.view(fields), st.session_state.get(keys.VIEW)
    st.session_state[keys.VIEW] = view.title
    if not entered and before != view.title and not _goes_back():
        # One name at a time: others may be bound to controls, and only those may change them.
        for name, text in view.params.items():
            if view is page.views[0]:
                st.query_params.pop(name, None)
            else:
                st.query_params[name] = text
    return view


def _goes_back() -> bool:
    """Whether the browser's buttons for back and forward led here."""
    context = get_script_run_ctx()
    return context is not None and context.is_history_navigation


def _without_upload(page: str, found: dict[str, str]) -> dict[str, str]:
    """The address as ``found``, without a query of one's own that ``page`` cannot start from."""
    if page == "explore":
        return found
    is_named = UPLOAD.fullmatch(found.get("q", ""))
    fields = in_hand()
    runs = (found.get("run", fields.get("run")), *found.get("runs", "").split(","))
    is_in_hand = UPLOAD.fullmatch(fields.get("q", "")) and fields["run"] in runs
    st.session_state[keys.INSTEAD] = "" if is_named or is_in_hand else None
    return {name: text for name, text in found.items() if not (is_named and name == "q")}


def instead_of_upload(query: object) -> str:
    """The sentence on a page that shows ``query`` because it cannot start from the picture or text
    that the visitor came with; "" without one, and once another query was chosen.
    """
    first = st.session_state.get(keys.INSTEAD)
    if first == "":
        first = st.session_state[keys.INSTEAD] = str(query)
    if first != str(query):
        return ""
    return ONLY_EXPLORE.format(AVERAGE if query == "mean" else f"item {query}")


def _filled(page: Page, kept: dict[str, str]) -> dict[str, str]:
    """The address of a page as it was ``kept``, with the run and query in hand."""
    kept = kept or dict(page.fresh)
    fields = in_hand()
    if page.of_moved:
        kept = _with_moved(page, kept)
    if fields and fields["run"] not in (kept.get("run"), *kept.get("runs", "").split(",")):
        for name in ("q", *page.of_run, *page.of_query):
            kept.pop(name, None)
        kept = {**dict(page.fresh), **kept}
    if fields and "ask" in page.takes:
        kept.pop("ask", None)
    q = fields.get("q", "")
    if UPLOAD.fullmatch(q) and page.name != "explore":
        fields.pop("q")
    elif q != kept.get("q"):
        for name in page.of_query:
            kept.pop(name, None)
    return {**kept, **{name: fields[name] for name in page.takes if name in fields}}


def _with_moved(page: Page, kept: dict[str, str]) -> dict[str, str]:
    """What was ``kept`` of a page's address with the point, the filter and the results of Live, as
    the visitor left them; ``page.of_moved`` too where a slider had been moved.
    """
    live: dict[str, str] = st.session_state.get(keys.ADDRESSES, {}).get("explore", {})
    if not live or live.get("run") != run_in_hand():
        return kept
    others = {name: text for name, text in kept.items() if name not in OF_LIVE}
    moved_fields = page.of_moved if {"z", "add"} & live.keys() else {}
    return {**others, **{name: live[name] for name in OF_LIVE if name in live}, **moved_fields}


def leave(page: Page) -> None:
    """Keeps the address of ``page`` for when the visitor comes back, if it takes anything along."""
    if not (page.takes or page.always):
        return
    now, all_kept = st.query_params.to_dict(), st.session_state.setdefault(keys.ADDRESSES, {})
    before = all_kept.get(page.name, {})
    always = {name: before[name] for name in page.always if name in before}
    own_fields = {name: text for name, text in now.items() if name not in PASSING}
    all_kept[page.name] = {**always, **own_fields}
    of_views = st.session_state.setdefault(keys.VIEW_ADDRESSES, {})
    of_views[page.name, page.view(now).title] = own_fields


def title(view: str) -> str:
    """The title of the browser's tab: the view, and what is shown in it."""
    names = ("run", "runs", keys.LABEL_PLAN)
    item = next((st.query_params[name] for name in names if name in st.query_params), "")
    return f"{view} · {item[:120]}" if item else view


def page() -> Page:
    """The page that is shown."""
    return pages()[st.session_state.get(keys.PAGE, HOME)]


def view() -> str:
    """The title of the view that is shown."""
    return page().view(st.query_params.to_dict()).title


def show_view(title: str) -> None:
    """Show another view of the same page; for callbacks."""
    for name in page().view_names:
        st.query_params.pop(name, None)
    for other in page().views[1:]:  # the first is shown by the bare address
        if other.title == title:
            st.query_params.update(other.params)
