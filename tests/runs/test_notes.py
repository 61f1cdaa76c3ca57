"""Notes, tags and the archive: kept, bounded, and checked when they come from elsewhere."""

import json

import pytest

from rivae.base.errors import DataError, RivaeError, RunError
from rivae.runs.folders import COMES_ALONG
from rivae.runs.notes import MAX_NOTE, About, about, is_archived, keep_about, read_about


def test_what_is_kept_comes_back_and_one_change_leaves_the_rest(run):
    assert about(run) == About() and not is_archived(run)
    keep_about(run, note="  first\r\n\tsecond <b> ", tags=["a", " a ", "b  c"])
    assert keep_about(run, archived=True).archived
    assert about(run) == About("first\n second <b>", ("a", "b c"), True) and is_archived(run)
    assert keep_about(run, note="", tags=()) == About(archived=True)


@pytest.mark.parametrize(
    "change",
    [
        {"note": "x" * (MAX_NOTE + 1)},
        {"note": "a\x07b"},
        {"tags": ["x" * 41]},
        {"tags": [""]},
        {"tags": [str(i) for i in range(21)]},
        {"tags": ["a\u202eb"]},
    ],
)
def test_text_beyond_the_bounds_is_refused_and_nothing_is_lost(run, change):
    keep_about(run, note="mine")
    with pytest.raises(RivaeError):
        keep_about(run, **change)
    assert about(run) == About("mine")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"{}",
        b'{"version": 2}',
        b'{"version": 1, "note": 3}',
        b'{"version": 1, "x": 1}',
        b'{"version": 1, "tags": ["a\\u0007"]}',
        b'{"version": 1, "archived": "yes"}',
        b"[" * 90_000,
        json.dumps({"version": 1, "note": "x" * 200_000}).encode(),
        b"\xff\xfe",
    ],
)
def test_a_strangers_file_is_refused_in_one_sentence(run, content):
    with pytest.raises(DataError) as caught:
        read_about(content)
    assert "about.json" in str(caught.value) and "\n" not in str(caught.value)
    (run.path / "about.json").write_bytes(content)
    assert not is_archived(run), "a damaged file hides no run"
    with pytest.raises(RunError, match="good"):
        keep_about(run, note="mine")
    assert (run.path / "about.json").read_bytes() == content, "nothing is written over it"


def test_a_demo_run_stays_as_it_is(run, monkeypatch):
    monkeypatch.setattr("rivae.runs.folders.DEMO_ROOT", run.path.parent)
    with pytest.raises(RunError, match=COMES_ALONG.format(run.id)):
        keep_about(run, archived=True)
    assert not (run.path / "about.json").exists()


def test_a_run_that_is_gone_is_not_made_anew(run):
    run.path.rename(run.path.with_name("other"))
    with pytest.raises(RunError):
        keep_about(run, note="x")
    assert not run.path.exists()
