"""The state of the Compare page, every change to it, and its panel's data. No streamlit here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rivae.app.panels.answers import (
    card_of,
    existing,
    linked_query,
    next_rev,
    results,
    rounded,
)
from rivae.app.panels.codec import carry
from rivae.app.panels.links import CompareLink, Query
from rivae.app.panels.questions import read_z
from rivae.base.config import Asks
from rivae.exploring.comparison import COUNTERPART, Comparison
from rivae.exploring.explorer import MAX_K, Explorer, Vector
from rivae.exploring.sliders import axes_of, sliders_of
from rivae.exploring.words.axis_names import SEPARATOR, signed_id

LETTERS = "ABCDEF"
NONE = {"axis": None, "step": 0, "short": "–", "label": "no counterpart"}
UNIT = "1.00 is the middle 99 % of an axis."
ABOUT_UNIT = (
    "A slider shifts the query by a share of an axis' range: 1.00 is the range that the central "
    "99 % of a run's own training queries fill."
)


@dataclass(frozen=True)
class CompareState:
    """One view of several runs.

    Attributes:
        rev: changes whenever Python, not the browser, set the shifts; see ``ExploreState``.
        shifts: per factor, in ranges, four decimals.
        asks: which view of a data row is the query, in every run.
    """

    runs: tuple[str, ...]
    query: Query
    shifts: tuple[float, ...]
    factor: int
    k: int
    whole: bool
    span: int
    locked: tuple[int, ...]
    by_effect: bool
    asks: Asks
    rev: int = 0


def from_link(
    first: Explorer, runs: Sequence[str], link: CompareLink, rev: int
) -> tuple[CompareState, list[str]]:
    """The state that ``link`` describes, and a sentence for each part that does not fit."""
    d = first.n_components
    query, notes = linked_query(first, link.query, link.asks)
    beyond = [j for j in (*link.shifts, link.factor, *link.locked) if j >= d]
    if beyond:
        beyond_all = max(beyond) + 1
        notes.append(f"The first run has {d} axes; the link's axis {beyond_all} is ignored.")
    state = carry(
        link,
        CompareState,
        runs=tuple(runs),
        query=query,
        asks=first.asks,
        shifts=tuple(link.shifts.get(j, 0.0) for j in range(d)),
        factor=link.factor if link.factor < d else 0,
        whole=first.shows_whole if link.whole is None else link.whole,
        locked=tuple(j for j in link.locked if j < d),
        rev=next_rev(rev),
    )
    return state, notes


def to_link(first: Explorer, state: CompareState) -> CompareLink:
    """The link that restores ``state``."""
    return carry(
        state,
        CompareLink,
        shifts={j: shift for j, shift in enumerate(state.shifts) if shift},
        whole=None if state.whole == first.shows_whole else state.whole,
    )


def commit(state: CompareState, view: Mapping[str, Any]) -> CompareState:
    """``state`` with what the panel reports; a report from before the last ``rev`` changes nothing.

    Raises:
        ConfigError: the report holds something that the panel cannot send.
    """
    if view.get("rev") != state.rev:
        return state
    d = len(state.shifts)
    view_fields = CompareLink.reported(view, d)
    return replace(state, shifts=rounded(read_z(view.get("shifts"), d)), **view_fields)


def with_query(first: Explorer, state: CompareState, query: Query) -> CompareState:
    """``state`` at another query; the shifts stay, since they are relative to it.

    Raises:
        ConfigError: there is no such row.
    """
    return replace(state, query=existing(first, query), rev=next_rev(state.rev))


def payload(comparison: Comparison, state: CompareState, key: str, url: str) -> dict[str, Any]:
    """Everything the panel draws, the first results included, so that it paints at once.

    Args:
        key: changes when a run or its model does.
        url: of the top-k route.
    """
    first = comparison.explorers[0]
    side = 0 if state.whole else first.found_side
    shifts = dict(enumerate(state.shifts))
    runs, payloads = [], []
    items: dict[str, Any] = {}
    bases = comparison.query_z(state.query)
    for i, (run, base) in enumerate(zip(state.runs, bases, strict=True)):
        first_results = results(
            comparison.explorers[i],
            comparison.shifted(i, base, shifts),
            state.k,
            side,
            {int(item) for item in items},
        )
        items |= first_results.pop("items")
        payloads.append(first_results)
        runs.append(
            {
                "id": run,
                "letter": LETTERS[i],
                "title": run,
                "method": comparison.explorers[i].method.title,
                "base": base.tolist(),
                "dims": sliders_of(comparison.explorers[i]),
                "parts": [part(comparison, i, factor) for factor in range(comparison.n_factors)],
            }
        )
    return {
        **CompareLink.sent(state),
        "rev": state.rev,
        "key": key,
        "url": url,
        "runs": runs,
        "first": {"runs": payloads, "items": items},
        "shifts": list(state.shifts),
        "wholeLabel": first.whole_label,
        "unit": UNIT,
        "about_unit": ABOUT_UNIT,
        "asks": state.asks,
        "side": first.found_side,
        "dims": dims(comparison, bases[0]),
        "query": card_of(first, state.query, bases[0]),
        "maxK": MAX_K,
        "aspects": [first.aspect(0), first.aspect(first.found_side)],
    }


def dims(comparison: Comparison, base: Vector) -> list[dict[str, Any]]:
    """The sliders: where the reference's queries lie, as shifts from ``base`` (d,) in ranges."""
    first = comparison.explorers[0]
    out, axes = [], axes_of(first)
    for factor in range(comparison.n_factors):
        step = comparison.step(0, factor)
        assert step is not None  # the reference always has its own axis
        out.append(
            {
                **axes[factor],
                "name": SEPARATOR.join(filter(None, (f"Axis {factor + 1}", axes[factor]["given"]))),
                "short": f"Axis {factor + 1}",
                "mean": round(float(first.mean[factor] - base[factor]) / step[1], 6),
                "std": round(max(float(first.std[factor]) / step[1], 1e-6), 6),
                "effect": round(float(first.effects[factor]), 3),
            }
        )
    return out


def part(comparison: Comparison, run: int, factor: int) -> dict[str, Any]:
    """Which axis of a run moves with a factor: its step for the browser, and its labels."""
    matches, step = comparison.matching[run][factor], comparison.step(run, factor)
    if matches is None:
        return {**NONE, "why": "no axis is left to match this one"}
    name = comparison.axis_name(run, matches.axis)
    explorer = comparison.explorers[run]
    axis_id = signed_id(explorer.axis_ids[matches.axis], int(explorer.signs[matches.axis]))
    if step is None:
        return {**NONE, "why": f"best is {name}, |corr| {matches.strength:.2f} < {COUNTERPART:g}"}
    axis, unit = step
    if run == 0:
        return {
            "axis": axis,
            "step": unit,
            "short": axis_id,
            "label": f"{name} (the reference)",
            "why": "",
        }
    sign = "" if comparison.shown_sign(run, factor) > 0 else " (−)"
    strength = f"{matches.strength:.2f}"
    return {
        "axis": axis,
        "step": unit,
        "short": f"{axis_id}{sign} {strength}",
        "label": f"{name}{sign}, |corr| {strength}",
        "why": "",
    }
