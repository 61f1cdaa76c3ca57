"""The state of the Steer page, every change to it, and the data of its panel. No streamlit here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rivae.app.panels.answers import ADDED_GONE, card_of, existing, linked_query, next_rev, query_z
from rivae.app.panels.codec import carry
from rivae.app.panels.links import Query
from rivae.app.panels.steer_link import SteerLink
from rivae.app.steer.answers import pictures_of
from rivae.base.config import Asks
from rivae.exploring.explorer import Explorer
from rivae.exploring.placing import AxisKey, added_of
from rivae.exploring.sliders import axes_by_key, reliable_first
from rivae.exploring.steering import (
    MAX_AXES,
    MAX_ROWS,
    Level,
    SteerRow,
    base_point,
    moved,
    steer_rows,
)

FIRST_AXES = 2  # steered when the link names none
FIRST_SIGMA = (2.0, 1.5, 1.0)  # how far, when it does not say


@dataclass(frozen=True)
class SteerState:
    """One matrix of one run.

    Attributes:
        rev: changes whenever Python, not the browser, set the matrix; see ``ExploreState``.
        axes: 1 to 5 dimensions from 0, or ids of added axes.
        rows: levels of z, one per axis; the panel turns those of axes that are shown as −z.
        asks: which view of a data row is the query.
    """

    run: str
    query: Query
    axes: tuple[AxisKey, ...]
    rows: tuple[tuple[Level, ...], ...]
    n_sigma: float
    rev: int = 0
    asks: Asks = "first"

    @property
    def steer_rows(self) -> tuple[SteerRow, ...]:
        """The rows as the library takes them."""
        return steer_rows(self.axes, self.rows)


def from_link(
    explorer: Explorer, run: str, link: SteerLink, rev: int
) -> tuple[SteerState, list[str]]:
    """The state that ``link`` describes, and a sentence for each part that does not fit the run."""
    d = explorer.n_components
    query, notes = linked_query(explorer, link.query, link.asks)
    added_ids = _added_ids(explorer, link.axes)
    places = [
        n for n, j in enumerate(link.axes) if (j < d if isinstance(j, int) else j in added_ids)
    ]
    if beyond := [j for j in link.axes if isinstance(j, int) and j >= d]:
        last = f"{explorer.method.axis_letter()}{max(beyond) + 1}"
        notes.append(f"This run has {d} axes; the link's {last} is ignored.")
    if missing := [j for j in link.axes if isinstance(j, str) and j not in added_ids]:
        notes.append(ADDED_GONE.format(", ".join(missing)))
    axes = tuple(link.axes[n] for n in places)
    rows = [tuple(row[n] for n in places) for row in link.rows] if axes else []
    if not axes:
        axes = tuple(reliable_first(explorer)[:FIRST_AXES])
    if not rows:
        stays: list[Level] = ["query"] * (len(axes) - len(axes[:3]))
        signs = explorer.signs.tolist()
        rows = [(*row.turned(signs).levels, *stays) for row in steer_rows(axes[:3])]
    n_sigma = link.n_sigma
    if not (link.axes or link.rows) and n_sigma == FIRST_SIGMA[0]:  # the link does not say
        n_sigma = _within(explorer, query, axes, rows)
    rev = next_rev(rev)
    return SteerState(run, query, axes, tuple(rows), n_sigma, rev, explorer.asks), notes


def _within(
    explorer: Explorer, query: Query, axes: tuple[AxisKey, ...], rows: list[tuple[Level, ...]]
) -> float:
    """The furthest of ``FIRST_SIGMA`` at which every row lies where the data do, else the least."""
    base = np.array([base_point(explorer, query)])
    for n_sigma in FIRST_SIGMA:
        places = [moved(explorer, base, row, n_sigma)[0] for row in steer_rows(axes, rows)]
        if all(explorer.far(z).where == "inside" for z in places):
            break
    return n_sigma


def _added_ids(explorer: Explorer, axes: Sequence[AxisKey]) -> set[AxisKey]:
    """The ids of the axes that were added to the run; not looked up where none is named."""
    if not any(isinstance(key, str) for key in axes):
        return set()
    return {place.axis.id for place in explorer.added_axes}


def to_link(state: SteerState) -> SteerLink:
    """The link that restores ``state``."""
    return carry(state, SteerLink)


def commit(explorer: Explorer, state: SteerState, view: Mapping[str, Any]) -> SteerState:
    """``state`` with what the panel reports; a report from before the last ``rev`` changes nothing.

    Raises:
        ConfigError: the report holds something that the panel cannot send.
    """
    if view.get("rev") != state.rev:
        return state
    view_fields = SteerLink.reported(view, explorer.n_components)
    rows = steer_rows(view_fields["axes"], view_fields["rows"])
    added_of(explorer, rows[0].axes)  # the run has them all
    return replace(state, **view_fields | {"rows": tuple(row.levels for row in rows)})


def with_query(explorer: Explorer, state: SteerState, query: Query) -> SteerState:
    """``state`` at another query; the matrix stays.

    Raises:
        ConfigError: there is no such row.
    """
    return replace(state, query=existing(explorer, query), rev=next_rev(state.rev))


def payload(explorer: Explorer, state: SteerState, key: str, url: str) -> dict[str, Any]:
    """Everything the panel draws, the first pictures included, so that it paints at once.

    ``url`` is the address of the route, "" without one.
    """
    return {
        **SteerLink.sent(state),
        "rev": state.rev,
        "key": key,
        "url": url,
        "run": state.run,
        "query": card_of(explorer, state.query, query_z(explorer, state.query)),
        "queryId": state.query,
        "asks": state.asks,
        "nItems": len(explorer.data),
        "letter": explorer.method.axis_letter(),
        "dims": axes_by_key(explorer),
        "order": reliable_first(explorer),
        "first": [_first(explorer, state, row) for row in state.steer_rows],
        "aspect": explorer.aspect(0 if explorer.shows_whole else explorer.found_side),
        "wordKind": word_kind(explorer),
        "maxAxes": MAX_AXES,
        "maxRows": MAX_ROWS,
    }


def _first(explorer: Explorer, state: SteerState, row: SteerRow) -> dict[str, Any]:
    return pictures_of(explorer, state.query, row, state.n_sigma)


def word_kind(explorer: Explorer) -> str:
    """What clouds are made of, in one word; "" where the items have no texts."""
    first = explorer.data.recipe(0)
    return "" if first is None else "Ingredients" if first.ingredients else "Words"
