"""Reads imported pairs: one item, one picture or one column at a time; no text is kept."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import fields
from functools import cached_property, partial
from itertools import chain
from pathlib import Path
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from rivae.base.errors import DataError
from rivae.base.files import write_cache
from rivae.base.installed import cache_folder
from rivae.data.item_sets import ItemSets
from rivae.data.recipe import SPLITS, Recipe
from rivae.data.store.layout import FACTOR_PREFIX, ROW_GROUP, items_path, pictures_path
from rivae.data.store.manifest import FactorColumn, Manifest
from rivae.data.store.twins import Groups, read_groups
from rivae.data.store.writer import store_id

_GROUPS_KEPT = 32
_TITLES = pa.schema([pa.field("title", pa.string())])
_PART = 1_000  # items whose texts are in memory at once
_READ_WHOLE = 50_000  # items of which a column is read in a tenth of a second
# Errors of Arrow for files that are damaged or not ours.
_ERRORS = (OSError, pa.ArrowException, ValueError, KeyError, IndexError)
_TEXTS = ("ingredients", "instructions", "tags", "ingredient_names")
_ALWAYS = ("id", "title", "url", *_TEXTS, "partition", "picture_offset", "picture_length")


class PairStore:
    """A finished import. Items are numbered 0 .. N - 1; safe to share between threads.

    Raises:
        DataError: when the folder is damaged.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest = Manifest.read(folder)
        self._ends = np.cumsum(self.manifest.chunks)
        self._groups: OrderedDict[tuple[int, int], pa.Table] = OrderedDict()
        self._maps: dict[int, NDArray[np.uint8]] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return self.manifest.n_items

    @cached_property
    def store_id(self) -> str:
        """16 hexadecimal digits that name these data, on every machine; see ``writer.store_id``.

        For older imports, which do not hold it, it is computed; their files stay as they are.
        """
        if self.manifest.store_id:
            return self.manifest.store_id
        try:
            return store_id(self.folder, self.manifest.name, len(self.manifest.chunks))
        except (OSError, pa.ArrowException) as error:
            raise DataError(f"{self.folder} is damaged: import the data again") from error

    @contextmanager
    def _file(self, chunk: int) -> Iterator[pq.ParquetFile]:
        """The items of a chunk, to be read within the block: an error there is a damaged file."""
        path = items_path(self.folder, chunk)
        try:
            file = pq.ParquetFile(path, memory_map=True)
        except _ERRORS as error:
            raise DataError(f"{path} is missing or damaged: import the data again") from error
        with file:
            required_columns = {*_ALWAYS, *(FACTOR_PREFIX + f.name for f in self.manifest.factors)}
            if not required_columns <= set(file.schema.to_arrow_schema().names):
                raise DataError(f"{path} lacks columns of an import: import the data again")
            if file.metadata.num_rows != self.manifest.chunks[chunk]:
                raise DataError(f"{path} belongs to another import: import the data again")
            try:
                yield file
            except _ERRORS as error:
                raise DataError(f"{path} is damaged: import the data again") from error

    def _place(self, i: int) -> tuple[int, int]:
        """(chunk, row in it) of item ``i``."""
        if not 0 <= i < len(self):
            raise DataError(f"there is no item {i}: items are 0 to {len(self) - 1}")
        chunk = int(np.searchsorted(self._ends, i, side="right"))
        return chunk, i - int(self._ends[chunk] - self.manifest.chunks[chunk])

    def _row(self, i: int) -> dict[str, Any]:
        chunk, row = self._place(int(i))
        key = (chunk, row // ROW_GROUP)
        with self._lock:
            table = self._groups.get(key)
            if table is None:
                with self._file(chunk) as file:
                    table = file.read_row_group(key[1])
                self._groups[key] = table
                while len(self._groups) > _GROUPS_KEPT:
                    self._groups.popitem(last=False)
            else:
                self._groups.move_to_end(key)
        record: dict[str, Any] = table.slice(row % ROW_GROUP, 1).to_pylist()[0]
        return record

    def recipe(self, i: int) -> Recipe:
        """The text of item ``i``."""
        return _recipe(self._row(i))

    def ingredient_names(self, i: int) -> tuple[str, ...]:
        """Names without amounts as the source gave them; () where it gave none."""
        return tuple(self._row(i)["ingredient_names"])

    def recipes(self, chunks: Iterable[int] | None = None) -> Iterator[Recipe]:
        """All texts in order, some at a time, or those of some chunks (of ``manifest.chunks``)."""
        names = [field.name for field in fields(Recipe)]
        for table in self._tables(names, in_parts=True, chunks=chunks):
            rows = zip(*(table[name].to_pylist() for name in names), strict=True)
            for id_, title, ingredients, steps, tags, url in rows:
                yield Recipe(id_, title, tuple(ingredients), tuple(steps), tuple(tags), url)

    def search_texts(self) -> Iterator[tuple[str, str]]:
        """What is searched of all items in order; see ``texts_of_chunk``."""
        for chunk in range(len(self.manifest.chunks)):
            with self._file(chunk) as file:
                yield from texts_of_chunk(file, self.manifest.factors)

    def _tables(
        self, columns: list[str], in_parts: bool = False, chunks: Iterable[int] | None = None
    ) -> Iterator[pa.Table]:
        """Some columns, chunk by chunk; long texts ``in_parts``."""
        for chunk in range(len(self.manifest.chunks)) if chunks is None else chunks:
            with self._file(chunk) as file:
                if in_parts:
                    for batch in file.iter_batches(_PART, columns=columns):
                        yield pa.Table.from_batches([batch])
                else:
                    yield file.read(columns=columns)

    def column(self, name: str) -> list[Any]:
        """One short column of all items ("id", "title", "partition" …)."""
        return [value for table in self._tables([name]) for value in table[name].to_pylist()]

    def item_sets(self, name: str) -> ItemSets:
        """One column of lists of all items ("tags", "ingredient_names")."""
        tables = self._tables([name])
        return ItemSets.of_lists(part for table in tables for part in table[name].chunks)

    def named_parts(self) -> NDArray[np.int64]:
        """(N,) the part that the source named for each item: 0, 1, 2 as in ``SPLITS``, or -1."""
        return self._kept("partition", (len(self),), self._partition).astype(np.int64)

    def same_picture(self) -> Groups:
        """(N,) the first item with the same picture, of each item; see ``rivae.data.store.twins``.

        Raises:
            DataError: its file is damaged.
        """
        return read_groups(self.folder, len(self))

    def _partition(self) -> NDArray[np.float64]:
        tables = self._tables(["partition"])
        parts = [pc.index_in(t["partition"], pa.array(SPLITS)).combine_chunks() for t in tables]
        return np.concatenate([pc.fill_null(part, -1).to_numpy() for part in parts]).astype(float)

    def _kept(
        self, name: str, shape: tuple[int, ...], make: Callable[[], NDArray[np.float64]]
    ) -> NDArray[np.float64]:
        """Numbers of all items; of very many, ``make`` is called once, and a file holds them."""
        if len(self) <= _READ_WHOLE:
            return make()
        path = cache_folder(self.folder) / f"{name}.npy"
        with suppress(OSError, ValueError, EOFError):
            array = np.load(path, allow_pickle=False, mmap_mode="r")
            if array.shape == shape and array.dtype == np.float64:
                return np.asarray(array)
        new_array = make()
        write_cache(path, lambda stream: np.save(stream, new_array, allow_pickle=False))
        return new_array

    @cached_property
    def titles(self) -> pa.Array:
        """All titles as one Arrow column, quick to look up; of very many items mapped from a file
        that is made once.
        """
        if len(self) <= _READ_WHOLE:
            return pa.concat_tables(self._tables(["title"]))["title"].combine_chunks()
        path = cache_folder(self.folder) / "titles.arrow"
        with suppress(*_ERRORS):
            stored_table = pa.ipc.open_file(pa.memory_map(str(path))).read_all()
            titles = stored_table["title"] if stored_table.schema == _TITLES else None
            if titles is not None and titles.num_chunks == 1 and len(titles) == len(self):
                return titles.chunk(0)
        table = pa.concat_tables(self._tables(["title"])).select(["title"]).combine_chunks()
        write_cache(path, partial(_write_titles, table))
        return table["title"].combine_chunks()

    def title(self, i: int) -> str:
        """The title of item ``i``."""
        return str(self.titles[int(i)].as_py())

    @cached_property
    def factors(self) -> NDArray[np.float64] | None:
        """(N, K) in the order of ``manifest.factors``, or None without factors; of very many items
        mapped from a file that is made once.
        """
        names = [FACTOR_PREFIX + f.name for f in self.manifest.factors]
        if not names:
            return None
        return self._kept("factors", (len(self), len(names)), lambda: self._factors(names))

    def _factors(self, names: list[str]) -> NDArray[np.float64]:
        factors, start = np.empty((len(self), len(names))), 0
        for table in self._tables(names):
            for k, name in enumerate(names):
                factors[start : start + len(table), k] = table[name].combine_chunks()
            start += len(table)
        return factors

    # pictures

    @cached_property
    def _spans(self) -> NDArray[np.float64]:
        """(N, 2) offset in its shard, and length, of every picture."""
        spans = self._kept("spans", (len(self), 2), self._read_spans)
        if spans.min(initial=0) < 0:
            raise DataError(f"{self.folder} is damaged (negative places): import the data again")
        return spans

    def _read_spans(self) -> NDArray[np.float64]:
        names = ["picture_offset", "picture_length"]
        parts = [np.column_stack([t[n].to_numpy() for n in names]) for t in self._tables(names)]
        return np.concatenate(parts).astype(np.float64)  # exact up to 2^53

    def picture_bytes(self, i: int) -> bytes:
        """The encoded picture of item ``i``; b"" when it has none."""
        chunk, _ = self._place(int(i))
        offset, length = (int(v) for v in self._spans[int(i)])
        if not length:
            return b""
        with self._lock:
            if chunk not in self._maps:
                path = pictures_path(self.folder, chunk)
                try:
                    self._maps[chunk] = np.memmap(path, dtype=np.uint8, mode="r")
                except (OSError, ValueError) as error:
                    raise DataError(f"{path} is missing: import the data again") from error
            shard = self._maps[chunk]
        data = shard[offset : offset + length].tobytes()
        if len(data) != length:
            raise DataError(
                f"{pictures_path(self.folder, chunk)} ends early: import the data again"
            )
        return data


def texts_of_chunk(
    file: pq.ParquetFile, factors: Sequence[FactorColumn]
) -> Iterator[tuple[str, str]]:
    """Title, and known factors with the text and the tags, of every item of a file of items."""
    columns = [(FACTOR_PREFIX + f.name, f.spec) for f in factors]
    names = ["title", "ingredients", "instructions", "tags", *(name for name, _ in columns)]
    for batch in file.iter_batches(_PART, columns=names):
        phrases = [[f"{s.name} {s.say(v)}" for v in batch[n].to_pylist()] for n, s in columns]
        factor_phrases = zip(*phrases, strict=True) if phrases else [()] * len(batch)
        texts = (batch[name].to_pylist() for name in names[:4])
        for title, *parts, of_factors in zip(*texts, factor_phrases, strict=True):
            yield title, " · ".join(chain(of_factors, *parts))


def _write_titles(table: pa.Table, stream: IO[bytes]) -> None:
    with pa.ipc.new_file(stream, _TITLES) as file:
        file.write_table(table)


def _recipe(row: dict[str, Any]) -> Recipe:
    return Recipe(
        id=row["id"],
        title=row["title"],
        ingredients=tuple(row["ingredients"]),
        instructions=tuple(row["instructions"]),
        tags=tuple(row["tags"]),
        url=row["url"],
    )
