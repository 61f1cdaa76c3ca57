"""A picture is the one that the row names: found by its path, told from others, or left out."""

from __future__ import annotations

import os
import unicodedata
import zipfile
from pathlib import Path

import pytest

from rivae.base.errors import DataError
from rivae.data.importing import picture_files, picture_places
from rivae.data.importing.picture_files import MISSING, SHARED, UNLISTED, PictureFiles
from rivae.data.importing.picture_index import MAX_FITTING
from rivae.data.importing.picture_places import AMBIGUOUS, OUTSIDE, Folder
from rivae.data.importing.report import UnusableError
from rivae.data.store import PairStore
from tests.importing.conftest import jpeg, packed, rows, tree
from tests.importing.test_pairs import take

NFD = unicodedata.normalize("NFD", "né.png")


def found(place: Path | list[Path], name: object) -> bytes:
    with PictureFiles(place if isinstance(place, list) else [place]) as files:
        return files.read(name).data


def refused(place: Path | list[Path], name: object) -> UnusableError:
    with pytest.raises(UnusableError) as error:
        found(place, name)
    return error.value


# Kinds of names that people report


@pytest.mark.parametrize(
    ("held", "name"),
    [
        ("photos/a/0.png", "a/0.png"),
        ("0.png", "images/0.png"),
        ("a/0.png", "a\\0.png"),
        ("a\\0.png", "a/0.png"),
        ("a/0.png", r"C:\data\photos\a\0.png"),
        ("a/0.png", "/mnt/other/photos/a/0.png"),
        ("a/0.png", "file:///C:/photos/a/0.png"),
        ("a/my 0.png", "https://host.org/a/my%200.png?w=3#top"),
        ("a/0.png", "/data/local-files/?d=photos/a%2F0.png"),
        ("0.PNG", "0.png"),
        ("0.png", "0"),
        ("0", "0.png"),
        ("0.jpg", "0.png"),
        ("7.png", 7),
        ("7.png", 7.0),
        (NFD, unicodedata.normalize("NFC", NFD)),
        (unicodedata.normalize("NFC", NFD), NFD),
        ("my 0.png", "my\u00a0 0.png "),
        ("Bild\u202f0.png", "Bild 0.png"),
        ("0.png", "\u202a0.png"),
        ("STRASSE.png", "straße.png"),
    ],
)
@pytest.mark.parametrize("pack", [True, False])
def test_a_name_as_other_people_write_it(tmp_path, held, name, pack):
    others = {"b/1.png": b"1", "b/0/x.png": b"2", "b/10.png": b"3", "notes/0.txt": b"4"}
    inside = {held: b"0", **others}
    place = packed(tmp_path / "p.zip", inside) if pack else tree(tmp_path / "p", inside)
    assert found(place, name) == b"0"


@pytest.mark.parametrize("pack", [True, False])
def test_one_name_in_several_folders_is_told_by_its_folder_or_left_out(tmp_path, pack):
    inside = {"photos/a/0.png": b"1", "photos/b/0.png": b"2", "photos/b/1.png": b"3"}
    place = packed(tmp_path / "p.zip", inside) if pack else tree(tmp_path / "p", inside)
    assert [found(place, f"{x}/0.png") for x in "ab"] == [b"1", b"2"]
    assert str(refused(place, "c/0.png")) == str(refused(place, "a/1.png")) == MISSING
    both = refused(place, "0.png")
    assert str(both) == AMBIGUOUS and all(f"photos/{x}/0.png" in both.what for x in "ab")
    assert "photos/b/1.png" in refused(place, "a/1.png").what, "where else there is one"


