"""Word vectors: trained twice the same, kept, and read from files of strangers."""

from __future__ import annotations

import re
import struct
import sys

import numpy as np
import pytest

from rivae.base.errors import DataError
from rivae.data.base import Recipe
from rivae.data.tokens import cached_tokens
from rivae.data.word_vectors import read_word2vec, train_vectors, vector_source

VOCABULARY = ("soup", "water", "Salt", "missing")
FILE = {"water": [1, 2, 3], "WATER": [9, 9, 9], "Soup": [4, 5, 6], "soup": [7, 8, 9],
        "the": [0, 0, 1], "olive oil": [1, 1, 1], "Salt": [2, 2, 2]}  # fmt: skip
EXPECTED = [[0, 0, 0], [7, 8, 9], [1, 2, 3], [2, 2, 2], [0, 0, 0]]


def view_of(folder, source=None):
    rng = np.random.default_rng(0)
    recipes = [
        Recipe(
            str(i), "soup", (" ".join(rng.choice(["red", "bean", "pea", "salt"], 4)),), ("boil",)
        )
        for i in range(50)
    ]
    return cached_tokens(folder, lambda: iter(recipes), np.arange(40), 50, 100, source)


def written(path, binary, words=None, newline=b""):
    words = FILE if words is None else words
    with path.open("wb") as stream:
        stream.write(b"%d 3\n" % len(words))
        for word, vector in words.items():
            if binary:
                stream.write(word.encode() + b" " + struct.pack("<3f", *vector) + newline)
            else:
                stream.write(f"{word} {' '.join(map(str, vector))}\n".encode())
    return path


@pytest.mark.parametrize(("binary", "newline"), [(False, b""), (True, b""), (True, b"\n")])
def test_a_word2vec_file_gives_its_vectors(tmp_path, binary, newline):
    words = {k: v for k, v in FILE.items() if not (binary and " " in k)}
    path = written(tmp_path / "vectors", binary, words, newline)
    np.testing.assert_array_equal(read_word2vec(path, VOCABULARY, 3, 1), EXPECTED)


def test_words_in_capitals_count_where_there_are_no_others(tmp_path):
    path = written(tmp_path / "v.txt", False, {"SOUP": [1, 1, 1], "Water": [2, 2, 2]})
    np.testing.assert_array_equal(read_word2vec(path, VOCABULARY[:2], 3), [[1, 1, 1], [2, 2, 2]])


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "its first line must be"),
        (b"soup 1 2 3\n", "its first line must be"),
        (b"99999999999 3\n", "more than can be read"),
        (b"2 300\nsoup 1 2 3\n", "vectors of 300 numbers, not 3: set word_dim=300"),
        (b"2 3\nsoup 1 2 3\n", "line 3: not a word and 3 numbers"),
        (b"1 3\nsoup 1 nan 3\n", "NaN or infinite numbers for 'soup'"),
        (b"1 3\nfrites 1 2 3\n", "knows no word of these texts"),
        (b"2 3\nsoup " + bytes(12) + b"water " + bytes(5), "ends early at word 2 of 2"),
        (b"2 3\n" + b"x" * 100_000, "ends early at word 1 of 2"),
    ],
)
def test_foreign_and_damaged_files_are_named(tmp_path, content, reason):
    path = tmp_path / "vectors.bin"
    path.write_bytes(content)
    with pytest.raises(DataError, match=reason):
        read_word2vec(path, VOCABULARY, 3)
    with pytest.raises(DataError, match=re.escape(f"{tmp_path} ")):
        read_word2vec(tmp_path, VOCABULARY, 3)


def test_a_file_through_the_view(tmp_path):
    path = written(tmp_path / "v.txt", False)
    view = view_of(tmp_path, vector_source(str(path), tmp_path, "key", np.arange(40)))
    vectors = view.word_vectors(3)
    assert vectors.shape == (len(view.vocabulary) + 2, 3) and vectors.dtype == np.float32
    known = vectors[vectors.any(1)]
    assert len(known) == 2 and np.mean(known**2) == pytest.approx(1)  # soup, salt
    soup = vectors[2 + view.vocabulary.index("soup")]
    np.testing.assert_allclose(soup / soup[0], np.array([7, 8, 9]) / 7, rtol=1e-6)
    assert view_of(tmp_path, vector_source("none", tmp_path, "key", None)).word_vectors(3) is None


def test_vectors_of_the_corpus_are_the_same_again_and_kept(tmp_path):
    pytest.importorskip("gensim", reason="gensim is optional: pip install 'rivae-explorer[text]'")
    source = vector_source("corpus", tmp_path, "key", np.arange(40))
    view = view_of(tmp_path, source)
    vectors = view.word_vectors(20)
    assert vectors.shape == (len(view.vocabulary) + 2, 20) and not vectors[:2].any()
    assert vectors[2:].any(1).all() and np.mean(vectors[2:] ** 2) == pytest.approx(1)
    np.testing.assert_array_equal(train_vectors(view, 20, np.arange(40)), vectors)
    (path,) = tmp_path.glob("vectors-*.safetensors")
    before = path.stat().st_mtime_ns
    np.testing.assert_array_equal(view.word_vectors(20), vectors)
    assert path.stat().st_mtime_ns == before
    path.write_bytes(b"broken")
    np.testing.assert_array_equal(view.word_vectors(20), vectors)
    assert view.word_vectors(8).shape[1] == 8


def test_without_gensim_the_ways_out_are_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "gensim", None)
    monkeypatch.setitem(sys.modules, "gensim.models", None)
    with pytest.raises(DataError, match=r"rivae-explorer\[text\].*to none"):
        train_vectors(view_of(tmp_path), 20, np.arange(40))


def test_words_of_a_file_are_compared_without_case_and_composed(tmp_path):
    path = written(tmp_path / "v.txt", False, {"Cre\u0300me": [1, 1, 1], "STRASSE": [2, 2, 2]})
    found = read_word2vec(path, ["crème", "strasse", "soup"], 3)
    assert found[0].tolist() == [1, 1, 1] and found[1].tolist() == [2, 2, 2] and not found[2].any()
