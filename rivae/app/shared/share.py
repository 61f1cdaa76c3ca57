"""The Share menu in the bar: what a visitor can take away from a view.

A page offers what it has while it is drawn; ``frame.finish`` draws the menu, which is filled once
it is opened, from what was offered last. So a part of a page that is drawn again by itself only
offers again, and files are made when they are asked for.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import streamlit as st

from rivae.app.shared import charts
from rivae.app.shell import access, cache, keys, report
from rivae.app.shell.fragments import fragment
from rivae.app.shell.text import markdown
from rivae.app.work import page_file
from rivae.base.browser import find_browser
from rivae.base.errors import ConfigError, RivaeError

if TYPE_CHECKING:
    from rivae.app.panels.links import ExploreLink
    from rivae.exploring.explorer import Explorer
    from rivae.figures.export import Figure
    from rivae.figures.page.opening import Seen

Content = Callable[[], str | bytes]

FORMATS = ("png", "svg", "html", "csv")
TITLES = {"tex": "LaTeX", "md": "Markdown"}  # of file endings; the others are capitals
MAX_ROWS = 500  # of the table on the page
MAX_LINK = 4_000  # characters; what is longer was not written by the app
WIDTH = 440
NO_BROWSER = "PNG and SVG need Chrome or Chromium on the server."


@dataclass(frozen=True)
class Panel:
    """What one panel of a page offers.

    Attributes:
        title: the panel's name for people.
        stem: begins the names of its files; one panel of a page has it.
        kind: what the files are.
        files: what makes them, by ending.
        films: files that play.
        table: a figure whose numbers can be read on the page.
        python: draws the Python that makes it again.
        note: what to know of the files.
    """

    title: str
    stem: str
    kind: str = "Table"
    files: Mapping[str, Content] = field(default_factory=dict)
    films: Mapping[str, Content] = field(default_factory=dict)
    table: Callable[[], Figure] | None = None
    python: Callable[[], None] | None = None
    note: str = ""


@dataclass
class _Offered:
    """What the page that is shown offers: panels by stem, and a page of its run."""

    panels: dict[str, Panel] = field(default_factory=dict)
    page: tuple[Explorer, str, Callable[[], Seen]] | None = None


@functools.cache
def has_browser() -> bool:
    """Whether charts can be drawn as PNG and SVG here, which takes a Chrome or Chromium."""
    return find_browser() is not None


# What pages offer


def begin() -> None:
    """Nothing is offered yet; before every page."""
    st.session_state[keys.SHARED] = _Offered()


def offer(panel: Panel) -> None:
    """Offer what a panel has, in the place of what the same one has offered before."""
    _offered().panels[panel.stem] = panel


def figure(
    title: str,
    name: str,
    figure: Callable[[], Figure],
    run_id: str,
    call: str,
    *,
    is_chart: bool,
    films: Mapping[str, Content] | None = None,
    note: str = "",
    **settings: Any,
) -> None:
    """Offer a figure of a run as files, as a table, and as Python.

    ``figure`` builds it; ``call`` and ``settings`` are those of
    :func:`rivae.figures.snippets.snippet`.
    """
    dark, lacks = charts.is_dark(), is_chart and not has_browser()

    def content(kind: str) -> Content:
        def make() -> bytes:
            from rivae.figures.export import export_bytes

            # Sheets are printed on white, charts keep the colours that they have on the page.
            return export_bytes(figure(), kind, title=f"{run_id}: {name}", dark=dark and is_chart)

        return make

    offer(
        Panel(
            title,
            f"{run_id}-{name}",
            kind="Chart" if is_chart else "Picture sheet",
            files={kind: content(kind) for kind in (FORMATS[2:] if lacks else FORMATS)},
            films=films or {},
            table=figure,
            python=functools.partial(python, run_id, call, **settings),
            note=f"{note} {NO_BROWSER}".strip() if lacks else note,
        )
    )


def page(explorer: Explorer, run_id: str, seen: Callable[[], Seen]) -> None:
    """Offer a run as one interactive page, which opens with what is ``seen`` now."""
    _offered().page = explorer, run_id, seen


def linked(explorer: Explorer, link: ExploreLink) -> Seen:
    """What a link shows in Explore, as a page opens with it."""
    from rivae.app.panels.answers import card_of, linked_query, linked_z, query_z
    from rivae.figures.page.opening import Seen

    query, _ = linked_query(explorer, "mean" if link.upload else link.query, link.asks)
    base = query_z(explorer, query)
    z, added_amounts, _ = linked_z(explorer, base, link)
    return Seen(
        query=None if query == "mean" else query,
        base=base,
        z=tuple(z.tolist()),
        card=card_of(explorer, query, base),
        k=link.k,
        only=link.only,
        added=added_amounts,
    )


def _offered() -> _Offered:
    memory: _Offered = st.session_state.setdefault(keys.SHARED, _Offered())
    return memory


# The menu


@fragment()
def menu() -> None:
    """The button, and what it opens."""
    popover = st.popover("Share", icon=":material/ios_share:", key=keys.SHARE, on_change="rerun")
    if not popover.open:
        return
    memory = _offered()
    with popover, st.container(width=WIDTH):
        _link()
        if memory.page is not None:
            _page(*memory.page)
        if memory.panels:
            _panel(_chosen(memory.panels))


def _link() -> None:
    link = f"{st.context.url or ''}?{urlencode(st.query_params.to_dict())}"
    if len(link) <= MAX_LINK:
        st.caption("Link to this view")
        st.code(link, language=None, wrap_lines=True)


def _page(explorer: Explorer, run_id: str, seen: Callable[[], Seen]) -> None:
    """The run as one file: make it, follow that, download it."""
    from rivae.figures.page.content import RIGHTS, check_size

    st.caption("Interactive page, one file for people without Python")
    try:
        large = check_size(explorer)
    except ConfigError as error:
        report.warning(str(error))
        return
    version = f"{cache.model_key(run_id)}/{cache.data_version(run_id)}"
    key, n = page_file.key_of(explorer, run_id, version), len(explorer.search_rows)
    report.show(keys.SHARE_PAGE)
    task = page_file.task_of(key)
    if task is not None and task.running:
        report.watch([task], keys.SHARE_PAGE)
        return
    if task is not None and task.result is not None:
        st.download_button(
            f"Download the page, {task.result['bytes'] / 1e6:.1f} MB",
            lambda: _opened_at(key, explorer, seen()),
            file_name=f"{run_id}.html",
            mime="text/html",
            key=f"{keys.SHARE_PAGE}_file",
            icon=":material/download:",
            type="primary",
            on_click="ignore",
        )
        st.caption(RIGHTS)
        return
    if task is not None and task.error:
        report.warning(task.error)
    if large:
        st.caption(large)
    st.button(
        f"Make the page: {n:,} items, about {_size(key, explorer) / 1e6:.0f} MB",
        icon=":material/web:",
        key=keys.SHARE_PAGE,
        on_click=report.begin,
        args=(keys.SHARE_PAGE, lambda: page_file.begin(key, explorer, run_id)),
    )


def _opened_at(key: str, explorer: Explorer, seen: Seen) -> bytes:
    from rivae.figures.page.document import seen_in
    from rivae.figures.page.opening import opened_at

    return seen_in(page_file.read(key), opened_at(explorer, seen))


@st.cache_data(max_entries=32, show_spinner=False)
def _size(key: str, _explorer: Explorer) -> int:
    from rivae.figures.page.content import estimated_size

    return estimated_size(_explorer)


def _chosen(panels: Mapping[str, Panel]) -> Panel:
    """The panel whose files are offered: of several the one that the visitor chooses."""
    stems = list(panels)
    stem = stems[0]
    if len(stems) > 1:
        stem = st.selectbox(
            "Panel", stems, format_func=lambda stem: panels[stem].title, key=keys.SHARE_PANEL
        )
    return panels[stem]


def _panel(panel: Panel) -> None:
    if panel.films:
        st.caption("Video")
        _files(panel, panel.films)
    if panel.files:
        st.caption(panel.kind)
        _files(panel, panel.files)
    if panel.note:
        st.caption(markdown(panel.note))
    if panel.table is not None and st.toggle(
        "Table", key=f"share-{panel.stem}-table", help="The numbers behind it"
    ):
        _table(panel.table())
    if panel.python is not None:
        panel.python()


def _files(panel: Panel, files: Mapping[str, Content]) -> None:
    # The name may come from a file: nothing that a file system could take for a folder.
    stem = re.sub(r"[^A-Za-z0-9._-]+", "-", panel.stem)
    with st.container(horizontal=True):
        for ending, content in files.items():
            st.download_button(
                TITLES.get(ending, ending.upper()),
                _encoded(content),
                file_name=f"{stem}.{ending}",
                key=f"share-{panel.stem}-{ending}",
                on_click="ignore",
            )


def _encoded(content: Content) -> Callable[[], bytes]:
    def encoded() -> bytes:
        new_content = content()
        return new_content if isinstance(new_content, bytes) else new_content.encode()

    return encoded


def _table(figure: Figure) -> None:
    """What the figure shows, for whoever cannot see it or wants to read it off."""
    from rivae.figures.export import rows_of

    rows = rows_of(figure)
    st.dataframe(rows[:MAX_ROWS], hide_index=True, height=300)
    if len(rows) > MAX_ROWS:
        st.caption(f"The first {MAX_ROWS} of {len(rows):,} rows; CSV has all.")


def python(run_id: str, call: str, **settings: Any) -> None:
    """The Python that makes a panel again; see :func:`rivae.figures.snippets.snippet`."""
    from rivae.figures.snippets import places_of, snippet

    places = {}
    # Who comes from another machine cannot use the folders of this one, and need not know them.
    if access.is_local(st.get_option("server.address")):
        others = settings.get("others", ())  # of a comparison
        with suppress(RivaeError):  # a run that is gone: the page says so
            places = places_of(*map(cache.run, (run_id, *others)))
    st.caption("The same in Python, from any folder:" if places else "The same in Python:")
    st.code(snippet(run_id, call, places, **settings), language="python", wrap_lines=True)
