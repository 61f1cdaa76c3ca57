"""Everything about one axis, as a view of Traverse."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from rivae.app.shared import charts, frame, share
from rivae.app.shared.axes import dim_picker
from rivae.app.shared.charts import chart, headline
from rivae.app.shared.effects import axis_effects
from rivae.app.shared.gallery import gallery_panel
from rivae.app.shared.runs import run_title
from rivae.app.shell import cache, keys
from rivae.app.shell.report import waiting
from rivae.app.shell.text import markdown
from rivae.app.traverse import traversals
from rivae.app.traverse.session import choose_query, query_picker
from rivae.app.work import certainty
from rivae.base.errors import RivaeError

if TYPE_CHECKING:
    from rivae.app.traverse.session import Anchor
    from rivae.exploring.explorer import Explorer
    from rivae.retrieval.ranges import Range
    from rivae.runs import Run

N_QUERIES, N_POINTS, MAX_RUNS = 6, 9, 5


def card(explorer: Explorer, anchor: Anchor, choice: Range) -> None:
    """The axis: its names, where items lie, what they look like there, what it follows."""
    by_effect = sorted(range(explorer.n_components), key=lambda j: (-explorer.effects[j], j))
    query_picker(explorer, anchor)
    with frame.tools():
        dim = dim_picker(explorer, "Axis", keys.TRAVERSE_CARD, by_effect[0], width=280)
        for title, step in (("Previous", -1), ("Next", 1)):
            st.button(
                title,
                icon=":material/chevron_left:" if step < 0 else ":material/chevron_right:",
                key=f"{keys.TRAVERSE_CARD}_{step}",
                on_click=_show,
                args=(explorer.axis_ids[(dim + step) % explorer.n_components],),
                type="tertiary",
            )
    _head(explorer, dim)
    with st.grid(2, min_column_width=460, gap="large"):
        with st.container():
            _positions(explorer, anchor, dim)
        with st.container():
            _changes(explorer, anchor, dim)
    _examples(explorer, dim)
    _strips(explorer, anchor, choice, dim)
    _others(explorer, anchor, dim)


def _show(axis: str) -> None:
    st.query_params[keys.TRAVERSE_CARD] = axis


def _head(explorer: Explorer, dim: int) -> None:
    """Its name and poles, the score of the name, how sure it is, and its effect."""
    name = explorer.known_names[dim]
    poles = " ↔ ".join(pole for pole in (name.poles if name else ()) if pole)
    parts = [f"{explorer.effects[dim]:.0%} of small steps along it change the best match"]
    if name is not None and (score := name.held_out) is not None:
        parts.append(
            f"its name has score {score.score:.2f} on {score.n:,} test items, chance "
            f"{score.chance:.2f}"
        )
    axis_certainty = certainty.known_certainty(explorer.run)
    if why := certainty.reasons(axis_certainty, explorer.axis_names, [dim]):
        parts.append(why)
    st.subheader(markdown(poles or explorer.axis_names[dim]), anchor=False)
    st.caption(markdown(f"{explorer.axis_names[dim]}: {'; '.join(parts)}."))


def _positions(explorer: Explorer, anchor: Anchor, dim: int) -> None:
    from rivae.figures.axis_card import position_histogram

    name = explorer.known_names[dim]
    figure = partial(
        position_histogram,
        explorer.shown_positions(dim),
        explorer.axis_names[dim],
        poles=name.poles if name else ("", ""),
        query=float(explorer.signs[dim]) * anchor.z[dim],
    )
    headline("Where items lie")
    share.figure(
        "Where items lie",
        "positions",
        figure,
        anchor.run,
        "axis",
        is_chart=True,
        dim=dim,
        asks=anchor.asks,
    )
    chart(figure(dark=charts.is_dark()), key=f"{keys.TRAVERSE_CARD}_positions")


def _changes(explorer: Explorer, anchor: Anchor, dim: int) -> None:
    """The factors, tags and words that change among the items found along it."""
    from rivae.figures.effects import effect_bars

    with waiting("Moving held-out queries along the axis …", 300):
        effects = axis_effects(
            anchor.key, explorer.axis_ids[dim], explorer.axis_names[dim], explorer
        )
    figure = partial(effect_bars, effects)
    headline("What moving along it changes")
    share.figure(
        "What moving along it changes",
        "effects",
        figure,
        anchor.run,
        "axis",
        is_chart=True,
        dim=dim,
        asks=anchor.asks,
    )
    if effects.names:
        chart(figure(dark=charts.is_dark()), key=f"{keys.TRAVERSE_CARD}_effects")
    st.caption(markdown(effects.sentence))


def _examples(explorer: Explorer, dim: int) -> None:
    from rivae.exploring.axis_card import QUANTILES, examples

    st.subheader("Items along it", anchor=False)
    side = 0 if explorer.shows_whole else explorer.found_side
    columns = st.columns(len(QUANTILES))
    for column, quantile, rows in zip(columns, QUANTILES, examples(explorer, dim), strict=True):
        with column:
            st.caption(f"{quantile:.0%} of all items lie below")
            gallery_panel(
                explorer,
                rows,
                side=side,
                chosen=None,
                label=f"Items at {quantile:.0%}",
                key=f"{keys.TRAVERSE_CARD}_at_{quantile}",
                pick=choose_query,
            )
    st.caption("Click one to make it the query.")


def _strips(explorer: Explorer, anchor: Anchor, choice: Range, dim: int) -> None:
    """What is found for several queries while only this axis moves."""
    from rivae.figures.sheet import stacked, to_fragment
    from rivae.figures.traversals import strips_of, strips_sheet

    data, side = explorer.data, 0 if explorer.shows_whole else explorer.found_side
    with waiting("Moving along the axis …", 300):
        traversal = traversals.many_queries(anchor.key, N_QUERIES, choice, explorer)
        as_shown, rows = traversal.turned(explorer.signs), explorer.search_rows[:N_QUERIES].tolist()
        sheets = [
            strips_sheet(
                [strips_of(as_shown, q, explorer.axis_names, max_points=N_POINTS)[dim]],
                lambda i: data.picture(i, side),
                side=72,
                title=data.title,
                query=data.picture(row, explorer.query_side),
                query_title=data.title(row),
                marked=(row,),
            )
            for q, row in enumerate(rows)
        ]
    st.subheader("Several queries, moved along it", anchor=False)
    st.html(to_fragment(stacked(sheets, gap=0), dark=charts.is_dark()))


def _others(explorer: Explorer, anchor: Anchor, dim: int) -> None:
    """The axes most like this one in other runs on the same data."""
    from rivae.exploring.axis_card import likest

    this_run = cache.run(anchor.run)
    others = [
        run for run in cache.ready_runs() if run.id != this_run.id and _same_data(run, this_run)
    ]
    if not others:
        return
    st.subheader("In other runs", anchor=False)
    with waiting("Opening other runs on the same data …", 80):
        for run in others[:MAX_RUNS]:
            try:
                (link,) = likest(explorer, dim, [cache.explorer(run.id)])
            except RivaeError:
                continue  # its own card on Home says what is wrong
            if link is not None:
                st.markdown(
                    f"{markdown(run_title(run))}: {markdown(link.name)}, correlation "
                    f"{link.r:.2f} ({link.low:.2f} to {link.high:.2f})"
                )


def _same_data(run: Run, own: Run) -> bool:
    return run.config.dataset.same_items(own.config.dataset)
