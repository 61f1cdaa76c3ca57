"""Splits that are drawn: whole pictures go to one part, and only what is missing is drawn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rivae.base.errors import DataError
from rivae.data.base import SPLITS, random_split
from rivae.data.splits import draw, drawn_parts, split_of
from rivae.data.store.twins import (
    MARK_BYTES,
    NO_MARK,
    SAME_PICTURE,
    groups_of,
    mark_of,
    read_groups,
    write_groups,
)

USUAL = (0.7, 0.15, 0.15)
FRACTIONS = st.tuples(*[st.integers(1, 20)] * 3).map(lambda w: tuple(v / sum(w) for v in w))
PICTURES = st.lists(st.integers(0, 60), min_size=30, max_size=200).map(np.array)
SEEDS = st.integers(0, 2**32 - 1)


@given(n=st.integers(1, 400), fractions=FRACTIONS, seed=SEEDS)
def test_without_shared_pictures_rows_are_drawn_as_ever(n, fractions, seed):
    drawn = split_of(np.full(max(n, 3), -1), np.arange(max(n, 3)), fractions, seed)
    expected = random_split(max(n, 3), fractions, seed)
    for part in SPLITS:
        np.testing.assert_array_equal(drawn[part], expected[part])
        assert drawn[part].dtype == expected[part].dtype


@given(pictures=PICTURES, fractions=FRACTIONS, seed=SEEDS)
def test_a_picture_is_in_one_part_and_the_parts_have_their_shares(pictures, fractions, seed):
    n = len(pictures)
    split = split_of(np.full(n, -1), pictures, fractions, seed)
    again = split_of(np.full(n, -1), pictures, fractions, seed)
    assert all((split[part] == again[part]).all() for part in SPLITS)
    np.testing.assert_array_equal(np.sort(np.concatenate(list(split.values()))), np.arange(n))
    numbers, counts = np.unique(pictures, return_counts=True)
    if len(numbers) < 3:
        return
    of_part = [set(pictures[split[part]].tolist()) for part in SPLITS]
    assert sum(map(len, of_part)) == len(numbers) and all(of_part)
    for part, share in zip(SPLITS, fractions, strict=True):
        assert abs(len(split[part]) - share * n) <= counts.max() + 1


@given(size=st.integers(2, 9), n_pictures=st.integers(20, 60), fractions=FRACTIONS, seed=SEEDS)
def test_another_seed_draws_other_pictures(size, n_pictures, fractions, seed):
    pictures = np.repeat(np.arange(n_pictures), size)
    drawn = [draw(pictures, fractions, seed + k) for k in range(3)]
    assert any((one != drawn[0]).any() for one in drawn[1:])
    assert all(len(set(one[pictures == k])) == 1 for one in drawn for k in range(n_pictures))


def test_a_picture_that_stands_for_most_rows_leaves_rows_for_every_part():
    for n_same in (30, 60, 90, 97):
        pictures = np.maximum(np.arange(100) - n_same, 0)
        parts = np.bincount(draw(pictures, USUAL, 0), minlength=3)
        assert parts[0] >= n_same and parts.min() >= 1


@given(
    named=st.lists(st.sampled_from([0, 1, 2]), min_size=40, max_size=200),
    present=st.sets(st.sampled_from([0, 1, 2]), min_size=1),
    seed=SEEDS,
)
def test_only_what_is_missing_is_drawn_and_no_test_row_is_trained_on(named, present, seed):
    parts = np.array([part if part in present else min(present) for part in named])
    drawn = drawn_parts(parts)
    counts = np.bincount(parts, minlength=3)
    if drawn and counts[drawn[0]] < len(drawn):
        return
    split = split_of(parts, np.arange(len(parts)), USUAL, seed)
    kept = {k for k in range(3) if counts[k]} - set(drawn[:1])
    for k in kept:
        np.testing.assert_array_equal(split[SPLITS[k]], np.flatnonzero(parts == k))
    assert set(drawn) | kept == {0, 1, 2} and all(len(rows) for rows in split.values())
    assert sum(map(len, split.values())) == len(parts)
    if drawn:
        taken = np.concatenate([split[SPLITS[k]] for k in drawn])
        np.testing.assert_array_equal(np.sort(taken), np.flatnonzero(parts == drawn[0]))
        wanted = np.array([USUAL[k] for k in drawn])
        sizes = [len(split[SPLITS[k]]) for k in drawn]
        np.testing.assert_allclose(sizes, wanted / wanted.sum() * counts[drawn[0]], atol=1)


def test_one_training_row_cannot_be_divided():
    with pytest.raises(DataError, match="1 train and no validation"):
        split_of(np.array([0, *[2] * 39]), np.arange(40), USUAL, 0)


@given(st.lists(st.sampled_from([b"", b"a", b"b", b"c"]), min_size=1, max_size=30))
def test_groups_name_the_first_item_with_the_same_picture(tmp_path_factory, pictures):
    groups = groups_of(b"".join(mark_of(p) if p else NO_MARK for p in pictures))
    for i, picture in enumerate(pictures):
        assert groups[i] == (pictures.index(picture) if picture else i)
    folder = tmp_path_factory.mktemp("store")
    write_groups(folder, groups)
    np.testing.assert_array_equal(read_groups(folder, len(groups)), groups)


def test_marks_that_end_in_zeros_are_not_confused():
    marks = [b"\1" * (MARK_BYTES - k) + bytes(k) for k in range(MARK_BYTES)]
    np.testing.assert_array_equal(groups_of(b"".join(marks)), np.arange(MARK_BYTES))


@pytest.mark.parametrize(
    "groups",
    [[0, 0, 3, 3], [0, 0, -1, 3], [0, 1, 1, 2], [0, 1, 2], [0.0, 0.0, 2.0, 3.0], [[0] * 4]],
)
def test_damaged_groups_are_refused(tmp_path, groups):
    np.save(tmp_path / SAME_PICTURE, np.array(groups))
    with pytest.raises(DataError, match="import the data again"):
        read_groups(tmp_path, 4)
    (tmp_path / SAME_PICTURE).write_bytes(b"\x93NUMPY no")
    with pytest.raises(DataError, match="import the data again"):
        read_groups(tmp_path, 4)


def test_without_a_file_each_item_is_its_own(tmp_path):
    np.testing.assert_array_equal(read_groups(tmp_path, 3), [0, 1, 2])
