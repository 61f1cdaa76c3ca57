"""The values of a configuration by the paths of its settings.

``Values`` are of JSON's types, by section ("dataset", "method", "training"), nested as in a file.
"""

from __future__ import annotations

from typing import Any

from rivae.jobs.field_text import text_of
from rivae.jobs.fields import SettingField

Values = dict[str, dict[str, Any]]


def holder(values: Values, path: str) -> dict[str, Any] | None:
    """What holds the setting; None where the part it belongs to is not there."""
    at: Any = values
    for name in path.split(".")[:-1]:
        at = at.get(name) if isinstance(at, dict) else None
    return at if isinstance(at, dict) else None


def put(values: Values, known: SettingField, value: Any) -> None:
    """Set a value in place; a part is taken away, or added with its own defaults."""
    parent, name = holder(values, known.path), known.path.rpartition(".")[2]
    assert parent is not None, f"no part holds {known.path}"
    if known.kind != "part":
        parent[name] = value
    elif not value:
        parent[name] = None
    elif parent.get(name) is None:
        parent[name] = dict(known.inside)


def text_at(values: Values, known: SettingField) -> str:
    """The text of a value; of a part, whether it is there."""
    parent = holder(values, known.path)
    if parent is None:
        return ""
    value = parent.get(known.path.rpartition(".")[2])
    return text_of(value is not None if known.kind == "part" else value)


def usual(base: Values, known: SettingField) -> str:
    """The text of the preset's value; of a part that the preset does not have, the default."""
    inside = holder(base, known.path) is not None
    return text_at(base, known) if inside else text_of(known.default)


def differs(base: Values, values: Values, known: SettingField) -> bool:
    """Whether a value is not the preset's."""
    return usual(base, known) != text_at(values, known)


def as_json(value: Any) -> Any:
    """Tuples as lists, as in a file."""
    if isinstance(value, tuple | list):
        return [as_json(part) for part in value]
    if isinstance(value, dict):
        return {name: as_json(part) for name, part in value.items()}
    return value
