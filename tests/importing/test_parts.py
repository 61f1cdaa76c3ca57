"""The split of imports: pictures with several rows, tables that name one part only."""

from __future__ import annotations

import numpy as np
import pytest

from rivae.base.errors import DataError
from rivae.data import load_dataset
from rivae.data.base import SPLITS, Recipe, random_split
from rivae.data.importing import ImportSettings, PairsImport, run_import
from rivae.data.importing.mapping import make_mapping
from rivae.data.importing.partition_words import part_named
from rivae.data.importing.parts import ALL_DRAWN, DRAWN, LEAK, STAY, Parts
from rivae.data.importing.records import NO_PART
from rivae.data.importing.report import ImportReport
from rivae.data.importing.session import ImportCancelledError
from rivae.data.store import PairStore, StoreItem, writer
from rivae.data.store.content import read_content
from rivae.data.store.twins import SAME_PICTURE
from tests.importing.conftest import rows


def captions(pictures=20, each=5):
    """Records of pictures with several texts each."""
    return [
        {**row, "id": f"{row['id']}-{k}", "title": f"{row['title']} said {k}"}
        for row in rows(pictures)
        for k in range(each)
    ]


def take(table, pictures, root, name="mine", **options):
    columns = options.pop("columns", list(rows(1)[0]))
    settings = ImportSettings(name, root=root)
    source = PairsImport(table, [pictures], make_mapping(columns, {}))
    return run_import(source, settings, **options)


def opened(root, name="mine", **settings):
    return load_dataset("pairs", store=str(root / name), **settings)


def test_all_texts_of_a_picture_stay_in_one_part(tmp_path, pictures, write_table):
    table = write_table(captions())
    report = take(table, pictures, tmp_path / "data")
    assert report.notes[STAY] == 100 and "20 pictures with 5" in report.examples[STAY][0]
    assert LEAK not in report.notes
    assert take(table, pictures, tmp_path / "data", dry_run=True).to_dict() == report.to_dict()
    for seed in range(3):
        data = opened(tmp_path / "data", split_seed=seed)
        parts = [{data.item_ids()[i].split("-")[0] for i in data.splits[part]} for part in SPLITS]
        assert list(map(len, parts)) == [14, 3, 3] and len(set.union(*parts)) == 20


def test_without_shared_pictures_the_store_has_no_such_file(tmp_path, pictures, write_table):
    report = take(write_table(rows()), pictures, tmp_path / "data")
    assert not report.notes and not (tmp_path / "data" / "mine" / SAME_PICTURE).exists()
    data, expected = opened(tmp_path / "data"), random_split(40, (0.7, 0.15, 0.15), 0)
    assert all((data.splits[part] == expected[part]).all() for part in SPLITS)


def test_a_store_from_before_is_divided_as_before(tmp_path, pictures, write_table):
    take(write_table(captions()), pictures, tmp_path / "data")
    (tmp_path / "data" / "mine" / SAME_PICTURE).unlink()
    data, expected = opened(tmp_path / "data"), random_split(100, (0.7, 0.15, 0.15), 0)
    assert all((data.splits[part] == expected[part]).all() for part in SPLITS)


def test_which_pictures_are_shared_belongs_to_the_content(tmp_path, pictures, write_table):
    """Two pictures may differ only before they are scaled."""
    folder = tmp_path / "data" / "mine"
    take(write_table(captions()), pictures, tmp_path / "data")
    content = PairStore(folder).manifest.content
    assert read_content(folder, PairStore(folder).manifest.chunks, ()) == content
    groups = np.load(folder / SAME_PICTURE)
    groups[-1] = 99
    np.save(folder / SAME_PICTURE, groups)
    assert read_content(folder, PairStore(folder).manifest.chunks, ()) != content


@pytest.mark.slow
def test_an_import_that_was_stopped_knows_the_pictures_of_before(
    tmp_path, pictures, write_table, monkeypatch
):
    monkeypatch.setattr(writer.StoreWriter.__init__, "__defaults__", ((), 20))
    # The first and the last records share pictures, so that a resumed import sees one half only.
    records = captions(40, 4)
    table = write_table([record for k in range(4) for record in records[k::4]])
    whole = take(table, pictures, tmp_path / "a")

    def stop(words, share):
        if share > 0.6:
            raise ImportCancelledError

    monkeypatch.setattr("rivae.data.importing.session.REPORT_EVERY", 10)
    with pytest.raises(ImportCancelledError):
        take(table, pictures, tmp_path / "b", progress=stop)
    again = take(table, pictures, tmp_path / "b")
    assert again.notes[STAY] == whole.notes[STAY] == 160
    one, two = (PairStore(tmp_path / x / "mine") for x in "ab")
    np.testing.assert_array_equal(one.same_picture(), two.same_picture())
    assert one.manifest.content == two.manifest.content
    assert not list(two.folder.glob("marks-*"))


