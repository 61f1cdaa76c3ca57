"""The state of the Explore page, and every change to it. No streamlit here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rivae.app.panels.answers import (
    Moves,
    card_of,
    existing,
    linked_query,
    linked_z,
    moved_by,
    moves_of,
    next_rev,
    query_z,
    results,
    rounded,
    settled,
)
from rivae.app.panels.codec import carry
from rivae.app.panels.links import ExploreLink, Query
from rivae.app.panels.questions import read_z
from rivae.app.shared.uploads import Upload, asks_of
from rivae.base.config import Asks, Rows
from rivae.base.errors import ConfigError
from rivae.exploring.explorer import MAX_K, Explorer, Vector
from rivae.exploring.sliders import added_sliders, sliders_of
from rivae.figures.page.opening import Order, Seen

UPLOAD_GONE = (
    "Your picture is no longer kept here, so Reset returns to the current sliders: "
    "click Choose to upload it again."
)
TEXT_GONE = (
    "Your text is no longer kept here, so Reset returns to the current sliders: "
    "click Choose to enter it again."
)
CARD_GONE = "no longer kept: choose it again"


@dataclass(frozen=True)
class ExploreState:
    """One view of one run.

    Attributes:
        rev: changes whenever Python, not the browser, set z; the panel takes the state over then.
        asks: which view of a data row is the query; with an ``upload`` the one that it replaces.
        query: a data row or "mean"; with an ``upload`` it is "mean".
        base: z of the query, where reset goes.
        z: z now. All z carry four decimals, so that links restore them exactly.
        added, only_this: as in the link.
    """

    run: str
    rows: Rows
    asks: Asks
    query: Query
    base: tuple[float, ...]
    z: tuple[float, ...]
    k: int
    whole: bool
    locked: tuple[int, ...]
    by_effect: bool
    span: int
    only: str = ""
    added: Mapping[str, float] = field(default_factory=dict)
    only_this: bool = False
    upload: Upload | None = None
    rev: int = 0

    @property
    def start(self) -> Query | str:
        """The query as links name it, an upload by its name."""
        return self.upload.name if self.upload else self.query


def from_link(
    explorer: Explorer, run: str, link: ExploreLink, rev: int, upload: Upload | None = None
) -> tuple[ExploreState, list[str]]:
    """The state that ``link`` describes, and a sentence for each part that does not fit the run.

    ``upload`` is the picture or text that the link names, None where it is not kept any more: then
    its z is where the link has it.
    """
    query, notes = linked_query(explorer, "mean" if link.upload else link.query, link.asks)
    base = upload.z if upload else query_z(explorer, query)
    if link.upload and upload is None:
        base = tuple(link.changes.get(j, v) for j, v in enumerate(base))
        is_text = asks_of(link.upload) == "second"
        upload = Upload(link.upload, "Your text" if is_text else "Your picture", "", base)
        notes.append(TEXT_GONE if is_text else UPLOAD_GONE)
    z, added_amounts, missing = linked_z(explorer, base, link)
    notes += missing
    beyond = [j for j in (*link.changes, *link.locked) if j >= len(z)]
    if beyond:
        left_out = f"{explorer.method.axis_letter()}{max(beyond) + 1}"
        notes.append(f"This run has {len(z)} axes; the link's {left_out} is ignored.")
    state = carry(
        link,
        ExploreState,
        run=run,
        asks=explorer.asks,
        query=query,
        base=base,
        z=tuple(z.tolist()),
        whole=explorer.shows_whole if link.whole is None else link.whole,
        locked=tuple(j for j in link.locked if j < len(z)),
        added=added_amounts,
        upload=upload,
        rev=next_rev(rev),
    )
    return state, notes


def to_link(explorer: Explorer, state: ExploreState) -> ExploreLink:
    """The link that restores ``state``, an upload as long as it is kept."""
    base_z = without_added(explorer, state)
    changes = {j: v for j, (v, b) in enumerate(zip(state.z, base_z, strict=True)) if v != b}
    return carry(
        state,
        ExploreLink,
        query=state.start,
        changes=dict(enumerate(state.z)) if state.upload else changes,
        whole=None if state.whole == explorer.shows_whole else state.whole,
    )


def commit(
    state: ExploreState, view: Mapping[str, Any], moves_now: Callable[[], Moves] = dict
) -> ExploreState:
    """``state`` with what the panel reports; a report from before the last ``rev`` changes nothing.

    Args:
        moves_now: gives ``moves_of`` the run, asked only where an added axis was moved.

    Raises:
        ConfigError: the report holds something that the panel cannot send.
    """
    if view.get("rev") != state.rev:
        return state
    d = len(state.z)
    view_fields = ExploreLink.reported(view, d)
    z = rounded(read_z(view.get("z"), d))
    if view_fields["added"]:
        moves = moves_now()
        view_fields["added"] = {
            name: v for name, v in view_fields["added"].items() if name in moves
        }
        z = settled(z, moved_by(state.base, view_fields["added"], moves))
    return replace(state, z=z, **view_fields)


def without_added(explorer: Explorer, state: ExploreState) -> tuple[float, ...]:
    """Where z would be had only added axes been moved, (d,)."""
    return moved_by(state.base, state.added, moves_of(explorer) if state.added else {})


def with_query(explorer: Explorer, state: ExploreState, query: Query) -> ExploreState:
    """``state`` at another query: z moves to the query's own, except in locked dimensions.

    Raises:
        ConfigError: there is no such row.
    """
    base = query_z(explorer, existing(explorer, query))
    return with_z(replace(state, base=base, query=query, upload=None), base)


def with_upload(state: ExploreState, upload: Upload) -> ExploreState:
    """``state`` with a visitor's own picture or text as the query."""
    uploaded_state = replace(state, asks=upload.asks, base=upload.z, query="mean", upload=upload)
    return with_z(uploaded_state, upload.z)


