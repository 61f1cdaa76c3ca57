"""Objects in cells as lines of text: ingredients with amounts, steps, sections, languages.

The names of their parts are those of schema.org, of Hugging Face's data sets and of recipe sites.
No object is dropped, and none becomes a text with braces: what is not known keeps its words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from rivae.data.importing.writings import MISSING, written

MAX_DEPTH = 20  # lists and objects inside others

OBJECTS = "objects were read as text"
UNKNOWN = "objects whose parts have unknown names: all their words were kept"
LANGUAGES = "of a text in several languages, English was taken, else the first"
UNSET = "names with no value, in objects where most have none, were left out"
HEADINGS = "the names of groups of ingredients were left out"
ROWS = "lists inside a list: each was read as one line"
NESTED = "lists inside a list were read as one list"
TOO_DEEP = f"what is nested deeper than {MAX_DEPTH} lists was left out"


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


# Names of parts in small letters, without marks between their words.
_WHOLE = _words(
    "text @value raw rawtext original originaltext originalstring rendered display displaytext "
    "line sentence caption"
)
_NAMES = _words(
    "ingredient ingredientname name item itemname food foodname product title label tag term key "
    "stringredient"
)
_DESCRIPTIONS = _words("description instruction direction step content body details action value")
_AMOUNTS = _words("amount quantity qty number count value weight volume")
_UNITS = _words("measure measurement unit unitname units unittext uom strmeasure")
_RANGE = _words("min from"), _words("max to")
_NOTES = _words("note notes comment preparation prep modifier")
_PARTS = _words(
    "@list itemlistelement recipeinstructions recipeingredient instructions steps substeps "
    "ingredients items children"
)
# They say nothing to a reader.
_ASIDE = frozenset(
    _words(
        "id @id @type @context type url uri link image img icon photo position order index step "
        "number lang language @language uuid slug sentid imgid tokens"
    )
)
_LANGUAGES = frozenset(
    _words(
        "ar bg bn ca cs da de el en es et eu fa fi fr gl he hi hr hu id it ja ko lt lv ms nb nl "
        "no pl pt ro ru sk sl sr sv ta te th tr uk vi zh"
    )
)
_KEY = re.compile(r"[\s_\-]+")
_LANGUAGE = re.compile(r"([a-z]{2})(?:[-_][A-Za-z]{2,4})?")
_PLACE = re.compile(r"(?:step|ingredient|line|item)?\s*[-_.]?\s*(\d{1,9})", re.IGNORECASE)
_STARTS_WITH_AMOUNT = re.compile(r"[\d\u00bc-\u00be\u2150-\u215e]")
_WHOLE_NUMBER = re.compile(r"(\d+)\.0+")
_LISTS = (list, tuple, set, frozenset)


def texts_in(value: object, role: str, remarks: set[str], depth: int = MAX_DEPTH) -> list[Any]:
    """The texts (or plain values) that a list or an object holds, in order.

    Args:
        role: "ingredients", "instructions", "tags" or "title".
        remarks: receives remarks on what was guessed.
    """
    if depth == 0:
        remarks.add(TOO_DEEP)
        return []
    if isinstance(value, Mapping):
        return _of_object(value, role, remarks, depth, alone=True)
    if isinstance(value, _LISTS):
        return _of_list(list(value), role, remarks, depth)
    return [value]


def _of_list(items: list[Any], role: str, remarks: set[str], depth: int) -> list[Any]:
    if items and all(map(_is_entry, items)):  # Parquet's maps
        keys = {key for key, _ in items}
        maps = [dict(items)] if len(keys) == len(items) else [{k: v} for k, v in items]
        return [text for one in maps for text in texts_in(one, role, remarks, depth - 1)]
    if role == "ingredients" and _are_rows(items):
        remarks.add(ROWS)
        return [_amount_first([_word(part, remarks, depth) for part in row]) for row in items]
    out: list[Any] = []
    for item in items:
        if isinstance(item, str) and item[:1] == "{" and (parsed_text := written(item)):
            item = parsed_text.value
        if isinstance(item, Mapping):
            out += _of_object(item, role, remarks, depth, alone=len(items) == 1)
        elif isinstance(item, _LISTS):
            if len(items) > 1:
                remarks.add(NESTED)
            out += texts_in(item, role, remarks, depth - 1)
        else:
            out.append(item)
    return out


def _is_entry(item: object) -> bool:
    return isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], str)


def _are_rows(items: list[Any]) -> bool:
    """Whether a list holds lists such as ["2", "cups", "flour"], one for each line."""
    lengths = {len(item) if isinstance(item, list | tuple) else 0 for item in items}
    if len(items) < 2 or len(lengths) != 1 or not lengths < {2, 3, 4}:
        return False
    amounts = [any(_STARTS_WITH_AMOUNT.match(str(part)) for part in item) for item in items]
    plain = all(not isinstance(part, (*_LISTS, Mapping)) for item in items for part in item)
    # ["1 egg", "2 onions"] are lines themselves.
    single = all(sum(map(_begins, item)) <= 1 for item in items)
    return plain and single and 2 * sum(amounts) >= len(amounts)


def _begins(part: object) -> bool:
    return bool(_STARTS_WITH_AMOUNT.match(str(part)))


def _amount_first(parts: list[str]) -> str:
    """flour, 2, cups -> 2 cups flour."""
    parts = [part for part in parts if part]
    first = next((i for i, part in enumerate(parts) if _begins(part)), 0)
    return " ".join(parts[first:] + parts[:first])


def _of_object(
    item: Mapping[Any, Any], role: str, remarks: set[str], depth: int, alone: bool
) -> list[Any]:
    if depth == 0 or not item:
        return texts_in(item, role, remarks, 0) if item else []
    values = {_KEY.sub("", str(key)).lower(): value for key, value in item.items()}
    language = _language(item)
    if language is not None and (len(item) > 1 or role == "title"):
        remarks.add(LANGUAGES)
        return texts_in(item[language], role, remarks, depth - 1)
    remarks.add(OBJECTS)
    for key in _PARTS:
        if isinstance(values.get(key), (*_LISTS, Mapping)):
            heading = _first(values, _NAMES + _WHOLE, remarks, depth)
            return _section(heading, values[key], role, remarks, depth)
    lists = {key: value for key, value in values.items() if isinstance(value, list)}
    lengths = {len(value) for value in lists.values()}
    if len(lengths) == 1 and lists.keys() & set(_WHOLE + _NAMES + _DESCRIPTIONS):
        objects = ({k: v[i] for k, v in lists.items()} for i in range(lengths.pop()))
        return [
            line for one in objects for line in _of_object(one, role, remarks, depth - 1, False)
        ]
    line = _line(values, role, remarks, depth)
    return [line] if line else _of_unknown(item, values, role, remarks, depth, alone)


def _line(fields: dict[str, Any], role: str, remarks: set[str], depth: int) -> str:
    """The line that the known parts of an object make, or ""."""
    if role != "ingredients":
        more = _DESCRIPTIONS + _NAMES if role == "instructions" else _NAMES + _DESCRIPTIONS
        return _first(fields, _WHOLE + more, remarks, depth)
    whole = _first(fields, _WHOLE, remarks, depth)
    name = whole or _first(fields, _NAMES, remarks, depth)
    if not name:
        return _first(fields, _DESCRIPTIONS, remarks, depth)
    if whole and _begins(whole):
        return whole
    amount = [_first(fields, names, remarks, depth) for names in (_AMOUNTS, _UNITS)]
    before = " ".join(filter(None, amount))
    line = name if name.startswith(before) else f"{before} {name}"
    notes = _first(fields, _NOTES, remarks, depth)
    return f"{line}, {notes}" if notes else line


def _of_unknown(
    item: Mapping[Any, Any],
    fields: dict[str, Any],
    role: str,
    remarks: set[str],
    depth: int,
    alone: bool,
) -> list[Any]:
    places = [_PLACE.fullmatch(str(key).strip()) for key in item]
    if all(places):
        numbered_keys = sorted(item, key=lambda key: int(_PLACE.fullmatch(str(key).strip())[1]))  # type: ignore[index]
        values = [item[key] for key in numbered_keys]
        return [text for value in values for text in texts_in(value, role, remarks, depth - 1)]
    if any(isinstance(value, _LISTS) for value in item.values()):
        heading = len(item) > 1
        return [
            text
            for key, value in item.items()
            if _KEY.sub("", str(key)).lower() not in _ASIDE
            for text in _section(str(key) if heading else "", value, role, remarks, depth)
        ]
    if alone or len(item) == 1:
        return _of_mapping(item, role, remarks, depth)
    remarks.add(UNKNOWN)
    words = [_word(value, remarks, depth) for key, value in fields.items() if key not in _ASIDE]
    return [" ".join(filter(None, words))]


def _of_mapping(item: Mapping[Any, Any], role: str, remarks: set[str], depth: int) -> list[Any]:
    """An object whose names are the author's own: {"flour": "2 cups", "salt": "1 tsp"}."""
    n_unset = sum(value is None for value in item.values())
    if n_unset > len(item) - n_unset > 0:  # Parquet gives each cell the names of all cells
        remarks.add(UNSET)
        item = {key: value for key, value in item.items() if value is not None}
    if role == "ingredients":
        pairs = [(str(key), _word(value, remarks, depth)) for key, value in item.items()]
        return [" ".join(pair if _begins(pair[0]) else pair[::-1]).strip() for pair in pairs]
    rest = {str(k): v for k, v in item.items() if _KEY.sub("", str(k)).lower() not in _ASIDE}
    if role == "tags" and all(isinstance(v, bool | int | float) for v in rest.values()):
        return [key for key, value in rest.items() if value]
    remarks.add(UNKNOWN)
    words = {key: _word(value, remarks, depth) for key, value in rest.items()}
    if role == "instructions":
        return [f"{key}: {word}" for key, word in words.items() if word]
    return [word for word in words.values() if word]


