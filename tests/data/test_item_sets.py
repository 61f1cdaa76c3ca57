"""The compact sets of words read like the tuples that they were made of."""

from __future__ import annotations

import tempfile
from collections import Counter
from contextlib import suppress
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rivae.data import item_sets
from rivae.data.item_sets import ItemSets

TEXTS = st.text(st.characters(codec="utf-8"), max_size=4)
TUPLES = st.lists(st.lists(TEXTS, max_size=5).map(tuple), max_size=30)


def _same(sets: ItemSets, tuples: list[tuple[str, ...]]) -> None:
    assert list(sets) == tuples
    assert [sets[i] for i in range(len(tuples))] == tuples
    assert [sets[i - len(tuples)] for i in range(len(tuples))] == tuples
    assert sets[1:20:3] == tuples[1:20:3]
    counts = dict(zip(sets.words, sets.counts().tolist(), strict=True))
    assert counts == Counter(word for words in tuples for word in words)
    assert sets == ItemSets.of(tuples) and sets != ItemSets.of([*tuples, ()])
    assert sets != ItemSets.of([*tuples[:-1], ("other",)])


@given(TUPLES)
def test_sets_of_tuples_are_these_tuples(tuples: list[tuple[str, ...]]) -> None:
    _same(ItemSets.of(tuples), tuples)


@given(st.lists(TUPLES, max_size=4), st.integers(0, 3))
def test_columns_of_lists_are_joined_even_when_cut(
    parts: list[list[tuple[str, ...]]], cut: int
) -> None:
    columns = [pa.array(part, pa.list_(pa.string())).slice(cut) for part in parts]
    _same(ItemSets.of_lists(columns), [words for part in parts for words in part[cut:]])


@given(st.lists(TUPLES, max_size=4))
def test_joined_parts_are_as_if_made_in_one_go(parts: list[list[tuple[str, ...]]]) -> None:
    together = [words for part in parts for words in part]
    joined = ItemSets.joined(map(ItemSets.of, parts))
    _same(joined, together)
    assert joined.words == ItemSets.of(together).words


def test_what_is_missing_is_empty() -> None:
    column = pa.array([["a", None], None, [], ["b"]], pa.list_(pa.string()))
    assert list(ItemSets.of_lists([column.slice(0, 2), column.slice(2)])) == [
        ("a", ""),
        (),
        (),
        ("b",),
    ]


def test_iteration_goes_on_from_part_to_part() -> None:
    rng = np.random.default_rng(0)
    tuples = [tuple(rng.choice(list("abcdef"), n)) for n in rng.integers(0, 4, 25_000)]
    _same(ItemSets.of(tuples), tuples)


@pytest.mark.parametrize("i", [2, -3])
def test_there_are_no_more_than_these(i: int) -> None:
    with pytest.raises(IndexError, match=f"item {i}"):
        ItemSets.of([("a",), ()])[i]


@given(
    tuples=TUPLES,
    letters=st.lists(st.sampled_from("xyz"), min_size=3, max_size=3),
    part=st.integers(1, 4),
)
def test_other_names_unite_words_where_they_first_stood(
    tuples: list[tuple[str, ...]], letters: list[str], part: int
) -> None:
    words = dict.fromkeys(word for each in tuples for word in each)
    names = {word: letters[i % 3] for i, word in enumerate(words)}
    expected = [tuple(dict.fromkeys(names[word] for word in each)) for each in tuples]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(item_sets, "_PART", part)
        renamed = ItemSets.of(tuples).renamed(names)
        assert list(renamed) == expected
    assert renamed.words == ItemSets.of(expected).words
    assert renamed.codes.dtype == np.int32 and renamed.ends.dtype == np.int64


@given(TUPLES)
def test_written_and_mapped_they_are_the_same(tuples: list[tuple[str, ...]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = written(Path(folder), tuples)
        sets, kind = ItemSets.mapped(path)
        assert kind == "tags"
        _same(sets, tuples)


@given(TUPLES, st.data())
def test_a_damaged_file_is_refused_or_can_be_read(
    tuples: list[tuple[str, ...]], data: st.DataObject
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = written(Path(folder), tuples)
        content = bytearray(path.read_bytes())
        for _ in range(data.draw(st.integers(0, 3))):
            content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
        path.write_bytes(content[: data.draw(st.integers(0, len(content)))])
        with suppress(OSError, ValueError):
            sets, _ = ItemSets.mapped(path)
            assert all(isinstance(word, str) for item in sets for word in item)


def written(folder: Path, tuples: list[tuple[str, ...]]) -> Path:
    path = folder / "words.arrow"
    with path.open("wb") as stream:
        ItemSets.of(tuples).write(stream, "tags")
    return path
