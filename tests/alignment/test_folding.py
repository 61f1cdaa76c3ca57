"""Changes of axes: independent or modulated factors come out one per axis, and everything stays
invertible.
"""

import numpy as np
import pytest

from rivae.data.words_view import fit_words
from rivae.metrics.measures.mcc import mcc
from rivae.training.alignment.folding import (
    independent_axes,
    joint_diagonaliser,
    modulated_axes,
    scaled_axes,
    word_axes,
)

MIXING = np.array([[0.8, 0.6, 0.1], [-0.5, 0.9, 0.3], [0.2, -0.4, 1.1]])


def rotated_uniform(d=3, n=3000, seed=0):
    rng = np.random.default_rng(seed)
    factors = rng.uniform(-1, 1, size=(n, d)) * np.arange(1, d + 1)
    mixing = rng.normal(size=(d, d)) + 0.5 * np.eye(d)
    return factors, factors @ mixing + rng.normal(size=d), mixing


def slopes_of(mixing, weights, n=10):
    """df/dz where f = weights * factors, so axis i moves f by weights[i]: (n, d, D)."""
    return np.repeat((np.linalg.inv(mixing) * weights)[None], n, axis=0)


def correlations(a, b):
    d = a.shape[1]
    return np.abs(np.corrcoef(a.T, b.T)[:d, d:])


def test_rotated_factors_are_recovered_and_ordered_by_effect():
    factors, mu, mixing = rotated_uniform()
    weights = np.array([1.0, 30.0, 3.0])
    change = independent_axes(mu, slopes_of(mixing, weights / factors.std(0)), 10.0, 0)
    z = mu @ change.matrix + change.offset
    table = correlations(z, factors)
    assert "FastICA" in change.note
    assert sorted(table.argmax(axis=1)) == [0, 1, 2] and (table.max(axis=1) > 0.98).all()
    assert table.argmax(axis=1).tolist() == [1, 2, 0]


def test_independent_axes_reach_as_far_and_point_to_the_long_tail():
    rng = np.random.default_rng(1)
    factors = np.column_stack([rng.exponential(size=4000), -rng.exponential(size=4000)])
    mixing = np.array([[1.0, 0.4], [-0.3, 1.0]])
    mu = factors @ mixing
    change = independent_axes(mu, slopes_of(mixing, np.ones(2)), 7.0, 0)
    z = mu @ change.matrix + change.offset
    np.testing.assert_allclose(np.percentile(z, 0.5, axis=0), -7)
    np.testing.assert_allclose(np.percentile(z, 99.5, axis=0), 7)
    centred = z - z.mean(axis=0)
    assert ((centred**3).mean(axis=0) > 0).all()


def test_the_same_seed_gives_the_same_axes():
    _, mu, mixing = rotated_uniform()
    first, again = (independent_axes(mu, slopes_of(mixing, np.ones(3)), 10.0, 4) for _ in range(2))
    assert np.array_equal(first.matrix, again.matrix)


@pytest.mark.parametrize("reach", [1.0, 10.0])
def test_scaled_axes_reach_and_do_not_rotate(reach):
    mu = np.random.default_rng(0).normal(size=(500, 3)) * [0.01, 1, 100] + [5, -3, 0]
    change = scaled_axes(mu, reach)
    assert np.array_equal(change.matrix, np.diag(np.diag(change.matrix)))
    assert (np.diag(change.matrix) > 0).all()
    low, high = np.percentile(mu @ change.matrix + change.offset, [0.5, 99.5], axis=0)
    np.testing.assert_allclose(low, -reach)
    np.testing.assert_allclose(high, reach)


def test_a_collapsed_axis_keeps_its_unit():
    mu = np.random.default_rng(0).normal(size=(500, 2)) * [1.0, 1e-10] + [0, 4.0]
    change = scaled_axes(mu, 10.0)
    assert change.matrix[1, 1] == 1.0 and change.matrix[0, 0] > 1
    assert abs((mu @ change.matrix + change.offset)[:, 1]).max() < 1e-6


def test_gaussian_latents_still_get_a_valid_change():
    mu = np.random.default_rng(0).normal(size=(400, 4))
    change = independent_axes(mu, np.ones((5, 4, 2)), 10.0, 0)
    assert np.isfinite(change.matrix).all() and np.linalg.cond(change.matrix) < 1e3
    low, high = np.percentile(mu @ change.matrix + change.offset, [0.5, 99.5], axis=0)
    np.testing.assert_allclose(high - low, 20)


def test_no_convergence_is_admitted(monkeypatch):
    from sklearn import decomposition
    from sklearn.decomposition import FastICA

    class Impatient(FastICA):
        def __init__(self, n_components=None, **rest):
            super().__init__(n_components, **{**rest, "max_iter": 1, "tol": 1e-30})

    monkeypatch.setattr(decomposition, "FastICA", Impatient)
    _, mu, _ = rotated_uniform()
    change = independent_axes(mu, np.ones((5, 3, 2)), 10.0, 0)
    assert change.note == "independent components did not converge: axes only scaled"
    assert np.array_equal(change.matrix, scaled_axes(mu, 10.0).matrix)


def test_a_dimension_that_repeats_another_leaves_the_directions():
    mu = np.random.default_rng(0).uniform(size=(300, 1)) @ np.ones((1, 2))
    change = independent_axes(mu, np.ones((5, 2, 2)), 10.0, 0)
    assert "axes only scaled" in change.note and np.linalg.matrix_rank(change.matrix) == 2


TOPICS = ("oven flour sugar", "soup broth simmer", "salad lettuce dressing")


