"""Agreement against published values, and on labels whose answer is known."""

import numpy as np
import pandas as pd
import pytest

from rivae.base.errors import DataError
from rivae.labels.agreement import (
    agreement,
    alpha_interval,
    far_apart,
    krippendorff_alpha,
    pairwise_kappa,
    self_agreement,
    weighted_kappa,
)
from rivae.labels.table import consensus, rating_cube

_ = np.nan
# Krippendorff (2011), example C: four observers, twelve units, missing data.
PUBLISHED = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
        [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
    ]
)


def table(ratings, factor="green"):
    rows = [
        (f"a{i}", j, factor, level) for i, row in enumerate(ratings) for j, level in enumerate(row)
    ]
    return pd.DataFrame(rows, columns=["annotator", "item", "factor", "level"])


@pytest.mark.parametrize(
    ("metric", "value"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)]
)
def test_alpha_is_the_published_one(metric, value):
    assert krippendorff_alpha(PUBLISHED, metric=metric) == pytest.approx(value, abs=6e-4)


def test_alpha_at_its_ends():
    same = np.tile([1.0, 2, 3, 4, 5, 1], (3, 1))
    assert krippendorff_alpha(same) == pytest.approx(1)
    chance = np.random.default_rng(0).integers(1, 6, size=(2, 4000)).astype(float)
    assert abs(krippendorff_alpha(chance)) < 0.05
    assert np.isnan(krippendorff_alpha(np.full((3, 6), 2.0)))
    assert np.isnan(krippendorff_alpha([[1, _], [_, 2]]))


def test_the_interval_holds_the_value_and_narrows():
    rng = np.random.default_rng(0)
    truth = rng.integers(1, 6, size=400)
    noisy = np.clip(truth + rng.integers(-1, 2, size=(3, 400)), 1, 5).astype(float)
    few, many = alpha_interval(noisy[:, :25]), alpha_interval(noisy)
    assert few[0] < krippendorff_alpha(noisy) < few[1]
    assert many[1] - many[0] < 0.5 * (few[1] - few[0])
    assert alpha_interval(noisy) == many
    assert np.isnan(alpha_interval(noisy[:, :4])).all()


def test_per_factor():
    both = pd.concat([table(PUBLISHED), table([[1.0, 2, 3]], "sticky")])
    green, sticky, none = agreement(both, ["green", "sticky", "baked"])
    assert green.alpha == pytest.approx(0.815, abs=6e-4)
    assert (green.n_items, green.n_annotators) == (11, 4)  # one unit has a single level
    assert np.isnan(sticky.alpha) and sticky.n_items == 0 and none.n_annotators == 0


def test_kappa_of_pairs():
    found = pairwise_kappa(table(PUBLISHED[:2]), ["green"])
    assert found[["first", "second", "n"]].to_numpy().tolist() == [["a0", "a1", 9]]
    a, b = PUBLISHED[0, :9], PUBLISHED[1, :9]
    expected = 1 - ((a - b) ** 2).mean() / np.subtract.outer(a, b).__pow__(2).mean()
    assert found["kappa"][0] == pytest.approx(expected)
    assert np.isnan(weighted_kappa([2, 2, 2], [2, 2, 2]))
    assert weighted_kappa([1, 5, 1, 5], [5, 1, 5, 1]) == pytest.approx(-1)


def test_self_agreement_counts_the_repeats_alone():
    first = table([[1, 2, 3, 4, 5, _], [1, 1, 1, 1, 1, 1]])
    again = first[first["item"].isin([0, 3, 4, 5])].copy()
    again.loc[again["annotator"] == "a0", "level"] = [1, 2, 4, 3]
    found = self_agreement(first, again, ["green"]).set_index("annotator")
    assert found.loc["a0", "n"] == 3
    assert found.loc["a0", "same"] == pytest.approx(1 / 3)
    assert found.loc["a0", "near"] == pytest.approx(2 / 3)
    assert found.loc["a1", "same"] == 1 and np.isnan(found.loc["a1", "kappa"])


def test_items_two_levels_apart():
    found = far_apart(table([[1, 2, 3, 5], [2, 4, 3, 1], [1, 2, _, 2]]))
    assert found["item"].tolist() == [3, 1]
    assert found["gap"].tolist() == [4, 2] and found["n"].tolist() == [3, 3]


def test_consensus_of_a_cube():
    names, cube = rating_cube(table([[1, 2, _], [3, _, _]]), [0, 1, 2], ["green", "baked"])
    assert names == ("a0", "a1") and cube.shape == (2, 3, 2)
    mean = consensus(cube)
    assert mean[:2, 0].tolist() == [2, 2] and np.isnan(mean[2, 0]) and np.isnan(mean[:, 1]).all()
    assert consensus(cube, [3, 1], "mean")[0, 0] == 1.5 and consensus(cube, [3, 1])[0, 0] == 1
    assert np.isnan(consensus(cube, [0, 1])[1, 0])


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda t: t.drop(columns="level"), "column 'level'"),
        (lambda t: t.assign(level=6), "1, 2, 3, 4 or 5"),
        (lambda t: t.assign(level="much"), "integers"),
        (lambda t: pd.concat([t, t]), "two levels"),
    ],
)
def test_a_wrong_table_is_refused(change, sentence):
    with pytest.raises(DataError, match=sentence):
        far_apart(change(table([[1.0, 2]])))
