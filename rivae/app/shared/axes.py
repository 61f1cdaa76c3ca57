"""Choosing among the axes of a run: those of z, and those that were added to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import streamlit as st

from rivae.app.panels.codec import MAX_LENGTH
from rivae.app.shell.text import markdown
from rivae.app.work import certainty
from rivae.exploring.placing import AxisKey, axis_names
from rivae.exploring.sliders import reliable_first

if TYPE_CHECKING:
    from rivae.exploring.explorer import Explorer


def axes_by_id(explorer: Explorer) -> dict[str, AxisKey]:
    """The keys of all axes by the ids that the address names them by: their names may change."""
    latents: dict[str, AxisKey] = {name: j for j, name in enumerate(explorer.axis_ids)}
    return latents | {place.axis.id: place.axis.id for place in explorer.added_axes}


RELIABLE = "reliable"  # in an address: the most reliable axes, whichever these are
GONE = "The link names axes that this run does not have, and ignores them: {}."


def axes_version(explorer: Explorer, axes: Sequence[AxisKey]) -> str:
    """What tells results along axes apart from those along others of the same keys: how an axis of
    z is turned, which another name may change, and which added axis has an id.
    """
    axes_by_id = {place.axis.id: place.axis for place in explorer.added_axes}
    signs = explorer.signs
    return repr([int(signs[key]) if isinstance(key, int) else axes_by_id.get(key) for key in axes])


def say_gone(explorer: Explorer, text: str) -> None:
    """Says which axes of an address ("z1~a3") the run does not have."""
    ids = {*axes_by_id(explorer), RELIABLE, ""}
    if missing := [name[:20] for name in text[:MAX_LENGTH].split("~") if name not in ids]:
        st.warning(GONE.format(markdown(", ".join(missing[:8]))), icon=":material/info:")


def signed_names(
    explorer: Explorer, shown: Sequence[AxisKey]
) -> tuple[dict[AxisKey, str], str | None]:
    """How all axes are called in a list, with marks of how sure they are; and what the marks of the
    ``shown`` ones mean, as plain text, if any.
    """
    axis_certainty, latents = certainty.known_certainty(explorer.run), explorer.axis_names
    names = dict[AxisKey, str](enumerate(certainty.signed(axis_certainty, latents)))
    why = certainty.reasons(axis_certainty, latents, [key for key in shown if isinstance(key, int)])
    return axis_names(explorer) | names, why


def dim_picker(explorer: Explorer, label: str, key: str, default: int, width: int = 200) -> int:
    """One dimension of z; see ``axis_picker``."""
    ids = {name: j for j, name in enumerate(explorer.axis_ids)}
    return int(_picked(explorer, ids, label, key, default, width, "visible"))


def axis_picker(
    explorer: Explorer,
    label: str,
    key: str,
    default: AxisKey,
    width: int,
    label_visibility: Literal["visible", "collapsed"] = "visible",
) -> AxisKey:
    """One axis, of z or added, which the address keeps by its id or as "reliable", the first of
    those.
    """
    ids = axes_by_id(explorer)
    if st.query_params.get(key) == RELIABLE:
        default = reliable_first(explorer)[0]
    return _picked(explorer, ids, label, key, default, width, label_visibility)


def _picked(
    explorer: Explorer,
    ids: Mapping[str, AxisKey],
    label: str,
    key: str,
    default: AxisKey,
    width: int,
    label_visibility: Literal["visible", "collapsed"],
) -> AxisKey:
    current = ids.get(st.query_params.get(key, ""), default)
    st.session_state[f"{key}_widget"] = current
    names, why = signed_names(explorer, [current])
    choice: AxisKey = st.selectbox(
        label,
        list(ids.values()),
        format_func=names.__getitem__,
        help=why and markdown(why),
        key=f"{key}_widget",
        width=width,
        label_visibility=label_visibility,
        on_change=_choose_axis,
        args=(key, {axis: name for name, axis in ids.items()}),
    )
    return choice


def _choose_axis(key: str, ids: Mapping[AxisKey, str]) -> None:
    """Another axis was chosen in the list ``key``."""
    st.query_params[key] = ids[st.session_state[f"{key}_widget"]]
