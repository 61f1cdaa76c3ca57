"""The values of settings as typed text, and back; a wrong one is one sentence."""

from __future__ import annotations

import json
import math
from typing import Any

from rivae.app.forms.fields import SettingField
from rivae.base.errors import ConfigError

YES, NO = "yes", "no"
MAX_TEXT = 4096
_COUNTS: dict[int | None, str] = {None: "some", 2: "two", 3: "three"}


def text_of(value: Any) -> str:
    """A value as text: "" for None, "0.3, 0.1" for several numbers, "15: 0.5" for a pair.

    ``value_of`` of the same setting reads it back to an equal value.
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return YES if value else NO
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, list | tuple):
        if value and all(isinstance(part, list | tuple) for part in value):
            return ", ".join(": ".join(text_of(number) for number in part) for part in value)
        if all(isinstance(part, int | float) for part in value):
            return ", ".join(text_of(part) for part in value)
    return value if isinstance(value, str) else json.dumps(value)


def value_of(field: SettingField, text: str) -> Any:
    """The value of a setting from its text, of JSON's types; its bounds are not checked.

    Raises:
        ConfigError: the text is no such value; the sentence says what is expected.
    """
    text = text.strip()
    if len(text) > MAX_TEXT:
        raise ConfigError(f"{field.label} is longer than {MAX_TEXT} characters: shorten it")
    if not text and field.optional:
        return None
    try:
        return _read(field, text)
    except (ValueError, RecursionError):
        raise ConfigError(f"{field.label} must be {expected(field)}, not '{text[:40]}'") from None


def values_of(field: SettingField, text: str) -> list[Any]:
    """Several values of a setting, separated by commas, or by semicolons where a value has commas.

    Raises:
        ConfigError: one of them is wrong or there twice, or there is none.
    """
    single = field.kind in ("whole", "number", "switch", "choice", "text")
    parts = text.split("," if single and ";" not in text else ";")
    values = [value_of(field, part) for part in parts if part.strip()]
    if not values:
        example = "0.01, 0.1, 1" if single else "0.3, 0.1; 0.1, 0.1"
        raise ConfigError(f"give the values of {field.label} one after the other, e.g. {example}")
    for i, value in enumerate(values):
        if value in values[:i]:
            raise ConfigError(f"{field.label} has the value {text_of(value)} twice: remove one")
    return values


def expected(field: SettingField) -> str:
    """The valid values of a setting as text, e.g. "a whole number from 1 to 512"."""
    if field.kind == "choice":
        return f"one of {', '.join(field.choices)}"
    what = {
        "whole": "a whole number",
        "number": "a number",
        "switch": "yes or no",
        "part": "yes or no",
        "text": "a text",
        "json": "JSON",
        "pairs": "pairs of numbers such as 15: 0.5, 45: 0.5",
        "numbers": f"{_COUNTS.get(field.length, field.length)} {'whole ' if field.whole else ''}"
        "numbers with commas between them",
    }[field.kind]
    each = ", each " if field.kind == "numbers" else " "
    empty = ", or empty" if field.optional else ""
    return f"{what}{each + field.bounds if field.bounds else ''}{empty}"


def _read(field: SettingField, text: str) -> Any:
    if field.kind in ("whole", "number"):
        return _number(text, field.kind == "whole")
    if field.kind in ("switch", "part"):
        return _one_of(text.lower(), {YES: True, NO: False, "true": True, "false": False})
    if field.kind == "choice":
        return _one_of(text, {option: option for option in field.choices})
    if field.kind == "text":
        return text
    if field.kind == "json":
        return json.loads(text)
    parts = [part for part in text.strip("[]()").split(",") if part.strip()]
    if field.kind == "numbers":
        if field.length is not None and len(parts) != field.length:
            raise ValueError
        return [_number(part, field.whole) for part in parts]
    pairs = [part.split(":") for part in parts]
    if any(len(pair) != 2 for pair in pairs):
        raise ValueError
    return [[_number(number, False) for number in pair] for pair in pairs]


def _number(text: str, whole: bool) -> int | float:
    value = float(text.replace("_", "x"))  # refuses Python's digit groups such as 1_000
    if not math.isfinite(value):
        raise ValueError
    if whole or (value.is_integer() and abs(value) < 2**53 and text.strip().lstrip("+-").isdigit()):
        if not value.is_integer():
            raise ValueError
        return int(value)
    return value


def _one_of(text: str, known: dict[str, Any]) -> Any:
    if text not in known:
        raise ValueError
    return known[text]
