"""What an added axis is worth: its scores beside chance, what it shares with others, and the items
and words at both of its ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from rivae.app.explore.state import ExploreState
from rivae.app.panels.answers import picture
from rivae.app.shared import charts
from rivae.app.shared.effects import effect_measure
from rivae.app.shared.item import tile
from rivae.app.shell import cache
from rivae.app.shell.text import escape, markdown

if TYPE_CHECKING:
    from rivae.exploring.axis_effects import AxisEffects
    from rivae.exploring.explorer import Explorer, Vector
    from rivae.runs.added_axes import AddedAxis

N_ENDS = 4  # items of each end
ENDS = (0.05, 0.95)  # quantiles of the training queries
SHARED = "Goes with {}: moving it moves these too, unless “Only this” is on."


def short(explorer: Explorer, axis: AddedAxis) -> None:
    """Its poles, its scores, what it shares, and what the person should know."""
    low, high = axis.poles
    poles = f"**{markdown(low)}** ↔ **{markdown(high)}**" if low else f"**{markdown(high)}**"
    st.markdown(poles)
    st.html(_scores(axis, explorer.data.view_names))
    if axis.shares:
        names = (f"{markdown(one.name)} ({_number(one.correlation)})" for one in axis.shares)
        st.caption(SHARED.format(", ".join(names)))
    if axis.remark:
        st.caption(f":material/info: {markdown(axis.remark[0].upper() + axis.remark[1:])}.")


def long(explorer: Explorer, state: ExploreState, axis: AddedAxis) -> None:
    """The items and words at both of its ends; words take a second the first time."""
    reads, moves = np.array(axis.reads), np.array(axis.moves)
    st.html(ends(explorer, state, axis.poles, reads, moves, axis.offset))
    with st.spinner("Measuring what it changes …"):
        key = f"{cache.model_key(state.run, state.asks)}/{state.rows}"
        effects = _effects(key, axis.moves, axis.reads, axis.name, explorer)
    st.caption(markdown(effects.sentence))


def _number(value: float) -> str:
    return f"{value:.2f}".replace("-", "−")


@st.cache_resource(max_entries=64, show_spinner=False)
def _effects(
    key: str,
    moves: tuple[float, ...],
    reads: tuple[float, ...],
    name: str,
    _explorer: Explorer,
) -> AxisEffects:
    return effect_measure(key, _explorer).of(moves, reads, name)


def _scores(axis: AddedAxis, view_names: tuple[str, str]) -> str:
    """A bar for each view that asks, with its interval and the level of chance."""
    if not axis.scores:
        return "<p style='margin:0;opacity:.75'>Not scored: too few held-out items tell.</p>"
    views = dict(zip(("first", "second"), view_names, strict=True))
    rows = []
    for one in axis.scores:
        said = (
            f"correlation {one.score:.2f} with what was asked for, 95 % interval {one.low:.2f} to "
            f"{one.high:.2f}, chance {one.chance:.2f}, on {one.n:,} held-out items"
        )
        bar, mark, left, width = (
            f"{100 * min(max(v, 0.0), 1.0):.1f}%"
            for v in (one.score, one.chance, one.low, one.high - max(one.low, 0.0))
        )
        rows.append(
            f'<div title="{escape(said)}" style="font-size:.875rem;margin-bottom:.5rem">'
            '<div style="display:flex;gap:.5rem;justify-content:space-between">'
            f"<span>{escape(views[one.asks])} asks</span>"
            f'<span style="font-variant-numeric:tabular-nums"><b>{_number(one.score)}</b> '
            f'<span style="opacity:.75">{_number(one.low)} to {_number(one.high)}, '
            f"chance {_number(one.chance)}</span></span></div>"
            f'<div role="img" aria-label="{escape(said)}" style="position:relative;height:.5rem;'
            'margin-top:.2rem;border-radius:4px;background:rgba(128,140,146,.22)">'
            f'<i style="position:absolute;inset:0 auto 0 0;width:{bar};border-radius:4px;'
            f'background:{charts.accent()}"></i>'
            f'<i style="position:absolute;left:{left};width:{width};top:calc(50% - 1px);height:2px;'
            'background:currentColor"></i>'
            f'<i style="position:absolute;left:{mark};top:-3px;bottom:-3px;width:2px;'
            'background:currentColor;opacity:.55"></i></div></div>'
        )
    return "".join(rows)


def ends(
    explorer: Explorer,
    state: ExploreState,
    poles: tuple[str, str],
    reads: Vector,
    moves: Vector,
    offset: float = 0.0,
) -> str:
    """What is found at both ends of an axis from where z is now, as HTML.

    Args:
        poles: what lies at the low and at the high end, "" where nothing says so.
        reads, moves, offset: as of ``AddedAxis``.
    """
    z = np.array(state.z)
    places = explorer.retriever.reference_latents()[0] @ reads + offset
    rows = []
    for place, name, usual in zip(np.quantile(places, ENDS), poles, ("less", "more"), strict=True):
        hits = explorer.topk(z + (float(place) - float(z @ reads) - offset) * moves, N_ENDS)
        tiles = "".join(tile(*picture(explorer, int(i), _side(explorer, state))) for i in hits.ids)
        rows.append(
            f'<figure style="margin:.3rem 0"><figcaption style="font-size:.8rem;opacity:.8">'
            f"{escape(name or usual)}</figcaption>"
            f'<div style="display:grid;grid-template-columns:repeat({N_ENDS},1fr);gap:.3rem">'
            f"{tiles}</div></figure>"
        )
    return "".join(rows)


def _side(explorer: Explorer, state: ExploreState) -> int:
    return 0 if state.whole else explorer.found_side
