"""The Runs view without a browser: every state, damaged files, what its buttons do to the queue."""

import shutil
import threading

import pytest
import torch

from rivae.app.train import run as view
from rivae.app.train.page_keys import OTHER_WORK
from rivae.app.train.parts import REMOVED
from rivae.app.train.runs import NO_MATCH, NOTHING_RUNS
from rivae.app.work.tasks import Tasks, start_process, start_thread
from rivae.base.errors import RivaeError
from rivae.jobs.agent import log_path
from rivae.jobs.launch import make_config, run_lock
from rivae.jobs.ledger import Ledger
from rivae.jobs.ledger_db import changing, update
from rivae.jobs.preview import draw
from rivae.runs import Run
from rivae.training.starts import StartFile
from tests.app.train_fixture import button, drawn, keys, plain, put, put_existing, trained
from tests.training.tiny import untrained_run
from tests.waiting import PATIENCE_S, over


@pytest.fixture
def started(monkeypatch):
    """Nothing is started: how often the app has asked for a dispatcher."""
    calls = []
    monkeypatch.setattr("rivae.jobs.dispatcher.ensure_dispatcher", calls.append)
    return calls


@pytest.fixture
def root(tmp_path, monkeypatch, app, started):
    """A folder of runs of its own, seen by the app."""
    made = tmp_path / "runs"
    made.mkdir()
    monkeypatch.setenv("RIVAE_RUNS", str(made))
    return made


# the list


def test_every_state_is_listed_with_what_can_be_done(app, root):
    trained(root, "ended")
    finished = put_existing(root, trained(root, "done"), "finished")
    diverged = trained(root, "diverged", 5, "failed")
    failed = put_existing(root, diverged, "failed", message="the loss is <b>")
    cancelled = put(root, "never-began", "cancelled", message="not wanted")
    unplugged = trained(root, "unplugged", 5, "interrupted")
    lost = put_existing(root, unplugged, "lost", message="power cut")
    first, second = put(root, "first", "queued"), put(root, "second", "queued")
    starting = put(root, "begins", "starting", slots="cpu")
    alive = trained(root, "at-work", 20, "running", total_epochs=60)
    running = put_existing(root, alive, "running", slots="cpu")
    terminal = trained(root, "by-hand", 3, "running", total_epochs=60)
    with run_lock(alive), run_lock(terminal):
        shown = app("train")
    there = keys(shown)
    for job, doable in (
        (finished, {"clone"}),
        (failed, {"clone", "resume"}),
        (lost, {"clone", "resume"}),
        (cancelled, {"clone", "resume", "remove"}),
        (first, {"up", "down", "cancel"}),
        (second, {"up", "down", "cancel"}),
        (starting, {"cancel", "watch"}),
        (running, {"cancel", "watch"}),
    ):
        found = {
            what
            for what in ("clone", "resume", "remove", "up", "down", "cancel", "watch")
            if f"train_button-{what}-{job.id}" in there
        }
        assert found == doable, job
    assert f"train_button-open-{'ended'}" in there
    assert "The loss is <b>." in plain(shown) and "Power cut." in plain(shown)
    assert r"\<b\>" in shown.words, "a message is shown as it is"
    texts = [bar.proto.text for bar in shown.at.get("progress")]
    assert any("joint · epoch 20 of 60 · loss 0.45 · about 8 s left" in t for t in texts), texts
    assert any("Starting" in text for text in texts)
    by_hand = button(shown, "cancel", "by-hand")
    assert by_hand.disabled and "Ctrl C" in by_hand.help
    assert button(shown, "up", first.id).disabled and not button(shown, "down", first.id).disabled


def test_without_anything_it_says_what_to_do(app, root):
    words = app("train").words
    assert NOTHING_RUNS in words and "New run" in words


def test_damaged_entries_and_folders_break_nothing(app, root):
    job = put(root, "spoilt", "queued")
    ledger = Ledger(root)
    with changing(ledger.path) as db:
        update(db, job.id, config="{")
    (root / "broken").mkdir()
    (root / "broken" / "config.json").write_text("[")
    bad = trained(root, "bad-metrics", 4)
    bad.log.path.write_bytes(b'\xff{"epoch": "x"}\n{"epoch": 3, "objective": [1]}\n{"epo')
    bad.timing.path.write_text('{"epoch": 1, "wall": "x"}\n')
    (trained(root, "bad-status").path / "status.json").write_text("x")
    shown = app("train")
    assert "damaged" in plain(shown) and "valid JSON" in plain(shown)
    for name in ("spoilt", "broken", "bad-metrics", "bad-status"):
        assert not app("train", run=name).at.exception, name
    button(shown, "remove", job.id).click().run()
    shown.calm()
    assert not ledger.jobs()


