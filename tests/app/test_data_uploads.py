"""Files sent by the browser to the Data page, and tables that hold their pictures."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rivae.app.data import importing
from rivae.data.importing.uploads import UPLOADS
from rivae.data.store import list_stores
from tests.app.data_fixture import by_path, data_files, over


@pytest.fixture
def files(tmp_path, monkeypatch):
    """40 pictures and their table, and an empty folder of data sets."""
    with data_files(tmp_path, monkeypatch) as folder:
        yield folder


@pytest.mark.slow
def test_files_from_the_browser_are_imported_and_then_gone(app, files):
    page = app("data")
    pictures = [(p.name, p.read_bytes(), "image/png") for p in (files / "photos").iterdir()]
    page.at.file_uploader(key="data_upload_images_file").set_value(pictures).run()
    table = ("dishes.csv", (files / "dishes.csv").read_bytes(), "text/csv")
    page.at.file_uploader(key="data_upload_table_file").set_value(table).run()
    page.calm()
    words = page.words.replace("\\", "")
    assert "dishes.csv" in words and "40-pictures.zip" in words
    assert {s.label: s.value for s in page.at.selectbox}["Picture"] == "photo"
    kept = [path for path in (files / "data" / UPLOADS).rglob("*") if path.is_file()]
    assert len(kept) == 2 and all(path.stat().st_mode & 0o077 == 0 for path in kept)
    page.at.button(key="data_import").click().run()
    over(importing.newest())
    page.at.run()
    page.calm()
    assert [path.name for path in list_stores()] == ["dishes"] and "40 pairs" in page.words
    assert not any(path.exists() for path in kept)
    assert len(page.at.file_uploader) == 2, "ready for the next files"


@pytest.mark.slow
def test_a_table_that_holds_its_pictures_is_imported_without_others(app, files):
    pictures = [(files / "photos" / f"{i}.png").read_bytes() for i in range(40)]
    table = pa.table({"image": pictures, "name": [f"Plate {i}" for i in range(40)]})
    pq.write_table(table, files / "inside.parquet")
    page = by_path(app)
    page.at.text_input(key="data_table").set_value(str(files / "dishes.csv")).run()
    assert not page.at.selectbox, "its pictures are missing"
    page.at.text_input(key="data_table").set_value(str(files / "inside.parquet")).run()
    page.calm()
    assert {s.label: s.value for s in page.at.selectbox}["Picture"] == "image"
    (cell, *_) = page.at.dataframe[0].value["image"]
    assert str(len(pictures[0])) in cell and len(cell) < 80
    page = app("data")
    sent = ("inside.parquet", (files / "inside.parquet").read_bytes(), "application/octet-stream")
    page.at.file_uploader(key="data_upload_table_file").set_value(sent).run()
    page.at.button(key="data_import").click().run()
    over(importing.newest())
    page.at.run()
    page.calm()
    assert [path.name for path in list_stores()] == ["inside"] and "40 pairs" in page.words


def test_two_uploads_of_one_name_are_told(app, files):
    page = app("data")
    pictures = [(p.name, p.read_bytes(), "image/png") for p in (files / "photos").iterdir()]
    twins = [*pictures, ("3.png", pictures[0][1], "image/png")]
    page.at.file_uploader(key="data_upload_images_file").set_value(twins).run()
    (warning,) = page.calm().at.warning
    assert "3.png" in warning.value.replace("\\", "")
    assert page.at.file_uploader(key="data_upload_images_file") is not None


def test_a_file_that_is_no_table_is_refused_and_a_table_can_be_put_back(app, files):
    page = app("data")
    upload = page.at.file_uploader(key="data_upload_table_file")
    upload.set_value(("notes.gz", b"what", "application/gzip")).run()
    assert any("notes" in w.value for w in page.calm().at.warning)
    assert not list((files / "data" / UPLOADS).rglob("*.gz"))
    upload = page.at.file_uploader(key="data_upload_table_file")
    upload.set_value(("dishes.csv", b"photo,name\n", "text/csv")).run()
    page.at.button(key="data_upload_table_remove").click().run()
    assert page.calm().at.file_uploader(key="data_upload_table_file") is not None
    assert not list((files / "data" / UPLOADS).rglob("*.csv"))
