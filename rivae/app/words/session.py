"""The Words page's session and controls: run, axis, width, meaning of the colours."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import streamlit as st

from rivae.app.panels.codec import unread
from rivae.app.panels.links import ExploreLink
from rivae.app.shared import address, frame, words
from rivae.app.shared.axes import axis_picker, say_gone
from rivae.app.shared.runs import run_title
from rivae.app.shell import cache, keys, pages
from rivae.app.shell.text import markdown
from rivae.app.words import page_keys
from rivae.base.errors import RivaeError

if TYPE_CHECKING:
    from rivae.base.config import Asks
    from rivae.exploring.explorer import Explorer
    from rivae.exploring.placing import AxisKey
    from rivae.exploring.words.relations import Target
    from rivae.runs import Run

NO_TEXTS = (
    "The items of {} have no texts. Words can be shown for runs on pictures with recipes or "
    "other texts."
)
MAX_KEY = 200


@dataclass(frozen=True)
class DrawerContent:
    """A list of items under a title (plain text), and the one item shown in full, if any."""

    title: str
    ids: tuple[int, ...] = ()
    item: int | None = None


def runs_with_texts() -> list[Run]:
    """The runs that can be opened and whose data have texts, newest first."""
    return [run for run in cache.ready_runs() if words.has_texts(run.config.dataset.name)]


def current_run(ready: list[str]) -> tuple[str | None, list[str], Asks, str]:
    """The run in the link; those to try without one: the current one if it has texts, the newest
    with texts, then the others; the view that asks; and a remark on the link.
    """
    link, unreadable = ExploreLink.read(address.read(("run", "ask")))
    remark = address.NO_SUCH_RUN if "run" in unreadable else " ".join(unread(unreadable))
    usable, last = [run.id for run in runs_with_texts()], address.run_in_hand()
    first = [last] if last in usable else []
    return link.run, list(dict.fromkeys([*first, *usable, *ready])), link.asks, remark


def choose_run() -> None:
    """Another run was chosen."""
    st.query_params["run"] = st.session_state[keys.WORDS_RUN]
    for name in (page_keys.DIM, page_keys.RELATE, "ask"):
        st.query_params.pop(name, None)
    close()


def remember(run_id: str, asks: Asks) -> None:
    """Other pages open this run next."""
    address.take(run_id, asks=asks)
    address.add({"run": run_id})


def chosen_target(targets: list[Target]) -> Target:
    """The relation in the link, else the axis itself, which comes first."""
    key = st.query_params.get(page_keys.RELATE, "")[:MAX_KEY]
    return next((target for target in targets if target.key == key), targets[0])


def choose_target() -> None:
    """Another relation was chosen."""
    target: Target = st.session_state[f"{page_keys.RELATE}_widget"]
    if target.kind == "axis":
        st.query_params.pop(page_keys.RELATE, None)
    else:
        st.query_params[page_keys.RELATE] = target.key


# The drawer


def open_list(title: str, ids: list[int]) -> None:
    """Show a list of items."""
    st.session_state[keys.WORDS_OPEN] = DrawerContent(title, tuple(ids))


def open_item(i: int, explorer: Explorer) -> None:
    """Show one item, keeping the list it was chosen from; an unknown item is ignored."""
    try:
        title = explorer.title(i)
    except RivaeError:
        return
    content: DrawerContent | None = st.session_state.get(keys.WORDS_OPEN)
    st.session_state[keys.WORDS_OPEN] = (
        replace(content, item=i) if content is not None else DrawerContent(title, (), i)
    )


def back_to_list() -> None:
    """Show the list again."""
    content: DrawerContent | None = st.session_state.get(keys.WORDS_OPEN)
    if content is not None:
        st.session_state[keys.WORDS_OPEN] = replace(content, item=None)


def close() -> None:
    """Close the drawer on the next rerun."""
    st.session_state[keys.WORDS_OPEN] = None


VIEWS = ("Results", "Clouds", "Contrast", "Axis names", "Tags")
FIRST_VIEW = "Clouds"  # of links that name none
DEFAULT_WIDTH = 2  # further out lie few data, and every query finds the same


@dataclass(frozen=True)
class AxisChoice:
    """An axis and how far its ends lie from the mean, in s.d."""

    key: AxisKey
    n_sigma: int


def view_picker() -> str:
    """The control that changes the view; returns its name."""
    view = st.segmented_control(
        "View",
        VIEWS,
        default=FIRST_VIEW,
        required=True,
        key=page_keys.VIEW,
        bind="query-params",
        label_visibility="collapsed",
    )
    return str(view or FIRST_VIEW)


def axis_and_width(explorer: Explorer) -> AxisChoice:
    """The axis, and the width. Links of before name none where they mean the one that changes the
    best match most.
    """
    from rivae.exploring.words.clouds import N_SIGMA

    most = int(explorer.effects.argmax())
    say_gone(explorer, st.query_params.get(page_keys.DIM, ""))
    with frame.tools():
        key = axis_picker(explorer, "Axis", page_keys.DIM, most, 190, "collapsed")
    with frame.details():
        n_sigma = st.segmented_control(
            "Ends at mean ±",
            N_SIGMA,
            default=DEFAULT_WIDTH,
            required=True,
            key=page_keys.WIDTH,
            format_func=lambda n: f"{n}σ",
            bind="query-params",
            help="In s.d. of the training queries: 95 of 100 lie within 2. The paper's clouds are "
            "at 10; that far out there may be no data, and every query finds the same few dishes.",
        )
    return AxisChoice(key, int(n_sigma or DEFAULT_WIDTH))


def relation_picker(targets: list[Target]) -> Target:
    """The property that the colours of the words show."""
    kinds = {"axis": "this axis", "factor": "factor", "tag": "tag"}
    current = chosen_target(targets)
    key = f"{page_keys.RELATE}_widget"
    st.session_state[key] = current
    choice = st.selectbox(
        "Colour: relation to",
        targets,
        key=key,
        width=300,
        format_func=lambda t: f"{kinds[t.kind]}: {t.label}",
        on_change=choose_target,
        help="A word is related when the items that have it differ from the others: on the axis, "
        "in a known factor, or by a tag (Holm's p below 5 % over all words, and a shift of at "
        "least 0.3 s.d.).",
    )
    return choice or current


def no_texts(explorer: Explorer) -> None:
    """Says that the items of this run have no words, and links to runs that have."""
    st.info(markdown(NO_TEXTS.format(explorer.data.name)))
    others = runs_with_texts()[:3]
    for run in others:
        st.page_link(
            pages.path("words"),
            label=f"Open {markdown(run_title(run))}",
            icon=":material/arrow_forward:",
            query_params={"run": run.id},
        )
    st.page_link(pages.path("data"), label="Import pictures with texts", icon=":material/database:")


def everyday_toggle() -> bool:
    """Whether to show words that many items have."""
    from rivae.exploring.words.item_words import EVERYDAY

    return bool(
        st.toggle(
            "Everyday words",
            value=True,
            key=page_keys.EVERYDAY,
            bind="query-params",
            help=f"Words that more than {EVERYDAY:.0%} of all items have, such as salt.",
        )
    )


def texts_of(explorer: Explorer) -> bool:
    """Read the words of all items, with a spinner the first time; False without texts."""
    from rivae.exploring.words.item_words import has_texts

    if not has_texts(explorer.data):
        return False
    with st.spinner(f"Reading the words of {len(explorer.data):,} items, only the first time …"):
        words.words_of(explorer.data)
    return True
