"""A refused import leaves nothing behind; a killed one resumes, whatever was tried in between."""

from __future__ import annotations

import errno
import gzip
import json
import os
import re

import numpy as np
import pytest

from rivae.base.errors import ConfigError, DataError, RivaeError
from rivae.data.importing import ImportSettings, PairsImport, run_import, session
from rivae.data.importing import picture_files as images
from rivae.data.importing.mapping import make_mapping
from rivae.data.importing.plan import Plan
from rivae.data.store import PairStore, list_stores, writer
from rivae.data.store.writer import unfinished
from tests.importing.conftest import rows


def plan(tmp_path, **settings):
    return Plan(
        **{
            "table": tmp_path / "table.csv",
            "images": (tmp_path / "pictures",),
            "name": "mine",
            "root": tmp_path / "data",
            **settings,
        }
    )


def take(plan, progress=None):
    source = plan.source()
    return run_import(source, plan.settings(), dry_run=plan.dry_run, progress=progress)


def matrices(tmp_path, change):
    paths = (tmp_path / "one.npy", tmp_path / "two.npy")
    for path in paths:
        np.save(path, change(np.ones((40, 4), np.float32)))
    return {"embeddings": paths, "images": ()}


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (lambda p: {"images": (p / "nowhere",)}, "nowhere does not exist"),
        (lambda p: {"images": (p / "table.csv",)}, "neither a folder nor a sound zip"),
        (lambda p: {"images": (p / "empty",)}, "only 0 usable pairs .* picture file is missing"),
        (lambda p: {"roles": {"title": "dish"}}, "no column 'dish' for title"),
        (lambda p: {"factors": ("width",)}, "no column 'width' for factors"),
        (lambda p: {"table": p / "half.csv"}, "never closed"),
        (lambda p: {"table": p / "half.csv.gz"}, "half.csv.gz .* read"),
        (lambda p: {"table": p / "few.csv"}, "only 3 usable pairs"),
        (lambda p: {"table": p / "pipe.csv"}, "does not exist or is not a file"),
        (lambda p: {"table": p / "zero.csv"}, "does not exist or is not a file"),
        (lambda p: {"table": p}, "layer1.json"),
        (lambda p: {"encoding": "klingon"}, "no text encoding"),
        (lambda p: {"title": "t" * 201}, "title is longer than 200"),
        (lambda p: {"side": 5000}, "side must be from"),
        (lambda p: {"name": "../up"}, "cannot name a data set"),
        (lambda p: matrices(p, lambda m: m[:39]), "has 39 rows"),
        (lambda p: matrices(p, lambda m: m * np.arange(40)[:, None]), "row 1 of the pictures"),
    ],
)
def test_a_refusal_leaves_nothing_and_the_corrected_command_works(
    tmp_path, pictures, write_table, wrong, reason
):
    table = write_table(rows())
    (tmp_path / "empty").mkdir()
    (tmp_path / "half.csv").write_bytes(table.read_bytes()[:-9] + b'"no end')
    (tmp_path / "half.csv.gz").write_bytes(gzip.compress(table.read_bytes())[:-20])
    write_table(rows(3), "few.csv")
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "zero.csv").symlink_to("/dev/zero")
    settings = wrong(tmp_path)
    # Rows of a matrix are checked where they are taken over, which a dry run does not do.
    for dry_run in (True, False) if "row 1" not in reason else (False,):
        with pytest.raises(RivaeError, match=reason):
            take(plan(tmp_path, dry_run=dry_run, **settings))
        assert not (tmp_path / "data").exists()
    assert take(plan(tmp_path)).taken == 40


def fails_after(n, error):
    """A stand-in for ``PictureFiles.read`` that fails after ``n`` pictures."""
    original, calls = images.PictureFiles.read, []

    def read(self, name):
        calls.append(name)
        if len(calls) > n:
            raise error
        return original(self, name)

    return read


@pytest.fixture
def small_chunks(monkeypatch):
    monkeypatch.setattr(writer.StoreWriter.__init__, "__defaults__", ((), 10))


@pytest.mark.slow
@pytest.mark.parametrize("error", [KeyboardInterrupt, session.ImportCancelledError, MemoryError])
def test_a_stopped_import_is_kept_and_a_corrected_one_needs_nothing(
    tmp_path, pictures, write_table, monkeypatch, small_chunks, error
):
    """Stop in the app or Ctrl-C, then other columns: that is another import, not a refusal."""
    write_table(rows())
    with monkeypatch.context() as patch:
        patch.setattr(images.PictureFiles, "read", fails_after(25, error()))
        with pytest.raises(error):
            take(plan(tmp_path))
    (begun,) = unfinished(tmp_path / "data" / "mine")
    before = sorted(path.name for path in begun.iterdir())
    assert "items-00001.parquet" in before and list_stores(tmp_path / "data") == []
    with pytest.raises(ConfigError):  # a typo in between costs nothing of it
        take(plan(tmp_path, roles={"tags": "tagz"}))
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError):
        take(plan(tmp_path, images=(tmp_path / "empty",)))
    assert sorted(path.name for path in begun.iterdir()) == before
    report = take(plan(tmp_path, roles={"tags": ""}))
    assert report.taken == 40 and PairStore(tmp_path / "data" / "mine").recipe(3).tags == ()
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["mine"]


