"""Notes, name, archive, file and deletion of a run, and the import of one, as a visitor does it."""

import io
import shutil
import zipfile

import pytest

from rivae.app.shared.trash import KEPT
from rivae.app.shell import keys as state
from rivae.app.shell.access import WHAT
from rivae.app.train import archive
from rivae.app.train import page_keys as train_keys
from rivae.app.train.archive import NO_FILE
from rivae.base.files import folder_bytes
from rivae.jobs.ledger import Ledger
from rivae.jobs.units import size_text
from rivae.runs import Run
from rivae.runs.archive import export_run
from rivae.runs.folders import COMES_ALONG
from rivae.runs.notes import about, keep_about
from rivae.runs.trash import RESTORED, Trash
from tests.waiting import PATIENCE_S

LOCKED = {"rivae": {"password": "correct horse"}}


@pytest.fixture
def runs(run_folder, monkeypatch, tmp_path):
    """Two runs in a folder that may be changed."""
    folder = tmp_path / "runs"
    for name in ("digits", "digits-4"):
        shutil.copytree(run_folder / name, folder / name)
    monkeypatch.setenv("RIVAE_RUNS", str(folder))
    monkeypatch.setenv("RIVAE_LABELS", str(tmp_path / "labels.db"))
    monkeypatch.setenv("RIVAE_DATA", str(tmp_path / "data"))
    monkeypatch.setattr("rivae.runs.folders.DEMO_ROOT", folder / "no-demos")
    return folder


class Panel:
    """The panel of one run, beside what its page says."""

    def __init__(self, run_id, secrets=None):
        from streamlit.testing.v1 import AppTest

        def script(run_id):
            from rivae.app.shared import trash
            from rivae.app.shell import report
            from rivae.app.train import manage, session

            report.show(session.PLACE)
            trash.undo("run")
            trash.panel("run")
            manage.panel(run_id)

        self.at = AppTest.from_function(script, args=(run_id,), default_timeout=PATIENCE_S)
        self.at.secrets = secrets or {}
        self.run_id = run_id
        self.run()

    def run(self):
        self.at.run()
        assert not self.at.exception, [e.value for e in self.at.exception]
        return self

    def key(self, what):
        return f"{train_keys.MANAGE}_{what}_{self.run_id}"

    def press(self, what):
        self.at.button(self.key(what)).click()
        return self.run()

    @property
    def words(self):
        return "\n".join(
            str(e.value)
            for kind in ("markdown", "caption", "warning", "toast")
            for e in getattr(self.at, kind)
        )


def test_notes_and_tags_are_kept_and_shown_as_they_are(runs):
    panel = Panel("digits")
    panel.at.text_area(panel.key("note")).set_value("# not a heading\n:red[x] <b>")
    panel.at.multiselect(panel.key("tags")).set_value(["best", "*a*"])
    panel.press("keep")
    kept = about(Run(runs / "digits"))
    assert (kept.note, kept.tags) == ("# not a heading\n:red[x] <b>", ("best", "*a*"))
    again = Panel("digits")
    assert r"\# not a heading" in again.words and r"\:red\[x\] \<b\>" in again.words
    assert r"\*a\*" in again.words and "best" in again.words


def test_an_archived_run_leaves_home_and_the_choosers_but_not_its_link(runs, app):
    from rivae.app.shell import cache

    panel = Panel("digits").press("archive")
    assert about(Run(runs / "digits")).archived and "Archived digits" in panel.words
    assert [run.id for run in cache.ready_runs()] == ["digits-4"]
    home = app("home")
    keys = {str(button.key) for button in home.at.button}
    assert "explore-digits-4" in keys and "explore-digits" not in keys
    explore = app("explore", run="digits")
    assert explore.state.run == "digits"
    panel.press("archive")
    assert not about(Run(runs / "digits")).archived and "Unarchived digits" in panel.words


def test_a_run_is_renamed_and_the_session_follows(runs):
    panel = Panel("digits")
    panel.at.session_state[state.IN_HAND] = {"run": "digits", "q": "4"}
    panel.at.text_input(panel.key("name")).set_value("best")
    panel.press("rename")
    assert Run(runs / "best").config.name == "best" and not (runs / "digits").exists()
    assert "Renamed digits to best" in panel.words
    assert panel.at.session_state[state.IN_HAND] == {"run": "best"}


@pytest.mark.parametrize("name", ["digits-4", "No Name", ""])
def test_a_name_that_cannot_be_taken_says_why(runs, name):
    panel = Panel("digits")
    panel.at.text_input(panel.key("name")).set_value(name)
    panel.press("rename")
    assert panel.at.warning and (runs / "digits").is_dir()


def test_a_run_that_a_labelling_plan_names_keeps_its_name(runs, label_plan):
    panel = Panel("digits")
    assert "labelling plans (first)" in panel.words
    panel.at.text_input(panel.key("name")).set_value("best")
    panel.press("rename")
    assert "plan first uses digits" in panel.words and (runs / "digits").is_dir()


