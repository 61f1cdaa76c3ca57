"""The files and the form of an import as tests of the Data page use them."""

from __future__ import annotations

from contextlib import contextmanager

from rivae.app.data import importing
from rivae.app.data.sources import HERE
from tests.importing.conftest import write_plates
from tests.waiting import over


@contextmanager
def data_files(tmp_path, monkeypatch):
    """40 pictures and their table, and an empty folder of data sets."""
    monkeypatch.setenv("RIVAE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("RIVAE_FILES", str(tmp_path))
    monkeypatch.setattr("streamlit.get_option", lambda name: "127.0.0.1", raising=True)
    write_plates(tmp_path, "<b>Plate</b>")
    yield tmp_path
    for job in importing.tasks.running():
        job.cancel()
        over(job)
    importing.tasks.known.clear()


def by_path(app):
    """The page with the fields for paths on this machine."""
    page = app("data")
    page.at.segmented_control(key="data_way").set_value(HERE).run()
    return page


def filled(app, files):
    page = by_path(app)
    page.at.text_input(key="data_table").set_value(str(files / "dishes.csv"))
    page.at.text_input(key="data_images").set_value(str(files / "photos")).run()
    page.at.text_input(key="data_name").set_value("plates").run()
    return page