def test_an_absolute_name_inside_the_folder_is_inside(tmp_path):
    photos = tree(tmp_path / "photos", {"a/0.png": b"0", "0.png": b"1"})
    (tmp_path / "link").symlink_to(photos)
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "link").symlink_to(photos / "a")
    ways = ["photos/a/0.png", "link/a/0.png", "deep/link/0.png", "deep/../photos/a/../a/0.png"]
    for place in (photos, tmp_path / "link", photos / ".." / "photos"):
        for way in ways:
            with PictureFiles([place]) as files:
                picture = files.read(str(tmp_path / way))
                assert picture.data == b"0" and not picture.remarks
        for name in ("photos/a/0.png", "../photos/a/0.png", "a/../a/0.png"):
            with PictureFiles([place]) as files:
                picture = files.read(name)
                assert picture.data == b"0" and not picture.remarks


def test_nothing_outside_a_folder_is_read(tmp_path):
    photos = tree(tmp_path / "photos", {"a/1.png": b"1"})
    secret = tree(tmp_path / "other", {"secret.png": b"2", "deep/0.png": b"3"})
    (photos / "link.png").symlink_to(secret / "secret.png")
    (photos / "folder").symlink_to(secret)
    (photos / "zero.png").symlink_to("/dev/zero")
    (photos / "circle.png").symlink_to("circle.png")
    os.mkfifo(photos / "pipe.png")
    names = ["link.png", "LINK.png", "folder/secret.png", "../other/secret.png", "/etc/passwd"]
    for name in [*names, str(secret / "secret.png"), f"file://{secret}/secret.png"]:
        assert str(refused(photos, name)) == OUTSIDE, name
    for name in ("zero.png", "circle.png", "pipe.png", "secret.png", "0.png", "deep/0.png", "a"):
        assert str(refused(photos, name)) == MISSING, name
    for name in ("", " ", None, float("nan"), "a\0.png", [], "x" * 2000, "/".join("x" * 400)):
        refused(photos, name)


def test_places_are_counted_together(tmp_path):
    one = packed(tmp_path / "one.zip", {"0.png": b"0", "same.png": b"s", "x/2.png": b"2"})
    two = tree(tmp_path / "two", {"0.png": b"1", "same.png": b"s", "y/2.png": b"3"})
    for name in ("0.png", "2.png"):
        error = refused([one, two], name)
        assert str(error) == AMBIGUOUS and "one.zip/" in error.what and "two/" in error.what
        assert str(refused([two, one], name)) == AMBIGUOUS
    assert found([one, two], "same.png") == b"s", "the same picture in both"
    assert found([one, one, two, two], "y/2.png") == b"3"
    inner = tree(tmp_path / "two" / "z", {"9.png": b"9"})
    assert found([two, inner, inner / "."], "9.png") == b"9", "one file, seen from two places"


@pytest.mark.parametrize(
    ("held", "names", "taken"),
    [
        ("0.png", ["a/0.png", "b/0.png"], []),
        ("a/0.png", ["x/a/0.png", "y/a/0.png"], []),
        ("0.png", ["a/0.png", "a/0.png", "./a//0.png", "A/0.PNG"], [0, 1, 2, 3]),
        ("0.png", ["a/0.png", "0.png"], [1]),
        ("a/0.png", ["0.png", "b/0.png"], [0]),
        ("0.png", ["a/0.png", "a/0.jpg"], []),
        ("0.png", ["a/0.png", "b/1.png", {"bytes": jpeg(1), "path": "c/0.png"}], [0, 2]),
        ("0.png", ["a/0.png", *(f"{i}/0.png" for i in range(99))], []),
    ],
)
def test_two_names_in_a_table_do_not_mean_one_file_by_guessing(tmp_path, held, names, taken):
    place = packed(tmp_path / "p.zip", {held: b"0", "z/z.png": b""})
    with PictureFiles([place], lambda: names) as files:
        for i, name in enumerate(names):
            try:
                files.read(name)
                assert i in taken
            except UnusableError as error:
                assert str(error) in (SHARED, MISSING) and i not in taken
                assert str(error) == MISSING or held in error.what
    with PictureFiles([place]) as files:
        assert files.read(names[0]).data == b"0", "by itself"


