"""A full disk: whatever exports, the old file stays, nothing half is left, and a retry works."""

from __future__ import annotations

import errno
import importlib
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from rivae.base.errors import ConfigError, RivaeError
from rivae.base.files import WriteError, make_folder, write_atomic, write_atomic_with
from rivae.benchmark.report import write_report
from rivae.cli import main
from rivae.data.kitchen import write_kitchen
from rivae.exploring.tours import add_tour, change_tour
from rivae.figures import export
from rivae.figures.heatmap import correlation_heatmap
from rivae.figures.of_run import write_traversals
from rivae.figures.page.document import write_page
from rivae.jobs.archive_import import import_run
from rivae.labels.formats import export as export_labels
from rivae.labels.store import LabelStore
from rivae.runs import Run, find_run
from rivae.runs.archive import export_run
from rivae.runs.notes import keep_about
from tests.benchmark.rows_for_tests import row
from tests.disks import files_of_at_most
from tests.labels.making import event

pytestmark = pytest.mark.skipif(os.name != "posix", reason="POSIX systems limit files")
ROOM = 50  # bytes that a file may have


def content(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, hidden ones too, but for locks and the database."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not path.name.endswith(".lock") and "labels.db" not in path.name
    }


def test_what_is_imported_meanwhile_leaves_no_damaged_bytecode(tmp_path, monkeypatch):
    (tmp_path / "imported_late.py").write_text(f"numbers = {list(range(500))}")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    for _ in range(2):
        with files_of_at_most(ROOM):
            assert importlib.import_module("imported_late").numbers[-1] == 499
        del sys.modules["imported_late"]


@pytest.fixture
def place(tmp_path, monkeypatch):
    """What the exporters write, and where."""
    monkeypatch.setenv("RIVAE_RUNS", str(tmp_path / "runs"))  # the tours are there, too
    labels = LabelStore(tmp_path / "labels.db")
    labels.append([event(n=n, item=n) for n in range(40)])
    shutil.copytree(find_run("demo-synth").path, tmp_path / "runs" / "mine")
    out = tmp_path / "out"
    out.mkdir()
    return SimpleNamespace(out=out, labels=labels, run=Run(tmp_path / "runs" / "mine"))


def figure():
    return correlation_heatmap(np.eye(12), [f"factor {k}" for k in range(12)])


def a_tour(place) -> None:
    tour = add_tour("words " * 10)
    change_tour(tour.id, lambda tour: tour)


EXPORTERS: dict[str, Callable] = {
    "a page": lambda p: write_page(p.out / "page.html", b"<html>" * 900, replace=True),
    "an archive": lambda p: export_run(find_run("demo-synth"), p.out / "run.zip"),
    "label events": lambda p: export_labels(p.labels, p.out / "labels.jsonl", "events"),
    "labels, long": lambda p: export_labels(p.labels, p.out / "labels.csv", "long"),
    "labels, wide": lambda p: export_labels(p.labels, p.out / "wide.csv", "wide"),
    "a chart's numbers": lambda p: export.save(figure(), p.out / "chart.csv"),
    "a chart": lambda p: export.save(figure(), p.out / "chart.html"),
    "figures": lambda p: write_traversals(p.run, p.out, queries=[3], dims=[0], k=1),
    "benchmark tables": lambda p: write_report([row(0.5, n) for n in range(3)], p.out),
    "notes": lambda p: keep_about(p.run, note="n" * 2 * ROOM),
    "a tour": a_tour,
}


@pytest.mark.parametrize("name", EXPORTERS)
def test_a_full_disk_leaves_the_old_file_and_says_why(name, place, tmp_path):
    write = EXPORTERS[name]
    for there in ("no file", "an older one"):
        for path in place.out.iterdir():
            path.write_bytes(b"older")
        before = content(tmp_path)
        with files_of_at_most(ROOM), pytest.raises(RivaeError) as error:
            write(place)
        assert content(tmp_path) == before, there
        said = str(error.value)
        assert len(said) <= 300 and "\n" not in said and ": " in said
        write(place)  # there is room again
        assert b"older" not in content(place.out).values()
        assert there != "no file" or content(tmp_path) != before


def test_commands_end_with_that_sentence(place, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("RIVAE_LABELS", str(tmp_path / "labels.db"))
    words = {
        "run.zip": ["export", "demo-synth", str(place.out / "run.zip")],
        "labels.csv": ["labels", "export", str(place.out / "labels.csv")],
    }
    for name, command in words.items():
        with files_of_at_most(ROOM):
            assert main(command) == 1
        assert ("demo-synth" if name == "run.zip" else name) in capsys.readouterr().err
        assert not (place.out / name).exists()
        assert main(command) == 0, capsys.readouterr().err


def test_an_archive_that_does_not_fit_leaves_nothing(tmp_path):
    archive, root = tmp_path / "run.zip", tmp_path / "runs"
    export_run(find_run("demo-synth"), archive)
    with files_of_at_most(ROOM), pytest.raises(RivaeError) as error:
        import_run(archive, root, "mine")
    assert len(str(error.value)) <= 300 and not content(root)
    assert import_run(archive, root, "mine").run.id == "mine"


def test_a_kitchen_is_finished_by_the_same_call(tmp_path):
    with files_of_at_most(ROOM), pytest.raises(RivaeError):
        write_kitchen(tmp_path / "kitchen", 2)
    write_kitchen(tmp_path / "kitchen", 2)
    write_kitchen(tmp_path / "other", 2)
    assert content(tmp_path / "kitchen") == content(tmp_path / "other")


def test_half_a_page_does_not_block_the_next_one(tmp_path):
    path = tmp_path / "page.html"
    with files_of_at_most(ROOM), pytest.raises(WriteError):
        write_page(path, b"x" * 4000)
    write_page(path, b"whole")
    with pytest.raises(ConfigError):
        write_page(path, b"other")
    assert content(tmp_path) == {"page.html": b"whole"}


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EACCES, errno.EROFS, errno.EIO])
def test_the_reason_is_the_true_one(tmp_path, number):
    def fail(stream):
        stream.write(b"half")
        raise OSError(number, os.strerror(number))

    path = tmp_path / "mine.csv"
    path.write_bytes(b"old")
    with pytest.raises(WriteError) as error:
        write_atomic_with(path, fail)
    assert error.value.errno == number and str(path) in str(error.value)
    assert ("room" in str(error.value)) is (number == errno.ENOSPC)
    assert content(tmp_path) == {"mine.csv": b"old"}


def test_what_is_no_file_is_not_replaced_by_one(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "null").symlink_to("/dev/null")
    for name in ("pipe", "folder", "null", "none/x", "pipe/x"):
        with pytest.raises(WriteError) as error:
            write_atomic(tmp_path / name, b"x")
        assert name in str(error.value)
    assert (tmp_path / "null").is_symlink() and not content(tmp_path)
    with pytest.raises(WriteError):
        make_folder(tmp_path / "pipe" / "below")
    longest = tmp_path / ("é" * 120 + ".csv")  # as long as a name can be
    write_atomic(longest, b"x")
    assert longest.read_bytes() == b"x"
