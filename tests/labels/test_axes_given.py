"""What labels give back: axes with both poles, and a gain that is only said where there is one."""

import copy
from types import SimpleNamespace

import numpy as np
import pytest

from rivae.base.errors import DataError
from rivae.exploring.axes.finder import AxisFinder
from rivae.labels.axes_gain import gain_of
from rivae.labels.axes_given import _in_turn, axes_given
from rivae.labels.guideline import read_guideline
from tests.training.tiny import untrained_run

GUIDELINE = read_guideline()
TWO = GUIDELINE.ids[:2]
VIEWS = {"first": "picture", "second": "recipe"}


@pytest.fixture(scope="module")
def finder(tmp_path_factory):
    return AxisFinder.open(untrained_run(tmp_path_factory.mktemp("runs")))


@pytest.fixture
def white(finder):
    """z of all items in coordinates in which it is white."""
    white = finder.finder.white
    return (finder.encode(np.arange(len(finder.data)))[0] - white.mean) @ white.to


def levels(values):
    """Levels 1 to 5, as often as each other."""
    return np.floor(5 * values.argsort(axis=0).argsort(axis=0) / len(values)) + 1


def given(finder, y, rows, factors=TWO, **rest):
    return axes_given(finder, GUIDELINE, rows, y[rows], factors, **rest)


def own_axes(finder, white):
    """(n, d) the axes that there are."""
    return white @ np.linalg.inv(finder.finder.white.to)


