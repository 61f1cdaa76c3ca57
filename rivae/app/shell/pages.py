"""The pages, found by themselves: each file of ``pages/`` says in ``PAGE`` what it is.

A page is one file. It begins with what the app has to know before the page is drawn::

    PAGE = Page(
        views=(View("Live", "Explore"),),
        blurb="Drag a slider and see the retrieved pictures change.",
        takes=("run", "q", "ask"),
    )

Its layout follows. The declaration is read without running the layout, so it holds
literals only.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from rivae.base.installed import APP_FILES

PLACES = ("Home", "Explore", "Evidence", "Label", "Train")
HOME = "home"
NO_DECLARATION = "{} has no declaration: begin it with PAGE = Page(…)"

SURE = (
    "After a contrastive start that kept its fits, the disc beside an axis says how sure it is "
    "without labels: full is sure, half is sure only as a plane with other axes, empty is unsure. "
    "The reason shows when you point at it, or at the question mark of a list."
)


class EndOfPage(Exception):  # noqa: N818  (no error)
    """Raised by a page that has said all; unlike after ``st.stop``, the frame is still finished."""


@dataclass(frozen=True)
class View:
    """One tab of a place.

    Attributes:
        title: the tab's name.
        place: one of ``PLACES``.
        params: the part of the address that tells it from the page's other views.
        order: where it stands among the tabs of its place.
        has_tab: whether it has a tab while it is not shown; else other views and the search lead
            to it.
    """

    title: str
    place: str
    params: Mapping[str, str] = field(default_factory=dict)
    order: int = 0
    has_tab: bool = True


@dataclass(frozen=True)
class Page:
    """What the app knows of a page before it is drawn.

    Attributes:
        views: its tabs, the first of which is shown by its bare address.
        blurb: what one can do there, in one sentence.
        help: Markdown behind the question mark; with ``discs``, about the discs of axes as well.
        takes: "run", "q" and "ask" as far as they stand in its address.
        of_run: other names in its address that belong to one run.
        of_query: names that belong to one query.
        of_moved: what its address says where the visitor comes with moved sliders; it takes the
            point and the filter of Live along then.
        always: names that are kept even when a link is opened.
        fresh: what stands in its address, as (name, value), when one comes without a link.
        former: what links of earlier versions say, as (name, value, what it is called now).
        path: its file.
    """

    views: tuple[View, ...]
    blurb: str
    help: str = ""
    discs: bool = False
    takes: tuple[str, ...] = ()
    of_run: tuple[str, ...] = ()
    of_query: tuple[str, ...] = ()
    of_moved: Mapping[str, str] = field(default_factory=dict)
    always: tuple[str, ...] = ()
    fresh: tuple[tuple[str, str], ...] = ()
    former: tuple[tuple[str, str, str], ...] = ()
    path: Path = Path()

    @property
    def name(self) -> str:
        """The page's name, which is its address as well: "explore"."""
        return self.path.stem

    @property
    def view_names(self) -> set[str]:
        """The names in the address by which its views differ."""
        return {name for view in self.views for name in view.params}

    def view(self, params: Mapping[str, str]) -> View:
        """The view that an address names, else the first."""
        for view in self.views:
            if view.params and view.params.items() <= params.items():
                return view
        return self.views[0]


@cache
def pages() -> dict[str, Page]:
    """All pages by name."""
    files = sorted((APP_FILES / "pages").glob("*.py"))
    return {file.stem: declared(file) for file in files}


def declared(file: Path) -> Page:
    """The declaration of a page.

    Raises:
        ValueError: the file has none, which is a mistake of whoever wrote it.
    """
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "PAGE":
            code = compile(ast.Expression(node.value), str(file), "eval")
            page = eval(code, {"Page": Page, "View": View})  # literals of our own file
            if not isinstance(page, Page):
                break
            return replace(page, path=file)
    raise ValueError(NO_DECLARATION.format(file.name))


def path(name: str) -> Path:
    """The file of a page, as ``st.switch_page`` and ``st.page_link`` want it."""
    return pages()[name].path


def name_of(view: View) -> str:
    """What a view is called where its place is not: by that place, if it is its first."""
    return view.place if view is tabs(view.place)[0][1] else view.title


def tabs(place: str) -> list[tuple[Page, View]]:
    """The tabs of a place, in order."""
    views = [(page, view) for page in pages().values() for view in page.views]
    return sorted(
        (each for each in views if each[1].place == place),
        key=lambda each: (each[1].order, each[0].name),
    )
