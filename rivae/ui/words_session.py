"""The Words page's session: which run and axis, what its words relate to, what the drawer holds.

Run, axis and relation are written into the address by hand (an axis by its number, since its name
may change); every other control is bound to the address by Streamlit under its own name.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import streamlit as st

from rivae.errors import RivaeError
from rivae.ui import address, cache, state
from rivae.ui.links import read_link

if TYPE_CHECKING:
    from rivae.explorer import Explorer
    from rivae.runs import Run
    from rivae.words.targets import Target

# Data sets whose items have texts; only the first guess of the page depends on this.
WITH_TEXTS = ("pairs", "kitchen")
MAX_KEY = 200


@dataclass(frozen=True)
class Opened:
    """What the drawer shows: a list of items under a title, and one of them in full, if any.

    ``title`` is plain text.
    """

    title: str
    ids: tuple[int, ...] = ()
    item: int | None = None


def runs_with_texts() -> list[Run]:
    """The runs that can be opened and whose data have texts, newest first."""
    return [run for run in cache.ready_runs() if run.config.dataset.name in WITH_TEXTS]


def current_run(ready: list[str]) -> tuple[str, str]:
    """The run in the address, else the one in hand if it has texts, else the newest that has; and
    a remark on the link.
    """
    link, dropped = read_link({"run": st.query_params.get("run", "")})
    remark = "The link names no run that could be read, so another one is shown." if dropped else ""
    if link.run:
        return link.run, remark
    usable, last = [run.id for run in runs_with_texts()], address.run_in_hand()
    return next((run for run in (last, *usable) if run in usable), (ready or [""])[0]), remark


def choose_run() -> None:
    """Another run was chosen."""
    st.query_params["run"] = st.session_state[state.WORDS_RUN]
    for name in (state.WORDS_DIM, state.WORDS_RELATE):
        if name in st.query_params:
            del st.query_params[name]
    close()


def remember(run_id: str) -> None:
    """Other pages open this run next."""
    address.take(run_id)
    address.add({"run": run_id})


def chosen_target(targets: list[Target]) -> Target:
    """The relation in the address, else the axis itself, which comes first."""
    key = st.query_params.get(state.WORDS_RELATE, "")[:MAX_KEY]
    return next((target for target in targets if target.key == key), targets[0])


def choose_target() -> None:
    """Another relation was chosen."""
    chosen: Target = st.session_state[f"{state.WORDS_RELATE}_widget"]
    if chosen.kind == "axis":
        st.query_params.pop(state.WORDS_RELATE, None)
    else:
        st.query_params[state.WORDS_RELATE] = chosen.key


# The drawer


def open_list(title: str, ids: list[int]) -> None:
    """Show a list of items."""
    st.session_state[state.WORDS_OPEN] = Opened(title, tuple(ids))


def open_item(i: object, explorer: Explorer) -> None:
    """Show one item, beside the list it was chosen from, if any; other reports mean nothing."""
    if not isinstance(i, int) or isinstance(i, bool):
        return
    try:
        title = explorer.title(i)
    except RivaeError:
        return
    known: Opened | None = st.session_state.get(state.WORDS_OPEN)
    st.session_state[state.WORDS_OPEN] = (
        replace(known, item=i) if known is not None else Opened(title, (), i)
    )


def back_to_list() -> None:
    """The list again, without the item."""
    known: Opened | None = st.session_state.get(state.WORDS_OPEN)
    if known is not None:
        st.session_state[state.WORDS_OPEN] = replace(known, item=None)


def close() -> None:
    """No drawer on the next run."""
    st.session_state[state.WORDS_OPEN] = None