def test_stopped_before_the_first_chunk_there_is_nothing_to_keep(
    tmp_path, pictures, write_table, monkeypatch
):
    write_table(rows())
    monkeypatch.setattr(images.PictureFiles, "read", fails_after(5, KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        take(plan(tmp_path))
    assert not (tmp_path / "data").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    "at",
    ["items", "report", "store", 11, 14]
    + [pytest.param(n, marks=pytest.mark.slow(rare=True)) for n in (12, 13, 15, 16)],
)
def test_a_full_disk_keeps_what_is_finished(
    tmp_path, pictures, write_table, monkeypatch, small_chunks, at
):
    write_table(rows())
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def refuse(path, *rest):
        if path.name.startswith(at) and (at != "items" or "00002" in path.name):
            raise full
        return original(path, *rest)

    with monkeypatch.context() as patch:
        if at == "items":
            original = writer.write_atomic_with
            patch.setattr(writer, "write_atomic_with", refuse)
        elif isinstance(at, int):  # wherever that is: in pictures, items, marks or the folder
            patch.setattr(os, "fsync", fsync_until(at, full))
        else:
            from rivae.data.store import manifest

            original = writer.write_json
            patch.setattr(writer, "write_json", refuse)
            patch.setattr(manifest, "write_json", refuse)
        with pytest.raises(DataError, match="No space left on device; make room and run the same"):
            take(plan(tmp_path))
    (begun,) = unfinished(tmp_path / "data" / "mine")
    names = {path.name for path in begun.iterdir()}
    n = sum(name.startswith("items") for name in names)
    assert n == sum(name.startswith("pictures") for name in names) > 0
    assert not any(name.endswith(".tmp") for name in names)
    report = take(plan(tmp_path))
    assert report.taken == report.read == 40 and not begun.exists()
    assert len(PairStore(tmp_path / "data" / "mine")) == 40


def fsync_until(n, error):
    original, calls = os.fsync, []

    def fsync(handle):
        calls.append(handle)
        if len(calls) > n:
            raise error
        original(handle)

    return fsync


def test_a_disk_that_was_full_from_the_start_leaves_nothing(
    tmp_path, pictures, write_table, monkeypatch
):
    write_table(rows())
    with monkeypatch.context() as patch:
        full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        patch.setattr(os, "fsync", fsync_until(0, full))
        with pytest.raises(DataError, match="No space left"):
            take(plan(tmp_path))
    assert not (tmp_path / "data").exists()
    (tmp_path / "data").write_text("in the way")
    with pytest.raises(DataError, match=f"{re.escape(str(tmp_path / 'data'))}.* written"):
        take(plan(tmp_path))


@pytest.mark.slow
def test_an_import_that_was_begun_by_an_earlier_version_resumes(
    tmp_path, pictures, write_table, monkeypatch, small_chunks
):
    write_table(rows())
    with monkeypatch.context() as patch:
        patch.setattr(images.PictureFiles, "read", fails_after(25, KeyboardInterrupt()))
        with pytest.raises(KeyboardInterrupt):
            take(plan(tmp_path))
    (begun,) = unfinished(tmp_path / "data" / "mine")
    begun.rename(begun.with_name(".mine.partial"))
    read = fails_after(20, AssertionError("read again"))  # 40 - 20 that are finished
    monkeypatch.setattr(images.PictureFiles, "read", read)
    assert take(plan(tmp_path)).taken == 40


def test_the_same_import_runs_once_at_a_time(tmp_path, pictures, write_table, monkeypatch):
    table = write_table(rows())
    mapping = make_mapping(rows()[0], {})
    settings = ImportSettings("mine", root=tmp_path / "data")

    tried = []

    def again(words, share):
        if 0 < share < 1 and not tried:
            tried.append(share)
            with pytest.raises(DataError, match="the same import into mine is running"):
                run_import(PairsImport(table, [pictures], mapping), settings)

    monkeypatch.setattr(session, "REPORT_EVERY", 30)
    run_import(PairsImport(table, [pictures], mapping), settings, progress=again)
    assert tried and len(PairStore(tmp_path / "data" / "mine")) == 40


def test_progress_comes_before_anything_is_read(tmp_path, write_table):
    """And while the table is checked, and while the smaller files of Recipe1M are read."""
    told = []
    with pytest.raises(DataError):
        run_import(
            PairsImport(tmp_path / "missing.csv", [], make_mapping(rows()[0], {})),
            ImportSettings("mine", root=tmp_path / "data"),
            progress=lambda words, share: told.append((words, share)),
        )
    assert told == [("reading", 0.0)]
    records = [{"id": i, "title": "t"} for i in range(4000)]
    table = write_table(records)
    mapping = make_mapping(records[0], {"picture": None}, needs_picture=False)
    report = run_import(
        PairsImport(table, [], mapping),
        ImportSettings("mine", root=tmp_path / "data"),
        dry_run=True,
        progress=lambda words, share: told.append((words, share)),
    )
    assert ("checking table.csv: 2,000 records", 0.0) in told
    assert told[-1] == ("4,000 of 4,000 records usable", 1.0) and report.taken == 4000
    assert json.dumps(told)
