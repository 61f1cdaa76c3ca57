"""The trash: what is put in comes back as it was, nothing else is ever removed."""

import json
import os
import stat
from datetime import UTC, datetime, timedelta

import pytest

from rivae.base.dates import FILE
from rivae.base.errors import DataError
from rivae.base.files import folder_bytes
from rivae.runs.trash import KEPT_DATES, Trash

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


@pytest.fixture
def trash(tmp_path):
    return Trash(tmp_path / "runs", "run")


def make(trash, name="good", text="x"):
    folder = trash.root / name
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "file").write_text(text)
    return folder


def test_a_folder_comes_back_as_it_was(trash, tmp_path):
    folder = make(trash, text="everything")
    (folder / "link").symlink_to(tmp_path)
    done = trash.put("good", more={"jobs": [1]}, now=NOW)
    assert not folder.exists() and trash.entries() == [done] == [trash.entry("good")]
    assert (done.name, done.kind, done.deleted, done.dates_left, done.more) == (
        "good",
        "run",
        NOW,
        KEPT_DATES,
        {"jobs": [1]},
    )
    assert done.bytes == folder_bytes(done.path / "content") >= 9
    record = json.loads((done.path / "record.json").read_text())
    assert record["origin"] == str(folder) and record["deleted"].startswith("2026-01-02T03:04:05")
    if os.name == "posix":
        rights = [
            stat.S_IMODE(path.stat().st_mode)
            for path in (trash.folder, done.path, done.path / "record.json")
        ]
        assert rights == [0o700, 0o700, 0o600]
    assert trash.restore(done.id) == folder
    assert (folder / "deep" / "file").read_text() == "everything" and (folder / "link").is_symlink()
    assert trash.entries() == [] and {p.name for p in trash.folder.iterdir()} == {".lock", FILE}


def test_the_last_deleted_of_a_name_comes_back_unless_another_is_named(trash):
    first, second = (
        (make(trash, text=text), trash.put("good", now=NOW))[1] for text in ("old", "new")
    )
    assert first.id != second.id and trash.entries() == [second, first]
    trash.restore("good")
    assert (trash.root / "good" / "deep" / "file").read_text() == "new"
    with pytest.raises(DataError, match="another run named good: rename or delete it"):
        trash.restore(first.id)
    assert trash.entries() == [first]
    with pytest.raises(DataError, match="no run 'bad' in the trash"):
        trash.restore("bad")


def days(n):
    return NOW + timedelta(days=n)


def test_after_thirty_dates_of_use_it_is_gone(trash):
    make(trash)
    trash.put("good", now=NOW)
    make(trash, "later")
    trash.put("later", now=days(1))
    for n in range(1, KEPT_DATES):
        trash.purge(days(n))
        trash.purge(days(n))  # twice on one date is one date
        trash.note_date(days(n))
    assert [(e.name, e.dates_left) for e in trash.entries()] == [("later", 2), ("good", 1)]
    trash.note_date(days(KEPT_DATES))
    assert [(e.name, e.dates_left) for e in trash.entries()] == [("later", 1), ("good", 0)], (
        "noting a date removes nothing"
    )
    trash.purge(days(KEPT_DATES))
    assert [entry.name for entry in trash.entries()] == ["later"]
    assert left(trash) == [trash.entries()[0].path]


def left(trash):
    return sorted(p for p in trash.folder.iterdir() if p.name not in (".lock", FILE))


@pytest.mark.parametrize("jumps", [[36_500], [-36_500], [9_000, 0, 9_000, 0] * 30, [400] * 40])
def test_a_clock_that_jumps_removes_nothing(trash, jumps):
    make(trash)
    entry = trash.put("good", now=NOW)
    for n in jumps:
        trash.purge(days(n))
    assert [found.id for found in trash.entries()] == [entry.id]
    assert trash.entries()[0].dates_left >= KEPT_DATES - 2


def test_time_without_the_app_does_not_count(trash):
    make(trash)
    trash.put("good", now=NOW)
    for n in range(KEPT_DATES - 1):
        trash.purge(days(200 * (n + 1)))
    assert len(trash.entries()) == 1
    trash.purge(days(20_000))
    assert trash.entries() == []


@pytest.mark.parametrize("content", [None, b"", b"{", b"[]", b'{"count": -1}', b'{"count": 99}'])
def test_a_lost_record_of_dates_begins_anew_and_removes_nothing(trash, content):
    make(trash)
    trash.put("good", now=NOW)
    for n in range(KEPT_DATES - 1):
        trash.purge(days(n))
    if content is None:
        (trash.folder / FILE).unlink()
    else:
        (trash.folder / FILE).write_bytes(content)
    trash.purge(days(KEPT_DATES + 1))
    assert [entry.dates_left for entry in trash.entries()] == [KEPT_DATES]


def test_what_is_deleted_again_begins_anew_and_an_older_trash_too(trash):
    make(trash)
    trash.put("good", now=NOW)
    for n in range(20):
        trash.purge(days(n))
    trash.restore("good")
    trash.put("good", now=days(20))
    assert trash.entries()[0].dates_left == KEPT_DATES
    # An entry that an older version has made is not in the record of dates.
    (trash.folder / FILE).unlink()
    assert trash.entries()[0].dates_left == KEPT_DATES


