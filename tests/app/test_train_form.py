"""The "New run" view: choices, marks, bad values, sweeps, clones, and what Queue puts in line."""

import itertools
import json
import re

import pytest

from rivae.app.shell import access
from rivae.app.train import form_queue
from rivae.base.config import DatasetConfig
from rivae.data import dataset_names
from rivae.jobs.ledger import Ledger
from rivae.models.registry import METHODS
from rivae.runs import Run
from tests.app.train_fixture import Form, own_runs
from tests.training.tiny import tiny_config


@pytest.fixture
def root(tmp_path, monkeypatch):
    with own_runs(tmp_path, monkeypatch) as folder:
        yield folder


@pytest.fixture
def form(app, root):
    return lambda **params: Form(app, **params)


def queued(root):
    return Ledger(root).jobs("queued")


def test_a_first_visit_can_queue_at_once(form, root):
    page = form()
    assert "**1 run**, synth-rivae-s0." in page.words and page.can_queue
    page.press("queue")
    (job,) = queued(root)
    assert job.config.name == "synth-rivae-s0" and job.priority == 5 and job.max_restarts == 3
    assert page.app.tab == "Runs", "and its runs are shown"
    assert [t.value for t in page.at.toast] == ["synth-rivae-s0 is queued"]


@pytest.mark.slow
def test_every_data_set_and_every_method_is_a_valid_form(form, tmp_path):
    """In one session: a field of one is no trouble for the next. Whether each combination is valid
    is asked of the drafts behind the form, in tests/jobs/test_fields.py."""
    (tmp_path / "data" / "mine").mkdir(parents=True)
    (tmp_path / "data" / "mine" / "store.json").write_text("{}")
    page = form()
    names = [*(name for name in dataset_names() if name != "pairs"), "mine"]
    methods = tuple(METHODS)
    for n in range(max(len(names), len(methods))):
        dataset, method = names[n % len(names)], methods[n % len(methods)]
        page.enter(dataset=dataset, method=method)
        for preset in ("default", "paper"):
            page.enter(preset=preset)
            assert page.can_queue, (dataset, method, preset, page.words)
            assert not page.at.warning and "Changed" not in page.words


@pytest.mark.slow
def test_what_is_changed_is_marked_and_taken_back(form):
    page = form().enter(method__lambda_reg="0.5", training__patience="9")
    assert "Changed: lambda_reg 0.5, patience 9" in page.words
    page.enter(preset="paper")
    assert page.value("method.lambda_reg") == "0.5", "what was typed outlives the preset"
    assert page.value("method.joint_epochs") == "1900", "the rest follows it"
    page.press("back_method.lambda_reg")
    assert page.value("method.lambda_reg") == "0.1" and "Changed: patience 9" in page.words
    page.press("back_all")
    assert "Changed" not in page.words and page.value("training.patience") == ""
    page.enter(method__lambda_reg="0.10")
    assert "Changed" not in page.words, "the same number is no change"


def test_a_setting_has_a_title_and_its_key_beside_it(form):
    page = form().enter(method__embedder2="yes")
    assert page.widget("method.lambda_reg").label == "Weight: regulariser :gray[:small[lambda_reg]]"
    assert page.widget("method.learning_rate").label == "Learning rate", "not the same word twice"
    assert page.widget("dataset.n_pairs").label == "Pairs :gray[:small[n_pairs]]"
    assert "pairs" in page.widget("dataset.n_pairs").help
    assert "Second embedder :gray[:small[embedder2]]" in [c.value for c in page.at.caption]


@pytest.mark.slow
def test_a_wrong_value_is_told_beside_it_and_kept(form, root):
    page = form().enter(method__lambda_reg="-1")
    assert len(re.findall(r"lambda_reg .* 0, not '-1'", page.words)) == 2
    assert page.value("method.lambda_reg") == "-1" and not page.can_queue
    page.enter(method__joint_epochs="20")
    assert page.value("method.lambda_reg") == "-1", "another field does not lose it"
    page.app.follow(training="Runs")
    page.app.follow(training="New run")
    assert page.value("method.lambda_reg") == "-1", "nor does another view"
    page.enter(method__lambda_reg="0.2")
    assert page.can_queue


def test_settings_that_do_not_go_together(form):
    page = form().enter(method__init="cos-sim-lvm").enter(method__anchor="1, 1")
    assert "anchor=null" in page.words and not page.can_queue


@pytest.mark.parametrize("seeds", ["", "a", "3-1", "0-300"])
def test_wrong_seeds(form, seeds):
    page = form().enter(seeds=seeds)
    assert not page.can_queue and page.value("seeds") == seeds
    assert "seeds" in page.words


def test_markup_that_is_typed_stays_text(form):
    page = form().enter(name="**x** <b>", method__lambda_reg=":red[y]")
    said = [str(e.value) for e in (*page.at.warning, *page.at.markdown)]
    assert not any("**x**" in text or "<b>" in text or ":red[y]" in text for text in said)