def test_a_queue_that_cannot_be_read_still_shows_the_runs(app, root):
    trained(root, "ended")
    (root / ".jobs").mkdir()
    (root / ".jobs" / "ledger.db").write_bytes(b"no database" * 500)
    shown = app("train")
    assert any("queue" in warning.value for warning in shown.at.warning)
    assert "train_button-open-ended" in keys(shown)


def test_long_lists_are_found_by_words_and_pages(app, root):
    for n in range(25):
        trained(root, f"run-{n:02}", 2, updated=f"2026-01-{n + 1:02}T00:00:00+00:00")
    trained(root, "another", 2, state="failed")
    shown = app("train")
    opened = [k for k in keys(shown) if k and k.startswith("train_button-open-")]
    assert len(opened) == 10
    shown.at.text_input(key="train_find").set_value("ANOTHER synth").run()
    assert {k for k in keys(shown.calm()) if "-open-" in k} == {"train_button-open-another"}
    shown.at.text_input(key="train_find").set_value("nothing like it").run()
    assert NO_MATCH in shown.calm().words


# what buttons do


def test_cancel_resume_and_order_change_the_queue(app, root, started):
    ledger = Ledger(root)
    first, second = put(root, "first", "queued"), put(root, "second", "queued")
    shown = app("train")
    button(shown, "down", first.id).click().run()
    assert [job.run for job in ledger.jobs("queued")] == ["second", "first"]
    shown.at.selectbox(key=f"train_priority-{first.id}").select(9).run()
    assert [job.run for job in ledger.jobs("queued")] == ["first", "second"]
    button(shown, "cancel", second.id).click().run()
    assert ledger.job(second.id).state == "cancelled"
    said = [toast.value.replace("\\", "") for toast in shown.at.toast]
    assert any(REMOVED.format("second") in sentence for sentence in said)
    button(shown, "resume", second.id).click().run()
    shown.calm()
    assert ledger.job(second.id).state == "queued" and len(started) == 4


def test_a_living_run_is_asked_to_stop_once(app, root):
    run = trained(root, "at-work", 20, "running", total_epochs=60)
    job = put_existing(root, run, "running", slots="cpu")
    with run_lock(run):
        shown = app("train", run="at-work")
        button(shown, "cancel", job.id).click().run()
        shown.calm()
        assert Ledger(root).job(job.id).cancelling
        assert button(shown, "cancel", job.id).disabled


def test_a_run_from_the_command_line_is_resumed_by_the_queue(app, root):
    trained(root, "by-hand", 3, "running", total_epochs=60)  # nobody holds its lock
    shown = app("train", run="by-hand")
    button(shown, "resume", "by-hand").click().run()
    shown.calm()
    (job,) = Ledger(root).jobs()
    assert (job.run, job.state) == ("by-hand", "queued")
    assert view.NEXT in shown.words


def test_what_somebody_else_was_faster_with_is_said(app, root):
    job = put(root, "first", "queued")
    shown = app("train")
    Ledger(root).cancel(job.id)
    button(shown, "cancel", job.id).click().run()
    assert any("first is cancelled" in w.value for w in shown.calm().at.warning)


def test_visitors_without_the_right_only_look(app, root, monkeypatch):
    job = put(root, "first", "queued")
    over = put(root, "over", "cancelled")
    monkeypatch.setattr("rivae.app.shell.access.may_change", lambda: False)
    shown = app("train")
    for what, one in (("up", job), ("cancel", job), ("resume", over), ("remove", over)):
        assert button(shown, what, one.id).disabled, what
    assert shown.at.selectbox(key=f"train_priority-{job.id}").disabled


def test_clone_opens_the_form(app, root):
    trained(root, "ended")
    shown = app("train", run="ended")
    button(shown, "clone", "ended").click().run()
    shown.calm()
    assert "run" not in shown.params and shown.tab == "New run"


# one run


@pytest.mark.parametrize(
    ("shares", "found", "meaning"),
    [
        ((0.5, 0.3, 0.01), "2 axes", view.AS_MANY),
        ((0.4, 0.3, 0.1, 0.004), "3 axes", view.FEWER),
        ((0.6, 0.01, 0.008), "1 axis", view.MORE),
        ((), None, ""),
    ],
)
def test_the_axes_that_the_start_found_stand_next_to_those_of_the_run(
    app, root, shares, found, meaning
):
    run = trained(root, "ended")
    StartFile(run.unfolded).keep(shares=shares, target=torch.eye(5, 3))
    captions = [caption.value for caption in app("train", run="ended").calm().at.caption]
    said = [caption for caption in captions if caption.startswith(view.AXES.partition("{}")[0])]
    if found is None:
        assert not said
        return
    (text,) = said
    assert view.AXES.format(found, 2, meaning) in text
    assert (view.OTHER_AXES.format(found[0]) in text) == (meaning != view.AS_MANY)


