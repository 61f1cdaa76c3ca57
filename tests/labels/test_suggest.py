"""Suggested items lower the posterior variance most, steer clear of oddities and make a plan."""

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from rivae.base.errors import ConfigError, DataError
from rivae.exploring.explorer import Explorer
from rivae.labels.derive import reference_rows
from rivae.labels.guideline import read_guideline
from rivae.labels.kept_plans import keep_plan, kept_plan
from rivae.labels.plan import read_plan
from rivae.labels.store import LabelStore
from rivae.labels.suggest import BLOCK, suggest_items, suggest_rows, suggested_plan, variance_drop
from rivae.models.registry import build_method
from rivae.retrieval.model import LatentModel
from rivae.runs import Run
from rivae.training.alignment.certainty import FITS
from tests.training.tiny import tiny_config, untrained_run


def posterior(x, noise=1.0):
    x = np.column_stack([np.ones(len(x)), x])
    return np.linalg.inv(np.eye(x.shape[1]) + x.T @ x / noise)


@pytest.fixture
def mu():
    z = np.random.default_rng(0).normal(size=(400, 4)) * [1, 5, 0.1, 2]
    z -= z.mean(axis=0)
    return z @ np.linalg.inv(np.linalg.cholesky(np.cov(z.T)).T)  # white as it is


def test_the_variance_drop_is_the_real_one(mu):
    x = np.column_stack([np.ones(3), mu[:3]])
    before = posterior(mu[10:20], 0.7)
    drops = variance_drop(before, x, 0.7)
    for i in range(3):
        after = np.linalg.inv(np.linalg.inv(before) + np.outer(x[i], x[i]) / 0.7)
        assert drops[i] == pytest.approx(np.trace(before) - np.trace(after))


def test_the_first_is_the_best_of_all(mu):
    chosen = suggest_items(mu, mu, mu[:20], 1, max_radius=None)
    traces = [np.trace(posterior(np.vstack([mu[:20], row]))) for row in mu]
    assert chosen[0] == int(np.argmin(traces))


def test_they_beat_random_items_and_are_distinct(mu):
    chosen = suggest_items(mu, mu, mu[:0], 20)
    assert len(set(chosen.tolist())) == 20
    assert np.array_equal(chosen, suggest_items(mu, mu, mu[:0], 20))
    rng = np.random.default_rng(1)
    chance = [np.trace(posterior(mu[rng.permutation(400)[:20]])) for _ in range(50)]
    assert np.trace(posterior(mu[chosen])) < min(chance)


def test_what_is_known_already_is_not_asked(mu):
    one_sided = mu.copy()
    one_sided[:, 1:] *= 0.01  # many labels that vary along the first axis alone
    chosen = suggest_items(mu, mu, one_sided, 5, max_radius=None)
    share = (mu[chosen, 0] ** 2).sum() / (mu[chosen] ** 2).sum()
    assert share < 0.1


def test_axes_that_are_not_sure_come_first_and_the_others_still_count(mu):
    axes = (1, 3)
    chosen = suggest_items(mu, mu, mu[:0], 12, axes=axes)
    other = suggest_items(mu, mu, mu[:0], 12)

    def unknown(rows, which):
        return np.diag(posterior(mu[rows]))[[1 + j for j in which]].sum()

    assert unknown(chosen, axes) < unknown(other, axes)
    alone = suggest_items(mu[:, axes], mu[:, axes], mu[:0, axes], 12)
    assert unknown(chosen, (0, 2)) < 2 * unknown(other, (0, 2)) < unknown(alone, (0, 2))
    # All around the plane, not along one line of it.
    spread = np.linalg.eigvalsh(np.cov(mu[chosen][:, axes].T))
    assert spread[0] > 0.5 * spread[1]


def test_an_oddity_is_passed_over_while_others_are_left(mu):
    candidates = np.vstack([mu[:10], np.full((1, 4), 50.0)])
    assert 10 in suggest_items(mu, candidates, mu[:0], 3, max_radius=None)
    assert 10 not in suggest_items(mu, candidates, mu[:0], 3)
    assert 10 in suggest_items(mu, candidates, mu[:0], 11)


def test_refusals(mu):
    with pytest.raises(ConfigError, match="1 to 400 items"):
        suggest_items(mu, mu, mu[:0], 401)
    with pytest.raises(ConfigError, match="do not fit"):
        suggest_items(mu, mu[:, :2], mu[:0], 1)
    with pytest.raises(DataError, match="not finite"):
        suggest_items(mu, mu * np.nan, mu[:0], 1)


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


def test_where_it_is_known_how_sure_the_axes_are_the_others_are_labelled(run, monkeypatch):
    monkeypatch.setattr("rivae.metrics.certainty.MIN_ROWS", 20)
    data = run.load_dataset()
    assert suggest_rows(run, [], 5, data=data).axes == ()
    explorer = Explorer.open(run)
    z = explorer.retriever.encode(data.splits["train"])[0]
    z = np.linalg.svd(z - z.mean(axis=0), full_matrices=False)[0]
    run.unfolded.parent.mkdir(exist_ok=True)
    rng = np.random.default_rng(0)
    fits = np.stack([np.column_stack([z[:, :1], rng.normal(size=(len(z), 1))])] * 2)
    save_file({FITS: torch.tensor(fits)}, run.unfolded)
    found = suggest_rows(run, [], 5, data=data)
    expected = tuple(a.axis for a in Explorer.open(run).certainty if a.verdict != "sure")
    assert found.axes == expected and expected


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


def test_queries_by_the_other_view_make_other_items_useful(tmp_path):
    made = Run.create(tiny_config("both-ways", ask_both_ways=True), tmp_path)
    choice = made.config.method
    made.write_model(build_method(choice.name, choice.settings, (50,), (50,)))
    data = made.load_dataset()
    rows = suggest_rows(made, [], 5, data=data, asks="second").rows
    model = LatentModel(made.load_method(data))
    mu = model.encode_asking("second", data, reference_rows(data))[0]
    pool = data.splits["validation"]
    z = model.latents(data, pool, "second")
    assert pool[suggest_items(mu, z, z[:0], 5)].tolist() == rows.tolist()
    assert rows.tolist() != suggest_rows(made, [], 5, data=data).rows.tolist()
    plan = suggested_plan(made, rows, "next", data=data, asks="second")
    assert plan.asks == "second"


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
    assert read_plan(plan.model_dump_json().encode()) == plan
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
