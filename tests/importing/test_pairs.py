"""A user's table and pictures: what is taken, what is left out and why."""

from __future__ import annotations

import io
import json
import zipfile

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from rivae.base.errors import ConfigError, DataError
from rivae.base.reading.tables import InputTable
from rivae.data import load_dataset
from rivae.data.importing import ImportSettings, PairsImport, run_import
from rivae.data.importing.factors import FactorReader
from rivae.data.importing.mapping import make_mapping
from rivae.data.importing.session import ImportCancelledError
from rivae.data.store import PairStore, find_store, list_stores, writer
from tests.importing.conftest import jpeg, rows

FACTORS = {"factors": ("heat", "weight")}


def take(table, images, root, name="mine", chosen=None, encoding="utf-8", **options):
    """Import, and the report."""
    columns = list(pd.DataFrame(rows(1)).columns)
    mapping = make_mapping(columns, chosen or {})
    settings = ImportSettings(
        name, root=root, **{k: options.pop(k) for k in ("side", "paper_filter") if k in options}
    )
    source = PairsImport(InputTable(table, encoding), [images], mapping)
    return run_import(source, settings, **options)


def test_a_table_becomes_a_data_set(tmp_path, pictures, write_table):
    report = take(write_table(rows()), pictures, tmp_path / "data", chosen=FACTORS)
    assert (report.read, report.taken, report.left_out) == (40, 40, {})
    store = PairStore(tmp_path / "data" / "mine")
    recipe = store.recipe(7)
    assert (recipe.id, recipe.title) == ("d7", "Dish 7")
    assert recipe.ingredients == ("1 cup water", "7 eggs") and recipe.tags == ("soup", "easy")
    assert recipe.instructions == ("Stir.", "Serve.")
    heat, weight = store.manifest.factors
    assert (heat.kind, heat.levels, weight.kind) == ("ordinal", ("0", "1", "2"), "continuous")
    np.testing.assert_allclose(store.factors[7], [1, 1.0])
    picture = Image.open(io.BytesIO(store.picture_bytes(7)))
    assert picture.size == (30, 30) and picture.mode == "RGB"


def test_the_data_set_loads_by_name_and_by_path(tmp_path, pictures, write_table, monkeypatch):
    take(write_table(rows()), pictures, tmp_path / "data", chosen=FACTORS)
    monkeypatch.setenv("RIVAE_DATA", str(tmp_path / "data"))
    assert [path.name for path in list_stores()] == ["mine"]
    by_name = load_dataset("pairs", store="mine", image_size=16)
    by_path = load_dataset("pairs", store=str(tmp_path / "data" / "mine"), image_size=16)
    assert by_name.x1.shape == (3, 16, 16) and "eggs" in by_name.x2.vocabulary
    assert (by_name.x1.batch([3]) == by_path.x1.batch([3])).all()
    assert by_name.title(3) == "Dish 3" and "3 eggs" in by_name.text(3)
    with pytest.raises(DataError, match=r"no imported data set 'yours' \(imported: mine\)"):
        find_store("yours")
    with pytest.raises(DataError, match="pairs needs an import"):
        load_dataset("pairs")


def test_texts_are_indexed_with_the_import(tmp_path, pictures, write_table):
    stages = []

    def stop_at_the_texts(stage, share):
        stages.append(stage)
        if "texts" in stage:
            raise ImportCancelledError

    for name, progress in (("mine", lambda stage, share: None), ("yours", stop_at_the_texts)):
        take(write_table(rows()), pictures, tmp_path, name=name, progress=progress)
        assert len(PairStore(tmp_path / name)) == 40
    assert [len(list((tmp_path / name).glob("cache/*"))) for name in ("mine", "yours")] == [1, 0]
    assert "texts" in stages[-1]