@pytest.mark.parametrize(("init", "told"), [("contrast", 1), ("none", 0)])
def test_a_start_that_has_not_found_its_axes_yet_says_so(monkeypatch, root, init, told):
    settings = {"init": init, "anchor": None}
    config = make_config("synth", name="young", method_settings=settings)
    said = []
    monkeypatch.setattr("streamlit.caption", lambda text, **rest: said.append(text))
    view._axes(Run.create(config, root), True)
    assert said == [view.AXES_LATER] * told


def test_one_run_shows_curves_scores_times_and_stages(app, root):
    trained(root, "ended")
    shown = app("train", run="ended")
    names = {trace["name"] for trace in drawn(shown)}
    assert {"objective", "R@1", "MCC"} <= names and "kl" not in names, "terms are folded"
    assert {trace["name"] for trace in drawn(app("train", run="ended", terms="true"))} >= {"kl"}
    html = " ".join(str(element.proto.body) for element in shown.at.get("html"))
    assert "6 s" in html and "0.3" in html, "30 epochs of 0.2 s, R@1 of the last validation"
    shown.at.button(key="train_button-back").click().run()
    assert "run" not in shown.calm().params


def test_a_failed_run_says_why_and_shows_its_log(app, root):
    run = trained(root, "diverged", 5, "failed")
    job = put_existing(root, run, "failed", message="the loss became nan: lower the rate")
    log_path(root, job.id).write_text("epoch 4\n\x1b[31mepoch 5 <script>\x1b[0m\n")
    shown = app("train", run="diverged")
    assert any("lower the rate" in warning.value for warning in shown.at.warning)
    assert any("epoch 5 <script>" in code.value for code in shown.at.code)


def test_a_model_in_training_opens_and_shows_its_pictures(app, root):
    run = untrained_run(root)
    shutil.move(run.path / "model.safetensors", run.path / "preview.safetensors")
    run.set_status(state="running", epoch=3, total_epochs=9)
    draw(run, 2)
    draw(run, 3)
    job = put_existing(root, run, "running", slots="cpu")
    with run_lock(run):
        shown = app("train", run="good")
        assert f"train_button-explore-{job.id}" in keys(shown)
        assert "After epoch 3" in shown.words
        choice = shown.at.selectbox(key="train_epoch-good")
        assert choice.options == ["Newest", "Epoch 3", "Epoch 2"]
        choice.select("2").run()
        assert "After epoch 2" in shown.calm().words
        (run.path / "previews" / "epoch-00003.webp").unlink(missing_ok=True)
        for path in (run.path / "previews").glob("epoch-00003*"):
            path.write_bytes(b"<svg>")
        choice.select("newest").run()
        assert view.BAD_PICTURE.format(3) in shown.calm().words


def test_a_link_to_no_run_is_explained(app, root):
    shown = app("train", run="<b>*none*")
    assert any("none" in w.value and "<b>" not in w.value for w in shown.at.warning)


def test_demo_and_foreign_runs_cannot_be_resumed_here(app, root, tmp_path, monkeypatch):
    elsewhere = tmp_path / "demos"
    elsewhere.mkdir()
    trained(elsewhere, "a-demo", 3, "failed")
    monkeypatch.setattr("rivae.runs.folders.DEMO_ROOT", elsewhere)
    shown = app("train", run="a-demo")
    assert not {k for k in keys(shown) if k and "-resume-" in k}


def test_what_is_live_is_the_only_part_that_renews_itself(app, root, monkeypatch):
    import streamlit

    asked = []
    real = streamlit.fragment
    monkeypatch.setattr(
        streamlit, "fragment", lambda f=None, **o: asked.append(o.get("run_every")) or real(f, **o)
    )
    trained(root, "ended")
    app("train"), app("train", run="ended"), app("train", curves="ended")
    assert not any(asked), "nothing runs, nothing is asked for again"
    put(root, "first", "queued")
    app("train")
    assert any(asked)


# what else the app works on


def test_other_work_of_any_kind_stands_beside_the_trainings_and_can_be_stopped(app, root, until):
    kind, may_end = Tasks(5, RivaeError, "busy", at_once=3), threading.Event()

    def works(tell):
        tell("counting", 0.5)
        may_end.wait(PATIENCE_S)
        return {}

    kind.start("a", lambda: start_thread("a", "A thread <b>", works))
    sleeps = "tests.app.interrupted_work:fail_when_interrupted"
    kind.start("b", lambda: start_process("b", "B process", sleeps, {}))
    until(lambda: {kind.get(key).stage for key in "ab"} == {"counting", "working"}, "both work")
    shown = app("train")
    said = [bar.proto.text for bar in shown.at.get("progress")]
    assert "counting, 50%" in said[0] and "B process: working" in said[1]
    thread, process = (shown.at.button(key=f"{OTHER_WORK}_stop_{n}") for n in (0, 1))
    assert thread.disabled and not process.disabled
    process.click().run()
    shown.calm()
    over(kind.get("b"))
    assert kind.get("b").cancelled
    may_end.set()
    over(kind.get("a"))
    assert not app("train").at.get("progress")