def test_a_part_that_is_added_has_fields_of_its_own(form, root):
    page = form()
    assert "method.embedder2.hidden" not in page.names()
    page.enter(method__embedder2="yes").enter(method__embedder2__hidden="7, 7").press("queue")
    assert queued(root)[0].config.method.settings["embedder2"]["hidden"] == [7, 7]


@pytest.mark.slow
def test_queueing_adds_what_was_chosen(form, root):
    page = form().enter(
        dataset="split-digits",
        method="info-nce",
        preset="paper",
        name="mine",
        seeds="2,5",
        method__epochs="3",
        dataset__split_seed="4",
        training__select="best",
        priority=9,
        restarts=0,
    )
    page.press("queue")
    jobs = queued(root)
    assert [(job.run, job.config.seed) for job in jobs] == [("mine-s2", 2), ("mine-s5", 5)]
    for job in jobs:
        config = job.config
        assert (config.dataset.name, config.method.name, config.method.preset) == (
            "split-digits",
            "info-nce",
            "paper",
        )
        assert config.method.settings["epochs"] == 3
        assert config.dataset.settings == {"split_seed": 4}
        assert config.training.select == "best" and config.training.device == "cpu"
        assert (job.priority, job.max_restarts, job.processes) == (9, 0, 1)


def test_a_sweep_queues_each_value_with_each_seed(form, root):
    page = form().enter(sweep="method.lambda_reg", values="0, 0.1, 1", seeds="0-1")
    assert "**6 runs**, synth-rivae-lambda_reg-0-s0 … synth-rivae-lambda_reg-1-s1." in page.words
    assert page.widget("method.lambda_reg").disabled, "its values are those of the sweep"
    page.press("queue")
    found = [(job.config.method.settings["lambda_reg"], job.config.seed) for job in queued(root)]
    assert found == list(itertools.product((0, 0.1, 1), (0, 1)))


@pytest.mark.slow
def test_a_wrong_sweep_is_told(form):
    page = form().enter(sweep="method.lambda_reg", values="0, x")
    assert "not 'x'" in page.words and page.value("values") == "0, x" and not page.can_queue
    page.enter(values="1,2,3", seeds="0-99")
    assert "300 runs" in page.words and not page.can_queue
    page.enter(values="1", seeds="0", method="cos-sim")
    assert "setting 'lambda_reg'" in page.words, "of another method"
    page.enter(sweep="")
    assert page.can_queue


def test_a_name_that_is_taken(form, root):
    page = form().enter(name="mine").press("queue")
    page.app.follow(training="New run")
    assert page.value("name") == "", "the next run has another name"
    page.enter(name="mine")
    assert "run named mine" in page.words and not page.can_queue
    page.enter(name="")
    assert page.can_queue and len(queued(root)) == 1


def scrolled(page):
    """What the components that scroll were sent."""
    found = [c for c in page.at.get("bidi_component") if c.key == "train_scroll"]
    return [json.loads(component.proto.json) for component in found]


def test_a_queued_run_is_brought_into_view_once(form, root):
    page = form().press("queue")
    (job,) = queued(root)
    assert [sent["key"].endswith(f"-open-{job.id}") for sent in scrolled(page)] == [True]
    page.at.run()
    assert not scrolled(page)


def test_a_data_set_that_cannot_be_opened_is_not_queued(form, root):
    page = form().enter(dataset="split-mnist").press("queue")
    assert "MNIST idx" in page.words and not queued(root)
    page.enter(dataset="synth", dataset__n_pairs="3")
    assert re.search(r"n_pairs .* 30 to 1000000, not '3'", page.words)
    assert not page.can_queue, "a bound is told before anything is opened"
    assert page.value("dataset.n_pairs") == "3"


def test_hyperparameters_are_folded_until_one_is_chosen(form):
    def custom(page):
        (fold,) = [each for each in page.at.expander if each.label == "Custom"]
        return fold.proto.expanded

    page = form()
    assert not custom(page)
    page.enter(method__lambda_reg="0.25")
    assert custom(page) and "0.25" in page.words


def test_paths_are_named_on_this_machine_only(form, root, monkeypatch):
    page = form().enter(dataset="split-mnist")
    assert not page.widget("dataset.folder").disabled
    monkeypatch.setattr("rivae.app.shell.gate.LOOPBACK", ())
    page.at.run()
    field = page.widget("dataset.folder")
    assert field.disabled
    field.proto.disabled = False
    page.enter(dataset__folder="/etc")
    assert page.value("dataset.folder") == "", "also where the browser says otherwise"