def _section(heading: str, value: object, role: str, remarks: set[str], depth: int) -> list[Any]:
    lines = texts_in(value, role, remarks, depth - 1)
    if heading and lines and role == "instructions":
        return [heading, *lines]
    if heading and lines and role == "ingredients":
        remarks.add(HEADINGS)
    return lines


def _language(item: Mapping[Any, Any]) -> Any:
    """The key of the text to take from {"en": …, "de": …}; None for other objects."""
    fields: dict[str, Any] = {}
    for key, value in item.items():
        match = _LANGUAGE.fullmatch(key) if isinstance(key, str) else None
        if match is None or match[1] not in _LANGUAGES:
            return None
        if value not in (None, "", []):
            fields.setdefault(match[1], key)
    return fields.get("en", next(iter(fields.values()), None))


def _first(fields: dict[str, Any], names: Iterable[str], remarks: set[str], depth: int) -> str:
    return next(
        (word for n in names if n in fields and (word := _word(fields[n], remarks, depth))), ""
    )


def _word(value: object, remarks: set[str], depth: int) -> str:
    """A part of a line, without what is missing."""
    if value is None or isinstance(value, bool) or value != value:
        return ""
    if isinstance(value, str):
        text = value.strip()
        number = _WHOLE_NUMBER.fullmatch(text)
        return number[1] if number else "" if text in MISSING else text
    if isinstance(value, float):
        return f"{value:.6g}"
    if not isinstance(value, (*_LISTS, Mapping)):
        return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
    if depth == 0:
        remarks.add(TOO_DEEP)
        return ""
    if not isinstance(value, Mapping):
        return " ".join(filter(None, [_word(part, remarks, depth - 1) for part in value]))
    values = {_KEY.sub("", str(key)).lower(): part for key, part in value.items()}
    language = _language(value)
    if language is not None:
        remarks.add(LANGUAGES)
        return _word(value[language], remarks, depth - 1)
    ends = [_first(values, names, remarks, depth - 1) for names in _RANGE]
    parts = ["-".join(dict.fromkeys(filter(None, ends)))]
    parts += [_first(values, n, remarks, depth - 1) for n in (_AMOUNTS, _UNITS, _WHOLE + _NAMES)]
    line = " ".join(filter(None, parts))
    if line:
        return line
    remarks.add(UNKNOWN)
    keys_read = {*_RANGE[0], *_RANGE[1], *_AMOUNTS, *_UNITS, *_WHOLE, *_NAMES}  # never read twice
    rest = [_word(part, remarks, depth - 1) for key, part in values.items() if key not in keys_read]
    return " ".join(filter(None, rest))
