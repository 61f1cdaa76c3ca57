"""The controls of the Words page that Clouds and Contrast share, and what is said without texts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from rivae.ui import state, words_data, words_session
from rivae.ui.pages import DATA, WORDS
from rivae.ui.run_cards import run_title
from rivae.ui.text import markdown
from rivae.ui.traverse_controls import dim_picker

if TYPE_CHECKING:
    from rivae.explorer import Explorer
    from rivae.words.targets import Target

VIEWS = ("Clouds", "Contrast", "Axis names", "Tags")
DEFAULT_WIDTH = 3


@dataclass(frozen=True)
class Choice:
    """An axis and how far its ends lie from the mean, in s.d."""

    dim: int
    n_sigma: int


def view_picker() -> str:
    """Which part of the page; returns its name."""
    view = st.segmented_control(
        "View", VIEWS, default=VIEWS[0], required=True, key=state.WORDS_VIEW, bind="query-params"
    )
    return str(view or VIEWS[0])


def axis_and_width(explorer: Explorer) -> Choice:
    """The axis, at first the one that changes the best match most, and the width."""
    from rivae.words.states import N_SIGMA

    most = int(explorer.effects.argmax())
    dim = dim_picker(explorer, "Axis", state.WORDS_DIM, most, width=320)
    n_sigma = st.segmented_control(
        "Ends at mean ±", N_SIGMA, default=DEFAULT_WIDTH, required=True, key=state.WORDS_WIDTH,
        format_func=lambda n: f"{n}σ", bind="query-params",
        help="In s.d. of the model's own distribution of queries. The paper's clouds are at 10; "
        "so far out there may be no data, and the same few dishes come up for every query.",
    )  # fmt: skip
    return Choice(dim, int(n_sigma or DEFAULT_WIDTH))


def relation_picker(targets: list[Target]) -> Target:
    """What the colours of the words mean."""
    kinds = {"axis": "this axis", "factor": "factor", "tag": "tag"}
    shown = words_session.chosen_target(targets)
    key = f"{state.WORDS_RELATE}_widget"
    st.session_state[key] = shown
    chosen = st.selectbox(
        "Colour: relation to", targets, key=key, width=300,
        format_func=lambda t: f"{kinds[t.kind]}: {t.label}", on_change=words_session.choose_target,
        help="A word is related when the items that have it differ from the others: on the axis, "
        "in a known factor, or by a tag (Holm's p below 5 % over all words, and a shift of at "
        "least 0.3 s.d.).",
    )  # fmt: skip
    return chosen or shown


def no_texts(explorer: Explorer) -> None:
    """The items of this run have no words: why, and where to go."""
    st.info(markdown(
        f"The items of {explorer.data.name} have no texts. Words can be shown for runs on pictures "
        "with recipes or other texts."
    ))  # fmt: skip
    others = words_session.runs_with_texts()[:3]
    for run in others:
        st.page_link(
            WORDS, label=f"Open {markdown(run_title(run))}", icon=":material/arrow_forward:",
            query_params={"run": run.id},
        )  # fmt: skip
    st.page_link(DATA, label="Import pictures with texts", icon=":material/database:")


def everyday_toggle() -> bool:
    """Whether words that many items have are shown too."""
    from rivae.words.item_words import EVERYDAY

    return bool(st.toggle(
        "Everyday words", value=True, key=state.WORDS_EVERYDAY, bind="query-params",
        help=f"Such as salt: words that more than {EVERYDAY:.0%} of all items have.",
    ))  # fmt: skip


def texts_of(explorer: Explorer) -> bool:
    """Reads the words of all items, with a note where that takes time; False without texts."""
    from rivae.words.item_words import has_texts

    if not has_texts(explorer.data):
        return False
    with st.spinner(f"Reading the words of {len(explorer.data):,} items, the first time only …"):
        words_data.words_of(explorer.data)
    return True
