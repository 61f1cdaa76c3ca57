"""Which columns of a Parquet file are the numbers of a matrix: what is float and was meant.

Indexes, ids and labels are written next to the numbers, and are none of them.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import prod

import pyarrow as pa

from rivae.base.errors import DataError, shown, some_of

_NUMBER = re.compile(r"\d{1,9}")
_INDEX = re.compile(r"__index_level_\d+__|unnamed:.*|level_\d+", re.IGNORECASE)
_NO_DIMENSION = {
    *("id", "ids", "uid", "uuid", "key", "index", "idx", "row", "row_id", "rowid"),
    *("label", "labels", "target", "class", "cluster", "split", "fold", "partition"),
}
_MOST_KEYS = 20
_IS_VECTOR = ("emb", "vec", "feat")


@dataclass(frozen=True)
class MatrixColumns:
    """The columns of a matrix.

    Attributes:
        taken: one column of lists, or columns of numbers in the order of the file.
        left_out: the others.
        keys: those of the others that may hold ids: texts and whole numbers.
    """

    taken: tuple[str, ...]
    left_out: tuple[str, ...]
    keys: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """The columns for a report: "e0 … e7"."""
        first, last = shown(self.taken[0], 40), shown(self.taken[-1], 40)
        return first if len(self.taken) == 1 else f"{first} … {last}"


def matrix_columns(schema: pa.Schema, file: str, words: Sequence[str] = ()) -> MatrixColumns:
    """Choose: the column of lists of floats, else columns of floats whose names run 0, 1, 2 …,
    else all columns of floats but indexes, ids and labels.

    Args:
        file: its name, for errors.
        words: where several columns of lists, or several rows of numbered names, could be meant,
            those with such a word in their names are.

    Raises:
        DataError: no column is float, or it is not clear which are meant.
    """
    names = list(schema.names)
    if twice := [name for name, n in Counter(names).items() if n > 1]:
        raise DataError(f"{file} has two columns '{shown(twice[0])}': rename one of them")
    index = _index(schema)
    usable = {
        name: kind for name in names if name not in index and (kind := _kind(schema.field(name)))
    }
    candidates = [name for name in usable if not is_no_dimension(name)] or list(usable)
    lists = [name for name in candidates if usable[name] == "list"]
    if lists:
        columns = [_one_of({name: [name] for name in lists}, file, words)]
    else:
        columns = _numbers({name: usable[name] == "float" for name in candidates}, file, words)
    if not columns:
        kinds = (f"{name} ({schema.field(name).type})" for name in names)
        raise DataError(
            f"{file} has no columns of floats but {some_of(kinds)}: write the embeddings as "
            "floats, in one column of lists or one column per number"
        )
    matrix_names = set(columns)
    left_out = tuple(name for name in names if name not in matrix_names)
    keys = (name for name in left_out if _may_be_key(name, schema.field(name).type))
    return MatrixColumns(tuple(columns), left_out, tuple(keys)[:_MOST_KEYS])


def is_no_dimension(name: str) -> bool:
    """Whether a column of this name is an index, an id or a label, whatever its numbers are."""
    plain = re.sub(r"[\W_]+", "_", name.strip().casefold()).strip("_")
    return is_index(name) or plain in _NO_DIMENSION or plain.endswith("_id")


def is_index(name: str) -> bool:
    """Whether a column of this name holds the labels of pandas' rows."""
    return _INDEX.fullmatch(name.strip()) is not None


def _index(schema: pa.Schema) -> set[str]:
    """The columns that pandas says are its index."""
    with suppress(ValueError, TypeError, KeyError, AttributeError, RecursionError):
        index = json.loads((schema.metadata or {})[b"pandas"])["index_columns"]
        return {name for name in index if isinstance(name, str)}
    return set()


def _kind(field: pa.Field) -> str:
    """ "list" of floats, "float", "whole" for integers, or ""."""
    kind, is_list = stored_type(field.type), False
    while is_list_type(kind):
        kind, is_list = stored_type(kind.value_type), True
    is_float = pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    if is_list:
        return "list" if is_float else ""
    return "float" if is_float else "whole" if pa.types.is_integer(kind) else ""


def _may_be_key(name: str, kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    is_number = pa.types.is_floating(kind) and is_no_dimension(name)
    return is_text or pa.types.is_integer(kind) or is_number


def is_list_type(kind: pa.DataType) -> bool:
    """Whether the values are lists of any kind."""
    is_view = getattr(pa.types, "is_list_view", None)
    return bool(
        pa.types.is_list(kind)
        or pa.types.is_large_list(kind)
        or pa.types.is_fixed_size_list(kind)
        or (is_view is not None and is_view(kind))
    )


def stored_type(kind: pa.DataType) -> pa.DataType:
    """The type below an extension, such as a tensor of a fixed shape."""
    while isinstance(kind, pa.BaseExtensionType):
        kind = kind.storage_type
    return kind


def _numbers(is_float: dict[str, bool], file: str, words: Sequence[str]) -> list[str]:
    """Of columns of numbers those that are meant; whole numbers only among numbered floats."""
    floats = [name for name, is_number in is_float.items() if is_number]
    families: dict[str, list[str]] = defaultdict(list)
    for name in is_float:
        if _NUMBER.search(name):
            families[_NUMBER.sub("#", name)].append(name)
    series = {
        key: members
        for key, members in families.items()
        if len(members) > 1
        and (n_floats := sum(is_float[name] for name in members)) >= len(members) / 2
        and (_runs(members) or n_floats > len(floats) / 2)
    }
    return series[_one_of(series, file, words)] if series else floats


def _runs(names: list[str]) -> bool:
    """Whether the numbers in names of one form run from 0 or 1, each in its place."""
    places = [
        {int(number) for number in numbers}
        for numbers in zip(*map(_NUMBER.findall, names), strict=True)
    ]
    running = [numbers for numbers in places if len(numbers) > 1]
    return prod(map(len, running)) == len(names) and all(
        min(numbers) in (0, 1) and max(numbers) - min(numbers) < len(numbers) for numbers in running
    )


def _one_of(choices: dict[str, list[str]], file: str, words: Sequence[str]) -> str:
    """The key that is meant: the only one, or the only one with the words that tell it."""
    options = list(choices)
    for telling in (_IS_VECTOR, words):
        fitting = [key for key in options if any(word in key.casefold() for word in telling)]
        options = fitting or options
    if len(options) > 1:
        several = some_of(choices[key][0] for key in options)
        raise DataError(
            f"{file} has several sets of numbers (columns {several}), and it is not clear which "
            "is meant: keep one of them, and write the other to a file of its own"
        )
    return options[0]
