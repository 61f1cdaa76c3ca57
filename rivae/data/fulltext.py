"""Full-text search of items with SQLite's FTS5: every word, the best items first, what was matched.

Words are compared without case, accents and English endings (Porter's stems); each matches words
that begin with it, in a script without spaces wherever its letters stand in a row. Ranks are BM25
with the title counting five times. Where very many items match, those whose title has the whole
words come first, then titles with their beginnings, then the rest, each in the order of data rows:
a rank takes 3 µs an item. An index is a file beside imported data, or lies in memory.
"""

from __future__ import annotations

import os
import re
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rivae.base.installed import cache_folder
from rivae.base.progress import Progress, silent
from rivae.data.search_words import JOINT, joined, other_forms, question
from rivae.data.store import PairStore
from rivae.data.tokenizer import is_plain

if TYPE_CHECKING:
    from rivae.data.base import PairedDataset

MAX_RANKED = 5_000  # items whose ranks are computed for one answer
_SNIPPET_WORDS, _SNIPPET_LETTERS = 12, 40  # the second where every letter counts as a word
_BEGIN, _END = "\x02", "\x03"  # around what was matched; they are removed from texts
_WORK_BYTES = 16 * 2**20  # of new words, before they are written to the database
_PAGE_BYTES = 16_384
_TOLD = 2000  # items from one report of progress to the next
_SCHEMA = 3  # changes with the table below, and with how texts are written for it
_UNSHOWN = re.compile(f"[{_BEGIN}{_END}{JOINT}]")
_MATCHED = re.compile(f"{_BEGIN}([^{_END}]*){_END}")
_INSERT = "INSERT INTO items (rowid, title, body, forms) VALUES (?, ?, ?, ?)"
_MARKED = (
    "SELECT rowid, highlight(items, 0, ?, ?), "
    "snippet(items, 1, ?, ?, '…', CASE WHEN instr(body, ?) THEN ? ELSE ? END) "
    "FROM items WHERE items MATCH ?"
)
_MARKS = (_BEGIN, _END, _BEGIN, _END, JOINT, _SNIPPET_LETTERS, _SNIPPET_WORDS)

Row = tuple[int, str, str]  # a data row, its title and its text
Marked = tuple[tuple[str, bool], ...]  # pieces of a text, and whether each was matched


@dataclass(frozen=True)
class TextHit:
    """One item that was found; both texts are plain.

    Attributes:
        row: its data row.
        title: in pieces, with what was matched.
        snippet: the part of its text that matches best, in pieces.
    """

    row: int
    title: Marked
    snippet: Marked


