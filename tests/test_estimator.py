"""Pairs of arrays in the manner of scikit-learn."""

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import check_estimator

import rivae
from rivae.errors import ConfigError
from rivae.methods import method_names

# Checks of scikit-learn that cannot pass, with the reason: none.
EXPECTED_FAILURES: dict[str, str] = {}
SMALL = rivae.PairModel(n_components=2, epochs=3)


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


@pytest.mark.parametrize("method", method_names())
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


def test_parameters_can_be_searched(pairs):
    search = GridSearchCV(SMALL, {"learning_rate": [1e-3, 1e-2]}, cv=2).fit(*pairs[0])
    assert search.best_params_["learning_rate"] in (1e-3, 1e-2)
    assert 0 < search.best_score_ <= 1


def test_wrong_calls_say_what_is_wrong(model, pairs):
    (a, b), _ = pairs
    with pytest.raises(ConfigError, match="no method 'none'"):
        rivae.fit(a, b, "none")
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
