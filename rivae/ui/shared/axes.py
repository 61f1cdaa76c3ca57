"""How axes are called, the chooser of one, and what is said of a method without a latent."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from rivae.errors import RivaeError

if TYPE_CHECKING:
    from rivae.explorer import Explorer
    from rivae.methods.base import Method
    from rivae.runs import Run


def method_of(run: Run) -> type[Method] | None:
    """The method of a run; None where its configuration cannot be read or names no such method."""
    from rivae.methods import method_class

    try:
        return method_class(run.config.method.name)
    except RivaeError:
        return None


def names_of(run: Run, n: int) -> list[str]:
    """What the ``n`` axes of a run are called, as ``Explorer.axis_names``, without opening it."""
    from rivae.methods import Method
    from rivae.words.axis_names import given_names, labels

    return labels((method_of(run) or Method).axis_names(n), given_names(run, n))


def no_latent(method: Method | type[Method] | None) -> str:
    """One sentence for a method without a latent, nothing for any other."""
    if method is None or method.has_latent:
        return ""
    return f"{method.title} has no latent: its axes v1, v2 … are those of the embedding v."


def dim_picker(explorer: Explorer, label: str, key: str, default: int, width: int = 200) -> int:
    """One dimension, which the address keeps by its number: its name may change."""
    ids, names = explorer.axis_ids, explorer.axis_names
    text = st.query_params.get(key, "")
    st.session_state[f"{key}_widget"] = ids.index(text) if text in ids else default
    chosen = st.selectbox(
        label,
        range(len(ids)),
        format_func=names.__getitem__,
        key=f"{key}_widget",
        width=width,
        on_change=_choose_dim,
        args=(key, ids),
    )
    return int(chosen)


def _choose_dim(key: str, ids: list[str]) -> None:
    """Another dimension was chosen in the list ``key``."""
    st.query_params[key] = ids[st.session_state[f"{key}_widget"]]
