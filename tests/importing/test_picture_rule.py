"""The rule by which a picture is found, stated without an index, for drawn trees and names."""

from __future__ import annotations

import tempfile
import unicodedata
from pathlib import Path
from urllib.parse import unquote

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rivae.data.importing.picture_files import MISSING, PictureFiles
from rivae.data.importing.picture_places import AMBIGUOUS, MAX_COMPARED, OUTSIDE
from rivae.data.importing.report import UnusableError
from tests.importing.conftest import packed, tree

pytestmark = pytest.mark.slow

NFD = unicodedata.normalize("NFD", "né.png")
FOLDERS = ("a", "A", "b", "né", unicodedata.normalize("NFD", "né"), "c d", "c\u00a0 d")
NAMES = (
    "0", "0.png", "0.PNG", "0.jpg", "0.txt", "1.png", "né.png", NFD, "NÉ.png", "my photo.png",
    " my  photo.png", "my\u202fphoto.png", "my%20photo.png", "my\u200bphoto.png",
)  # fmt: skip
paths = st.builds(
    lambda folders, name: "/".join([*folders, name]),
    st.lists(st.sampled_from(FOLDERS), max_size=3),
    st.sampled_from(NAMES),
)
contents = st.sampled_from([b"1", b"2", b"3", b"4", b"5"])
trees = st.lists(st.tuples(st.booleans(), st.dictionaries(paths, contents, max_size=6)), max_size=3)
# What other people's tables make of a path.
writing = st.sampled_from(
    [
        lambda path: path,
        lambda path: path.replace("/", "\\"),
        lambda path: "./" + path.replace("/", "//"),
        lambda path: path.rpartition("/")[2],
        lambda path: path.partition("/")[2] or path,
        lambda path: f"place-0/{path}",
        lambda path: f"images/{path}",
        lambda path: f"C:\\data\\{path}",
        lambda path: f"a/{path}",
        lambda path: path.upper(),
        lambda path: path.replace(" ", "%20"),
        lambda path: path.replace(" ", "  ") + " ",
        lambda path: unicodedata.normalize("NFC", path),
        lambda path: path.removesuffix(".png"),
        lambda path: path.removesuffix(".png") + ".jpeg",
        lambda path: f"file:///elsewhere/{path}",
        lambda path: f"https://host.org/{path}?size=2",
    ]
)


def cleaned(path: str, level: int) -> list[str]:
    """The parts of a path: as written, spaces, %20, capital letters, ending."""
    if level >= 2:
        path = unquote(path)
    said = [part for part in path.replace("\\", "/").split("/") if part not in ("", ".")]
    if level >= 1:
        said = [unicodedata.normalize("NFC", part.replace("\u200b", "")) for part in said]
        said = [" ".join(part.split()) for part in said]
    if level >= 3:
        said = [part.casefold() for part in said]
    if level >= 4:
        stem, dot, ending = said[-1].rpartition(".")
        if dot and ending in ("png", "jpg", "jpeg"):
            said[-1] = stem
    return said


def meant(name: str, files: list[tuple[str, str]]) -> list[int]:
    """Which of the files (the folder that holds them, their path in it) a name means."""
    name = name.removeprefix("file://").removeprefix("https://").removesuffix("?size=2")
    exact = []
    for i, (place, path) in enumerate(files):
        whole, told = cleaned(f"{place}/{path}", 0), cleaned(name, 0)
        inner = len(cleaned(path, 0))
        if len(told) >= inner and whole[len(whole) - len(told) :] == told:
            exact.append(i)
    if exact:
        return exact
    for level in range(5):
        told = cleaned(name, level)
        known = [cleaned(path, level) for _, path in files]
        if same := [i for i, path in enumerate(known) if path == told]:
            return same
        fits = [
            i
            for i, path in enumerate(known)
            if path[-len(told) :] == told or told[-len(path) :] == path
        ]
        if fits:
            return fits
    return []


@settings(max_examples=150)  # many steps to reach
@given(trees, paths, writing, st.data())
@example([(False, {"a/0.png": b"1", "b/0.png": b"2"})], "0.png", str, None)
@example([(True, {"test/0.png": b"1"})], "train/0.png", str, None)
def test_the_picture_that_a_name_means(places, path, write, data) -> None:
    known = [path for _, files in places for path in files]
    if known and data is not None:
        path = data.draw(st.sampled_from(known) | st.just(path))
    name = write(path)
    with tempfile.TemporaryDirectory() as folder:
        given_places, files, held = [], [], []
        for i, (is_zip, inside) in enumerate(places):
            root = Path(folder) / f"place-{i}"
            given_places.append(packed(root, inside) if is_zip else tree(root, inside))
            files += [("" if is_zip else str(root.resolve()), path) for path in inside]
            held += inside.values()
        fits = meant(name, files)
        with PictureFiles(given_places) as pictures:
            try:
                picture = pictures.read(name)
            except UnusableError as error:
                several = len({held[i] for i in fits}) > 1 or len(fits) > MAX_COMPARED
                assert several == bool(fits)
                assert str(error) in ((AMBIGUOUS,) if several else (MISSING, OUTSIDE))
                return
    assert {held[i] for i in fits} == {picture.data}
    assert len(fits) <= MAX_COMPARED
