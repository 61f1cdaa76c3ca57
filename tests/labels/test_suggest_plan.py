"""A plan of the items to label next: new ones, useful ones first, unseen by D/C/I."""

import numpy as np
import pytest

from rivae.errors import ConfigError
from rivae.labels.kept_plans import keep_plan, kept_plan
from rivae.labels.plan import read_plan, write_plan
from rivae.labels.schema import read_guideline
from rivae.labels.store import LabelStore
from rivae.labels.suggest import BLOCK, suggest_rows, suggested_plan
from rivae.methods import build_method
from rivae.runs import Run
from tests.training.tiny import tiny_config, untrained_run


@pytest.fixture
def run(tmp_path):
    return untrained_run(tmp_path)


def test_new_items_of_validation_and_the_same_every_time(run):
    data = run.load_dataset()
    validation = data.splits["validation"]
    known = validation[:4]
    found = suggest_rows(run, known, 3, data=data)
    assert found.pool == "validation items" and found.n_pool == len(validation) - 4
    assert len(set(found.rows.tolist())) == 3
    assert set(found.rows) <= set(validation) - set(known)
    np.testing.assert_array_equal(found.rows, suggest_rows(run, known, 3, data=data).rows)


def test_labelled_items_change_what_is_useful(run):
    data = run.load_dataset()
    rows = data.splits["validation"]
    alone = suggest_rows(run, [], 4, data=data).rows
    after = suggest_rows(run, alone, 4, data=data).rows
    assert not set(alone) & set(after) and set(after) <= set(rows)


def test_training_items_join_where_validation_is_small_and_test_items_never(run):
    data = run.load_dataset()
    n = len(data.splits["validation"])
    found = suggest_rows(run, [], n, data=data)
    assert found.pool == "validation and training items"
    assert not set(found.rows) & set(data.splits["test"])
    everything = len(data.splits["train"]) + n
    with pytest.raises(ConfigError, match=f"only {everything - 5} items are left"):
        suggest_rows(run, data.splits["train"][:5], everything - 4, data=data)
    with pytest.raises(ConfigError, match="1 to 500"):
        suggest_rows(run, [], 0, data=data)


def test_the_most_useful_ten_come_first_and_some_come_again(run, tmp_path):
    data, guide = run.load_dataset(), read_guideline()
    rows = suggest_rows(run, [], 40, data=data).rows
    plan = suggested_plan(run, rows, "next", data=data, guideline=guide.version)
    assert plan.purpose == "axes" and plan.runs[0].n_items == 40
    firsts = list(dict.fromkeys(plan.order))
    for start in range(0, 40, BLOCK):
        assert set(firsts[start : start + BLOCK]) == set(rows[start : start + BLOCK].tolist())
    assert 0.05 <= len(plan.repeats) / 40 <= 0.1
    plan.check(data)
    write_plan(tmp_path / "plan.json", plan)
    assert read_plan(tmp_path / "plan.json") == plan
    with LabelStore(f"sqlite:///{tmp_path / 'labels.db'}") as store:
        keep_plan(store, plan, guide)
        assert kept_plan(store, "next") == plan
    with pytest.raises(ConfigError, match="cannot name a plan"):
        suggested_plan(run, rows, "Not a name", data=data)


def test_a_method_without_latents_is_refused(tmp_path):
    run = Run.create(tiny_config("flat", "cos-sim"), tmp_path)
    choice = run.config.method
    run.write_model(build_method(choice.name, choice.settings, (50,), (50,)))
    with pytest.raises(ConfigError, match="no latent axes"):
        suggest_rows(run, [], 3)
