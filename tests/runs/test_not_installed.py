"""A run that names a part of a package that is not installed here: marked, and opened if it can."""

import json

import numpy as np
import pytest

from rivae.base.config import MethodChoice
from rivae.base.errors import ConfigError, RunError
from rivae.cli import main
from rivae.exploring.explorer import Explorer
from rivae.jobs.launch import make_config, resume
from rivae.metrics.registry import metric
from rivae.models.registry import method_config
from rivae.retrieval.indexes.brute_force import NumpyIndex
from rivae.retrieval.storage import kept_index, save_index
from rivae.runs import Run, opening
from rivae.runs.evaluation_file import Evaluation
from tests.training.tiny import tiny_config, untrained_run

INSTALL = "install the package that offers it"
ABSENT = {
    "axes": f"there is no step on the axes 'mine' here: {INSTALL}",
    "method": f"there is no method 'mine' here: {INSTALL}",
    "dataset": f"there is no data set 'mine' here: {INSTALL}",
}


@pytest.fixture
def cards():
    """The page's cards of runs."""
    pytest.importorskip("streamlit", reason="the extra 'app' is missing")
    from rivae.app.shared import runs

    return runs


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """Call it with a kind: the one run of the folder of runs then names a part 'mine' of it."""
    monkeypatch.setenv("RIVAE_RUNS", str(tmp_path))
    untrained_run(tmp_path)

    def make(kind, state="finished"):
        path = tmp_path / "good" / "config.json"
        raw = json.loads(path.read_text())
        if kind == "axes":
            raw["method"]["settings"]["axes"] = "mine"
        else:
            raw[kind]["name"] = "mine"
        path.write_text(json.dumps(raw))
        Run(path.parent).set_status(state=state)
        return Run(path.parent)

    return make


def row_of(run, capsys):
    assert main(["runs", "--json"]) == 0
    return next(row for row in json.loads(capsys.readouterr().out) if row["run"] == run.id)


@pytest.mark.parametrize(("kind", "state"), [("method", "broken"), ("dataset", "broken")])
def test_a_run_that_cannot_be_opened_is_one_marked_row(elsewhere, cards, capsys, kind, state):
    run = elsewhere(kind)
    row = row_of(run, capsys)
    assert (row["state"], row["message"]) == (state, ABSENT[kind])
    assert opening.trouble(run) == opening.trouble(run, quick=True) == ABSENT[kind]
    card = cards.describe_run(run)
    assert (card.state, card.note) == (state, ABSENT[kind])


def test_a_run_whose_step_on_the_axes_is_elsewhere_is_marked_and_opens(elsewhere, cards, capsys):
    run = elsewhere("axes")
    row = row_of(run, capsys)
    assert (row["state"], row["message"]) == ("finished", ABSENT["axes"])
    card = cards.describe_run(run)
    assert card.state == "finished" and card.note == f"{ABSENT['axes'].capitalize()}."
    assert opening.trouble(run) == ""
    explorer = Explorer.open(run)
    hits = explorer.topk(explorer.encode(explorer.search_rows[0]), k=3)
    assert len(hits.ids) == 3
    assert run.load_method().config.axes == "mine"


def test_it_is_neither_resumed_nor_trained_anew(elsewhere, cards):
    run = elsewhere("axes", "interrupted")
    with pytest.raises(RunError, match=f"^run good: {ABSENT['axes']}$"):
        resume([run])
    assert cards.describe_run(run).note == ABSENT["axes"]
    with pytest.raises(ConfigError, match="there is no step on the axes 'mine': choose one of"):
        make_config("synth", name="new", method_settings={"axes": "mine"})
    with pytest.raises(ConfigError, match="'mine'"):
        method_config("rivae", run.config.method.settings)


def test_a_known_step_is_not_missing(elsewhere, tmp_path):
    assert opening.missing(Run(tmp_path / "good")) == ""
    assert opening.missing(Run(tmp_path / "none")) == ""
    choice = MethodChoice(name="rivae", settings={"axes": 3})
    odd = Run.create(tiny_config("odd").model_copy(update={"method": choice}), tmp_path)
    assert opening.missing(odd) == "", "what is no name is said where settings are read"


def test_a_metric_that_is_elsewhere_keeps_its_score_and_its_key_as_its_name(elsewhere, capsys):
    run = elsewhere("axes")
    result = {"score": 0.25, "n": 3}
    run.write_evaluation(Evaluation.model_validate({"factors": {"my_link": result}}))
    assert run.evaluation.factors["my_link"].score == 0.25
    assert metric("my_link").label == "my link"
    assert row_of(run, capsys)["state"] == "finished"


def test_an_index_that_is_elsewhere_leaves_its_files_and_another_one_is_built(tmp_path):
    class Elsewhere(NumpyIndex):
        name = "elsewhere"

    points = np.random.default_rng(0).standard_normal((50, 4)).astype(np.float32)
    save_index(tmp_path, "key", Elsewhere, 50, points.__getitem__)
    before = {path.name for path in tmp_path.iterdir()}
    read = points.__getitem__
    index = kept_index(tmp_path, lambda: "key", NumpyIndex, 50, read)
    assert index.search(points[:1], 1)[0][0, 0] == 0
    assert before < {path.name for path in tmp_path.iterdir()}