def texts_of_topics(n=600, seed=0):
    """How much of each topic a text is about, and the texts; all say "the" most often."""
    rng = np.random.default_rng(seed)
    # Dependent: the second topic goes with the first, so independent components are none of them.
    shares = rng.uniform(0, 1, (n, 3))
    shares[:, 1] = 0.6 * shares[:, 0] + 0.4 * shares[:, 1]
    texts = []
    for counts in rng.poisson(12 * shares):
        words = [rng.choice(topic.split(), n) for topic, n in zip(TOPICS, counts, strict=True)]
        texts.append(" ".join(["the"] * 20 + [str(word) for some in words for word in some]))
    return shares, texts


def modulated_data(n=6000, d=3, equal=False, seed=0):
    """Factors whose log spreads follow the query u, and u itself."""
    rng = np.random.default_rng(seed)
    u = rng.uniform(-1, 1, (n, 2 * d))
    means, log_spreads = u[:, :d], np.zeros((n, d)) if equal else 1.5 * u[:, d:]
    return means + np.exp(log_spreads) * rng.standard_normal((n, d)), means, u


def test_joint_diagonaliser_undoes_a_mixing():
    rng = np.random.default_rng(1)
    # Scales over four orders of magnitude: the criterion may not look at the largest alone.
    diagonals = np.exp(rng.normal(0, 1, (12, 3))) * np.logspace(-2, 2, 12)[:, None]
    covariances = np.einsum("ij,kj,lj->kil", MIXING, diagonals, MIXING)
    found = joint_diagonaliser(covariances, np.full(12, 1 / 12)) @ MIXING
    largest = np.abs(found).max(axis=1, keepdims=True)
    assert np.sort(np.abs(found / largest), axis=1)[:, :-1].max() < 1e-6
    assert sorted(np.abs(found).argmax(axis=1)) == [0, 1, 2]


@pytest.mark.parametrize("seed", range(3))
def test_mixed_factors_come_back(seed):
    factors, means, u = modulated_data(seed=seed)
    z, mu = factors @ MIXING, means @ MIXING
    assert mcc(z, factors).score < 0.9
    change = modulated_axes(z, mu, u, reach=10.0, random_state=0)
    assert mcc(z @ change.matrix + change.offset, factors).score > 0.98
    ends = np.percentile(mu @ change.matrix + change.offset, [0.5, 99.5], axis=0)
    np.testing.assert_allclose(ends, [[-10.0] * 3, [10.0] * 3], atol=1e-6)


def test_without_modulation_there_is_nothing_to_find():
    scores = []
    for seed in range(4):
        factors, means, u = modulated_data(equal=True, seed=seed)
        change = modulated_axes(factors @ MIXING, means @ MIXING, u, 10.0, 0)
        scores.append(mcc(factors @ MIXING @ change.matrix, factors).score)
    assert np.mean(scores) < 0.95


def test_too_few_rows_or_one_axis_only_scale():
    factors, means, u = modulated_data(n=60)
    change = modulated_axes(factors, means, u, 10.0, 0)
    assert np.count_nonzero(change.matrix - np.diag(np.diag(change.matrix))) == 0
    assert "scaled" in change.note


def test_latents_that_the_query_fixes_are_only_scaled():
    factors, _, u = modulated_data(n=500)
    change = modulated_axes(factors, factors, u, 10.0, 0)
    assert "only scaled" in change.note


def word_change(z, texts, seed=0):
    view = fit_words(texts, np.arange(len(texts)), len(texts), 100)
    return word_axes(z, z, view.sparse(np.arange(len(texts))), view.vocabulary, 10.0, seed)


def test_axes_follow_the_parts_of_the_texts_and_say_their_words():
    shares, texts = texts_of_topics()
    rng = np.random.default_rng(1)
    z = shares @ MIXING + rng.normal(0, 0.02, shares.shape)
    change = word_change(z, texts)
    turned = z @ change.matrix + change.offset
    signed = np.corrcoef(turned.T, shares.T)[:3, 3:]
    for axis, words in zip(signed, change.words, strict=True):
        topic = int(axis.argmax())
        assert axis[topic] > 0.85  # more of the words, not less, and of this topic alone
        assert set(words[:3]) == set(TOPICS[topic].split()) and "the" not in words
    assert sorted(signed.argmax(axis=1)) == [0, 1, 2]
    blind = independent_axes(z, slopes_of(MIXING, np.ones(3)), 10.0, 0)
    assert mcc(turned, shares).score > mcc(z @ blind.matrix, shares).score + 0.03
    ends = np.percentile(turned, [0.5, 99.5], axis=0)
    np.testing.assert_allclose(ends, [[-10.0] * 3, [10.0] * 3])


def test_what_z_knows_best_comes_first_and_nothing_is_lost():
    shares, texts = texts_of_topics()
    z = shares @ MIXING
    rng = np.random.default_rng(2)
    z[:, 2] = rng.normal(size=len(z))  # two directions are left for three parts
    change = word_change(z, texts)
    assert np.linalg.cond(change.matrix) < 1e4
    turned = z @ change.matrix + change.offset
    best = np.abs(np.corrcoef(turned.T, shares.T)[:3, 3:]).max(axis=1)
    assert best[0] > best[2]
    back = np.linalg.solve(change.matrix.T, (turned - change.offset).T).T
    np.testing.assert_allclose(back, z, atol=1e-6)


def test_fewer_words_than_axes_only_scale():
    z = np.random.default_rng(0).normal(size=(60, 3))
    change = word_change(z, ["soup salad"] * 60)
    assert "only scaled" in change.note and change.words == ()
    assert np.array_equal(change.matrix, scaled_axes(z, 10.0).matrix)
