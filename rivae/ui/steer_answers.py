"""One question about rows of several axes, checked, and its answer: pictures or word clouds.

The Steer panel and the presenter's view of a tour ask the same way, over the web route or through
the session. No page is rerun for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import streamlit as st

from rivae.errors import ConfigError, RivaeError
from rivae.explorer import Explorer
from rivae.steering import SteerRow, SteerTexts, base_point, steer, steer_texts
from rivae.ui import cache
from rivae.ui.answers import OpenRun, picture
from rivae.ui.links import RUN_ID, Query

if TYPE_CHECKING:
    from rivae.plots.clouds import Clouds

K = 5  # pictures of a row, as in the paper's figure
MAX_PARTS = 32
MAX_CLOUDS = 4  # in one question: each takes some 150 ms
MAX_KEY = 200
NO_WORDS = "The items have no texts, so there are no word clouds."


def answer(question: Mapping[str, Any], open_run: OpenRun) -> dict[str, Any]:
    """The answers to ``{seq, parts, cloud, card}``.

    A part is ``{key, run, query, axes, levels, n_sigma}`` with axes from 0. Its answer has its
    ``key`` and either ``items`` ([number, title, data address, tiny], best first), ``side``,
    ``far`` and ``names``; or, with ``cloud``, ``cloud`` (see :func:`drawn`) or None with a
    ``note``; or an ``error``. With ``card`` there is also the ``query`` as [title, address, tiny].

    Raises:
        ConfigError: a field is missing, of the wrong kind or out of range.
    """
    seq, parts = question.get("seq"), question.get("parts")
    if isinstance(seq, bool) or not isinstance(seq, int) or not 0 <= seq <= 2**53:
        raise ConfigError("'seq' must be a whole number")
    with_cloud = bool(question.get("cloud"))
    most = MAX_CLOUDS if with_cloud else MAX_PARTS
    if not isinstance(parts, list) or not 1 <= len(parts) <= most:
        raise ConfigError(f"'parts' must be a list of 1 to {most} rows")
    return {
        "seq": seq,
        "parts": [_part(part, open_run, with_cloud, bool(question.get("card"))) for part in parts],
    }


def _part(part: Any, open_run: OpenRun, with_cloud: bool, with_card: bool) -> dict[str, Any]:
    if not isinstance(part, dict):
        raise ConfigError("every one of 'parts' must be an object")
    key = part.get("key")
    if not isinstance(key, str) or len(key) > MAX_KEY:
        raise ConfigError(f"'key' must be a text of at most {MAX_KEY} characters")
    try:
        run = part.get("run")
        if not isinstance(run, str) or not RUN_ID.fullmatch(run):
            raise ConfigError("'run' must be the id of a run as shown by `rivae runs`")
        row, n_sigma = read_row(part), read_number(part.get("n_sigma"))
        query = read_query(part.get("query"))
        explorer = open_run(run, "test")
        if with_cloud:
            found = cloud_of(explorer, run, row, n_sigma)
        else:
            found = pictures_of(explorer, query, row, n_sigma)
            if with_card:
                found["query"] = card(explorer, query)
    except RivaeError as error:  # what is wrong with one row does not silence the others
        return {"key": key, "error": str(error)}
    return {"key": key, **found}


def read_row(value: Mapping[str, Any]) -> SteerRow:
    """``axes`` and ``levels`` of a JSON object.

    Raises:
        ConfigError: they make no row.
    """
    axes, levels = value.get("axes"), value.get("levels")
    if not isinstance(axes, list) or not isinstance(levels, list):
        raise ConfigError("'axes' and 'levels' must be lists")
    return SteerRow(tuple(axes), tuple(levels))


def read_number(value: Any) -> float:
    """``value`` as a float; its range is checked where it is used."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ConfigError("'n_sigma' must be a number")
    return float(value)


def read_query(value: Any) -> Query:
    """A data row or "mean"; whether the row exists is checked by the run."""
    if value == "mean":
        return "mean"
    if isinstance(value, bool) or not isinstance(value, int):
        raise ConfigError("'query' must be a row of the data set, or 'mean'")
    return value


def pictures_of(explorer: Explorer, query: Query, row: SteerRow, n_sigma: float) -> dict[str, Any]:
    """The items of one row, and whether it lies far from the data."""
    import numpy as np

    from rivae.steering import moved

    base = base_point(explorer, query)
    side = 0 if explorer.shows_whole else 2
    ids = steer(explorer, base, [row], n_sigma, K)[0].tolist()
    far = explorer.far(moved(explorer, np.array([base]), row, n_sigma)[0])
    names, short = explorer.axis_names, explorer.axis_ids
    return {
        "items": [[i, *picture(explorer, i, side)] for i in ids],
        "side": side,
        "far": bool(far.is_far),
        "names": [[short[j], names[j]] for j in row.axes],
    }


def card(explorer: Explorer, query: Query) -> list[str | bool]:
    """The query as [title, address of its picture, whether its pixels stay sharp]."""
    if query != "mean":
        return picture(explorer, query, 1)
    i = int(explorer.topk(explorer.mean, 1).ids[0])
    return ["Average query", *picture(explorer, i, 1)[1:]]


def cloud_of(explorer: Explorer, run: str, row: SteerRow, n_sigma: float) -> dict[str, Any]:
    """The words of one row."""
    key = cache.model_key(run)
    found = _texts(key, explorer)
    if found is None:
        return {"cloud": None, "note": NO_WORDS}
    names = tuple(explorer.axis_names[j] for j in row.axes)  # they are said in the descriptions
    made = _cloud(key, row.axes, row.levels, n_sigma, names, explorer, found)
    return {"cloud": made, "note": "" if made else "No words among the retrieved items."}


def drawn(clouds: Clouds) -> dict[str, Any]:
    """A cloud for the browser: its size, its description, and for every word [text, x, y of its
    middle, size, relation, count in words].
    """
    from rivae.plots.cloud_layout import one_line
    from rivae.plots.clouds import SMALLEST, describe, describe_word

    layout = clouds.layout
    return {
        "width": layout.width, "height": layout.height, "alt": describe(clouds, 0),
        "words": [
            [one_line(name), round(float(layout.x[w]), 1), round(float(layout.y[w]), 1),
             round(float(size), 1), clouds.of(name), describe_word(clouds, 0, w)]
            for w, (name, size) in enumerate(zip(clouds.counts.words, clouds.size(0), strict=True))
            if size >= SMALLEST
        ],
    }  # fmt: skip


@st.cache_resource(max_entries=4, show_spinner=False)
def _texts(key: str, _explorer: Explorer) -> SteerTexts | None:
    from rivae.ui.words_data import words_of
    from rivae.words.item_words import has_texts

    data = _explorer.data
    return steer_texts(_explorer, words_of(data)) if has_texts(data) else None


@st.cache_resource(max_entries=512, show_spinner=False)
def _cloud(
    key: str, axes: tuple[int, ...], levels: tuple[Any, ...], n_sigma: float,
    names: tuple[str, ...], _explorer: Explorer, _texts: SteerTexts,
) -> dict[str, Any] | None:  # fmt: skip
    from rivae.plots.steering import row_cloud

    made = row_cloud(_explorer, _texts, SteerRow(axes, levels), n_sigma)
    return None if made is None else drawn(made)
