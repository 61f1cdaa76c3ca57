"""Files sent by the browser to the Data page, and tables that hold their pictures."""

from __future__ import annotations

import io
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rivae.app.data import importing, sources
from rivae.data.importing.uploads import UPLOADS
from rivae.data.store import list_stores
from rivae.jobs.ledger import Ledger
from rivae.runs import Run
from tests.app.data_fixture import by_path, data_files
from tests.jobs.test_quick import table_of
from tests.waiting import over


@pytest.fixture
def files(tmp_path, monkeypatch):
    """40 pictures and their table, and an empty folder of data sets."""
    with data_files(tmp_path, monkeypatch) as folder:
        yield folder


@pytest.mark.slow
def test_files_from_the_browser_are_imported_and_then_gone(app, files):
    page = app("data")
    pictures = [(p.name, p.read_bytes(), "image/png") for p in (files / "photos").iterdir()]
    page.at.file_uploader[0].set_value(pictures).run()
    assert page.calm().at.file_uploader[0].label == sources.TABLE
    table = ("dishes.csv", (files / "dishes.csv").read_bytes(), "text/csv")
    page.at.file_uploader[0].set_value([table]).run()
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
    assert page.at.file_uploader[0].label == sources.FIRST, "ready for the next files"


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
    page.at.file_uploader[0].set_value([sent]).run()
    page.at.button(key="data_import").click().run()
    over(importing.newest())
    page.at.run()
    page.calm()
    assert [path.name for path in list_stores()] == ["inside"] and "40 pairs" in page.words


def test_two_uploads_of_one_name_are_told(app, files):
    page = app("data")
    pictures = [(p.name, p.read_bytes(), "image/png") for p in (files / "photos").iterdir()]
    twins = [*pictures, ("3.png", pictures[0][1], "image/png")]
    page.at.file_uploader[0].set_value(twins).run()
    (warning,) = page.calm().at.warning
    assert "3.png" in warning.value.replace("\\", "")
    assert page.at.file_uploader[0].label == sources.FIRST


def test_a_file_that_is_no_table_is_refused_and_a_table_can_be_put_back(app, files):
    page = app("data")
    page.at.file_uploader[0].set_value([("notes.gz", b"what", "application/gzip")]).run()
    assert any("notes" in w.value for w in page.calm().at.warning)
    assert not list((files / "data" / UPLOADS).rglob("*.gz"))
    two = [(f"{n}.csv", b"photo,name\n", "text/csv") for n in "ab"]
    page.at.file_uploader[0].set_value(two).run()
    assert any("2 tables were sent" in w.value for w in page.calm().at.warning)
    page.at.file_uploader[0].set_value(two[:1]).run()
    assert page.calm().at.file_uploader[0].label == sources.PICTURES
    page.at.button(key="data_upload_remove_0").click().run()
    assert page.calm().at.file_uploader[0].label == sources.FIRST
    assert not list((files / "data" / UPLOADS).rglob("*.csv"))


@pytest.mark.slow
def test_a_zip_with_table_and_pictures_leads_to_explore_with_one_button(
    app, files, runs, tmp_path, monkeypatch
):
    root, mine = tmp_path / "runs", tmp_path / "mine"
    mine.mkdir()
    monkeypatch.setenv("RIVAE_RUNS", str(root))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("__MACOSX/mine/._dishes.csv", "nothing")
        archive.write(table_of(mine), "mine/dishes.csv")
        for path in (mine / "photos").iterdir():
            archive.write(path, f"mine/{path.name}")
    sent = ("mine.zip", packed.getvalue(), "application/zip")
    for _ in range(2):  # the same files again are neither imported nor trained twice
        page = app("train")
        (zone,) = [u for u in page.at.file_uploader if u.label == sources.FIRST]
        zone.set_value([sent]).run()
        page.calm().at.button(key="data_open").click().run()
        job = importing.newest()
        assert job.title.startswith("dishes")
        over(job)
        assert not job.error, job.error
        page.at.run()
        assert page.at.session_state["page"] == "explore"
        assert page.params["run"] == job.result["run"] == "dishes"
        assert Run(root / "dishes").ready
        assert [path.name for path in list_stores()] == ["dishes"]
        for waiting in Ledger(root).jobs("queued", "starting", "running"):
            Ledger(root).cancel(waiting.id)