def content_of(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != ".lock"
    }


def test_deleting_names_the_run_its_size_and_what_stays(runs):
    child = runs / "digits-4" / "config.json"
    child.write_text(child.read_text().replace('"parent": null', '"parent": "digits"'))
    panel = Panel("digits")
    size = size_text(folder_bytes(runs / "digits"))
    assert f"takes {size}" in panel.words and "digits-4" in panel.words
    assert size in panel.at.button(panel.key("delete")).label
    before = content_of(runs / "digits")
    panel.press("delete")
    assert not (runs / "digits").exists() and (runs / "digits-4").is_dir()
    assert f"Deleted **digits** ({size})" in panel.words.replace("\\", "")
    # Undo, and the list of what was deleted, in which it is found later.
    panel.at.button("trash_run_undo").click()
    assert RESTORED.format("digits") in panel.run().words and content_of(runs / "digits") == before
    assert "Deleted **" not in panel.words and not Trash(runs, "run").entries()
    panel.press("delete")
    (entry,) = Trash(runs, "run").entries()
    panel.at.button("trash_run_dismiss").click()
    assert "Deleted **" not in panel.run().words
    later = Panel("digits-4")
    assert KEPT in later.words
    later.at.button(f"trash_run_{entry.id}").click()
    assert RESTORED.format("digits") in later.run().words and content_of(runs / "digits") == before


def test_what_is_in_the_way_of_a_restoring_is_named(runs):
    panel = Panel("digits").press("delete")
    shutil.copytree(runs / "digits-4", runs / "digits")
    panel.at.button("trash_run_undo").click()
    assert "another run named digits" in panel.run().words.replace("\\", "")
    assert len(Trash(runs, "run").entries()) == 1


def test_a_run_in_the_queue_is_not_deleted(runs):
    Run(runs / "digits").set_status(state="interrupted")
    Ledger(runs).add_existing(Run(runs / "digits").config)
    panel = Panel("digits").press("delete")
    assert "cancel it" in panel.words and (runs / "digits").is_dir()


def test_the_download_is_the_archive(runs):
    with zipfile.ZipFile(io.BytesIO(archive.content(Run(runs / "digits"), False)())) as file:
        assert {"config.json", "model.safetensors", "manifest.json"} <= set(file.namelist())


def test_who_may_not_change_can_look_and_take_the_file(runs):
    keep_about(Run(runs / "digits"), note="look here")
    panel = Panel("digits", LOCKED)
    assert "look here" in panel.words
    assert panel.at.button(panel.key("archive")).disabled
    assert not panel.at.get("download_button")[0].proto.disabled
    before = sorted(path.name for path in runs.iterdir())
    for what in ("archive", "rename", "delete", "keep"):
        panel = Panel("digits")  # a page that was open before there was a login
        panel.at.secrets = LOCKED
        panel.press(what)
        assert panel.at.warning and WHAT in panel.words
    assert sorted(path.name for path in runs.iterdir()) == before
    assert about(Run(runs / "digits")).note == "look here"


def test_a_demo_run_can_only_be_taken(runs, monkeypatch):
    monkeypatch.setattr("rivae.runs.folders.DEMO_ROOT", runs)
    panel = Panel("digits")
    assert panel.at.button(panel.key("archive")).disabled
    panel.press("delete")
    assert (
        COMES_ALONG.format("digits") in panel.words.replace("\\", "") and (runs / "digits").is_dir()
    )


def test_a_damaged_file_of_notes_says_so(runs):
    (runs / "digits" / "about.json").write_text("{")
    assert "about.json" in Panel("digits").words.replace("\\", "")


def test_a_run_that_is_gone_shows_nothing(runs):
    assert not Panel("nobody").at.button


# the way in


def packed(runs, name="digits"):
    stream = io.BytesIO()
    export_run(Run(runs / name), stream)
    return stream.getvalue()


def bring(app, content, name=""):
    app.at.file_uploader("train_import_file").set_value(("run.zip", content, "application/zip"))
    app.at.text_input("train_import_name").set_value(name)
    app.at.button("train_import_start").click().run()
    return app.calm()


def test_a_run_is_brought_in_under_another_name(runs, app):
    content, page = packed(runs), app("train")
    bring(page, content)
    assert "already exists" in page.words
    bring(page, content, "theirs")
    assert Run(runs / "theirs").load_method() and Run(runs / "theirs").config.name == "theirs"
    assert page.at.text_input("train_import_name").value == ""


def test_what_is_no_archive_changes_nothing(runs, app):
    page = app("train")
    before = sorted(path.name for path in runs.iterdir())
    page.at.button("train_import_start").click().run()
    assert NO_FILE in page.calm().words
    bring(page, b"PK not a zip")
    assert "no archive" in page.words
    assert sorted(path.name for path in runs.iterdir()) == before