@pytest.mark.slow
def test_a_chunk_without_its_marks_is_read_again(tmp_path, pictures, write_table, monkeypatch):
    monkeypatch.setattr(writer.StoreWriter.__init__, "__defaults__", ((), 20))
    monkeypatch.setattr("rivae.data.importing.session.REPORT_EVERY", 10)
    table = write_table(captions())

    def stop(words, share):
        if share > 0.6:
            raise ImportCancelledError

    with pytest.raises(ImportCancelledError):
        take(table, pictures, tmp_path / "b", progress=stop)
    for path in (tmp_path / "b").glob(".*/marks-*"):
        path.unlink()
    assert take(table, pictures, tmp_path / "b").notes[STAY] == 100
    assert len(PairStore(tmp_path / "b" / "mine")) == 100


def with_parts(words, n=40):
    return [{**row, "split": words[i % len(words)]} for i, row in enumerate(rows(n))]


@pytest.mark.parametrize(
    ("words", "giver", "missing"),
    [
        (["train"], "train", ["validation", "test"]),
        (["Training", "training", "TEST"], "train", ["validation"]),
        (["train", "train", "val2017"], "train", ["test"]),
        (["dev", "dev", "test"], "validation", ["train"]),
        (["test"], "test", ["train", "validation"]),
    ],
)
def test_missing_parts_are_drawn_and_told(tmp_path, pictures, write_table, words, giver, missing):
    records = with_parts(words)
    table, columns = write_table(records), list(records[0])
    report = take(table, pictures, tmp_path / "data", columns=columns)
    told = DRAWN.format(giver, " and ".join(missing))
    named = [part_named(record["split"]) for record in records]
    assert report.notes == {told: named.count(giver)}
    dry = take(table, pictures, tmp_path / "data", columns=columns, dry_run=True)
    assert dry.to_dict() == report.to_dict()
    data = opened(tmp_path / "data")
    assert all(len(rows) >= 2 for rows in data.splits.values())
    for part in set(named) - {giver}:
        assert data.splits[part].tolist() == [i for i, name in enumerate(named) if name == part]


def test_what_cannot_be_divided_is_refused_at_the_import(tmp_path, pictures, write_table):
    records = with_parts(["test"])
    records[7]["split"] = "train"
    with pytest.raises(DataError, match="1 train and no validation"):
        take(write_table(records), pictures, tmp_path / "data", columns=list(records[0]))
    assert not list((tmp_path / "data").glob("*"))


def test_one_picture_in_two_parts_of_the_table_stays_there_and_is_told(
    tmp_path, pictures, write_table
):
    records = with_parts(["train", "train", "val", "test"])
    records[3]["image"] = records[8]["image"] = records[0]["image"]
    records[2]["image"] = records[6]["image"]
    report = take(write_table(records), pictures, tmp_path / "data", columns=list(records[0]))
    assert report.notes[LEAK] == 3 and STAY not in report.notes
    folder = tmp_path / "data" / "mine"
    assert not (folder / SAME_PICTURE).exists()  # it would change nothing
    assert PairStore(folder).named_parts().tolist() == [0, 0, 1, 2] * 10


def test_rows_with_unknown_parts_are_left_out_and_quoted(tmp_path, pictures, write_table):
    records = with_parts(["train", "train", "val", "test"])
    records[5]["split"], records[9]["split"] = "", "unsure"
    report = take(write_table(records), pictures, tmp_path / "data", columns=list(records[0]))
    assert report.left_out == {NO_PART: 2}
    assert report.examples[NO_PART][1].endswith("unsure")


@pytest.mark.parametrize(
    ("cell", "part"),
    [
        ("TRAIN ", "train"),
        ("train_2014", "train"),
        ("restval", "train"),
        ("Training split", "train"),
        ("val2017", "validation"),
        ("dev-set", "validation"),
        ("evaluation", "validation"),
        ("Testing", "test"),
        ("test-dev2015", "test"),
        (b"test", "test"),
        ("trainee", None),
        ("2017", None),
        ("", None),
        (None, None),
        (0, None),
    ],
)
def test_words_for_parts(cell, part):
    assert part_named(cell) == part


def test_rows_without_a_part_let_all_be_drawn_as_ever():
    """Recipe1M's layout need not name a part."""
    parts, report = Parts(), ImportReport()
    for i in range(40):
        parts.add(StoreItem(Recipe(str(i), "a"), partition="test" if i % 4 else ""))
    assert parts.end(report) is None and report.notes == {ALL_DRAWN: 10}