def test_a_name_that_has_its_own_file_takes_no_other(tmp_path):
    names = ["a/0.png", "b/0.png"]
    place = packed(tmp_path / "p.zip", {"x/a/0.png": b"0", "0.png": b"1", "x/c/0.png": b"2"})
    with PictureFiles([place], lambda: ["x/a/0.png", "b/0.png"]) as files:
        assert [files.read(name).data for name in ("x/a/0.png", "b/0.png")] == [b"0", b"1"]
    with PictureFiles([place], lambda: names) as files, pytest.raises(UnusableError) as error:
        files.read("a/0.png")
    assert str(error.value) == AMBIGUOUS


# Zips of other systems


class Written(zipfile.ZipInfo):
    """A member whose name has these bytes, without the mark of UTF-8."""

    def __init__(self, raw: bytes) -> None:
        super().__init__(ascii(raw))
        self.raw = raw

    def _encodeFilenameFlags(self):
        return self.raw, self.flag_bits & ~0x800


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        ("é/crème 1.png".encode(), "é/crème 1.png"),
        (unicodedata.normalize("NFD", "crème.png").encode(), "crème.png"),
        ("crème.png".encode("cp437"), "crème.png"),
        ("Crème Ø.png".encode("cp1252"), "Crème Ø.png"),
        ("борщ.png".encode("cp866"), "борщ.png"),
        ("写真/寿司.png".encode("cp932"), "寿司.png"),
        ("写真/寿司/0.png".encode("cp932"), "0.png"),
        ("图片.png".encode("gb18030"), "图片.png"),
        (b"a\\b\\0.png", "b/0.png"),
        (b"/photos/0.png", "photos/0.png"),
    ],
)
def test_a_zip_names_its_members_in_the_encoding_of_its_system(tmp_path, raw, name):
    with zipfile.ZipFile(tmp_path / "p.zip", "w") as out:
        out.writestr(Written(raw), b"0")
        out.writestr(Written("ü.png".encode("cp437")), b"1")
    assert found(tmp_path / "p.zip", name) == b"0"


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_what_macos_adds_is_no_picture_and_a_member_that_occurs_twice_is_none(tmp_path):
    with zipfile.ZipFile(tmp_path / "p.zip", "w") as out:
        for name in ("photos/", "photos/0.png", "__MACOSX/photos/._0.png", "photos/.DS_Store"):
            out.writestr(name, b"0" if name == "photos/0.png" else b"")
        for name, data in (("1.png", b"1"), ("1.png", b"1"), ("2.png", b"1"), ("2.png", b"2")):
            out.writestr(name, data)
        for _ in range(2000):
            out.writestr("many.png", b"")
    assert found(tmp_path / "p.zip", "0.png") == b"0"
    assert found(tmp_path / "p.zip", "1.png") == b"1"
    assert str(refused(tmp_path / "p.zip", "2.png")) == AMBIGUOUS
    assert str(refused(tmp_path / "p.zip", "many.png")) == AMBIGUOUS
    assert str(refused(tmp_path / "p.zip", "photos")) == MISSING
    tree(tmp_path / "f", {"photos/0.png": b"0", "__MACOSX/photos/._0.png": b""})
    assert found(tmp_path / "f", "0.png") == b"0"


# Cost


def test_a_folder_is_looked_through_once_and_only_for_a_name_that_is_not_exact(
    tmp_path, monkeypatch
):
    photos = tree(tmp_path / "photos", {f"a/{i}.png": b"%d" % i for i in range(9)})
    walks, original = [], Folder.paths
    monkeypatch.setattr(Folder, "paths", lambda self: walks.append(self) or original(self))
    with PictureFiles([photos]) as files:
        for i in range(9):
            files.read(f"a/{i}.png")
        assert not walks
        for i in range(9):
            assert files.read(f"{i}.png").data == b"%d" % i
        with pytest.raises(UnusableError):
            files.read("9.png")
    assert len(walks) == 1
    with PictureFiles([photos], walk=False) as files, pytest.raises(UnusableError, match=MISSING):
        files.read("1.png")
    assert len(walks) == 1


