"""Evaluating a run from the Metrics page, in a separate process."""

import shutil

import pytest

from rivae.app.metrics import work
from rivae.app.metrics.run import NOT_MEASURED
from rivae.app.shell.text import markdown
from rivae.app.work import evaluating
from rivae.base.errors import RunError
from rivae.benchmark.finding import finding
from rivae.evaluation.evidence import kept_evidence
from rivae.runs import Run
from tests.app.test_metrics_page import tables
from tests.waiting import over

pytestmark = pytest.mark.slow


MAY_BEGIN, EVIDENCE_OF = evaluating.may_begin, work.evidence_of


@pytest.fixture
def unmeasured(tmp_path, monkeypatch):
    """A small untrained run without an evaluation."""
    from rivae.jobs.launch import make_config
    from rivae.models.registry import build_method

    config = make_config("synth", name="new", dataset_settings={"n_pairs": 90})
    run = Run.create(config, tmp_path / "runs")
    data = run.load_dataset()
    choice = config.method
    run.write_model(build_method(choice.name, choice.settings, data.x1.shape, data.x2.shape))
    monkeypatch.setattr(evaluating, "may_begin", MAY_BEGIN)
    monkeypatch.setenv("RIVAE_RUNS", str(run.path.parent))
    monkeypatch.setattr("rivae.runs.folders.DEMO_ROOT", tmp_path / "no-demos")
    evaluating.evaluations.known.clear()
    yield run
    for job in evaluating.evaluations.known.values():
        job.process.kill()
    evaluating.evaluations.known.clear()


def test_a_run_and_its_map_are_measured_in_the_background(app, unmeasured):
    from rivae.app.shell.cache import run as known

    page = app("metrics", run="new")
    assert NOT_MEASURED in page.words and not tables(page)
    job = evaluating.evaluation_of(known("new"))
    assert job is not None, "nobody has to ask"
    (bar,) = page.at.get("progress")
    assert bar.proto.text.startswith("Evaluating new: ")
    with pytest.raises(RunError, match=evaluating.EVALUATING):
        other = Run(shutil.copytree(unmeasured.path, unmeasured.path.with_name("other")))
        (other.path / "model.safetensors").write_bytes(b"another")
        evaluating.start_evaluation(other)
    assert evaluating.start_evaluation(known("new")) is job, "a second visitor joins"
    assert not over(job).error
    assert unmeasured.evaluation.settings.dataset == "synth"
    page.follow(run="new", open_metrics="true")
    assert "R@1 ↑" in [row.get("name") for row in tables(page)[0]["rows"]]
    task = EVIDENCE_OF(unmeasured, unmeasured.evaluation)
    assert EVIDENCE_OF(unmeasured, unmeasured.evaluation) is task, "a second visitor joins"
    assert not over(task).error
    found = EVIDENCE_OF(unmeasured, unmeasured.evaluation)
    assert found == kept_evidence(unmeasured, unmeasured.evaluation) and found.effects
    shutil.rmtree(unmeasured.path / "cache")  # a folder that cannot be written
    assert EVIDENCE_OF(unmeasured, unmeasured.evaluation) == found


def test_what_was_stopped_waits_for_the_button(app, unmeasured):
    job = evaluating.start_evaluation(unmeasured)
    job.cancel()
    over(job)
    page = app("metrics", run="new")
    assert not evaluating.evaluations.running(), "it is not begun again by itself"
    page.at.button(key="metrics_evaluate").click().run()
    page.calm()
    assert evaluating.evaluations.running()


def test_who_has_not_logged_in_begins_nothing(app, unmeasured, monkeypatch):
    monkeypatch.setattr("rivae.app.shell.access.may_change", lambda: False)
    page = app("metrics", run="new")
    assert not evaluating.evaluations.known and page.at.button(key="metrics_evaluate")


def test_a_demo_run_is_measured_but_not_written(app, unmeasured, monkeypatch):
    monkeypatch.setattr("rivae.runs.folders.DEMO_ROOT", unmeasured.path.parent)
    over(evaluating.start_evaluation(unmeasured))
    page = app("metrics", run="new", open_metrics="true")
    assert tables(page) and "not saved" in page.words
    assert unmeasured.evaluation is None


def test_an_evaluation_that_fails_says_why(app, unmeasured):
    (unmeasured.path / "model.safetensors").write_bytes(b"damaged")
    over(evaluating.start_evaluation(unmeasured))
    page = app("metrics", run="new")
    assert any("damaged" in warning.value for warning in page.at.warning)
    assert page.at.button(key="metrics_evaluate"), "it can be tried again"


def test_home_measures_what_was_not_and_says_what_it_finds(app, unmeasured, monkeypatch):
    unmeasured.set_status(state="finished")
    with monkeypatch.context() as patch:
        patch.setattr("rivae.app.shell.access.may_change", lambda: False)
        app()
    assert not evaluating.evaluations.known, "nobody has logged in"
    home = app()
    (job,) = evaluating.evaluations.known.values()
    assert home.at.get("progress")
    assert not over(job).error
    assert markdown(finding(unmeasured.evaluation).sentence) in app().words
    assert list(evaluating.evaluations.known.values()) == [job], "it is not measured again"