@pytest.mark.parametrize("kind", ["jsonl", "parquet", "tsv", "csv-semicolon"])
def test_other_kinds_of_tables(tmp_path, pictures, kind):
    frame = pd.DataFrame(rows())
    frame["ingredients"] = [text.split("\n") for text in frame["ingredients"]]
    path = tmp_path / f"t.{kind.split('-')[0]}"
    if kind == "jsonl":
        frame.to_json(path, orient="records", lines=True)
    elif kind == "parquet":
        frame.to_parquet(path)
    else:  # the list is written as Python writes it, as food.com's files have it
        frame.to_csv(path, sep="\t" if kind == "tsv" else ";", index=False)
    take(path, pictures, tmp_path / "data")
    recipe = PairStore(tmp_path / "data" / "mine").recipe(5)
    assert recipe.ingredients == ("1 cup water", "5 eggs")


def test_pictures_from_a_zip(tmp_path, pictures, write_table):
    archive = tmp_path / "pictures.zip"
    with zipfile.ZipFile(archive, "w") as out:
        for path in pictures.iterdir():
            out.write(path, f"some/folder/{path.name}")
    assert take(write_table(rows()), archive, tmp_path / "data").taken == 40


def test_a_dry_run_tells_the_same_and_writes_nothing(tmp_path, pictures, write_table):
    (pictures / "3.jpg").unlink()
    table = write_table(rows())
    dry = take(table, pictures, tmp_path / "data", dry_run=True)
    assert not (tmp_path / "data").exists()
    real = take(table, pictures, tmp_path / "data")
    assert dry.to_dict() == real.to_dict()
    assert dry.left_out == {"picture file is missing": 1}
    assert "record 4 (d3): 3.jpg" in "\n".join(dry.lines())


def test_texts_of_strangers(tmp_path, pictures, write_table):
    records = rows()
    records[0]["title"] = "<script>alert(1)</script>"
    records[1]["title"] = "a\x00b\u202e  c"
    records[2]["instructions"] = "x" * 1_000_000
    records[3] |= {"title": "", "ingredients": " \n ", "instructions": ""}
    records[4]["title"] = "y" * 501
    records[6]["id"] = "d5"
    table = tmp_path / "t.jsonl"
    table.write_text("\n".join(map(json.dumps, records)))
    report = take(table, pictures, tmp_path / "data")
    assert report.left_out == {
        "text longer than 200,000 characters": 1,
        "text is empty": 1,
        "id occurs twice": 1,
    }
    store = PairStore(tmp_path / "data" / "mine")
    assert store.title(0) == "<script>alert(1)</script>"  # kept; escaped where it is shown
    assert store.title(1) == "a b\u202e c"


def test_latin_1_is_named_and_can_be_said(tmp_path, pictures, write_table):
    records = rows()
    records[5]["title"] = "Crème brûlée"
    table = write_table(records, encoding="latin-1")
    with pytest.raises(DataError, match=r"not UTF-8 text .*--encoding cp1252"):
        take(table, pictures, tmp_path / "data")
    assert list_stores(tmp_path / "data") == []
    take(table, pictures, tmp_path / "data", encoding="latin-1")
    assert PairStore(tmp_path / "data" / "mine").title(5) == "Crème brûlée"


def test_too_few_pairs_leave_nothing(tmp_path, pictures, write_table):
    with pytest.raises(DataError, match="only 3 usable pairs among 3 records, at least 30"):
        take(write_table(rows(3)), pictures, tmp_path / "data")
    records = [{**row, "image": f"no{row['image']}"} for row in rows()]
    with pytest.raises(DataError, match=r"only 0 usable .* 40 × picture file is missing"):
        take(write_table(records), pictures, tmp_path / "data")
    assert list((tmp_path / "data").glob("*")) == list((tmp_path / "data").glob(".*")) == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "is empty"),
        ("id,image,image\n", "names the column 'image' twice"),
        ("id,image,title\n1,2,3,4\n", "line 2: 4 cells under 3 column names"),
        ('id,image,title\n1,2,"3\n', "line 2: a quotation mark here is never closed"),
    ],
)
def test_broken_tables(tmp_path, pictures, text, reason):
    table = tmp_path / "t.csv"
    table.write_text(text)
    with pytest.raises(DataError, match=reason):
        take(table, pictures, tmp_path / "data")