@pytest.mark.slow
def test_paths_lie_below_the_folders_that_were_named(form, root, monkeypatch, tmp_path):
    monkeypatch.setenv("RIVAE_FILES", str(tmp_path))
    (tmp_path / "mnist").mkdir()
    page = form().enter(dataset="split-mnist")
    for outside in ("/etc", f"{tmp_path}/../..", "~/x", f"{tmp_path}/none"):
        assert page.enter(dataset__folder=outside).value("dataset.folder") == ""
    assert f"{tmp_path}/none" in page.words.replace("\\", "")
    for text in (str(tmp_path / "mnist"), "runs"):  # the latter: beside the server's program
        page.enter(dataset__folder=text)
        assert page.value("dataset.folder") == str(tmp_path / "mnist")
    named = DatasetConfig(name="split-mnist", settings={"folder": "/etc"})
    Run.create(tiny_config("theirs").model_copy(update={"dataset": named, "imported": True}), root)
    assert "an archive" in form(clone="theirs").words


# Devices


def test_cards_are_offered_where_there_are_some(form, root, monkeypatch):
    assert form().widget("device").options == ["CPU"]
    from rivae.app.train.form_state import _slots

    _slots.clear()
    monkeypatch.setattr("rivae.jobs.devices._count_cards", lambda: 2)
    page = form()
    assert "processes" not in page.names()
    page.enter(device="cuda").enter(processes=2).press("queue")
    (job,) = queued(root)
    assert job.config.training.device == "cuda" and job.processes == 2 and job.wants_gpu


# Clones


@pytest.fixture
def changed_run(root):
    config = tiny_config("old-s3", seed=3, lambda_reg=0.25, training={"patience": 4})
    return Run.create(config, root)


def same(config, other):
    assert config.method.settings == other.method.settings
    assert (config.dataset, config.training, config.seed) == (
        other.dataset,
        other.training,
        other.seed,
    )


def test_the_address_names_a_run_to_clone(form, root, changed_run):
    page = form(clone="old-s3")
    assert page.value("name") == "old-s3-2" and page.value("seeds") == "3"
    assert page.value("method.lambda_reg") == "0.25" and "lambda_reg 0.25" in page.words
    page.enter(method__eta="0.2, 0.2")
    page.at.run()
    assert page.value("method.eta") == "0.2, 0.2", "it is not cloned again in every run"
    page.press("back_method.eta").press("queue")
    (job,) = queued(root)
    assert job.run == "old-s3-2"
    same(job.config, changed_run.config)


def test_a_clone_opens_the_form_from_any_view(app, root, changed_run):
    visitor = app("train", clone="old-s3")
    assert visitor.tab == "New run"


def test_a_queued_run_can_be_cloned_with_its_turn(form, root):
    Ledger(root).add([tiny_config("waiting")], priority=8, max_restarts=1)
    form(clone="waiting").press("queue")
    job = next(job for job in queued(root) if job.run == "waiting-2")
    assert (job.priority, job.max_restarts) == (8, 1)
    same(job.config, tiny_config("waiting"))


@pytest.mark.parametrize("name", ["gone", "../../etc", "<b>x</b>"])
def test_what_cannot_be_cloned_is_told(form, name):
    page = form(clone=name)
    assert page.can_queue and len(page.at.warning) == 1
    assert "<b>" not in page.at.warning[0].value
    page.at.run()
    assert not page.at.warning, "it is told once"


def test_starting_over(form, changed_run):
    page = form(clone="old-s3").press("over")
    assert page.value("name") == "" and "Changed" not in page.words
    assert "clone" not in page.app.params


# Estimates and visitors who may only look


@pytest.mark.slow
def test_an_estimate_is_asked_for_and_holds_for_other_lengths(form, root):
    quick = {"dataset__n_pairs": "60", "method__init": "none", "method__batch_size": "8"}
    quick |= {"method__anchor": ""}
    page = form().enter(**quick, seeds="0-3").press("probe")
    page.wait_for_estimate()
    assert "with 20 training pairs" in page.words
    assert "each," in page.words and "in all," in page.words
    page.enter(method__joint_epochs="100000")
    assert "min** each" in page.words and "probe" not in page.names(), "no new one is needed"
    page.enter(method__batch_size="16")
    assert "probe" in page.names() and "each" not in page.words.split("**4 runs**")[1][:60]


@pytest.mark.slow
def test_an_estimate_of_what_cannot_be_opened(form):
    page = form().enter(dataset="split-mnist").press("probe")
    page.wait_for_estimate()
    assert "MNIST idx" in page.words and "probe" in page.names()


@pytest.mark.slow
def test_an_estimate_can_be_stopped(form, until):
    page = form().enter(dataset="sprites").press("probe")
    (job,) = form_queue.tasks.known.values()
    page.press("probe_stop_0").wait_for_estimate()
    assert job.cancelled and not job.running and job.process.poll() is not None
    until(lambda: page.at.run() and "probe" in page.names(), "the button is back")
    assert not page.at.warning


def test_who_may_only_look_sees_the_form(form, root, monkeypatch):
    monkeypatch.setattr(access, "may_change", lambda: False)
    page = form()
    assert ["Log in" in info.value for info in page.at.info] == [True], "one sentence"
    names = page.names()
    assert {"queue", "dataset", "method.lambda_reg", "seeds"} <= names
    assert all(page.widget(name).disabled for name in names), "all of it is disabled"
