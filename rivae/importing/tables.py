"""Streams the records of a table: CSV, TSV, JSON lines (also gzipped) or Parquet."""

from __future__ import annotations

import csv
import gzip
import io
import json
import zlib
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import IO, Any

from rivae.errors import DataError
from rivae.importing.limits import MAX_COLUMNS, MAX_FIELD

Record = dict[str, Any]
SUFFIXES = (".csv", ".tsv", ".txt", ".jsonl", ".ndjson", ".parquet")


def records(path: Path, encoding: str = "utf-8") -> Iterator[Record]:
    """The records of ``path`` one after the other; only one is in memory.

    Args:
        encoding: of text files; "utf-8" also takes a byte order mark.

    Raises:
        DataError: in one sentence, with the line where there is one.
    """
    kind = table_kind(path)
    if kind == ".parquet":
        yield from _parquet(path)
        return
    try:
        with _text(path, encoding) as stream:
            if kind in (".jsonl", ".ndjson"):
                yield from _json_lines(path, stream)
            else:
                yield from _csv(path, stream, "\t" if kind == ".tsv" else None)
    except UnicodeDecodeError as error:
        raise DataError(
            f"{path.name} is not {encoding.upper()} text (byte {error.start}): save it as UTF-8, "
            "or say --encoding latin-1"
        ) from error
    except LookupError as error:
        raise DataError(f"there is no text encoding '{encoding[:40]}': try utf-8") from error
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{path.name} cannot be read to its end: {error}") from error


def table_kind(path: Path) -> str:
    """The suffix that says how ``path`` is read, without ".gz".

    Raises:
        DataError: when it is no file, or of another kind.
    """
    if not path.is_file():
        raise DataError(f"{path} does not exist or is no file: check the path")
    suffixes = [s.lower() for s in path.suffixes]
    if suffixes[-1:] == [".gz"]:
        suffixes.pop()
    kind = suffixes[-1] if suffixes else ""
    if kind not in SUFFIXES:
        raise DataError(f"{path.name} is no table: give a file ending in {', '.join(SUFFIXES)}")
    return kind


def preview(path: Path, encoding: str = "utf-8", n: int = 200) -> list[Record]:
    """The first ``n`` records."""
    return list(islice(records(path, encoding), n))


def _text(path: Path, encoding: str) -> IO[str]:
    if encoding.lower().replace("_", "-") in ("utf-8", "utf8"):
        encoding = "utf-8-sig"
    packed = path.suffix.lower() == ".gz"
    stream: Any = gzip.open(path, "rb") if packed else path.open("rb")  # noqa: SIM115
    return io.TextIOWrapper(stream, encoding=encoding, newline="")


def _csv(path: Path, stream: IO[str], delimiter: str | None) -> Iterator[Record]:
    csv.field_size_limit(MAX_FIELD)
    if delimiter is None:
        delimiter = _delimiter(stream.readline(MAX_FIELD))
        stream.seek(0)
    reader = csv.reader(stream, delimiter=delimiter, strict=True)
    try:
        header = [name.strip() for name in next(reader, [])]
        _check_header(path, header)
        for row in reader:
            if not row:
                continue
            if len(row) != len(header):
                raise DataError(
                    f"{path.name}, line {reader.line_num}: {len(row)} cells under "
                    f"{len(header)} column names; put quotes around cells with '{delimiter}'"
                )
            yield dict(zip(header, row, strict=True))
    except csv.Error as error:
        raise DataError(f"{path.name}, line {reader.line_num}: {error}") from error


def _delimiter(line: str) -> str:
    return max(",;\t", key=line.count)


def _check_header(path: Path, header: list[str]) -> None:
    if len(header) > MAX_COLUMNS:
        raise DataError(f"{path.name} has more than {MAX_COLUMNS} columns")
    if not any(header):
        raise DataError(f"{path.name} is empty: its first line must name the columns")
    if len(set(header)) < len(header):
        twice = next(name for name in header if header.count(name) > 1)
        raise DataError(f"{path.name} names the column '{twice[:60]}' twice: rename one")


def _json_lines(path: Path, stream: IO[str]) -> Iterator[Record]:
    number = 0
    while line := stream.readline(MAX_FIELD):
        number += 1
        if len(line) == MAX_FIELD and not line.endswith("\n"):
            raise DataError(
                f"{path.name}, line {number} is longer than {MAX_FIELD // 2**20} million "
                "characters: it must hold one record per line"
            )
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise DataError(f"{path.name}, line {number} is no JSON: {error}") from error
        if not isinstance(record, dict) or len(record) > MAX_COLUMNS:
            raise DataError(f"{path.name}, line {number} is no JSON object with column names")
        yield record


def _parquet(path: Path) -> Iterator[Record]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path, memory_map=True) as file:
            _check_header(path, list(file.schema_arrow.names))
            for batch in file.iter_batches(batch_size=500):
                yield from batch.to_pylist()
    except (OSError, pa.ArrowException) as error:
        raise DataError(f"{path.name} cannot be read as Parquet: {error}") from error
