"""The words or tags of very many items, each distinct word kept once."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import IO, overload

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

_TYPE = pa.large_list(pa.dictionary(pa.int32(), pa.string()))
_PART = 10_000  # items that are made tuples at once


class ItemSets(Sequence[tuple[str, ...]]):
    """A sequence of N tuples of words that are made when they are looked at: a million items with
    eight words each take 40 MB, and not a second to open.

    Attributes:
        words: the W distinct words.
        codes: (M,) which word, of all items one after the other; in [0, W).
        ends: (N + 1,) item ``i`` has the codes from ``ends[i]`` to ``ends[i + 1]``.

    Example:
        >>> sets = ItemSets.of([("rice", "salt"), (), ("salt",)])
        >>> sets[0], sets[-1], len(sets), sets.words
        (('rice', 'salt'), ('salt',), 3, ('rice', 'salt'))
    """

    def __init__(
        self, words: Sequence[str], codes: NDArray[np.int32], ends: NDArray[np.int64]
    ) -> None:
        self.words, self.codes, self.ends = tuple(words), codes, ends

    @classmethod
    def of(cls, sets: Iterable[Sequence[str]]) -> ItemSets:
        """Of tuples or lists of words."""
        numbers: dict[str, int] = {}
        codes, ends = array("i"), array("q", [0])  # a list of numbers takes ten times as much
        for words in sets:
            codes.extend(numbers.setdefault(word, len(numbers)) for word in words)
            ends.append(len(codes))
        return cls(list(numbers), np.asarray(codes, np.int32), np.asarray(ends, np.int64))

    @classmethod
    def of_lists(cls, lists: Iterable[pa.ListArray]) -> ItemSets:
        """Of columns of lists of texts, one after the other, as Arrow reads them; a missing list is
        empty, a missing text "".
        """
        parts = list(lists)
        texts = pa.chunked_array([part.flatten() for part in parts], pa.string())
        coded = pc.fill_null(texts, "").dictionary_encode().unify_dictionaries()
        words = coded.chunk(0).dictionary.to_pylist() if coded.num_chunks else []
        codes = [np.asarray(part.indices, dtype=np.int32) for part in coded.chunks]
        lengths = [np.asarray(part.value_lengths().fill_null(0)) for part in parts]
        ends = np.cumsum(np.concatenate([np.zeros(1, np.int64), *lengths]), dtype=np.int64)
        return cls(words, np.concatenate([np.zeros(0, np.int32), *codes]), ends)

    @classmethod
    def joined(cls, parts: Iterable[ItemSets]) -> ItemSets:
        """The items of all parts, one after the other.

        Example:
            >>> sets = ItemSets.joined([ItemSets.of([("rice",)]), ItemSets.of([("salt", "rice")])])
            >>> sets[1], sets == ItemSets.of([("rice",), ("salt", "rice")])
            (('salt', 'rice'), True)
        """
        numbers: dict[str, int] = {}
        codes, ends, n_codes = [np.zeros(0, np.int32)], [np.zeros(1, np.int64)], 0
        for part in parts:
            new_of = [numbers.setdefault(word, len(numbers)) for word in part.words]
            codes.append(np.array(new_of, dtype=np.int32)[part.codes])
            ends.append(part.ends[1:] + n_codes)
            n_codes += len(part.codes)
        return cls(list(numbers), np.concatenate(codes), np.concatenate(ends))

    def write(self, stream: IO[bytes], kind: str) -> None:
        """As an Arrow file, which ``mapped`` opens; ``kind`` says of what the words are."""
        words = pa.DictionaryArray.from_arrays(self.codes, pa.array(self.words, pa.string()))
        items = pa.LargeListArray.from_arrays(self.ends, words)
        batch = pa.record_batch([items], names=[kind])
        with pa.ipc.new_file(stream, batch.schema) as file:
            file.write_batch(batch)

    @classmethod
    def mapped(cls, path: Path) -> tuple[ItemSets, str]:
        """What ``write`` has written, and its kind: what is looked at is read from the disk, where
        all of ten million items would take half a gigabyte and seconds.

        Raises:
            OSError, ValueError: there is no such file, or it is damaged.
        """
        try:
            batch = pa.ipc.open_file(pa.memory_map(str(path))).get_batch(0)
            batch.validate(full=True)
            (items,), (kind,) = batch.columns, batch.schema.names
            words, codes = items.values.dictionary.to_pylist(), items.values.indices
        except (pa.ArrowException, AttributeError, UnicodeError, LookupError) as error:
            raise ValueError(f"{path.name} holds no words of items: {error}") from error
        if items.type != _TYPE or items.null_count or codes.null_count or None in words:
            raise ValueError(f"{path.name} holds no words of items")
        return cls(words, np.asarray(codes), np.asarray(items.offsets)), kind

    def __len__(self) -> int:
        return len(self.ends) - 1

    @overload
    def __getitem__(self, i: int) -> tuple[str, ...]: ...
    @overload
    def __getitem__(self, i: slice) -> list[tuple[str, ...]]: ...
    def __getitem__(self, i: int | slice) -> tuple[str, ...] | list[tuple[str, ...]]:
        if isinstance(i, slice):
            return [self[j] for j in range(*i.indices(len(self)))]
        if not -len(self) <= i < len(self):
            raise IndexError(f"there is no item {i}: items are 0 to {len(self) - 1}")
        at = i % len(self)
        codes = self.codes[self.ends[at] : self.ends[at + 1]]
        return tuple(map(self.words.__getitem__, codes.tolist()))

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        for start in range(0, len(self), _PART):
            ends = self.ends[start : start + _PART + 1].tolist()
            words = [self.words[code] for code in self.codes[ends[0] : ends[-1]].tolist()]
            for a, b in pairwise(ends):
                yield tuple(words[a - ends[0] : b - ends[0]])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ItemSets):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]  # as of a list

    def renamed(self, names: Mapping[str, str]) -> ItemSets:
        """With other names for all words; an item has a name once, where it first stood.

        Example:
            >>> sets = ItemSets.of([("egg", "salt", "eggs")])
            >>> sets.renamed({"egg": "eggs", "eggs": "eggs", "salt": "salt"})[0]
            ('eggs', 'salt')
        """
        numbers = {name: i for i, name in enumerate(dict.fromkeys(names[w] for w in self.words))}
        new_of = np.array([numbers[names[word]] for word in self.words], dtype=np.int32)
        codes, lengths = [np.zeros(0, np.int32)], [np.zeros(0, np.int64)]
        for start in range(0, len(self), _PART):
            ends = self.ends[start : start + _PART + 1]
            n = len(ends) - 1
            of_item = np.repeat(np.arange(n), np.diff(ends))
            new = new_of[self.codes[ends[0] : ends[-1]]]
            first = np.unique(of_item * len(numbers) + new, return_index=True)[1]
            first.sort()
            codes.append(new[first])
            lengths.append(np.bincount(of_item[first], minlength=n))
        new_ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(np.concatenate(lengths))])
        return ItemSets(list(numbers), np.concatenate(codes), new_ends.astype(np.int64))

    def counts(self) -> NDArray[np.int64]:
        """(W,) how often each of ``words`` stands in all items."""
        return np.bincount(self.codes, minlength=len(self.words)).astype(np.int64)
