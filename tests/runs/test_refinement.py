"""Which run is offered in the place of another, and in which words."""

import pytest
import torch

from rivae.runs import Run
from rivae.runs.refinement import kept_scores, refinable, refinement_of
from rivae.training.checkpoint import save_checkpoint
from tests.training.tiny import RIDGE, tiny_config


def run_with(folder, name, scores, *, refines=None, state="finished", **own):
    """A run of a start in closed form whose epochs had these (score, recall_at_1)."""
    select, epochs = own.get("select", "best"), own.get("joint_epochs", 4)
    config = tiny_config(name, **RIDGE, training={"select": select})
    settings = {**config.method.settings, "joint_epochs": epochs}
    choice = config.method.model_copy(update={"settings": settings})
    run = Run.create(config.model_copy(update={"method": choice, "refines": refines}), folder)
    for epoch, (score, recall) in enumerate(scores, 1):
        found = {"score": score, "recall_at_1": recall}
        stage = "ivae" if epoch == 1 else "joint"
        run.log.append({"epoch": epoch, "stage": stage, "validation": found})
    run.set_status(state=state)
    return run


def test_the_best_of_the_better_ones_is_offered(tmp_path):
    start = run_with(tmp_path, "start", [(0.16, 0.07)], joint_epochs=0)
    worse = run_with(tmp_path, "worse", [(0.10, 0.20)], refines="start")
    better = run_with(tmp_path, "better", [(0.16, 0.07), (0.2, 0.09)], refines="start")
    best = run_with(tmp_path, "best", [(0.3, 0.14), (0.1, 0.01)], refines="start")
    running = run_with(tmp_path, "running", [(0.9, 0.9)], refines="start", state="running")
    another = run_with(tmp_path, "another", [(0.9, 0.9)], refines="other")
    others = [start, worse, running, another]
    assert refinable(start.config) and not refinable(better.config)
    assert refinement_of(start, others) is None
    offered = refinement_of(start, [*others, better])
    assert offered.run is better
    assert offered.sentence.endswith("it finds the right item first for 9 of 100 instead of 7")
    assert refinement_of(start, [better, best, *others]).run is best
    assert Run(better.path).config.refines == "start"


def test_equal_first_hits_are_not_called_more(tmp_path):
    start = run_with(tmp_path, "start", [(0.16, 0.07)], joint_epochs=0)
    better = run_with(tmp_path, "better", [(0.2, 0.07)], refines="start")
    assert "instead" not in refinement_of(start, [better]).sentence


@pytest.mark.parametrize(("select", "kept"), [("best", 0.3), ("last", 0.1)])
def test_the_scores_are_those_of_the_weights_that_were_kept(tmp_path, select, kept):
    run = run_with(tmp_path, "run", [(0.3, 0.1), (0.2, 0.1), (0.1, 0.1)], select=select)
    assert kept_scores(run)["score"] == kept
    assert kept_scores(run_with(tmp_path, "none", [])) == {}
    # A start that is no epoch of its own was better than all of them.
    save_checkpoint(run.best_weights, {"w": torch.zeros(1)}, {"epoch": 1, "score": 0.4})
    assert kept_scores(run)["score"] == (0.4 if select == "best" else kept)
    run.best_weights.write_bytes(b"damaged")
    assert kept_scores(run)["score"] == kept


def test_a_run_that_refines_nothing_says_nothing_of_it(tmp_path):
    """Files of runs are as before."""
    run = run_with(tmp_path, "run", [])
    assert "refines" not in (run.path / "config.json").read_text()
