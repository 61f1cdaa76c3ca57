"""The records of JSON: one a line, one long list, or one object that holds a table."""

from __future__ import annotations

import io
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import IO, Any

from rivae.base.errors import DataError, shown, some_of
from rivae.base.reading.documents import parse_json
from rivae.base.reading.json_records import JsonList, json_lines
from rivae.base.reading.row import (
    MAX_COLUMNS,
    MAX_EMPTY,
    MAX_FIELD,
    Broken,
    Record,
    check_share,
)
from rivae.base.reading.text_files import HEAD, Note, is_packed

MAX_DOCUMENT = 64 * 2**20  # characters of one object that holds a table
FROM_ENTRY = "the records are the list '{}' of the file"
BY_NAME = "the records have names, which are taken as the column 'id'"
_HOW = "write a list of objects, or one object a line (pandas: orient='records')"


def check_lines(name: str, stream: io.TextIOWrapper) -> None:
    """Raise DataError for a text that begins as a list or an object over several lines."""
    first = _first_line(stream)
    if first == "[" or first.startswith(("[{", "[ {")):
        raise DataError(f"{name} holds one list, not one object a line: name it .json, unpacked")
    if first == "{":
        raise DataError(f"{name} has objects over several lines: write one a line")


def refuse_json(name: str, stream: io.TextIOWrapper) -> None:
    """Raise DataError for a text that begins as JSON, where cells are expected."""
    first = _first_line(stream)
    if first in ("[", "{") or first.startswith(("[{", "[ {", '{"')):
        raise DataError(f"{name} holds JSON: name it .jsonl if it has one object a line, or .json")


def _first_line(stream: io.TextIOWrapper) -> str:
    """The first line that is not empty, as far as the first bytes go; nothing is read."""
    head = stream.buffer.peek(HEAD)  # type: ignore[attr-defined]
    text = head.decode(stream.encoding, "ignore").lstrip("\ufeff \t\r\n")
    return text.splitlines()[0].rstrip() if text else ""


def line_rows(name: str, stream: IO[str]) -> Iterator[Record | Broken]:
    """The records of a text with one JSON object a line."""
    broken_rows: list[Broken] = []
    n = n_broken = 0

    def note(line: int, problem: str) -> None:
        nonlocal n, n_broken
        broken_rows.append(Broken(line, f"line is {problem.split(':')[0]}", f"it is {problem}"))
        n, n_broken = n + 1, n_broken + 1
        check_share(name, n_broken, n, broken_rows[-1])  # they wait here for a sound line

    for line, value in json_lines(
        stream,
        name=name,
        max_line=MAX_FIELD,
        max_empty=MAX_EMPTY,
        mend=True,
        nan=True,
        on_broken=note,
    ):
        yield from broken_rows
        broken_rows.clear()
        n += 1
        yield _record(line, value, "line")
    yield from broken_rows


def document_rows(
    path: Path, stream: IO[str], codec: str, note: Note | None = None
) -> Iterator[Record | Broken]:
    """The records of a ``.json`` file, which may also be a text of lines.

    Args:
        stream: its text.
        codec: of the text.

    Raises:
        DataError: in one sentence, where it is one object and no table can be made of it.
    """
    if is_packed(path):
        raise DataError(f"{path.name} is packed: unpack it first, or name JSON lines .jsonl.gz")
    lines = [stream.readline(MAX_FIELD) for _ in range(2)]
    while lines[0] and not lines[0].strip("\ufeff \t\r\n"):
        lines = [lines[1], stream.readline(MAX_FIELD)]
    if lines[0].lstrip("\ufeff \t").startswith("["):
        for number, value in enumerate(JsonList(path, codec, "strict"), start=1):
            yield _record(number, value, "element")
        return
    if lines[1].strip() and _is_json(lines[0]):
        stream.seek(0)
        yield from line_rows(path.name, stream)
        return
    text = "".join(lines) + stream.read(MAX_DOCUMENT)
    try:
        value = parse_json(text, mend=True, nan=True)
    except DataError as error:
        if len(text) >= MAX_DOCUMENT:
            raise DataError(f"{path.name} is one large object: {_HOW}") from error
        stream.seek(0)
        yield from line_rows(path.name, stream)
        return
    del text
    yield from _table_in(value, path.name, note)


