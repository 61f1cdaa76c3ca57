"""One question about rows of several axes, checked, and its answer: pictures or word clouds.

The Steer panel and the presenter's view of a tour ask the same way, over the web route or through
the session. No page is rerun for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import numpy as np
import streamlit as st

from rivae.app.panels.answers import OpenRun, existing, picture, searched_by
from rivae.app.panels.links import Query
from rivae.app.panels.questions import (
    MAX_CLOUDS,
    Key,
    Steering,
    SteeringPart,
    SteeringPlace,
    read,
)
from rivae.app.shell import cache
from rivae.base.errors import ConfigError, RivaeError
from rivae.exploring.explorer import Explorer, Vector
from rivae.exploring.placing import AxisKey, added_of, axis_names
from rivae.exploring.sliders import axes_by_key
from rivae.exploring.steering import SteerRow, SteerTexts, base_point, moved, steer_texts

K = 5  # pictures of a row, as in the paper's figure
N_WAY = 11  # places between two steps: one every 60 ms of what the presenter's view takes
NO_WORDS = "The items have no texts, so there are no word clouds."


def answer(question: Mapping[str, Any], open_run: OpenRun) -> dict[str, Any]:
    """The answers to ``{seq, parts, cloud, card}``.

    A part is ``{key, run, query, asks, axes, levels, n_sigma}`` with axes as in ``SteerRow``. Its
    answer has its ``key`` and either ``items`` ([number, title, data address, tiny], best first),
    ``side``, ``where``, ``engine`` (who searches), ``axes`` (see ``axes_by_key``) and their ``at``
    (s.d. from the mean); or, with ``cloud``, ``cloud`` (see ``rivae.figures.clouds.to_json``) or
    None with a ``note``; or an ``error``. With ``card`` there is also the ``query``, see ``card``,
    and for a part with ``since`` the ``way`` from there, see ``way_of``.

    Raises:
        ConfigError: a field is missing, of the wrong kind or out of range.
    """
    request = read(Steering, question)
    costly = request.cloud or any("since" in part for part in request.parts)
    if costly and len(request.parts) > MAX_CLOUDS:
        raise ConfigError(
            f"'parts' must be a list of 1 to {MAX_CLOUDS} rows with 'cloud' or 'since'"
        )
    return {"seq": request.seq, "parts": [_part(part, request, open_run) for part in request.parts]}


def _part(part: Mapping[str, Any], asked: Steering, open_run: OpenRun) -> dict[str, Any]:
    key = read(Key, part).key
    try:
        row = read(SteeringPart, part)
        levels = SteerRow(tuple(row.axes), tuple(row.levels))
        explorer = open_run(row.run, "test", row.asks)
        if asked.cloud:
            cloud = cloud_of(explorer, row.run, levels, row.n_sigma)
        else:
            cloud = pictures_of(explorer, row.query, levels, row.n_sigma)
            if asked.card:
                cloud["query"] = card(explorer, row.query)
            if row.since is not None:
                since = read(SteeringPlace, row.since)
                with suppress(RivaeError):  # the step before is broken, this one is not
                    cloud["way"] = way_of(explorer, since, row)
    except RivaeError as error:  # one broken row does not hide the others
        return {"key": key, "error": str(error)}
    return {"key": key, **cloud}


def pictures_of(explorer: Explorer, query: Query, row: SteerRow, n_sigma: float) -> dict[str, Any]:
    """The items of one row, and where it lies from the data (``Distance.where``)."""
    side = 0 if explorer.shows_whole else explorer.found_side
    z = _place(explorer, query, row, n_sigma)
    ids = explorer.topk(z, K).ids.tolist()
    axes = axes_by_key(explorer)
    return {
        "items": [[i, *picture(explorer, i, side)] for i in ids],
        "side": side,
        "where": explorer.far(z).where,
        "engine": searched_by(explorer),
        "axes": [axes[j] for j in row.axes],
        "at": _levels_at(explorer, z, row),
    }


def _place(explorer: Explorer, query: Query, row: SteerRow, n_sigma: float) -> Vector:
    return moved(explorer, np.array([base_point(explorer, query)]), row, n_sigma)[0]


def _levels_at(explorer: Explorer, z: Vector, row: SteerRow) -> list[float]:
    """Where ``z`` lies on the axes of ``row``, in s.d. from the mean."""
    at: dict[AxisKey, float] = dict(enumerate((z - explorer.mean) / explorer.std))
    for name, place in added_of(explorer, row.axes).items():
        at[name] = (float(place.axis.at(z[None])[0]) - place.mean) / place.std
    return [round(float(at[j]), 2) + 0.0 for j in row.axes]


def way_of(explorer: Explorer, start: SteeringPlace, end: SteeringPlace) -> dict[str, Any]:
    """What is found on the straight way from one place to another, both left out.

    ``ids``: lists of item numbers, best first, at ``N_WAY`` places; ``items``: by number [title,
    data address, tiny]; ``from``: s.d. of the start on the axes of the end; ``back``: the reverse.
    """
    side = 0 if explorer.shows_whole else explorer.found_side
    rows = [SteerRow(tuple(place.axes), tuple(place.levels)) for place in (start, end)]
    first, last = (
        _place(explorer, place.query, row, place.n_sigma)
        for place, row in zip((start, end), rows, strict=True)
    )
    shares = np.arange(1, N_WAY + 1)[:, None] / (N_WAY + 1)
    ids = [explorer.topk(z, K).ids.tolist() for z in first + shares * (last - first)]
    return {
        "ids": ids,
        "items": {str(i): picture(explorer, i, side) for i in {i for each in ids for i in each}},
        "from": _levels_at(explorer, first, rows[1]),
        "back": _levels_at(explorer, last, rows[0]),
    }


def card(explorer: Explorer, query: Query) -> list[str | bool | int]:
    """The query as [title, address of its picture, whether its pixels stay sharp, the item that is
    pictured, its side].
    """
    is_mean, side = query == "mean", explorer.query_side
    i = int(explorer.topk(explorer.mean, 1).ids[0] if is_mean else existing(explorer, query))
    title, *urls = picture(explorer, i, side)
    return ["Average query" if is_mean else title, *urls, i, side]


def cloud_of(explorer: Explorer, run: str, row: SteerRow, n_sigma: float) -> dict[str, Any]:
    """The words of one row."""
    key = cache.model_key(run, explorer.asks)
    texts = _texts(key, explorer)
    if texts is None:
        return {"cloud": None, "note": NO_WORDS}
    names_by_axis = axis_names(explorer)
    names = tuple(names_by_axis[j] for j in row.axes)  # they are said in the descriptions
    cloud = _cloud(key, row.axes, row.levels, n_sigma, names, explorer, texts)
    return {"cloud": cloud, "note": "" if cloud else "No words among the retrieved items."}


@st.cache_resource(max_entries=4, show_spinner=False)
def _texts(key: str, _explorer: Explorer) -> SteerTexts | None:
    from rivae.app.shared.words import words_of
    from rivae.exploring.words.item_words import has_texts

    data = _explorer.data
    return steer_texts(_explorer, words_of(data)) if has_texts(data) else None


@st.cache_resource(max_entries=512, show_spinner=False)
def _cloud(
    key: str,
    axes: tuple[AxisKey, ...],
    levels: tuple[Any, ...],
    n_sigma: float,
    names: tuple[str, ...],
    _explorer: Explorer,
    _texts: SteerTexts,
) -> dict[str, Any] | None:
    from rivae.figures.clouds import to_json
    from rivae.figures.steering import row_cloud

    cloud = row_cloud(_explorer, _texts, SteerRow(axes, levels), n_sigma)
    return None if cloud is None else to_json(cloud, 0)
