"""What became of each column of a table, in a few words for the report and the Data page."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from rivae.base.errors import shown
from rivae.base.reading.tables import Record
from rivae.base.reading.typed_text import clean
from rivae.data.importing.factors import FactorReader
from rivae.data.importing.mapping import Mapping, are_file_names, cells_of, repeats, squeezed
from rivae.data.store import FactorColumn

MOST = 12  # factors, and columns that are not used, that are named
_ORDER = ("title", "ingredients", "instructions", "picture", "id", "tags", "url", "partition")
_TEXTS = ("title", "ingredients", "instructions")
_WORDS = 3  # of a text; fewer are a name


def what_became(
    columns: Iterable[str],
    mapping: Mapping,
    factors: FactorReader,
    records: Sequence[Record],
    chosen_roles: Collection[str] | None = None,
) -> list[str]:
    """One phrase per column that is used, then one for all that are not.

    Args:
        columns: of the table.
        factors: after it has looked at the records.
        records: some, whose cells tell what else a column could be.
        chosen_roles: the roles that the user chose; the others were guessed. None to leave it out.
    """
    roles = {role: name for role in _ORDER if (name := getattr(mapping, role))}
    usable = factors.columns()
    out = [f"{role} ← {_called(name)}" for role, name in roles.items()]
    if mapping.title and are_file_names(mapping.title, records):
        out[0] += " (looks like file names)"
    out += _factors(usable, factors)
    in_use = {*roles.values(), *(column.name for column in usable)}
    others = [name for name in columns if name not in in_use and name.strip()]
    if others:
        free = [role for role in _TEXTS if role not in roles]
        phrases = [_called(name) + _hint(name, mapping, free, records) for name in others[:MOST]]
        out.append(f"not used: {', '.join(phrases)}{_more(others)}")
    if chosen_roles is not None:
        guesses = [
            role for role in roles if role not in chosen_roles and squeezed(roles[role]) != role
        ]
        if guesses:
            out.append(f"guessed by name: {', '.join(guesses)}")
    return out


def _factors(usable: Sequence[FactorColumn], reader: FactorReader) -> list[str]:
    phrases = [f"factor {_called(c.name)}, {reader.about(c)}" for c in usable[:MOST]]
    more = len(usable) - MOST
    return [*phrases, f"{more} more factors"] if more > 0 else phrases


def _hint(name: str, mapping: Mapping, free: Sequence[str], records: Sequence[Record]) -> str:
    """What a column that is not used may be good for, or why it is not used."""
    if name in mapping.factors:
        return " (cannot be a factor)"
    cells = cells_of(name, records)
    if not cells and any(name in record for record in records):
        return " (empty)"
    words = [len(clean(cell).split()) for cell in cells if isinstance(cell, str)]
    if free and words and sum(words) >= _WORDS * len(cells):
        return f" (texts: could be {free[-1]})"
    if mapping.id is None and squeezed(name).endswith("id") and repeats(name, records):
        return " (values repeat)"
    if squeezed(name) == "title" and are_file_names(name, records):
        return " (looks like file names)"
    return ""


def _called(name: str) -> str:
    return shown(clean(name), 40)


def _more(names: Sequence[str]) -> str:
    more = len(names) - MOST
    return f" and {more} others" if more > 1 else " and 1 other" if more > 0 else ""