def test_too_many_files_are_not_compared_with_every_name(tmp_path, monkeypatch):
    many = {f"{i}/0.png": b"%d" % i for i in range(MAX_FITTING + 1)}
    place = packed(tmp_path / "p.zip", many)
    assert str(refused(place, "0.PNG")) == AMBIGUOUS and found(place, "x/3/0.png") == b"3"
    monkeypatch.setattr(picture_files, "MAX_FILES", 20)
    assert found(place, "3/0.png") == b"3" and str(refused(place, "x/3/0.png")) == UNLISTED


def test_a_large_picture_is_refused_wherever_it_lies(tmp_path, monkeypatch):
    inside = {"0.png": b"x" * 100}
    places = [tree(tmp_path / "p", inside), packed(tmp_path / "p.zip", inside)]
    monkeypatch.setattr(picture_places, "MAX_PICTURE_BYTES", 99)
    for place in places:
        assert str(refused(place, "0.png")) == picture_places.TOO_LARGE


def test_a_place_that_cannot_be_opened_leaves_no_file_open(tmp_path):
    sound = packed(tmp_path / "p.zip", {"0.png": b"0"})
    (tmp_path / "q.zip").write_bytes(b"none")
    for wrong in (tmp_path / "q.zip", tmp_path / "nowhere"):
        with pytest.raises(DataError, match=wrong.name):
            PictureFiles([sound, wrong])


# What the report says


def test_what_was_guessed_is_in_the_report_and_what_is_exact_is_not(
    tmp_path, pictures, write_table
):
    records = rows()
    for i, record in enumerate(records):
        record["image"] = (f"{i}.jpg", f"{i}.JPG", f"photos/{i}.jpg", f"{i}")[i % 4]
    report = take(write_table(records), pictures, tmp_path / "data")
    assert report.taken == 40 and sorted(report.notes.values()) == [10, 10, 10]
    assert all(" → " in examples[0] for examples in report.examples.values())
    assert len(report.examples) == 3
    exact = take(write_table(rows()), pictures, tmp_path / "data", name="exact")
    assert exact.notes == {}
    one, two = (PairStore(tmp_path / "data" / name) for name in ("mine", "exact"))
    assert [one.picture_bytes(i) for i in range(40)] == [two.picture_bytes(i) for i in range(40)]


def test_two_rows_do_not_share_a_picture_that_was_guessed(tmp_path, pictures, write_table):
    records = rows()
    for i in range(20):
        records[i]["image"], records[20 + i]["image"] = f"train/{i}.jpg", f"test/{i}.jpg"
    more = [{**row, "id": f"e{i}", "image": f"{i}.jpg"} for i, row in enumerate(rows())][20:]
    also = [{**row, "id": f"f{i}", "image": f"sub/{i}.jpg"} for i, row in enumerate(rows())][20:]
    tree(pictures / "sub", {f"{i}.jpg": jpeg(100 + i) for i in range(20, 40)})
    report = take(write_table(records + more + also), pictures, tmp_path / "data")
    assert report.left_out == {SHARED: 40} and report.taken == 40 and report.notes == {}


def test_a_picture_that_is_not_told_apart_leaves_out_its_row(tmp_path, write_table):
    place = tree(tmp_path / "p", {f"{x}/{i}.jpg": jpeg(i, (9, 9)) for i in range(40) for x in "ab"})
    (place / "b" / "3.jpg").write_bytes(jpeg(99))
    report = take(write_table(rows()), place, tmp_path / "data")
    assert report.left_out == {AMBIGUOUS: 1} and report.taken == 39
    (example,) = report.examples[AMBIGUOUS]
    assert "a/3.jpg" in example and "b/3.jpg" in example
