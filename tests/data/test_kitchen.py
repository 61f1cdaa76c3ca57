"""The kitchen that comes with the project: small, said to be synthetic, made by its own code."""

from __future__ import annotations

import numpy as np
import pytest

from rivae.cli.demo import make_kitchen
from rivae.data import load_dataset
from rivae.data.food_factors import FACTOR_NAMES, FOOD_FACTORS
from rivae.data.kitchens import DRAWN, RENDERED, has_rendered, kitchen_folder
from rivae.data.sets.kitchen_drawn import drawn_store
from rivae.data.store import PairStore


@pytest.mark.slow
def test_its_first_dishes_are_what_the_command_makes(tmp_path):
    made, bundled = PairStore(make_kitchen(tmp_path / "made", 40)), drawn_store()
    assert [made.recipe(i) for i in range(40)] == [bundled.recipe(i) for i in range(40)]
    assert [made.ingredient_names(i) for i in range(40)] == [
        bundled.ingredient_names(i) for i in range(40)
    ]
    np.testing.assert_array_equal(made.factors, bundled.factors[:40])
    # Pictures may differ in a few bytes between versions of the encoder, not in what they show.
    from rivae.data.store.pixels import decoded

    for i in range(0, 40, 7):
        gap = decoded(made, i, 64).astype(int) - decoded(bundled, i, 64)
        assert np.abs(gap).mean() < 2


def test_it_has_6000_dishes_with_eight_independent_factors():
    data = load_dataset("kitchen")
    assert len(data) == 6000 and data.factor_specs == FOOD_FACTORS
    assert [len(data.splits[s]) for s in ("train", "validation", "test")] == [4200, 900, 900]
    correlation = np.corrcoef(data.factors.T) - np.eye(len(FACTOR_NAMES))
    assert np.abs(correlation).max() < 0.06
    assert data.factor_text(0, 0) in FOOD_FACTORS[0].levels


def test_it_says_that_it_is_synthetic_and_stays_small():
    assert PairStore(kitchen_folder()).manifest.synthetic and drawn_store().manifest.synthetic
    files = [path for folder in (DRAWN, RENDERED) for path in folder.glob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < (30 if has_rendered() else 15) * 2**20