def with_z(state: ExploreState, z: Sequence[float]) -> ExploreState:
    """``state`` with its free dimensions at ``z``; locked ones stay."""
    amounts = (
        old if j in state.locked else new
        for j, (old, new) in enumerate(zip(state.z, z, strict=True))
    )
    return replace(state, z=tuple(amounts), added={}, rev=next_rev(state.rev))


def payload(explorer: Explorer, state: ExploreState, key: str, url: str) -> dict[str, Any]:
    """Everything the panel draws, the first results included, so that it paints at once.

    ``key`` changes with the run and its rows; ``url`` is the address of the route, "" without one.
    """
    z = np.array(state.z)
    side = 0 if state.whole else explorer.found_side
    return {
        **ExploreLink.sent(state),
        "rev": state.rev,
        "key": key,
        "url": url,
        "run": state.run,
        "rows": state.rows,
        "asks": state.asks,
        "side": explorer.found_side,
        "z": list(state.z),
        "base": list(state.base),
        "wholeLabel": explorer.whole_label,
        "letter": explorer.method.axis_letter(),
        "dims": sliders_of(explorer),
        "addedAxes": added_sliders(explorer),
        "adds": explorer.method.has_latent and explorer.run is not None and explorer.run.ready,
        "query": query_card(explorer, state),
        "conditions": explorer.suggested_conditions,
        "first": _first(explorer, z, state, side),
        "maxK": MAX_K,
        "aspects": [explorer.aspect(0), explorer.aspect(explorer.found_side)],
    }


def _first(explorer: Explorer, z: Vector, state: ExploreState, side: int) -> dict[str, Any]:
    """The first results; among all items where a link's conditions cannot be read."""
    try:
        return results(explorer, z, state.k, side, only=state.only)
    except ConfigError as error:
        return {**results(explorer, z, state.k, side), "error": str(error)}


def seen(explorer: Explorer, state: ExploreState, best: Order, on_map: bool) -> Seen:
    """``state`` as an exported page opens with it; the ``best`` axes are first unless they stand by
    number.
    """
    return Seen(
        query=None if state.query == "mean" else state.query,
        base=state.base,
        z=state.z,
        card=query_card(explorer, state),
        k=state.k,
        only=state.only,
        span=state.span,
        order=best if state.by_effect else "number",
        locked=state.locked,
        added=state.added,
        only_this=state.only_this,
        on_map=on_map,
    )


def query_card(explorer: Explorer, state: ExploreState) -> dict[str, Any]:
    """Picture and words of the query."""
    if state.upload:
        has_picture = bool(state.upload.data_uri)
        yours = "your text" if state.upload.asks == "second" else "your picture"
        text = yours if has_picture else CARD_GONE
        card = {"title": state.upload.title, "text": text}
        return {**card, "picture": state.upload.data_uri, "tiny": False}
    return card_of(explorer, state.query, state.base)
