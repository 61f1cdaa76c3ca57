"""Runs tied by matched factor: what moves together, by how much, and what is left alone."""

import importlib

import numpy as np
import pytest
import torch

from rivae.base.config import DatasetConfig, MethodChoice, RunConfig
from rivae.base.errors import ConfigError
from rivae.exploring.comparison import (
    Comparison,
    Counterpart,
    axis_range,
    check_number,
    compare,
    match_runs,
)
from rivae.exploring.explorer import Explorer
from rivae.figures.comparison import factor_sheet, factor_strip, factor_strips
from rivae.runs import Run
from rivae.training import Trainer, TrainingJob

pytestmark = pytest.mark.xdist_group("comparison")  # its runs are trained once

# z' of the second run: z3, -2 z1 + 1, z2 of the first.
MATRIX = torch.tensor([[0.0, -2, 0], [0, 0, 1], [1, 0, 0]])


@pytest.fixture(scope="module")
def explorers(tmp_path_factory):
    """A run, the same with turned axes, and a stranger with two axes."""
    root = tmp_path_factory.mktemp("compared")
    made = {}
    for name, d, epochs in (("a", 3, 6), ("stranger", 2, 2)):
        settings = {"n_components": d, "dim_v": 8, "init": "none", "ivae_epochs": 0}
        config = RunConfig(
            name=name,
            dataset=DatasetConfig(name="split-digits"),
            method=MethodChoice(settings={**settings, "joint_epochs": epochs}),
        )
        run = Run.create(config, root)
        Trainer([TrainingJob(run, run.load_dataset())]).fit()
        made[name] = Explorer.open(run)
    data = made["a"].data
    turned = Run(root / "a").load_method(data)
    turned.apply_affine(MATRIX, torch.tensor([0.0, 1, 0]))
    return made["a"], Explorer(turned, data), made["stranger"]


@pytest.fixture
def pair(explorers):
    return compare(explorers[:2])


def test_turned_axes_are_found_again(pair):
    own, other = pair.matching
    assert [c.axis for c in own] == [0, 1, 2] and {c.strength for c in own} == {1.0}
    assert [(c.axis, c.sign) for c in other] == [(1, -1), (2, 1), (0, 1)]
    assert all(c.strength == pytest.approx(1, abs=1e-5) for c in other)
    assert pair.axis_name(1, 2) == "z3"


@pytest.mark.parametrize("query", [5, "mean"])
@pytest.mark.parametrize("shifts", [{0: 0.4}, {1: -0.3, 2: 0.2}])
def test_both_runs_move_to_the_same_place(pair, query, shifts):
    z = pair.query_z(query)
    first, second = (pair.shifted(i, z[i], shifts) for i in (0, 1))
    expected = torch.from_numpy(first).float() @ MATRIX + torch.tensor([0.0, 1, 0])
    assert np.allclose(second, expected.numpy(), atol=2e-3 * np.abs(second).max() + 1e-3)
    assert not np.allclose(first, z[0])
    hits = pair.explorers[0].topk(first, 5).ids.tolist()
    assert hits == pair.explorers[1].topk(second, 5).ids.tolist()


def test_a_shift_of_one_is_the_whole_range(pair):
    for run in (0, 1):
        axis, step = pair.step(run, 0)
        low, high = axis_range(pair.explorers[run], axis)
        assert abs(step) == pytest.approx(high - low)
    assert pair.step(1, 0)[1] < 0 < pair.step(0, 0)[1]
    mu = pair.explorers[0].retriever.encode(pair.explorers[0].data.splits["train"])[0][:, 0]
    low, high = axis_range(pair.explorers[0], 0)
    assert np.mean((mu > low) & (mu < high)) == pytest.approx(0.99, abs=0.003)


def test_where_the_query_fixes_only_a_distribution_the_range_is_that_of_z(pair, monkeypatch):
    explorer = pair.explorers[0]
    monkeypatch.setattr(explorer.data, "query_fixes", "distribution")
    low, high = axis_range(explorer, 1)
    assert (low + high) / 2 == pytest.approx(explorer.prior.mean[1])
    assert high - low == pytest.approx(2 * 2.576 * explorer.prior.std[1])


def test_weak_and_missing_counterparts_stay_where_they_are(explorers):
    weak = Counterpart(1, -1, 0.49)
    own = tuple(Counterpart(j, 1, 1.0) for j in range(3))
    matching = (own, (weak, Counterpart(0, 1, 0.5), None))
    comparison = Comparison((explorers[0], explorers[2]), matching)
    z = comparison.query_z(5)[1]
    assert comparison.counterpart(1, 0) is None and comparison.counterpart(1, 2) is None
    assert np.array_equal(comparison.shifted(1, z, {0: 1.0, 2: 1.0}), z)
    moved = comparison.shifted(1, z, {1: 0.5}) - z
    assert moved[0] != 0 and moved[1] == 0
    assert factor_strip(comparison, 1, z, 0) is None
    with pytest.raises(ConfigError, match="no factor 4"):
        comparison.counterpart(0, 3)


def test_a_run_with_fewer_axes_leaves_a_factor_over(explorers):
    matching = match_runs([explorers[0], explorers[2]])
    assert sum(found is None for found in matching[1]) == 1
    assert len({found.axis for found in matching[1] if found}) == 2


def test_strips_of_turned_runs_are_the_same(pair):
    strips = factor_strips(pair, 5, 0, k=2, titles=["one", "two"])
    assert np.array_equal(strips[0].ids, strips[1].ids)
    assert np.allclose(strips[0].values, strips[1].values, atol=0.011)
    assert (np.diff(strips[0].values) > 0).all() and len(strips[0].values) <= 16
    assert strips[0].name == "one: z1"
    assert strips[1].name.startswith("two: z2 (−), |corr| 1.00")


def test_a_strip_says_what_the_slider_would_show(pair):
    z = pair.query_z(5)[1]
    strip = factor_strip(pair, 1, z, 2, k=3)
    for value, ids in zip(strip.values, strip.ids, strict=True):
        there = pair.shifted(1, z, {2: value})
        assert pair.explorers[1].topk(there, 3).ids.tolist() == ids.tolist()


def test_the_sheet_shows_the_query_and_a_row_per_run(pair):
    strips = factor_strips(pair, 5, 1)
    sheet = factor_sheet(pair, 5, [strips[0], None, strips[1]])
    assert {row["dimension"] for row in sheet.rows} == {strips[0].name, strips[1].name}
    assert pair.explorers[0].title(5) in sheet.alt
    assert "Average query" in factor_sheet(pair, "mean", strips).alt


def test_what_cannot_be_compared_is_said_in_one_sentence(explorers):
    with pytest.raises(ConfigError, match="at least one more"):
        compare(explorers[:1])
    with pytest.raises(ConfigError, match="not 7"):
        check_number(7)
    check_number(2)
    check_number(6)


def test_other_data_is_refused(explorers, monkeypatch):
    class Elsewhere:
        data = type("Data", (), {"items_key": "another"})

    with pytest.raises(ConfigError, match="split"):
        match_runs([explorers[0], Elsewhere()])


def test_snippets_of_earlier_versions_find_what_they_import():
    with pytest.warns(DeprecationWarning, match="rivae.figures.comparison"):
        old = importlib.import_module("rivae.comparison")
    assert (old.compare, old.factor_sheet, old.factor_strips) == (
        compare,
        factor_sheet,
        factor_strips,
    )
