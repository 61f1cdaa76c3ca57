"""What an exported page holds: items with their pictures, axes, the map, axis cards and tours."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable
from typing import Any

import numpy as np
from PIL import Image

from rivae.base.errors import ConfigError
from rivae.data.thumbnails import TINY_SIDE
from rivae.exploring.axis_card import examples
from rivae.exploring.effects import EffectMeasure, shown_effects
from rivae.exploring.explorer import MAX_K, Explorer
from rivae.exploring.layouts import kept_layout
from rivae.exploring.maps import codes, columns
from rivae.exploring.regions import for_map, named_regions
from rivae.exploring.selection import for_map as selections_of
from rivae.exploring.sliders import added_sliders, marks_of, reliable_first, sliders_of
from rivae.exploring.steering import base_point, moved
from rivae.exploring.tours import Tour
from rivae.exploring.words.item_words import ItemWords, has_texts, item_words
from rivae.figures.axis_clouds import axis_clouds, first_queries
from rivae.figures.clouds import LEGEND, Clouds, to_json
from rivae.figures.page.model import model_of, text
from rivae.figures.page.opening import sentences
from rivae.figures.palette import DARK, LIGHT
from rivae.runs.selections import rows_of

MOST = 50_000
MANY = 5_000  # above, a page is large
TOO_MANY = (
    "{:,} items are more than the {:,} that a page or a notebook holds: take the test items only"
)
LARGE = "{:,} items make a large page, which opens slowly: the test items alone make a small one"
RIGHTS = (
    "Pictures and texts belong to those who made them: make sure that you may pass them on before "
    "you share this page."
)
MAX_TEXT = 600  # characters of an item's text
MAX_CHANGES = 6  # of an axis that are listed
_SAMPLED = 24  # pictures by which a size is estimated
_REST = 280_000  # bytes of scripts, styles and what else does not grow
_CLOUDS = 9_000  # bytes of the word clouds of an axis
_PICTURES, _CARDS = 0.45, 0.9  # of the work that is done with them; the rest is the map


# Longest side in pixels and WebP quality, from the best on.
QUALITIES = ((160, 75), (128, 65), (112, 55), (96, 40))
AIM = 13_500_000  # bytes, where smaller pictures can do it


def picture_settings(explorer: Explorer) -> tuple[int, int]:
    """The best of ``QUALITIES`` with which the page stays small, else the last."""
    fitting = (each for each in QUALITIES if estimated_size(explorer, each) <= AIM)
    return next(fitting, QUALITIES[-1])


def encoded(image: Image.Image, side: int, quality: int) -> str:
    """A picture as a ``data:`` address; a small one keeps its pixels."""
    buffer = io.BytesIO()
    if max(image.size) <= TINY_SIDE:
        image.save(buffer, "PNG", optimize=True)
        kind = "png"
    else:
        image = image if image.mode in ("RGB", "RGBA") else image.convert("RGBA")
        image.thumbnail((side, side), Image.Resampling.LANCZOS)
        image.save(buffer, "WEBP", quality=quality, method=4)
        kind = "webp"
    return f"data:image/{kind};base64,{base64.b64encode(buffer.getvalue()).decode('ascii')}"


def estimated_size(explorer: Explorer, settings: tuple[int, int] | None = None) -> int:
    """Bytes of the page, by a sample of its pictures; within some ten per cent."""
    rows = explorer.search_rows
    some = rows[np.linspace(0, len(rows) - 1, min(_SAMPLED, len(rows))).astype(int)]
    settings = settings or picture_settings(explorer)
    sides = (
        [explorer.found_side]
        if _one_picture(explorer)
        else [explorer.found_side, explorer.query_side]
    )
    pictures = sum(
        len(encoded(explorer.data.picture(int(i), side).copy(), *settings))
        for i in some
        for side in sides
    )
    words = sum(len(explorer.title(int(i)) + explorer.data.text(int(i))[:MAX_TEXT]) for i in some)
    each = (pictures + words) / len(some)
    numbers = 8 * explorer.retriever.index.n_features + 14 * explorer.n_components
    density = 5.4 * explorer.n_components * len(explorer.retriever.reference_latents()[0])
    clouds = _CLOUDS * explorer.n_components if has_texts(explorer.data) else 0
    return int(len(rows) * (each + numbers + 60) + density) + clouds + _REST


def _one_picture(explorer: Explorer) -> bool:
    """Whether an item looks the same as a query and as a result."""
    rows = explorer.search_rows[:4]
    sides = explorer.query_side, explorer.found_side
    return all(len({explorer.thumbnail(int(i), side).content for side in sides}) == 1 for i in rows)


def check_size(explorer: Explorer) -> str:
    """A warning where the page is large, else "".

    Raises:
        ConfigError: it would hold more than 50,000 items.
    """
    n = len(explorer.search_rows)
    if n > MOST:
        raise ConfigError(TOO_MANY.format(n, MOST))
    return LARGE.format(n) if n > MANY else ""


def content_of(
    explorer: Explorer,
    name: str,
    tours: list[Tour],
    progress: Callable[[float], None] | None = None,
) -> dict[str, Any]:
    """Everything of a page as JSON values; ``progress`` takes the share that is made.

    Raises:
        ConfigError: there are more than 50,000 items, or the decoder cannot be run in a browser.
    """
    check_size(explorer)
    rows, data = [int(i) for i in explorer.search_rows], explorer.data
    d = explorer.n_components
    words = item_words(data) if has_texts(data) else None
    measure = EffectMeasure(explorer.retriever)
    return {
        "title": name,
        "about": f"{explorer.method.title} on {data.name}: {len(rows):,} items, {d} axes",
        "sentences": sentences(explorer, name),
        "rights": RIGHTS,
        "run": name,
        "rows": explorer.rows,
        "asks": explorer.asks,
        "side": explorer.found_side,
        "letter": explorer.method.axis_letter(),
        "queryName": explorer.query_name,
        "maxK": MAX_K,
        "aspect": explorer.aspect(explorer.found_side),
        "dims": sliders_of(explorer),
        "marks": marks_of(explorer),
        "items": _items(explorer, rows, progress),
        "z": text(explorer.retriever.encode(explorer.search_rows)[0]),
        "model": model_of(explorer),
        "cards": _cards(explorer, words, measure, progress),
        "addedAxes": _added(explorer, measure),
        "adds": explorer.method.has_latent,
        **_map(explorer, words),
        "tours": [content for tour in tours if (content := _tour(explorer, name, tour))["steps"]],
    }


def _items(
    explorer: Explorer, rows: list[int], progress: Callable[[float], None] | None
) -> dict[str, Any]:
    data, settings = explorer.data, picture_settings(explorer)
    one = _one_picture(explorer)
    pictures: list[str] = []
    query_pictures: list[str] = []
    for n, i in enumerate(rows):
        pictures.append(encoded(data.picture(i, explorer.found_side).copy(), *settings))
        if not one:
            query_pictures.append(encoded(data.picture(i, explorer.query_side).copy(), *settings))
        if progress is not None and n % 64 == 0:
            progress(_PICTURES * n / len(rows))
    factors = [
        {"name": spec.name, "values": [data.factor_text(i, k) for i in rows]}
        for k, spec in enumerate(data.factor_specs if data.factors is not None else ())
    ]
    return {
        "ids": rows,
        "titles": [data.title(i) for i in rows],
        "texts": [data.text(i)[:MAX_TEXT] for i in rows],
        "factors": factors,
        "pictures": pictures,
        "asked": None if one else query_pictures,
        "tiny": explorer.thumbnail(rows[0], explorer.found_side).is_tiny,
    }


def _cards(
    explorer: Explorer,
    words: ItemWords | None,
    measure: EffectMeasure,
    progress: Callable[[float], None] | None,
) -> list[dict[str, Any]]:
    anchors = first_queries(explorer) if words is not None else None
    cards: list[dict[str, Any]] = []
    for j in range(explorer.n_components):
        effects = shown_effects(measure, explorer, j).to_dict(MAX_CHANGES)
        clouds = axis_clouds(explorer, j, words, anchors) if words is not None else None
        cards.append(
            {
                "examples": examples(explorer, j),
                "effects": effects["sentence"],
                "changes": effects["changes"],
                "words": clouds and _words(clouds),
            }
        )
        if progress is not None:
            progress(_PICTURES + (_CARDS - _PICTURES) * (j + 1) / explorer.n_components)
    return cards


def _added(explorer: Explorer, measure: EffectMeasure) -> list[dict[str, Any]]:
    """The axes that were added to the run, each with what moving along it changes."""
    sliders = added_sliders(explorer)
    for slider in sliders:
        effects = measure.of(slider["moves"], slider["reads"], slider["given"])
        document = effects.to_dict(MAX_CHANGES)
        slider["card"] = {"effects": document["sentence"], "changes": document["changes"]}
    return sliders


def _words(clouds: Clouds) -> dict[str, Any]:
    counts = clouds.counts
    return {
        "states": [
            {"name": name, "note": f"{n:,} items", "cloud": to_json(clouds, state)}
            for state, (name, n) in enumerate(
                zip(counts.states, counts.n_items.tolist(), strict=True)
            )
        ],
        "legend": [[kind, text.format(clouds.factor)] for kind, text in LEGEND.items()],
    }


def _map(explorer: Explorer, words: ItemWords | None) -> dict[str, Any]:
    """The map's columns, without a layout that is not computed yet."""
    if explorer.n_components < 2 or not explorer.method.has_latent:
        return {"map": None, "columns": {"about": [], "codes": {}, "names": {}}}
    first = reliable_first(explorer)[:2]
    has_layout = kept_layout(explorer) is not None
    map_columns = [column for column in columns(explorer) if has_layout or column.group != "layout"]
    about = {
        "url": "here",
        "found": "found",
        "described": "described",
        "library": "",
        "version": "1",
        "layout": "there" if has_layout else None,
        "axes": first,
        "n": len(explorer.search_rows),
        "selections": _selections(explorer),
        "thumbnails": "here",
        "pictures": "here",
        "colours": {
            name: {"sequence": list(colours.sequential[2:]), "classes": list(colours.series)}
            for name, colours in (("light", LIGHT), ("dark", DARK))
        },
    }
    codes_by_key = {column.key: text(codes(explorer, column.key), "<u2") for column in map_columns}
    descriptions = [{**vars(column), "levels": list(column.levels)} for column in map_columns]
    maps = [(f"axis-{first[0]}", f"axis-{first[1]}")]
    if has_layout:
        maps.append(("layout-0", "layout-1"))
    sets = words.sets if words is not None else None
    names = {f"names.{x}.{y}": for_map(named_regions(explorer, x, y, sets)) for x, y in maps}
    known = {"about": descriptions, "codes": codes_by_key, "names": names}
    return {"map": about, "columns": known}


def _selections(explorer: Explorer) -> list[dict[str, Any]]:
    """The selections that are kept with the run, with a bit for each item."""
    kept = {one.id: rows_of(one) for one in explorer.selections}
    bits = {
        name: np.packbits(np.isin(explorer.search_rows, rows), bitorder="little")
        for name, rows in kept.items()
    }
    return [{**one, "bits": text(bits[one["id"]], "<u1")} for one in selections_of(explorer)]


def _tour(explorer: Explorer, name: str, tour: Tour) -> dict[str, Any]:
    """The steps of a tour that this page can show, each with its z."""
    rows, steps = set(explorer.search_rows.tolist()), []
    for step in tour.steps:
        is_of_run = step.run == name and step.asks == explorer.asks
        if not is_of_run or not (step.query == "mean" or step.query in rows):
            continue
        try:
            z = moved(explorer, base_point(explorer, step.query)[None], step.row, step.n_sigma)[0]
        except ConfigError:  # it names axes that the run lacks
            continue
        query = None if step.query == "mean" else step.query
        texts = {"heading": step.heading, "note": step.note, "query": query}
        steps.append({**texts, "z": [round(float(v), 4) for v in z]})
    return {"title": tour.title, "steps": steps}