def test_axes_that_were_turned_away_are_found_and_the_gain_is_said(finder, white):
    rng = np.random.default_rng(0)
    z = own_axes(finder, white)
    # Far from both axes: what they share, and what they do not.
    mixed = (z - z.mean(axis=0)) / z.std(axis=0) @ np.array([[1.0, 1.0], [1.0, -1.0]])
    y = levels(mixed)
    rows = np.sort(rng.permutation(len(y))[: len(y) // 2])
    found = given(finder, y, rows)
    rest = np.setdiff1d(np.arange(len(y)), rows)
    z_rest = finder.encode(rest)[0]
    for k, axis in enumerate(found.axes):
        factor = GUIDELINE.factor(TWO[k])
        assert axis.poles == (factor.levels[0], factor.levels[-1])
        assert np.corrcoef(axis.at(z_rest), y[rest, k])[0, 1] > 0.9
        assert len(axis.spec.levels) == len(rows) and axis.scores[0].score > axis.scores[0].chance
    (gain,) = found.gains
    before, after = gain.mcc
    assert found.is_gain and gain.is_gain and after > before + 0.05
    assert gain.low <= after - before <= gain.high
    said = found.verdict(VIEWS)
    assert "picture" in said and f"{after:.2f}"[1:] in said and f"{before:.2f}"[1:] in said


@pytest.mark.parametrize("noise", [False, True])
def test_no_gain_is_said_where_there_is_none(finder, white, noise):
    rng = np.random.default_rng(1)
    z = own_axes(finder, white)
    y = levels(rng.normal(size=z.shape) if noise else z * [1, -1])
    found = given(finder, y, np.arange(len(y)))
    assert not found.is_gain
    if not noise:
        assert found.before == (0, 1) and found.signs == (1, -1)
        assert min(found.gains[0].before) > 0.9


@pytest.mark.parametrize("seed", range(3))
def test_where_z_lies_and_how_far_it_reaches_changes_no_gain(finder, white, seed):
    """Readings of five axes, each of other items, are pooled: they need one place and one unit."""
    rng = np.random.default_rng(seed)
    y = levels(own_axes(finder, white) @ rng.normal(size=(2, 2)) + rng.normal(size=white.shape))
    rows = np.sort(rng.choice(len(y), 30, replace=False))
    moved = copy.copy(finder)
    moved.__dict__.pop("finder", None)
    moved.__dict__["fit_z"] = [3 * z + 50 for z in finder.fit_z]
    moved.__dict__["held_z"] = [3 * z + 50 for z in finder.held_z]
    moved.encode = lambda rows: [3 * z + 50 for z in finder.encode(rows)]
    (here,), (there,) = given(finder, y, rows).gains, given(moved, y, rows).gains
    np.testing.assert_allclose(there.before, here.before, atol=1e-3)
    np.testing.assert_allclose(there.after, here.after, atol=0.05)
    rest = np.setdiff1d(np.arange(len(y)), rows)
    axes = given(moved, y, rows).axes
    truth = [
        np.corrcoef(axis.at(moved.encode(rest)[0]), y[rest, k])[0, 1] for k, axis in enumerate(axes)
    ]
    assert abs(np.mean(there.after) - np.mean(truth)) < 0.25


def test_few_labels_give_axes_without_a_judgement(finder, white):
    y = levels(white[:7])
    found = given(finder, y, np.arange(7))
    assert len(found.axes) == 2 and not found.is_gain
    assert all(np.isnan(found.gains[0].mcc)) and found.axes[0].scores == ()
    assert "→" not in found.verdict(VIEWS)


def test_texts_spread_few_labels_where_that_serves_better(finder, white, monkeypatch):
    rng = np.random.default_rng(2)
    clean = white @ np.linalg.qr(rng.normal(size=(2, 2)))[0]
    # The texts say what the levels are, and labels err: 14 of them alone are not enough.
    texts = SimpleNamespace(features=lambda rows: clean[rows])
    y = levels(clean + 0.8 * rng.normal(size=clean.shape))
    rows = finder.fit_rows[:40]
    monkeypatch.setitem(finder.__dict__, "space", texts)
    monkeypatch.setitem(finder.__dict__, "fit_features", clean[finder.fit_rows])
    stages = []
    found = given(finder, y, rows, progress=lambda stage, share: stages.append(share))
    assert stages == sorted(stages) and isinstance(found.by_text, bool)
    assert found.gains[0].n == 40
    many = given(finder, y, np.arange(len(y)), TWO[:1]) if len(y) > 300 else None
    assert many is None or not many.by_text


def test_labels_that_cannot_serve(finder, white):
    y = levels(white)
    with pytest.raises(DataError, match="label at least 6"):
        given(finder, y, np.arange(4))
    y[:, 1] = 3
    with pytest.raises(DataError, match=f"of {TWO[1]} are"):
        given(finder, y, np.arange(20))


def test_holes_are_left_out(finder, white):
    y = levels(white)
    y[::3, 0] = np.nan
    found = given(finder, y, np.arange(30))
    assert [len(axis.spec.levels) for axis in found.axes] == [20, 30]


@pytest.mark.parametrize("seed", range(6))
def test_items_of_both_views_stay_in_one_fold(seed):
    rng = np.random.default_rng(seed)
    m = int(rng.integers(1, 8)) * 5
    first = rng.normal(size=(m, 2))
    both = _in_turn([first, first + 100])
    places = [np.flatnonzero((both == row).all(axis=1))[0] for row in first]
    others = [np.flatnonzero((both == row + 100).all(axis=1))[0] for row in first]
    assert sorted(places + others) == list(range(2 * m))
    assert [p % 5 for p in places] == [p % 5 for p in others]


@pytest.mark.parametrize("seed", range(4))
def test_the_interval_of_a_gain_is_of_the_same_items(seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(1, 6, (80, 3)).astype(float)
    before, after = y + rng.normal(size=y.shape) * 2, y + rng.normal(size=y.shape) * 0.5
    gain = gain_of("first", before, after, y)
    np.testing.assert_allclose(
        gain.after, [np.corrcoef(after[:, k], y[:, k])[0, 1] for k in range(3)]
    )
    assert gain.is_gain and not gain.is_loss
    back = gain_of("first", after, before, y)
    assert back.is_loss and np.isclose(back.low, -gain.high)
    same = gain_of("first", after, after, y)
    assert same.low == same.high == 0 and not same.is_gain