class TextIndex:
    """An index of N items; safe to share between threads.

    Args:
        connection: to a database that ``build`` has filled.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection, self._lock = connection, threading.Lock()

    @classmethod
    def build(cls, texts: Iterable[tuple[str, str]], path: Path | None = None) -> TextIndex:
        """Index titles and texts, given in the order of data rows; in memory without a ``path``."""
        connection = _table(path, ((row, *text) for row, text in enumerate(texts)))
        return cls(connection)

    def close(self) -> None:
        """Close the database; nothing can be found from then on."""
        self._connection.close()

    def rows(self, words: str) -> NDArray[np.int64]:
        """The data rows that have every word, sorted; none for a text without words."""
        if not (query := question(words)):
            return np.empty(0, dtype=np.int64)
        with self._lock:
            # One text of all numbers: a Python object for each takes three times as long.
            (row_list,) = self._connection.execute(
                "SELECT group_concat(rowid) FROM items WHERE items MATCH ?", (query,)
            ).fetchone()
        return np.sort(np.fromstring(row_list or "", dtype=np.int64, sep=","))

    def best(self, words: str, n: int, accepts: Callable[[int], bool]) -> list[TextHit]:
        """The ``n`` best items that ``accepts`` takes by their data row."""
        if not (query := question(words)):
            return []
        with self._lock:
            best = list(islice(filter(accepts, self._in_order(words)), n))
            texts = [self._text(row) for row in best]
        # What matched is marked in a table of these alone: all items take 30 ms for each of them.
        with closing(_table(None, texts)) as few:
            texts_of_row = {
                row: (_pieces(title), _pieces(snippet))
                for row, title, snippet in few.execute(_MARKED, (*_MARKS, query))
            }
        return [TextHit(row, *texts_of_row[row]) for row, *_ in texts]

    def _text(self, row: int) -> Row:
        text: Row = self._connection.execute(
            "SELECT rowid, title, body FROM items WHERE rowid = ?", (row,)
        ).fetchone()
        return text

    def _in_order(self, words: str) -> Iterator[int]:
        """The data rows that have every word, best first."""
        query, whole = question(words), question(words, whole=True)
        # Whole words first: all that begin with them have to be found before the first is known.
        if not (self._are_many(whole) or self._are_many(query)):
            yield from self._rows_of(query, "bm25(items, 5.0, 1.0, 1.0), rowid")
            return
        rows_so_far: set[int] = set()
        for expression in (f"{{title}} : ({whole})", f"{{title}} : ({query})", query):
            for row in self._rows_of(expression, "rowid"):
                if row not in rows_so_far:
                    rows_so_far.add(row)
                    yield row

    def _are_many(self, query: str) -> bool:
        """Whether more items match than are ranked."""
        (n_found,) = self._connection.execute(
            "SELECT count(*) FROM (SELECT 1 FROM items WHERE items MATCH ? LIMIT ?)",
            (query, MAX_RANKED + 1),
        ).fetchone()
        return bool(n_found > MAX_RANKED)

    def _rows_of(self, query: str, order: str) -> Iterator[int]:
        with closing(self._connection.cursor()) as cursor:
            sql = f"SELECT rowid FROM items WHERE items MATCH ? ORDER BY {order}"
            for (row,) in cursor.execute(sql, (query,)):
                yield row


def _table(path: Path | None, texts: Iterable[Row]) -> sqlite3.Connection:
    """A new database of items, in memory without a ``path``."""
    connection = sqlite3.connect(path or ":memory:", check_same_thread=False)
    try:
        connection.execute(f"PRAGMA page_size = {_PAGE_BYTES}")
        # What is not finished is deleted, never taken back: a journal would only be left behind.
        connection.execute("PRAGMA journal_mode = OFF")
        connection.execute(
            "CREATE VIRTUAL TABLE items USING fts5("
            # Marks belong to their letters: without categories a Hindi word would be in pieces.
            "title, body, forms, prefix = '2 3', "
            "tokenize = \"porter unicode61 remove_diacritics 2 categories 'L* N* Co M*'\")"
        )
        connection.execute("INSERT INTO items (items, rank) VALUES ('hashsize', ?)", (_WORK_BYTES,))
        connection.executemany(_INSERT, (_written(*text) for text in texts))
        connection.commit()
    except BaseException:
        connection.close()
        raise
    return connection


def _written(row: int, title: str, body: str) -> tuple[int, str, str, str]:
    """A row of the table."""
    title, body = _unmarked(title), _unmarked(body)
    if is_plain(title) and is_plain(body):
        return row, title, body, ""
    return row, joined(title), joined(body), f"{other_forms(title)} {other_forms(body)}".strip()


def _unmarked(text: str) -> str:
    if _BEGIN in text or _END in text or JOINT in text:  # far faster than to look for the pattern
        return _UNSHOWN.sub("", text)
    return text


def text_index(data: PairedDataset) -> TextIndex:
    """The index of a data set: its file where it has one, else made now."""
    from rivae.data.sets.pairs import Pairs  # with torch, which takes longer than a small index

    if isinstance(data, Pairs):
        return store_index(data.store)
    return TextIndex.build(data.search_texts())


def store_index(store: PairStore, progress: Progress = silent) -> TextIndex:
    """The index of an import, in a file next to it where one can be written.

    15,000 recipes take a second to index.

    Args:
        progress: called with what is done, and the share of items indexed, about once in 2,000.
    """
    path = index_path(store.folder)
    if (index := _opened(path, len(store))) is not None:
        return index
    with suppress(OSError, sqlite3.Error):  # no place for a file
        write_index(path, _counted(store, progress))
    return _opened(path, len(store)) or TextIndex.build(_counted(store, progress))


def index_path(folder: Path) -> Path:
    """Where the index of the import in ``folder`` is kept."""
    return cache_folder(folder) / f"texts-{_SCHEMA}.sqlite"


def write_index(path: Path, texts: Iterable[tuple[str, str]]) -> None:
    """Index titles and texts, given in the order of data rows; the file appears when it is whole.

    Raises:
        OSError, sqlite3.Error: it cannot be written.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}.tmp")
    path.parent.mkdir(exist_ok=True)
    temporary.unlink(missing_ok=True)
    try:
        TextIndex.build(texts, temporary).close()
        temporary.replace(path)
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def _counted(store: PairStore, progress: Progress) -> Iterator[tuple[str, str]]:
    for i, text in enumerate(store.search_texts()):
        if i % _TOLD == 0:
            progress("indexing the texts", i / len(store))
        yield text


def _opened(path: Path, n: int) -> TextIndex | None:
    """The index in a file; None where there is none of ``n`` items."""
    try:
        connection = sqlite3.connect(
            f"{path.resolve().as_uri()}?mode=ro", uri=True, check_same_thread=False
        )
        (last,) = connection.execute("SELECT max(rowid) FROM items").fetchone()
    except sqlite3.Error:
        return None
    if last == n - 1:
        return TextIndex(connection)
    connection.close()
    return None


def _pieces(text: str) -> Marked:
    """A text with marks in pieces."""
    parts = _MATCHED.split(text.replace(JOINT, ""))
    return tuple((part, bool(k % 2)) for k, part in enumerate(parts) if part)
