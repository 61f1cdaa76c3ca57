"""Pairs of arrays in the manner of scikit-learn."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import check_estimator

import rivae
from rivae.base.errors import ConfigError
from rivae.models.registry import METHODS

pytestmark = pytest.mark.xdist_group("estimator")  # its runs are trained once

# Checks of scikit-learn that cannot pass, with the reason: none.
EXPECTED_FAILURES: dict[str, str] = {}
SMALL = rivae.PairModel(n_components=2, epochs=3)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_accepts_it():
    results = check_estimator(SMALL, on_skip=None, expected_failed_checks=EXPECTED_FAILURES)
    passed = [one["check_name"] for one in results if one["status"] == "passed"]
    assert len(passed) > 40 and "check_estimators_pickle" in passed


@pytest.fixture(scope="module")
def pairs():
    rng = np.random.default_rng(0)
    shared = rng.uniform(-1, 1, (300, 3))
    a = np.tanh(shared @ rng.normal(size=(3, 6))) * 40 + 7
    b = np.tanh(shared @ rng.normal(size=(3, 9))) / 50
    return (a[:200], b[:200]), (a[200:], b[200:])


@pytest.fixture(scope="module")
def model(pairs):
    return rivae.fit(*pairs[0], n_components=3, epochs=50, learning_rate=4e-3, random_state=0)


def test_pairs_find_each_other(model, pairs):
    (_, b), (held_a, held_b) = pairs
    assert model.score(held_a, held_b) > 0.15  # 0.05 by chance
    z = model.transform(held_a)
    among = model.topk(z, k=100, among=held_b)
    ranks = [list(ids).index(i) for i, ids in enumerate(among.ids)]
    assert np.mean(1 / (1 + np.array(ranks))) == pytest.approx(model.score(held_a, held_b))
    assert (np.diff(among.squared_distances, axis=1) >= 0).all()
    assert (np.diff(among.scores, axis=1) <= 0).all()
    one = model.topk(z[0], k=4)
    assert one.ids.shape == (4,) and one.ids.max() < len(b)
    assert model.get_feature_names_out().tolist() == ["z1", "z2", "z3"]


@pytest.mark.slow
def test_one_seed_one_model(model, pairs):
    state = torch.get_rng_state()
    again = clone(model).fit(*pairs[0])
    assert torch.equal(torch.get_rng_state(), state)
    np.testing.assert_array_equal(again.transform(pairs[1][0]), model.transform(pairs[1][0]))
    assert again.loss_curve_ == model.loss_curve_
    other = clone(model).set_params(random_state=1).fit(*pairs[0])
    assert not np.allclose(other.transform(pairs[1][0]), model.transform(pairs[1][0]))


KINDS = {
    "single precision": lambda array: array.astype(np.float32),
    "half precision": lambda array: array.astype(np.float16),
    "integers": lambda array: (20 * array / np.abs(array).max()).astype(np.int64),
    "lists": np.ndarray.tolist,
    "data frames": pd.DataFrame,
    "tensors": torch.from_numpy,
}


@pytest.mark.parametrize("kind", KINDS)
def test_any_array_of_numbers_will_do(kind, pairs):
    (a, b), _ = pairs
    a, b = KINDS[kind](a), KINDS[kind](b)
    model = rivae.fit(a, b, n_components=2, epochs=3, random_state=0)
    z = model.transform(a)
    assert z.shape == (200, 2) and z.dtype == np.float64
    assert 0 < model.score(a, b) <= 1
    np.testing.assert_array_equal(model.topk(z[:3], 4).ids, model.topk(z[:3], 4, among=b).ids)


def test_a_column_that_is_constant_but_for_its_rounding_says_nothing(pairs):
    (a, b), _ = pairs
    a = np.c_[a, np.full(len(a), 0.1)]
    model = rivae.fit(a, b, n_components=2, epochs=3, random_state=0)
    other = np.c_[a[:, :-1], np.full(len(a), 0.1 + 1e-9)]
    np.testing.assert_allclose(model.transform(other), model.transform(a), atol=1e-6)


@pytest.mark.parametrize("method", tuple(METHODS))
def test_every_method_fits_arrays(method, pairs):
    (a, b), _ = pairs
    settings = {"joint_batch_size": 64} if method == "dcca" else None
    shares = []
    model = rivae.fit(
        a,
        b,
        method,
        n_components=2,
        epochs=2,
        settings=settings,
        random_state=0,
        progress=shares.append,
    )
    assert model.transform(a[:5]).shape == (5, 2)
    assert model.topk(np.zeros(2), 3).ids.shape == (3,)
    assert shares and shares[-1] == 1.0 and shares == sorted(shares)


def test_settings_reach_the_method(pairs):
    model = rivae.fit(
        *pairs[0],
        n_components=2,
        epochs=10,
        learning_rate=1e-4,
        batch_size=32,
        settings={"lambda_reg": 0.0, "axes": "as trained"},
        random_state=0,
    )
    used = model.method_.config
    assert used.init_epochs + used.ivae_epochs + used.joint_epochs == len(model.loss_curve_)
    assert abs(len(model.loss_curve_) - 10) <= 2
    assert used.learning_rate == used.init_learning_rate == 1e-4
    assert used.batch_size == 32 and used.lambda_reg == 0.0


@pytest.mark.slow
def test_parameters_can_be_searched(pairs):
    search = GridSearchCV(SMALL, {"learning_rate": [1e-3, 1e-2]}, cv=2).fit(*pairs[0])
    assert search.best_params_["learning_rate"] in (1e-3, 1e-2)
    assert 0 < search.best_score_ <= 1


@pytest.fixture(scope="module")
def named(pairs):
    """Tables of the pairs, and a model of them."""
    (a, b), _ = pairs
    a, b = pd.DataFrame(a, columns=list("abcdef")), pd.DataFrame(b, columns=list("rstuvwxyz"))
    return a, b, clone(SMALL).fit(a, b)


def asked_with(model, x, y):
    """Every call that takes the second side."""
    return {
        "score": lambda: model.score(x, y),
        "topk": lambda: model.topk(np.zeros(2), 3, among=y),
        "views": lambda: model.views(x, y),
    }


OTHER_COLUMNS = {
    "the other way round": lambda b: b[b.columns[::-1]],
    "two exchanged": lambda b: b[["s", "r", *b.columns[2:]]],
    "one renamed": lambda b: b.rename(columns={"z": "q"}),
    "one less": lambda b: b.drop(columns="z"),
    "one more": lambda b: b.assign(q=0.0),
    "one twice": lambda b: b[["r", "r", *b.columns[2:]]],
}


@pytest.mark.parametrize("call", ["score", "topk", "views"])
@pytest.mark.parametrize("kind", OTHER_COLUMNS)
def test_the_columns_of_both_sides_are_those_of_fit(kind, call, named):
    a, b, model = named
    with pytest.raises(ValueError, match=r"'[rqz]'"):
        asked_with(model, a, OTHER_COLUMNS[kind](b))[call]()
    asked_with(model, a, b)[call]()


@pytest.mark.parametrize("labels", [range(9), range(3, 12), [1, "two", *range(3, 10)], None])
def test_columns_are_told_apart_by_any_labels(labels, pairs):
    (a, b), _ = pairs
    if labels is None:
        labels = pd.MultiIndex.from_product([["u", "v", "w"], [1, 2, 3]])
    b = pd.DataFrame(b, columns=labels)
    a = pd.DataFrame(a)
    model = clone(SMALL).fit(a, b)
    assert 0 < model.score(a, b) <= 1
    for call in asked_with(model, a, b[b.columns[::-1]]).values():
        with pytest.raises(ValueError, match="order"):
            call()
    with pytest.raises(ValueError, match="order"):
        model.transform(a[a.columns[::-1]])


def test_names_that_only_one_call_has_are_told(named, pairs):
    a, b, model = named
    for plain in (b.to_numpy(), pd.DataFrame(b.to_numpy())):
        with pytest.warns(UserWarning, match="y"):
            assert model.score(a, plain) == model.score(a, b)
    without = clone(SMALL).fit(a, b.to_numpy())
    with pytest.warns(UserWarning, match="y"):
        without.score(a, b)


def test_a_series_is_a_column_with_a_name(named):
    a, b, _ = named
    model = clone(SMALL).fit(a, b["r"])
    assert model.score(a, b["r"]) == model.score(a, b[["r"]])
    with pytest.raises(ValueError, match="'s'"):
        model.score(a, b["s"])


def test_rows_with_the_same_labels_in_another_order_are_no_pairs(named):
    a, b, model = named
    for other in (b[::-1], b.sample(frac=1, random_state=0)):
        for call in (model.fit, model.score, model.views):
            with pytest.raises(ValueError, match=r"y\.loc"):
                call(a, other)
    # Without labels, or with others, the order is all there is.
    moved = b[::-1].reset_index(drop=True)
    assert model.score(a, moved) == model.score(a.set_axis(range(7, 207)), b[::-1])
    twice = pd.concat([a[:50], a[:50]]), pd.concat([b[:50], b[:50]])
    assert 0 < model.score(*twice) <= 1


def test_axes_of_z_in_another_order_are_refused(named):
    a, _, model = named
    z = pd.DataFrame(model.transform(a[:3]), columns=model.get_feature_names_out())
    plain = model.topk(z.to_numpy(), 3).ids
    np.testing.assert_array_equal(model.topk(z, 3).ids, plain)
    np.testing.assert_array_equal(model.topk(z.iloc[0], 3).ids, plain[0])
    for turned in (z[["z2", "z1"]], z[["z2", "z1"]].iloc[0]):
        with pytest.raises(ValueError, match="z2"):
            model.topk(turned, 3)
    for wrong in (["1", "2"], [1.0, None], [True, False], [1j, 2.0], [10**400, 0]):
        with pytest.raises(ValueError, match="z"):
            model.topk(wrong, 3)


@pytest.mark.parametrize("epochs", [0, -3, 2.5, 3.0, float("nan"), float("inf"), True, "3", [3]])
def test_epochs_are_a_whole_number(epochs, pairs):
    for fit in (rivae.PairModel(epochs=epochs).fit, partial(rivae.fit, epochs=epochs)):
        with pytest.raises(ConfigError, match="epochs"):
            fit(*pairs[0])


def test_whole_numbers_of_numpy_will_do(pairs):
    counts = {"epochs": np.int64(3), "n_components": np.int32(2), "batch_size": np.uint8(32)}
    model = rivae.fit(*pairs[0], **counts, random_state=0)
    assert len(model.loss_curve_) >= 3 and model.method_.config.batch_size == 32
    assert model.topk(np.zeros(2), np.int64(4)).ids.shape == (4,)


CONTRADICTIONS = [
    ("rivae", {"n_components": 2}, {"n_components": 3}),
    ("rivae", {}, {"n_components": 3}),
    ("info-nce", {"n_components": 2}, {"dim_v": 3}),
    ("rivae", {"batch_size": 64}, {"batch_size": 32}),
    ("rivae", {"learning_rate": 1e-3}, {"learning_rate": 1e-2}),
    ("rivae", {"learning_rate": 1e-3}, {"init_learning_rate": 1e-2}),
    ("rivae", {"learning_rate": 1e-3}, {"joint_learning_rate": 1e-2}),
    ("rivae", {"epochs": 3}, {"joint_epochs": 40}),
    ("rivae", {"epochs": 3}, {"unfold_epochs": 40}),
    ("cos-sim", {"epochs": 3}, {"epochs": 4}),
]


@pytest.mark.parametrize(("method", "given", "settings"), CONTRADICTIONS)
def test_settings_do_not_contradict_arguments(method, given, settings, pairs):
    with pytest.raises(ConfigError, match=next(iter(settings))):
        rivae.fit(*pairs[0], method, **given, settings=settings)


def test_settings_may_say_the_same(pairs):
    same = {"n_components": 2, "batch_size": 32, "joint_learning_rate": 1e-3, "init_epochs": 1}
    given = {"n_components": 2, "batch_size": 32, "learning_rate": 1e-3, "epochs": 3}
    model = rivae.fit(*pairs[0], **given, settings=same, random_state=0)
    assert model.transform(pairs[0][0][:2]).shape == (2, 2)
    with pytest.raises(ConfigError, match="names"):
        rivae.fit(*pairs[0], settings=[("init_epochs", 1)])


def test_its_axes_are_those_of_the_fit(named):
    a, b, model = named
    changed = clone(model).fit(a, b).set_params(n_components=7)
    assert changed.topk(changed.transform(a[:1]), 3).ids.shape == (1, 3)
    assert len(changed.get_feature_names_out()) == 2


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("size", [1e13, 1e30, 1e160, 1e300, -1e305])
def test_numbers_that_no_search_can_hold_are_refused(size, model, pairs):
    (a, b), _ = pairs
    far, strange = np.array([size, 0.0, 0.0]), b.copy()
    strange[3, 1] *= size
    for z in (far, far[None].repeat(2, axis=0)):
        with pytest.raises(ValueError, match="z"):
            model.topk(z)
    for call in (lambda: model.transform(a * size), lambda: model.score(a * size, b)):
        with pytest.raises(ValueError, match="X"):
            call()
    with pytest.raises(ValueError, match="among"):
        model.topk(np.zeros(3), among=strange)
    for call in (model.score, model.views):
        with pytest.raises(ValueError, match="y"):
            call(a, strange)
    assert np.isfinite(model.topk([1e6, 0.0, 0.0]).scores).all()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("size", [1e200, 1e306, 1e-200])
def test_columns_that_cannot_be_scaled_are_refused(size, pairs):
    (a, b), _ = pairs
    with pytest.raises(ValueError, match="X"):
        rivae.fit(a * size, b)
    with pytest.raises(ValueError, match="y"):
        rivae.fit(a, b * size)


@pytest.mark.parametrize("k", [0, -1, 2.5, 3.0, float("nan"), True, "3", None])
def test_how_many_is_a_whole_number(k, model):
    with pytest.raises(ConfigError, match="k must"):
        model.topk(np.zeros(3), k=k)


MASKED = {
    "a number hidden": lambda array: np.ma.masked_greater(array, np.median(array)),
    "no number hidden": np.ma.asarray,
    "a list of rows": lambda array: [np.ma.masked_greater(row, 0) for row in array],
}


@pytest.mark.parametrize("kind", MASKED)
def test_masked_arrays_are_refused(kind, model, pairs):
    (a, b), _ = pairs
    hidden_a, hidden_b, z = MASKED[kind](a), MASKED[kind](b), MASKED[kind](np.zeros((2, 3)))
    calls = {
        "X": [
            lambda: rivae.fit(hidden_a, b),
            lambda: model.transform(hidden_a),
            lambda: model.score(hidden_a, b),
            lambda: model.views(hidden_a, b),
        ],
        "y": [
            lambda: rivae.fit(a, hidden_b),
            lambda: model.score(a, hidden_b),
            lambda: model.views(a, hidden_b),
        ],
        "among": [lambda: model.topk(np.zeros(3), among=hidden_b)],
        "z": [lambda: model.topk(z), lambda: model.topk(z[0])],
    }
    for name, some in calls.items():
        for call in some:
            with pytest.raises(ValueError, match=f"^{name} is a masked"):
                call()


def test_wrong_calls_say_what_is_wrong(model, pairs):
    (a, b), _ = pairs
    with pytest.raises(ConfigError, match="no method 'none'"):
        rivae.fit(a, b, "none")
    for name in ("n_components", "batch_size", "learning_rate"):
        with pytest.raises(ConfigError, match=f"{name}.*True"):
            rivae.fit(a, b, **{name: True})
    with pytest.raises(ConfigError, match="no setting 'speed'"):
        rivae.fit(a, b, settings={"speed": 1})
    with pytest.raises(ValueError, match="inconsistent numbers"):
        rivae.fit(a, b[:-1])
    with pytest.raises(ValueError, match="minimum of 4"):
        rivae.fit(a[:3], b[:3])
    with pytest.raises(ValueError, match="columns"):
        model.topk(np.zeros(3), among=b[:, :4])
    with pytest.raises(ConfigError, match="shape"):
        model.topk(np.zeros(4))
    with pytest.raises(ConfigError, match="k must"):
        model.topk(np.zeros(3), k=0)
    with pytest.raises(ValueError, match="give pairs"):
        model.score(a, b[:-1])
