"""The trash: what is put in comes back as it was, nothing else is ever removed."""

import json
import os
import stat
from datetime import UTC, datetime, timedelta

import pytest

from rivae.errors import DataError
from rivae.trash import KEPT, Trash, folder_bytes

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
    assert (done.name, done.kind, done.deleted, done.until, done.more) == (
        "good",
        "run",
        NOW,
        NOW + KEPT,
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
    assert trash.entries() == [] and [p.name for p in trash.folder.iterdir()] == [".lock"]


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


def test_after_thirty_days_it_is_gone(trash):
    make(trash)
    trash.put("good", now=NOW)
    make(trash, "later")
    trash.put("later", now=NOW + timedelta(days=1))
    trash.purge(NOW + KEPT - timedelta(seconds=1))
    assert [entry.name for entry in trash.entries()] == ["later", "good"]
    trash.purge(NOW + KEPT)
    assert [entry.name for entry in trash.entries()] == ["later"]
    assert [path.name for path in trash.folder.iterdir() if path.name != ".lock"] == [
        trash.entries()[0].id
    ]


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
    kept = sorted(path for path in trash.folder.rglob("*") if entry.path not in path.parents)
    trash.purge(NOW + 10 * KEPT)
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

    from rivae import trash as module

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
        folder = trash.root / "good"
        if not folder.exists() and not trash.entries():
            make(trash, text="all")
        if action == "put" and not folder.exists():
            trash.restore("good")
        if action != "put" and folder.exists():
            trash.put("good", now=NOW)
        with monkeypatch.context() as patched:
            steps(patched, at)
            try:
                if action == "put":
                    trash.put("good", now=NOW)
                elif action == "restore":
                    trash.restore("good")
                else:
                    trash.purge(NOW + KEPT)
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
        trash.purge(NOW)
        left = [path for path in trash.folder.iterdir() if path.name != ".lock"]
        assert left == [entry.path for entry in trash.entries()], "what is left over is removed"
        if done:
            break
    assert done and at >= 2
