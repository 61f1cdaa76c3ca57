"""Files that a browser sent: their names, their place on the disk, and how long they stay."""

import io
import os
import time
import zipfile
from datetime import UTC, datetime, timedelta

import pytest

from rivae.base.errors import DataError
from rivae.data.importing import uploads
from rivae.data.importing.picture_files import PictureFiles
from rivae.data.importing.picture_places import AMBIGUOUS
from rivae.data.importing.report import UnusableError
from rivae.data.importing.uploads import UPLOADS, forget, keep_pictures, keep_table, sweep


def sent(name, content=b"photo,name\n"):
    return name, io.BytesIO(content)


@pytest.mark.parametrize(
    "name",
    ["../../etc/cron.csv", "..\\..\\x.csv", "/tmp/a b;c.csv", ".csv.csv", "ü" * 300 + ".csv"],
)
def test_a_table_lies_below_its_folder_whatever_its_name(tmp_path, name):
    path = keep_table(tmp_path, sent(name))
    assert path.parent.parent == tmp_path / UPLOADS and path.suffix == ".csv"
    assert path.read_bytes() == b"photo,name\n" and len(path.name) <= 80
    assert keep_table(tmp_path, sent(name)) == path, "the same file has the same path"
    assert keep_table(tmp_path, sent(name, b"other")) != path


def test_pictures_are_found_by_the_names_a_table_gives_them(tmp_path):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("deep/one.jpg", b"1")
    files = [("photos.zip", packed), sent("two.png", b"2"), sent("../three.JPG", b"3")]
    places = keep_pictures(tmp_path, files)
    assert [path.name for path in places] == ["photos.zip", "2-pictures.zip"]
    with PictureFiles(places) as found:
        assert [found.read(n).data for n in ("deep/one.jpg", "one.jpg", "folder/two.png")] == [
            b"1",
            b"1",
            b"2",
        ]
    assert not (tmp_path.parent / "three.JPG").exists()


def test_of_two_uploads_with_one_name_none_replaces_the_other(tmp_path):
    with pytest.raises(DataError, match=r"two\.png"):
        keep_pictures(tmp_path, [sent("two.png", b"2"), sent("1.png"), sent("two.png", b"3")])
    assert not list((tmp_path / UPLOADS).rglob("*.zip")), "nothing is kept"
    same = [sent("two.png", b"2"), sent("Two.png", b"3"), sent("two.png", b"2")]
    (bundle,) = keep_pictures(tmp_path, same)
    assert keep_pictures(tmp_path, same[:2]) == (bundle,)
    with zipfile.ZipFile(bundle) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == {
            "two.png": b"2",
            "Two.png": b"3",
        }
    packed = [(tmp_path / f"{i}.zip", b"%d" % i) for i in (2, 4)]
    for path, content in packed:
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("two.png", content)
    zips = [("photos.zip", io.BytesIO(path.read_bytes())) for path, _ in packed]
    with PictureFiles(keep_pictures(tmp_path, [*same, zips[0]])) as found:
        assert found.read("two.png").data == b"2", "the same picture twice"
    places = keep_pictures(tmp_path, zips)
    assert len(set(places)) == 2
    with PictureFiles(places) as found, pytest.raises(UnusableError, match=AMBIGUOUS):
        found.read("two.png")


def test_what_is_neither_zip_nor_picture_is_refused_before_anything_is_kept(tmp_path):
    with pytest.raises(DataError, match="notes\\.txt is no picture"):
        keep_pictures(tmp_path, [sent("one.png"), sent("notes.txt")])
    with pytest.raises(DataError, match=r"page\.html"):
        keep_table(tmp_path, sent("page.html"))
    assert not list((tmp_path / UPLOADS).rglob("*.*"))


def test_uploads_go_after_a_day_and_only_uploads_are_forgotten(tmp_path):
    old = keep_table(tmp_path, sent("old.csv"))
    now = datetime.now(UTC)
    for days in (1, 2):
        assert old.exists()
        sweep(tmp_path, now + timedelta(days=days))
    assert not old.exists(), "two other dates"
    old = keep_table(tmp_path, sent("old.csv"))
    sweep(tmp_path, now + timedelta(days=20_000))
    assert old.exists(), "a clock that jumps by years is one other date"
    new = keep_table(tmp_path, sent("new.csv"))
    later = now + timedelta(days=3)
    os.utime(new.parent, (later.timestamp(), later.timestamp()))
    sweep(tmp_path, later, anew=new.parent.name)
    assert sweep(tmp_path) == len(b"photo,name\n") and not old.exists() and new.exists()
    old = keep_table(tmp_path, sent("old.csv"))
    long_ago = time.time() - 3 * 86_400
    os.utime(old.parent, (long_ago, long_ago))
    sweep(tmp_path)
    assert not old.exists() and new.exists(), "it had waited before anybody noted it"
    own = tmp_path / "own.csv"
    own.write_text("mine")
    forget([own, new])
    assert own.exists() and not new.exists()


def test_a_full_shelf_takes_no_more(tmp_path, monkeypatch):
    monkeypatch.setattr(uploads, "MAX_KEPT", 20)
    keep_table(tmp_path, sent("one.csv"))
    with pytest.raises(DataError, match="uploads wait"):
        keep_table(tmp_path, sent("two.csv"))
