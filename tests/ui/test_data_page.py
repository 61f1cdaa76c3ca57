"""The Data page without a browser: its form, its job, and what it says of bad input."""

from __future__ import annotations

import io
import time

import pytest
from PIL import Image

from rivae.data.store import list_stores
from rivae.ui import data_import
from rivae.ui.access import is_local
from rivae.ui.data_import import read_path


@pytest.fixture
def files(tmp_path, monkeypatch):
    """40 pictures and their table, and an empty folder of data sets."""
    monkeypatch.setenv("RIVAE_DATA", str(tmp_path / "data"))
    monkeypatch.setattr("streamlit.get_option", lambda name: "127.0.0.1", raising=True)
    (tmp_path / "photos").mkdir()
    lines = ["photo,name,steps,depth"]
    for i in range(40):
        buffer = io.BytesIO()
        Image.new("RGB", (20, 20), (6 * i, 0, 90)).save(buffer, "PNG")
        (tmp_path / "photos" / f"{i}.png").write_bytes(buffer.getvalue())
        lines.append(f"{i}.png,<b>Plate</b> {i},stir and serve,{i % 4}")
    (tmp_path / "dishes.csv").write_text("\n".join(lines))
    yield tmp_path
    for job in data_import.running_jobs():
        job.cancel()
        over(job)
    data_import._jobs.clear()


def over(job):
    deadline = time.monotonic() + 60
    while job.running and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not job.running


def filled(app, files):
    page = app("data")
    page.at.text_input(key="data_table").set_value(str(files / "dishes.csv"))
    page.at.text_input(key="data_images").set_value(str(files / "photos")).run()
    page.at.text_input(key="data_name").set_value("plates").run()
    return page


def test_columns_are_guessed_and_the_first_records_shown(app, files):
    page = filled(app, files)
    page.calm()
    chosen = {s.label: s.value for s in page.at.selectbox}
    assert chosen["Picture"] == "photo" and chosen["Title"] == "name"
    assert chosen["Instructions"] == "steps" and chosen["Tags"] == "–"
    assert len(page.at.dataframe[0].value) == 5


def test_a_check_and_then_the_import(app, files):
    page = filled(app, files)
    page.at.button(key="data_check").click().run()
    over(data_import.job_of(files / "data" / "plates"))
    page.at.run()
    page.calm()
    assert "40 usable pairs" in page.words.replace("\\", "") and list_stores() == []
    page.at.button(key="data_import").click().run()
    over(data_import.job_of(files / "data" / "plates"))
    page.at.run()
    page.calm()
    assert [path.name for path in list_stores()] == ["plates"]
    assert "train pairs --set dataset.store=plates" in page.words
    page.at.button(key="data_import").click().run()
    assert any("there is a data set 'plates'" in w.value.replace("\\", "") for w in page.at.warning)


def test_what_goes_wrong_is_said_in_one_sentence(app, files):
    page = filled(app, files)
    (files / "latin.csv").write_bytes("photo,name\n1.png,Crème\n".encode("latin-1"))
    for table, sentence in (
        ("nowhere.csv", "does not exist on this machine"),
        ("photos", "without layer1.json"),
        ("latin.csv", "is not UTF-8 text"),
    ):
        page.at.text_input(key="data_table").set_value(str(files / table)).run()
        if table == "photos":
            page.at.button(key="data_check").click().run()
        page.calm()
        warnings = [w.value.replace("\\", "") for w in page.at.warning]
        assert any(sentence in w for w in warnings), (table, warnings)


def test_a_broken_import_is_shown_and_does_not_hide_the_others(app, files):
    page = filled(app, files)
    page.at.button(key="data_import").click().run()
    over(data_import.job_of(files / "data" / "plates"))
    broken = files / "data" / "broken"
    broken.mkdir()
    (broken / "store.json").write_text("{}")
    again = app("data")
    again.calm()
    assert "no manifest of imported data" in again.words.replace("\\", "")
    assert "40 pairs" in again.words.replace("\\", "")
    # Into the trash and back; what is no import of ours stays.
    again.at.button(key="trash_import_delete_broken").click().run()
    assert "not an import's" in again.words and (broken / "store.json").exists()
    again.at.button(key="trash_import_delete_plates").click().run()
    assert "Deleted **plates**" in again.words and not (files / "data" / "plates").exists()
    assert "Kept for 30 days" in again.words
    again.at.button(key="trash_import_undo").click().run()
    again.calm()
    assert any("plates is back" in toast.value for toast in again.at.toast)
    assert "40 pairs" in again.words


def test_paths_are_taken_from_this_machine_only(app, files, monkeypatch):
    assert is_local("127.0.0.1")
    assert not any(map(is_local, ("0.0.0.0", "", None)))
    monkeypatch.setattr("streamlit.get_option", lambda name: "0.0.0.0", raising=True)
    page = app("data")
    assert not page.at.text_input and "from the command line only" in page.at.info[0].value


@pytest.mark.parametrize(
    ("text", "sentence"),
    [("", "give the path"), ("a/b", "must be a whole path"), ("/no/such", "does not exist"),
     ("~nobody-here/x", "no path that can be read"), ("/a\0b", "give the path")],
)  # fmt: skip
def test_paths(text, sentence):
    with pytest.raises(Exception, match=sentence):
        read_path(text, "the table")
