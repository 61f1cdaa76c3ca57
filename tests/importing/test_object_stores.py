"""Tables that lie in an object store: read in place, the same as from a folder."""

import gzip
import io
import shutil

import fsspec
import pandas as pd
import pytest
from fsspec.implementations.memory import MemoryFileSystem

from rivae.base.errors import ConfigError, DataError, WorkStoppedError
from rivae.base.reading.contents import content_hash
from rivae.base.reading.places import place
from rivae.base.reading.tables import InputTable
from rivae.cli.main import main
from rivae.data.importing import run_import
from rivae.data.importing.plan import Plan
from rivae.data.store import PairStore, writer
from tests.importing.test_shards import contents, picture, tar_of

pytest.importorskip("upath")


class Stream(io.BytesIO):
    """A file of a store that may break down."""

    def read(self, *size):
        Store.n_reads += 1
        if Store.n_reads == Store.breaks_at:
            raise RuntimeError("the store went away")
        return super().read(*size)


class Store(MemoryFileSystem):
    """A store that says what its files hold, and counts what is read."""

    store: dict = {}
    pseudo_dirs = [""]
    n_reads = breaks_at = 0

    def info(self, path, **options):
        facts = super().info(path, **options)
        if facts["type"] == "file":
            content = self.store[self._strip_protocol(path)].getvalue()
            facts["ETag"] = content_hash(content).hexdigest()
        return facts

    def _open(self, path, mode="rb", **options):
        if mode != "rb":
            return super()._open(path, mode, **options)
        return Stream(self.store[self._strip_protocol(path)].getvalue())


@pytest.fixture
def store():
    before = fsspec.get_filesystem_class("memory")
    fsspec.register_implementation("memory", Store, clobber=True)
    Store.clear_instance_cache()
    Store.store, Store.pseudo_dirs, Store.n_reads, Store.breaks_at = {}, [""], 0, 0
    yield fsspec.filesystem("memory")
    fsspec.register_implementation("memory", before, clobber=True)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Three tars of fifteen pairs, and the same as Parquet and as packed lines of JSON."""
    monkeypatch.setenv("RIVAE_DATA", str(tmp_path / "data"))
    tars, tables = tmp_path / "here" / "tars", tmp_path / "here" / "tables"
    tars.mkdir(parents=True)
    tables.mkdir()
    for shard in range(3):
        numbers = range(15 * shard, 15 * shard + 15)
        (tars / f"{shard}.tar").write_bytes(tar_of(numbers))
        rows = [{"id": f"{n}", "title": f"Soup {n}", "picture": picture(n)} for n in numbers]
        pd.DataFrame(rows).to_parquet(tables / f"{shard}.parquet", row_group_size=4)
    shutil.copy(tars / "0.tar", tars.parent / "one.tar")
    (tars.parent / "packed.tar.gz").write_bytes(gzip.compress(tar_of(range(40))))
    return tars.parent


def imported(table, name, **options):
    plan = Plan(table=table, name=name, **options)
    report = run_import(plan.source(), plan.settings())
    return report, PairStore(plan.settings().folder)


def put(store, folder):
    store.put(str(folder), "/bucket", recursive=True)


@pytest.mark.parametrize("what", ["tars", "tables", "packed.tar.gz"])
def test_a_table_there_is_read_as_one_here(store, folder, what):
    put(store, folder)
    here, kept_here = imported(str(folder / what), "here")
    there, kept_there = imported(f"memory://bucket/{what}", "there")
    assert contents(kept_there) == contents(kept_here)
    assert there.lines() == here.lines()


def test_the_same_files_are_known_again_and_others_are_not(store, folder):
    put(store, folder)

    def content():
        return InputTable(place("memory://bucket/tars")).content()

    before = content()
    assert content() == before
    store.pipe_file("/bucket/tars/2.tar", tar_of(range(30, 46)))
    assert content() != before


def test_a_store_that_goes_away_at_any_moment_stops_the_import_which_goes_on(
    store, folder, monkeypatch, tmp_path
):
    put(store, folder)
    monkeypatch.setattr(writer.StoreWriter.__init__, "__defaults__", ((), 10))
    _, whole = imported("memory://bucket/tars", "whole")
    n_reads, Store.n_reads, n_resumed = Store.n_reads, 0, 0
    for Store.breaks_at in range(1, n_reads + 1):
        with pytest.raises(WorkStoppedError, match=r"the store went away.*resumes"):
            imported("memory://bucket/tars", "soups", leave_out_damaged=True)
        Store.n_reads = 0
        n_resumed += bool([*(tmp_path / "data").glob(".soups*/items-00000.parquet")])
    assert n_resumed, "some of it was finished"
    Store.breaks_at = 0
    report, resumed = imported("memory://bucket/tars", "soups", leave_out_damaged=True)
    assert contents(resumed) == contents(whole) and report.taken == 45
    assert not report.left_out


@pytest.mark.parametrize(
    ("text", "error", "sentence"),
    [
        ("https://example.org/t.tar", ConfigError, "download them first"),
        ("nonsense://bucket/t.tar", ConfigError, "nonsense"),
        ("memory://bucket/none.tar", DataError, "there is no memory://bucket/none.tar"),
    ],
)
def test_what_cannot_be_read_in_place(store, text, error, sentence, capsys):
    with pytest.raises(error, match=sentence):
        place(text)
    with pytest.raises(SystemExit):
        main(["import", text, "--name", "soups"])
    assert sentence in capsys.readouterr().err


def test_a_plan_of_it_is_text(store, folder):
    put(store, folder)
    plan = Plan(table="memory://bucket/tars", name="soups")
    again = Plan.model_validate_json(plan.model_dump_json())
    assert again == plan and str(again.table) == "memory://bucket/tars"