def test_a_part_of_a_file_is_kept_and_discarded(tmp_path):
    trash = Trash(tmp_path / "names", "names")
    trash.root.mkdir()
    entry = trash.put_content("run-1", b"{}", more={"run": "run-1"}, now=NOW)
    assert trash.entries() == [entry] and (entry.path / "content").read_bytes() == b"{}"
    assert entry.bytes == 2 and stat.S_IMODE((entry.path / "content").stat().st_mode) == 0o600
    with pytest.raises(DataError):
        trash.discard("nothing")
    trash.discard(entry.id)
    assert trash.entries() == [] and left(trash) == []
    for bad in ("", "..", "a/b", "a\nb"):
        with pytest.raises((DataError, ValueError)):
            trash.put_content(bad, b"x")


def test_only_records_of_ours_are_removed_and_links_are_not_followed(trash, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "precious").write_text("x")
    folder = make(trash)
    (folder / "way-out").symlink_to(outside)
    (folder / "deep" / "file-out").symlink_to(outside / "precious")
    entry = trash.put("good", now=NOW)
    record = (entry.path / "record.json").read_bytes()
    stamp = "20200101T000000.000Z"
    strange = [f"{stamp}-{name}" for name in ("none", "list", "import", "name", "big", "fifo")]
    contents = [
        None,
        b"[]",
        record.replace(b'"run"', b'"import"'),
        record.replace(b'"good"', b'"../../outside"'),
        b" " * 2**23 + record,
        None,
    ]
    for name, content in zip(
        [*strange, "20200101-good", "mine"], [*contents, record, record], strict=True
    ):
        (trash.folder / name / "content").mkdir(parents=True)
        if content is not None:
            (trash.folder / name / "record.json").write_bytes(content)
    if os.name == "posix":
        os.mkfifo(trash.folder / strange[-1] / "record.json")
    linked = outside / "entry"
    (linked / "content").mkdir(parents=True)
    (linked / "record.json").write_bytes(record)
    (trash.folder / f"{stamp}-linked").symlink_to(linked)
    (trash.folder / f".{stamp}-linked").symlink_to(linked)
    assert trash.entries() == [entry]
    for n in range(KEPT_DATES + 1):
        trash.note_date(days(n))
    kept = sorted(path for path in trash.folder.rglob("*") if entry.path not in path.parents)
    trash.purge(days(KEPT_DATES))
    assert trash.empty() == 0 and trash.entries() == []
    assert sorted(trash.folder.rglob("*")) == [path for path in kept if path != entry.path]
    assert (outside / "precious").read_text() == "x" and (linked / "record.json").exists()


def test_a_trash_that_is_a_link_is_not_used(trash, tmp_path):
    folder = make(trash)
    (tmp_path / "elsewhere").mkdir()
    trash.folder.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(DataError, match="the trash is a link"):
        trash.put("good")
    assert trash.entries() == [] and trash.empty() == 0
    assert folder.is_dir() and list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "..",
        ".trash",
        "../runs/good",
        "good/deep",
        "link",
        "file",
        "none",
        "a\0b",
        "new\nline",
    ],
)
def test_what_is_no_folder_of_the_root_is_refused(trash, tmp_path, name):
    folder = make(trash)
    (trash.root / "link").symlink_to(folder)
    (trash.root / "file").write_text("x")
    before = sorted(trash.root.rglob("*"))
    with pytest.raises(DataError, match="no folder"):
        trash.put(name)
    assert sorted(trash.root.rglob("*")) == before


class Killed(BaseException):
    """Stands for a kill: nothing that tidies up after errors sees it."""


def steps(monkeypatch, at):
    """Die before step number ``at`` of whatever the trash does."""
    import shutil
    from pathlib import Path

    from rivae.runs import trash as module

    calls = []

    def before(function):
        def wrapped(*args, **kwargs):
            if len(calls) >= at:
                raise Killed
            calls.append(function.__name__)
            return function(*args, **kwargs)

        return wrapped

    for owner, name in (
        (module, "write_json"),
        (Path, "rename"),
        (Path, "unlink"),
        (Path, "rmdir"),
        (shutil, "rmtree"),
        (module, "sync_folder"),
    ):
        monkeypatch.setattr(owner, name, before(getattr(owner, name)))


@pytest.mark.parametrize("action", ["put", "restore", "purge"])
def test_a_kill_between_any_two_steps_loses_nothing(trash, monkeypatch, action):
    """The folder is all there, in its place or listed in the trash, until it is due."""
    for at in range(20):
        first = 100 * at  # dates that no round before has seen
        folder = trash.root / "good"
        if not folder.exists() and not trash.entries():
            make(trash, text="all")
        if action == "put" and not folder.exists():
            trash.restore("good")
        if action != "put" and folder.exists():
            trash.put("good", now=days(first))
        for n in range(KEPT_DATES):
            trash.note_date(days(first + n))
        with monkeypatch.context() as patched:
            steps(patched, at)
            try:
                if action == "put":
                    trash.put("good", now=days(first))
                elif action == "restore":
                    trash.restore("good")
                else:
                    trash.purge(days(first + KEPT_DATES))
                done = True
            except Killed:
                done = False
        here = [folder] if folder.exists() else []
        places = here + [entry.path / "content" for entry in trash.entries()]
        if action == "purge" and not places:
            assert at >= 1
        else:
            (place,) = places
            assert (place / "deep" / "file").read_text() == "all"
        trash.purge(days(first))
        assert left(trash) == [entry.path for entry in trash.entries()], (
            "what is left over is removed"
        )
        if done:
            break
    assert done and at >= 2