def _is_json(line: str) -> bool:
    try:
        parse_json(line, mend=True, nan=True)
    except DataError:
        return False
    return True


def _record(number: int, value: Any, what: str) -> Record | Broken:
    """A JSON object as a record."""
    if not isinstance(value, dict):
        return Broken(number, f"{what} is no JSON object", "it is no JSON object with column names")
    if len(value) > MAX_COLUMNS:
        many = f"more than {MAX_COLUMNS:,} columns"
        return Broken(number, f"{what} has {many}", f"it has {many}")
    return value


def _table_in(value: Any, name: str, note: Note | None) -> Iterator[Record | Broken]:
    """The records of an object: a list in it, objects by name, columns of values (pandas)."""
    whole = value if isinstance(value, dict) else {}
    list_keys = [key for key, part in whole.items() if _is_list_of(part, dict)]
    if len(list_keys) > 1:
        raise DataError(
            f"{name} holds several lists of objects ({some_of(list_keys)}): write that of the "
            "pairs into a file of its own"
        )
    if list_keys:
        if note is not None:
            note(FROM_ENTRY.format(shown(list_keys[0], 40)), name, "")
        for number, part in enumerate(whole[list_keys[0]], start=1):
            yield _record(number, part, "element")
    elif set(whole) <= {"columns", "index", "data"} and _is_list_of(whole.get("data"), list):
        columns = [str(column) for column in whole.get("columns") or ()]
        for number, cells in enumerate(whole["data"], start=1):
            if len(cells) == len(columns):
                yield _record(number, dict(zip(columns, cells, strict=True)), "element")
            else:
                yield Broken(number, "element has another number of values", f"it has {len(cells)}")
    elif whole and all(isinstance(part, dict) for part in whole.values()):
        if _are_columns(whole):
            yield from _of_columns(whole, name)
        else:
            yield from _of_names(whole, name, note)
    elif whole and all(isinstance(part, list) for part in whole.values()):
        if len({len(part) for part in whole.values()}) > 1:
            raise DataError(f"{name} holds one object with lists of different length: {_HOW}")
        yield from _of_columns({key: dict(enumerate(part)) for key, part in whole.items()}, name)
    else:
        raise DataError(f"{name} holds one object, which is no table: {_HOW}")


def _is_list_of(part: Any, kind: type) -> bool:
    return isinstance(part, list) and bool(part) and all(isinstance(one, kind) for one in part)


def _are_columns(whole: dict[str, Any]) -> bool:
    """Whether the keys are columns and those inside rows, not the other way round."""
    inner = [set(part) for part in islice(whole.values(), MAX_COLUMNS + 1)]
    rows_outside = all(key.isdigit() for key in whole)
    rows_inside = all(key.isdigit() for keys in inner for key in keys)
    if rows_outside != rows_inside:
        return rows_inside
    return len(whole) <= MAX_COLUMNS and len(whole) < len(inner[0]) and inner[0] == inner[-1]


def _of_columns(columns: dict[str, dict[Any, Any]], name: str) -> Iterator[Record | Broken]:
    if len(columns) > MAX_COLUMNS:
        raise DataError(f"{name} has more than {MAX_COLUMNS:,} columns")
    rows = dict.fromkeys(row for column in columns.values() for row in column)
    for row in rows:
        yield {key: column[row] for key, column in columns.items() if row in column}


def _of_names(whole: dict[str, Any], name: str, note: Note | None) -> Iterator[Record | Broken]:
    has_id = any("id" in part for part in whole.values())
    if note is not None and not has_id:
        note(BY_NAME, name, next(iter(whole)))
    for number, (key, part) in enumerate(whole.items(), start=1):
        yield _record(number, part if has_id else {"id": key, **part}, "element")