def test_wrong_choices_name_the_fix(tmp_path, pictures, write_table):
    table = write_table(rows())
    for chosen, reason in (
        ({"picture": "photo"}, "no column 'photo' for picture: choose from id, image"),
        ({"dish": "title"}, "'dish' is not a role"),
        ({"title": "", "ingredients": "", "instructions": ""}, "no text column is chosen"),
        ({"picture": None}, "which column names the picture file"),
    ):
        with pytest.raises(ConfigError, match=reason):
            take(table, pictures, tmp_path / "data", chosen=chosen)
    with pytest.raises(DataError, match="cannot name a data set"):
        take(table, pictures, tmp_path / "data", name="../up")
    with pytest.raises(ConfigError, match="side must be from 32"):
        take(table, pictures, tmp_path / "data", side=4)
    take(table, pictures, tmp_path / "data")
    with pytest.raises(DataError, match="already exists"):
        take(table, pictures, tmp_path / "data")


def test_factor_columns_that_cannot_be_used_are_named(tmp_path, pictures, write_table):
    records = rows()
    records[2]["heat"] = ""
    report = take(write_table(records), pictures, tmp_path / "data", chosen=FACTORS)
    assert report.notes == {"column 'heat' is not used as a factor": 1}
    (why,) = report.examples["column 'heat' is not used as a factor"]
    assert why.startswith("1 ")
    names = [f.name for f in PairStore(tmp_path / "data" / "mine").manifest.factors]
    assert names == ["weight"]


@pytest.mark.parametrize(
    ("cells", "levels"),
    [
        (["36", "M", "38"], ("36", "38", "M")),  # sizes: numbers among words are words
        (["none", "olive", "n/a"], ("n/a", "none", "olive")),
        (["1", "1.0", "2"], ("1", "2")),
        (["1", "n/a", "2"], None),  # among numbers they are gaps
        (["0.5", "NaN", "2"], None),
    ],
)
def test_no_record_is_left_out_for_its_factor(tmp_path, pictures, write_table, cells, levels):
    records = [record | {"heat": cells[i % len(cells)]} for i, record in enumerate(rows())]
    report = take(write_table(records), pictures, tmp_path / "data", chosen=FACTORS)
    assert not report.left_out
    heat, *_ = PairStore(tmp_path / "data" / "mine").manifest.factors
    assert heat.levels == levels if levels else heat.name == "weight"


def test_gaps_among_many_numbers_are_counted():
    reader = FactorReader(["x"])
    for i in range(300):
        reader.look({"x": "N/A" if i > 290 else str(i)} if i else {})
    assert reader.columns() == () and reader.refused["x"].startswith("10 ")


@pytest.mark.slow
def test_a_stopped_import_goes_on_and_ends_the_same(tmp_path, write_table, monkeypatch):
    """Stopped between chunks; the rest must not read a picture of the first part again."""
    from rivae.data.importing import picture_files as images

    monkeypatch.setattr(writer.StoreWriter.__init__, "__defaults__", ((), 20))
    folder = tmp_path / "many"
    folder.mkdir()
    records = []
    for i in range(300):
        (folder / f"{i}.jpg").write_bytes(jpeg(i % 7, (8 + i % 5, 8)))
        records.append({**rows(1)[0], "id": f"d{i}", "image": f"{i}.jpg", "title": f"Dish {i}"})
    records[3]["image"] = "missing.jpg"
    table = write_table(records)
    whole = take(table, folder, tmp_path / "a")

    def stop(words, share):
        if share > 0.6:
            raise ImportCancelledError

    with pytest.raises(ImportCancelledError):
        take(table, folder, tmp_path / "b", progress=stop)
    assert list_stores(tmp_path / "b") == []
    (begun,) = (tmp_path / "b").iterdir()
    read = []
    original = images.PictureFiles.read
    monkeypatch.setattr(
        images.PictureFiles, "read", lambda self, name: read.append(name) or original(self, name)
    )
    again = take(table, folder, tmp_path / "b")
    assert len(read) < 150 and not begun.exists()
    assert (again.read, again.taken, again.left_out) == (whole.read, whole.taken, whole.left_out)
    one, two = (PairStore(tmp_path / x / "mine") for x in "ab")
    assert list(one.recipes()) == list(two.recipes())
    assert [one.picture_bytes(i) for i in range(299)] == [two.picture_bytes(i) for i in range(299)]


