"""One search for everything: items of the run in hand, its axes, filters, runs and views.

Each hit says where it leads: a page and its parameters, as in a link.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import streamlit as st

from rivae.app.panels.answers import picture
from rivae.app.panels.component import Component
from rivae.app.panels.links import MAX_ONLY
from rivae.app.panels.questions import Find, read
from rivae.app.shared import address
from rivae.app.shared.runs import run_title
from rivae.app.shell import cache, keys, pages, web
from rivae.base.errors import RivaeError
from rivae.data.search_words import folded
from rivae.exploring.sliders import added_sliders, axes_of

if TYPE_CHECKING:
    from rivae.app.panels.answers import OpenRun
    from rivae.exploring.explorer import Explorer

N_ITEMS, N_AXES, N_RUNS = 5, 5, 5
MAX_PARAM = 400  # characters of one parameter that the browser sends back

_FINDER = Component(
    "rivae_finder",
    js=("dom.js", "reach.js", "finder.js"),
    css=("base.css", "finder.css"),
    reports={"go": dict},
)


def hits(question: dict[str, Any], open_run: OpenRun) -> dict[str, Any]:
    """What fits a text: each hit has a group, a title, a note and where it leads, items a picture.

    Raises:
        ConfigError: a field is missing, of the wrong kind or out of range.
    """
    request = read(Find, question)
    text = " ".join(request.text.split())
    entries: list[dict[str, Any]] = []
    if text and request.run:
        try:
            explorer = open_run(request.run, "test", request.asks)
            entries += [*_axes(explorer, request.run, text), *_items(explorer, request.run, text)]
        except RivaeError:
            pass  # the page itself says what is wrong with its run
    return {"seq": request.seq, "hits": [*entries, *_runs(text), *_views(text)]}


def _has(text: str, *where: str) -> bool:
    """Whether every word of ``text`` begins a word of ``where``."""
    words = folded(" ".join(where)).split()
    return all(any(word.startswith(part) for word in words) for part in folded(text).split())


def _axes(explorer: Explorer, run: str, text: str) -> Iterator[dict[str, Any]]:
    """Axes whose name, poles or evidence have the words."""
    matching = []
    for axis in (*added_sliders(explorer), *axes_of(explorer)):
        poles = f"{axis['left']} ↔ {axis['right']}".strip(" ↔")
        if _has(text, axis["short"], axis["given"], poles, axis["about"].replace(",", " ")):
            matching.append((axis, poles))
    for axis, poles in matching[:N_AXES]:
        params = (
            {"run": run} if "id" in axis else {"run": run, "view": "Axis", "axis": axis["short"]}
        )
        page = "explore" if "id" in axis else "traverse"
        title = poles or axis["name"]
        yield _hit("Axes", title, f"{axis['short']} {axis['about']}", page, params)


def _items(explorer: Explorer, run: str, text: str) -> Iterator[dict[str, Any]]:
    """Items of the run that fit best, and the text as a filter of the results."""
    side = 0 if explorer.shows_whole else explorer.query_side
    best = explorer.best(text, N_ITEMS)
    for hit in best:
        _, there, tiny = picture(explorer, hit.row, side)
        title, snippet = ("".join(piece for piece, _ in part) for part in (hit.title, hit.snippet))
        params = {"run": run, "q": str(hit.row)}
        yield {**_hit("Items", title, snippet, "explore", params), "picture": there, "tiny": tiny}
    if best and len(text) <= MAX_ONLY:
        yield _hit("Filter", f"Only items with “{text}”", "", "explore", {"run": run, "only": text})


def _runs(text: str) -> Iterator[dict[str, Any]]:
    """Runs that can be opened, by their data set, method or id."""
    titles = [(run.id, run_title(run)) for run in cache.ready_runs()]
    fitting = [(run, title) for run, title in titles if _has(text, title.replace("-", " "), run)]
    for run, title in fitting[:N_RUNS]:
        yield _hit("Runs", title, "", "explore", {"run": run})


def _views(text: str) -> Iterator[dict[str, Any]]:
    """Views of the app; all of them for an empty text."""
    for place in pages.PLACES:
        for page, view in pages.tabs(place):
            if _has(text, place, view.title):
                name = place if view.title == place else f"{place}: {view.title}"
                yield _hit("Go to", name, page.blurb, page.name, dict(view.params))


def _hit(group: str, title: str, note: str, page: str, params: Mapping[str, str]) -> dict[str, Any]:
    return {"group": group, "title": title, "note": note, "page": page, "params": params}


def button() -> None:
    """The button of the search in the bar, and its dialogue; Ctrl-K opens it as well."""
    fields = address.in_hand()
    data = {"url": web.find_url(), "run": fields.get("run", ""), "asks": fields.get("ask", "first")}
    _FINDER(data, key="finder", go=_go)


def _go(report: Mapping[str, Any]) -> None:
    """The visitor chose a hit: the next run of the script leads there."""
    page, params = report.get("page"), report.get("params")
    if page not in pages.pages() or not isinstance(params, Mapping):
        return
    if not all(isinstance(text, str) and len(text) <= MAX_PARAM for text in params.values()):
        return
    here = address.page()
    if page == here.name and here.view_names & params.keys():  # the rest of its address stays
        st.query_params.update(params)
    else:
        st.session_state[keys.GO] = (page, {str(name)[:40]: text for name, text in params.items()})


def follow() -> None:
    """Leads to the chosen hit, if there is one; first on every page."""
    if (target := st.session_state.pop(keys.GO, None)) is not None:
        page, params = target
        st.switch_page(pages.path(page), query_params=params)
