"""The Data page without a browser: its form, its job, and what it says of bad input."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
import time

import pytest

from rivae.app.data import importing
from rivae.app.data.importing import read_record, recording
from rivae.app.data.own_pairs import GONE
from rivae.app.shared.trash import KEPT
from rivae.app.shell import access
from rivae.app.shell.access import is_local
from rivae.app.work.tasks import Task
from rivae.base.errors import ConfigError, DataError
from rivae.data.importing.plan import Plan
from rivae.data.store import list_stores
from rivae.runs.named_files import read_path
from rivae.runs.trash import RESTORED
from tests.app.data_fixture import by_path, data_files, filled
from tests.waiting import over


@pytest.fixture
def files(tmp_path, monkeypatch):
    """40 pictures and their table, and an empty folder of data sets."""
    with data_files(tmp_path, monkeypatch) as folder:
        yield folder


@pytest.mark.slow
def test_a_check_and_then_the_import(app, files):
    page = filled(app, files)
    page.at.button(key="data_check").click().run()
    over(importing.newest())
    page.at.run()
    page.calm()
    assert "40 usable pairs" in page.words.replace("\\", "") and list_stores() == []
    page.at.button(key="data_import").click().run()
    over(importing.newest())
    page.at.run()
    page.calm()
    assert [path.name for path in list_stores()] == ["plates"]
    assert any("plates is ready" in s.value for s in page.at.success)
    importing.tasks.known.clear()  # as a server that was started anew
    again = app("data")
    assert any("plates is ready" in s.value for s in again.calm().at.success)
    again.at.button(key="data_close").click().run()
    importing.tasks.known.clear()
    assert not app("data").calm().at.success, "it was put away"
    page.at.button(key="data_import").click().run()
    taken = importing.TAKEN.format("plates")
    assert any(taken in w.value.replace("\\", "") for w in page.at.warning)


def test_what_goes_wrong_is_said_in_one_sentence(app, files):
    page = filled(app, files)
    for table, sentence in (
        ("nowhere.csv", "nowhere.csv "),
        ("photos", "layer1.json"),
    ):
        page.at.text_input(key="data_table").set_value(str(files / table)).run()
        page.calm()
        warnings = [w.value.replace("\\", "") for w in page.at.warning]
        assert any(sentence in w for w in warnings), (table, warnings)


@pytest.mark.slow
def test_a_broken_import_is_shown_and_does_not_hide_the_others(app, files):
    page = filled(app, files)
    page.at.button(key="data_import").click().run()
    over(importing.newest())
    broken = files / "data" / "broken"
    broken.mkdir()
    (broken / "store.json").write_text("{}")
    again = app("data")
    again.calm()
    assert "a manifest" in again.words.replace("\\", "")
    assert "40 pairs" in again.words.replace("\\", "")
    # Into the trash and back; what is no import of ours stays.
    again.at.button(key="trash_import_delete_broken").click().run()
    assert "an import's" in again.words and (broken / "store.json").exists()
    again.at.button(key="trash_import_delete_plates").click().run()
    assert "Deleted **plates**" in again.words and not (files / "data" / "plates").exists()
    assert KEPT in again.words
    again.at.button(key="trash_import_undo").click().run()
    again.calm()
    assert any(RESTORED.format("plates") in toast.value for toast in again.at.toast)
    assert "40 pairs" in again.words


@pytest.mark.slow
def test_an_import_that_somebody_deleted_since_breaks_no_page(app, files):
    page = filled(app, files)
    page.at.button(key="data_import").click().run()
    over(importing.newest())
    shutil.rmtree(files / "data" / "plates")
    again = app("data").calm()
    assert any(GONE.format("plates") in info.value for info in again.at.info)
    again.at.button(key="data_close").click().run()
    assert not again.calm().at.info


def test_paths_are_taken_from_this_machine_only(app, files, monkeypatch):
    assert is_local("127.0.0.1")
    assert not any(map(is_local, ("0.0.0.0", "", None)))
    monkeypatch.setattr("streamlit.get_option", lambda name: "0.0.0.0", raising=True)
    page = app("data")
    assert not page.at.text_input and not page.at.segmented_control
    assert any(access.NOT_LOCAL in c.value for c in page.at.caption) and page.at.file_uploader


@pytest.mark.parametrize(
    ("headers", "hosts", "local"),
    [
        ({"Host": "localhost:8501"}, [], True),
        ({"Host": "[::1]:8501"}, [], True),
        ({"Host": "app.example.org"}, [], False),
        ({"Host": "localhost:8501", "X-Forwarded-For": "10.0.0.1"}, [], False),
        ({"Host": "localhost:8501", "Forwarded": "for=10.0.0.1"}, [], False),
        ({"Host": "localhost:8501", "Via": "1.1 proxy"}, [], False),
        ({"Host": "localhost:8501"}, ["localhost", "app.example.org"], False),
    ],
)
def test_a_proxy_in_front_makes_nobody_local(monkeypatch, headers, hosts, local):
    from types import SimpleNamespace

    from streamlit import config

    usual = config.get_option
    monkeypatch.setattr(
        config,
        "get_option",
        lambda name: hosts if name == "server.allowedHosts" else usual(name),
    )
    monkeypatch.setattr("streamlit.context", SimpleNamespace(headers=headers))
    assert is_local("127.0.0.1") is local


def test_paths_stand_behind_the_login_where_there_is_one(app, files):
    page = app()
    page.at.secrets = {"rivae": {"password": "correct horse"}}
    page.open("data")
    assert not page.at.text_input and "Log in" in page.at.info[0].value
    assert not page.at.file_uploader


# The import at work


@pytest.fixture
def at_work(files):
    """An import of another name that waits half way."""
    said = json.dumps({"stage": "20 of 22 records usable", "share": 0.5})
    script = f"import time; print({said!r}, flush=True); time.sleep(60)"
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    job = Task("import kept", "Import of kept", process)
    threading.Thread(target=job.read, daemon=True).start()
    importing.tasks.known[job.key] = job
    while job.share < 0.5:
        time.sleep(0.02)
    return job


def shown_bars(page):
    return [bar.proto.text for bar in page.at.get("progress")]


def test_a_running_import_is_shown_whatever_the_form_says(app, files, at_work):
    half = ["Import of kept: 20 of 22 records usable, 50%"]
    page = app("data")
    assert shown_bars(page) == half, "also in another tab, and before a file is named"
    page = filled(app, files)
    assert shown_bars(page) == half
    assert page.at.button(key="data_import").disabled and page.at.button(key="data_check").disabled
    page.at.text_input(key="data_name").set_value("something-else").run()
    assert shown_bars(page.calm()) == half
    with pytest.raises(ConfigError, match=importing.BUSY):
        importing.start(Plan(table=files / "dishes.csv", images=(files / "photos",), name="late"))
    page.at.button(key="data_task_stop_0").click().run()
    over(at_work)
    page.at.run()
    assert not shown_bars(page.calm()) and any("Stopped" in i.value for i in page.at.info)
    assert not page.at.button(key="data_import").disabled
    page.at.button(key="data_close").click().run()
    assert not any("Stopped" in i.value for i in page.calm().at.info)


@pytest.mark.skipif(os.name != "posix", reason="nobody can tell there who holds a lock")
def test_an_import_that_another_server_began_is_found(app, files, monkeypatch):
    asked = threading.Event()
    monkeypatch.setattr(importing, "step_back", lambda: None)  # this process is the test's
    folder = files / "data"
    with recording(folder, f"import {folder}/kept", "Import of kept", asked.set) as keep:
        keep(stage="20 of 22 records usable", share=0.5)
        page = filled(app, files)
        assert shown_bars(page) == ["Import of kept: 20 of 22 records usable, 50%"]
        assert page.at.button(key="data_import").disabled
        plan = Plan(table=files / "dishes.csv", images=(files / "photos",), name="b", root=folder)
        with pytest.raises(ConfigError, match=importing.BUSY):
            importing.start(plan)
        spec = {"plan": plan.model_dump_json(), "key": "import b", "title": "Import of b"}
        with pytest.raises(ConfigError, match=importing.BUSY):
            importing.import_pairs(spec, lambda stage, share: None)  # nor at another server
        job = importing.newest()
        page.at.button(key="data_task_stop_0").click().run()
        assert asked.wait(60)
        keep(stopped=True)
    over(job)
    page.at.run()
    assert not shown_bars(page.calm()) and any("Stopped" in i.value for i in page.at.info)
    page.at.button(key="data_close").click().run()
    assert read_record(folder) is None and importing.newest() is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"version": 2}',
        '{"version": 1, "key": "k", "title": "t", "started": 1, "share": 7}',
    ],
)
def test_what_says_nothing_of_an_import_is_passed_over(files, text):
    (files / "data").mkdir()
    (files / "data" / ".import.json").write_text(text)
    assert importing.newest() is None


@pytest.mark.skipif(os.name != "posix", reason="nobody can tell there who holds a lock")
def test_an_import_that_was_killed_says_so(files):
    folder = files / "data"
    with recording(folder, "import kept", "Import of kept", lambda: None):
        pass
    job = importing.newest()
    assert not job.running and "ended early" in job.error


def test_who_must_log_in_does_not_stop_an_import(app, files, at_work, monkeypatch):
    monkeypatch.setattr(access, "may_change", lambda: False)
    assert app("data").at.button(key="data_task_stop_0").disabled


def test_what_stands_in_a_field_is_used_and_a_grey_example_is_not(app, files):
    (files / "data" / "dishes").mkdir(parents=True)
    page = by_path(app)
    page.at.text_input(key="data_table").set_value(str(files / "dishes.csv"))
    page.at.text_input(key="data_images").set_value(str(files / "photos")).run()
    name = page.at.text_input(key="data_name")
    assert name.value == "dishes-2", "a name that is free, and written into the field"
    for field in page.at.text_input:
        assert not field.placeholder or field.placeholder.startswith("for example "), field.label
    name.set_value("mine").run()
    (files / "Other Table (1).csv").write_text((files / "dishes.csv").read_text())
    page.at.text_input(key="data_table").set_value(str(files / "Other Table (1).csv")).run()
    assert page.at.text_input(key="data_name").value == "mine", "what was typed is kept"
    page.at.text_input(key="data_name").set_value("").run()
    assert page.at.text_input(key="data_name").value == "other-table-1"


@pytest.mark.parametrize("name", ["sprites", "pairs"])
def test_an_import_takes_no_name_of_a_data_set(files, name):
    plan = Plan(table=files / "dishes.csv", images=(files / "photos",), name=name)
    with pytest.raises(DataError, match=f"^'{name}' .* another name"):
        importing.start(plan)


def test_train_on_this_opens_the_form(app, files, small_store, monkeypatch):
    monkeypatch.setenv("RIVAE_DATA", str(small_store.parent))
    page = app("data")
    assert "rivae" not in page.words.lower(), "no command"
    page.at.button(key="data_train_card_small").click().run()
    page.calm()
    assert page.at.selectbox(key="train_field_dataset").value == "small"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "^give .* the table$"),
        ("a/b", "a/b .*full path"),
        ("~nobody-here/x", "~nobody-here/x .* be read"),
        ("/a\0b", "^give .* the table$"),
        ("/no/such", "/no/such .*outside"),
        ("s3://bucket/pairs", "s3://bucket/pairs .*rivae import"),
        ("{}/no", "own/no "),
        ("/etc/passwd", "/etc/passwd .*outside"),
        ("{}/../secret.csv", "secret.csv .*outside"),
        ("{}/link.csv", "link.csv .*outside"),
        ("{}/linked/secret.csv", "secret.csv .*outside"),
        ("{}-2/x.csv", "-2/x.csv .*outside"),
        ("{}/" + "x" * 5000, " be read"),
    ],
)
def test_paths(monkeypatch, tmp_path, text, sentence):
    own = tmp_path / "own"
    own.mkdir()
    (tmp_path / "secret.csv").write_text("a,b")
    (own / "link.csv").symlink_to(tmp_path / "secret.csv")
    (own / "linked").symlink_to(tmp_path)
    (own / "table.csv").write_text("a,b")
    monkeypatch.setenv("RIVAE_FILES", str(own))
    with pytest.raises(DataError, match=sentence):
        read_path(text.replace("{}", str(own)), "the table")
    assert read_path(f" '{own}/../own/table.csv' ", "the table") == (own / "table.csv").resolve()


def test_several_folders_may_be_named_and_none_is_the_current_one(monkeypatch, tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("RIVAE_FILES", f"{tmp_path}/one{os.pathsep}{tmp_path}/two")
    assert read_path(f"{tmp_path}/two", "it") == (tmp_path / "two").resolve()
    monkeypatch.delenv("RIVAE_FILES")
    monkeypatch.chdir(tmp_path / "one")
    with pytest.raises(DataError, match="outside"):
        read_path(f"{tmp_path}/two", "it")
    assert read_path(f"{tmp_path}/one", "it")