@pytest.mark.slow
def test_pictures_of_many_bytes_end_a_chunk(tmp_path, pictures, write_table, monkeypatch):
    monkeypatch.setattr(writer, "CHUNK_BYTES", 5000)
    take(write_table(rows()), pictures, tmp_path)
    store = PairStore(tmp_path / "mine")
    sizes = [path.stat().st_size for path in sorted(store.folder.glob("pictures-*.bin"))]
    assert len(sizes) > 3 and all(5000 <= size < 10_000 for size in sizes[:-1])
    assert sum(store.manifest.chunks) == 40


def test_the_paper_filter(tmp_path, pictures, write_table):
    records = rows()
    records[0]["ingredients"] = "\n".join(["egg"] * 21)
    records[1]["instructions"] = ""
    table = write_table(records)
    assert take(table, pictures, tmp_path / "data", name="all").taken == 40
    report = take(table, pictures, tmp_path / "data", paper_filter=True)
    assert report.left_out == {
        "more than 20 ingredients (the paper's filter)": 1,
        "no instructions": 1,
    }


def test_a_partition_column_makes_the_split(tmp_path, pictures, write_table):
    records = [{**row, "split": ("train", "val", "test")[i % 3]} for i, row in enumerate(rows())]
    chosen = {"partition": "split"}
    mapping = make_mapping(records[0], chosen)
    run_import(
        PairsImport(write_table(records), [pictures], mapping),
        ImportSettings("mine", root=tmp_path / "data"),
    )
    data = load_dataset("pairs", store=str(tmp_path / "data" / "mine"))
    np.testing.assert_array_equal(data.splits["validation"], np.arange(1, 40, 3))


def test_a_damaged_store_is_named(tmp_path, pictures, write_table):
    take(write_table(rows()), pictures, tmp_path / "data")
    folder = tmp_path / "data" / "mine"
    shard = folder / "pictures-00000.bin"
    shard.write_bytes(shard.read_bytes()[:2000])
    with pytest.raises(DataError, match="ends early: import the data again"):
        PairStore(folder).picture_bytes(39)
    (folder / "items-00000.parquet").write_bytes(b"PAR1 no")
    with pytest.raises(DataError, match="missing or damaged"):
        PairStore(folder).recipe(0)
    (folder / "store.json").write_text('{"format": 2}')
    with pytest.raises(DataError, match="not a manifest of imported data"):
        PairStore(folder)


def test_a_store_says_which_data_it_holds(tmp_path, pictures, write_table):
    table = write_table(rows())
    for root, name in (("a", "mine"), ("b", "mine"), ("b", "other")):
        take(table, pictures, tmp_path / root, name=name)
    take(write_table([r | {"title": "Other"} for r in rows()]), pictures, tmp_path / "c")
    first, again, named, changed = (
        PairStore(tmp_path / place).store_id for place in ("a/mine", "b/mine", "b/other", "c/mine")
    )
    assert first == again and len({first, named, changed}) == 3
    # An import from before the id was kept: computed, the same, and its files are not touched.
    path = tmp_path / "a" / "mine" / "store.json"
    path.write_text(json.dumps({**json.loads(path.read_bytes()), "store_id": ""}))
    before = {f: f.stat().st_mtime_ns for f in path.parent.iterdir()}
    assert PairStore(path.parent).store_id == first
    assert {f: f.stat().st_mtime_ns for f in path.parent.iterdir()} == before


@pytest.mark.parametrize("name", ["title", "factor:heat"])
def test_a_store_that_lacks_a_column_is_named(tmp_path, pictures, write_table, name):
    take(write_table(rows()), pictures, tmp_path / "data", chosen=FACTORS)
    path = tmp_path / "data" / "mine" / "items-00000.parquet"
    pd.read_parquet(path).drop(columns=name).to_parquet(path)
    store = PairStore(path.parent)
    for read in (lambda: store.recipe(0), lambda: store.titles, lambda: store.factors):
        with pytest.raises(DataError, match="lacks columns of an import"):
            read()
