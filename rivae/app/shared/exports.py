"""The Export button of every panel: its files, and the Python that makes it again."""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import streamlit as st

from rivae.app.shared import charts
from rivae.app.shell import access, cache
from rivae.base.browser import find_browser
from rivae.base.errors import RivaeError

if TYPE_CHECKING:
    from rivae.figures.export import Figure

FORMATS = ("png", "svg", "html", "csv")
MAX_ROWS = 500  # of the table on the page


@functools.cache
def has_browser() -> bool:
    """Whether charts can be drawn as PNG and SVG here, which takes a Chrome or Chromium."""
    return find_browser() is not None


def panel(name: str, figure: Callable[[], Figure], run_id: str, call: str, **settings: Any) -> None:
    """A button that opens the exports of one panel; see :func:`files`."""
    with st.popover("Export", icon=":material/download:"):
        files(name, figure, run_id, call, **settings)


def files(
    name: str,
    figure: Callable[[], Figure],
    run_id: str,
    call: str,
    *,
    is_chart: bool,
    more: Callable[[], None] | None = None,
    **settings: Any,
) -> None:
    """The exports of one panel.

    Files are made when they are asked for; ``more`` draws what else this panel offers. ``figure``
    builds the panel's figure; ``call`` and ``settings`` are those of
    :func:`rivae.figures.snippets.snippet`.
    """
    dark = charts.is_dark()

    def content(kind: str) -> Callable[[], bytes]:
        def make() -> bytes:
            from rivae.figures.export import export_bytes

            # Sheets are printed on white, charts keep the colours that they have on the page.
            return export_bytes(figure(), kind, title=f"{run_id}: {name}", dark=dark and is_chart)

        return make

    with st.container(horizontal=True):
        for kind in FORMATS:
            missing = is_chart and kind in ("png", "svg") and not has_browser()
            st.download_button(
                kind.upper(),
                content(kind),
                file_name=f"{run_id}-{name}.{kind}",
                key=f"export-{name}-{kind}",
                on_click="ignore",
                disabled=missing,
                help="Needs Chrome or Chromium on the server." if missing else None,
            )
    if st.toggle("Table", key=f"export-{name}-table", help="The numbers behind it"):
        _table(figure())
    if more is not None:
        more()
    python(run_id, call, **settings)


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
    st.code(snippet(run_id, call, places, **settings), language="python")
