"""The hash of a large file is kept, and is that of the file whatever happened to either."""

import json
import os

import pytest

from rivae.base.reading import contents
from rivae.base.reading.contents import file_content, kept_content, written


@pytest.fixture
def large(tmp_path, monkeypatch):
    monkeypatch.setattr(contents, "LARGE", 100)
    path = tmp_path / "own" / "pictures.npy"
    path.parent.mkdir()
    path.write_bytes(bytes(range(200)))
    return path


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "cache"


def kept_files(cache):
    return [*cache.glob("*")] if cache.exists() else []


def test_it_is_computed_once_and_read_by_later_processes(large, cache, monkeypatch):
    content = kept_content(large, cache)
    assert content == file_content(large)

    def never(*args):
        raise AssertionError("read again")

    monkeypatch.setattr(contents, "file_content", never)
    assert kept_content(large, cache) == content


@pytest.mark.parametrize("way", ["written again", "replaced", "another time"])
def test_a_file_that_changed_is_read_again(large, cache, way):
    before = kept_content(large, cache)
    if way == "written again":
        large.write_bytes(bytes(reversed(range(200))))
        os.utime(large, ns=(1, 1))
    elif way == "replaced":
        other = large.with_name("other")
        other.write_bytes(bytes(199) + b"x")
        os.utime(other, ns=(written(large)[0],) * 2)
        other.replace(large)
    else:
        os.utime(large, ns=(2, 2))
    assert kept_content(large, cache) == file_content(large)
    assert (file_content(large) == before) is (way == "another time")


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", '{"written": [1, 2, 3], "content": "00"}', '{"content": 7}', "\0" * 99],
)
def test_a_damaged_note_is_not_believed(large, cache, text):
    content = kept_content(large, cache)
    (kept,) = kept_files(cache)
    kept.write_text(text)
    assert kept_content(large, cache) == content
    assert json.loads(kept.read_text())["content"] == content


def test_a_note_with_no_text_in_it_is_not_believed(large, cache):
    kept_content(large, cache)
    (kept,) = kept_files(cache)
    kept.write_text(json.dumps({"written": written(large), "content": ["x"]}))
    assert kept_content(large, cache) == file_content(large)


def test_small_files_and_folders_that_cannot_be_written_keep_nothing(large, cache, tmp_path):
    small = tmp_path / "own" / "texts.npy"
    small.write_bytes(b"x")
    assert kept_content(small, cache) == file_content(small)
    assert kept_files(cache) == []
    cache.write_text("a file")
    assert kept_content(large, cache) == file_content(large)
