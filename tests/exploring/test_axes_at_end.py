"""When a run ends, axes that propose themselves are kept where they say more than those of z."""

from dataclasses import replace
from unittest import mock

import numpy as np
import pytest

from rivae.exploring.axes import at_end, finder
from rivae.exploring.axes.at_end import best_names, better_proposals
from rivae.exploring.axes.finder import AxisFinder
from rivae.exploring.axes.proposing import own_correlations, own_score, propose_axes
from rivae.exploring.words import item_terms
from rivae.exploring.words.axis_names import axis_names
from rivae.exploring.words.proposals import proposed_names
from rivae.jobs.launch import make_config, train
from rivae.retrieval.model import LatentModel
from rivae.runs import Run
from rivae.runs.added_axes import added_axes


@pytest.fixture(scope="module")
def kitchen():
    """A finder on a part of the demo kitchen, and names from that part."""
    import rivae
    from rivae.exploring.words import proposals

    run = rivae.load_run("demo-kitchen")
    model = run.explorer.retriever.model
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(finder, "MAX_FIT", 600)
        patch.setattr(finder, "MAX_HELD", 300)
        patch.setattr(proposals, "MAX_ROWS", 600)
        return AxisFinder(model, run.data), proposed_names(model.method, run.data)


@pytest.mark.slow
def test_names_that_say_less_than_proposals_give_way(kitchen):
    found, names = kitchen
    # Those of the demo are true factors, and no title says more.
    assert better_proposals(found, names) == []
    assert best_names(found, names, 8)[1] > 0.8
    nothing = better_proposals(found, [None] * len(names))
    assert [one.spec for one in nothing] == [one.spec for one in propose_axes(found, 8)]
    # Each name at an axis that it says nothing of.
    wrong = [name and replace(name, dim=(name.dim + 1) % len(names)) for name in names]
    assert best_names(found, wrong, 8)[1] < 0.5 * best_names(found, names, 8)[1]
    assert own_score(found, better_proposals(found, wrong)) > best_names(found, wrong, 8)[1]


def test_own_correlations_by_partial_regression():
    """A second way: residuals of a regression on the others, one axis at a time."""
    rng = np.random.default_rng(3)
    levels = rng.normal(size=(200, 3)) @ rng.normal(size=(3, 3))
    readings = levels + rng.normal(size=levels.shape)
    own = own_correlations(levels, [readings])
    for k in range(3):
        others = np.column_stack([np.delete(levels, k, 1), np.ones(len(levels))])
        rest = levels[:, k] - others @ np.linalg.pinv(others) @ levels[:, k]
        assert own[k] == pytest.approx(np.corrcoef(readings[:, k], rest)[0, 1], abs=1e-9)
    # What repeats another axis says nothing of its own.
    twice = np.column_stack([levels, levels[:, 0]])
    both = own_correlations(twice, [np.column_stack([readings, readings[:, 0]])])
    assert both[[0, 3]] == pytest.approx(0) and both[1:3] == pytest.approx(own[1:])


@pytest.mark.slow
@pytest.mark.parametrize("wins", [True, False])
def test_a_run_ends_with_its_proposals(small_store, tmp_path, monkeypatch, wins):
    monkeypatch.setattr(at_end, "TIE", -2.0 if wins else 2.0)
    read_words = mock.Mock(side_effect=item_terms.item_words)
    monkeypatch.setattr(item_terms, "item_words", read_words)
    config = make_config(
        "pairs",
        "info-nce-ica",
        name="bars",
        dataset_settings={"store": str(small_store)},
        method_settings={
            "embedder": {"kind": "mlp", "hidden": [16]},
            "embedder2": {"kind": "mlp", "hidden": [16]},
            "epochs": 2,
        },
    )
    (run,) = train([config], tmp_path)
    assert read_words.call_count == 1, "once, for the names of z and for the proposals"
    kept = added_axes(Run(run.path))
    assert axis_names(run, run.load_method().n_components), "z keeps its names"
    assert bool(kept) is wins
    if wins:
        data = run.load_dataset()
        drafts = propose_axes(AxisFinder(LatentModel(run.load_method(data)), data), 8)
        assert [axis.id for axis in kept] == [f"a{k + 1}" for k in range(len(drafts))]
        assert [axis.spec for axis in kept] == [axis.spec for axis in drafts]
        np.testing.assert_allclose(kept[0].reads, drafts[0].reads, rtol=1e-4, atol=1e-5)
