"""The linear baseline: it finds what is linear between two views, and chance on shuffled."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from rivae.benchmark.chance import chance_rows, ridge_cca
from rivae.data import load_dataset
from rivae.data.base import PairedDataset, TensorView, random_split


def pairs(shuffled=False, n=1500):
    """Colour planes that are linear in four numbers, and vectors that are linear in them too."""
    rng = np.random.default_rng(0)
    z = rng.standard_normal((n, 4)).astype(np.float32)
    pictures = np.einsum("nk,kcij->ncij", z, rng.standard_normal((4, 3, 24, 24)))
    words = z @ rng.standard_normal((4, 30)) + 0.05 * rng.standard_normal((n, 30))
    if shuffled:
        words = words[rng.permutation(n)]
    return PairedDataset(
        name="planes",
        settings={},
        splits=random_split(n, (0.7, 0.1, 0.2), 0),
        search_size=200,
        x1=TensorView(torch.from_numpy(pictures.astype(np.float32))),
        x2=TensorView(torch.from_numpy(words.astype(np.float32))),
    )


def test_linear_relations_are_found_and_chance_is_not():
    found = ridge_cca(pairs())
    assert found["recall_at_1"] > 0.5 and found["median_rank"] < 2
    chance = ridge_cca(pairs(shuffled=True))
    assert 80 < chance["median_rank"] < 120


@pytest.mark.slow
def test_it_stands_among_the_chance_rows(small_store):
    rows = chance_rows("pairs", (0,), settings={"store": str(small_store)})
    medians = {r["method"]: r["score"] for r in rows if r["metric"] == "median_rank"}
    assert medians["ridge-cca"] < 0.5 * medians["chance-items"]
    assert load_dataset("pairs", store=str(small_store)).text_view == 2


def test_both_views_may_be_pictures_or_vectors_and_not_words_in_order(small_store):
    for dataset in ("split-digits", "synth"):
        rows = chance_rows(dataset, (0,), "tiny")
        recalls = {r["method"]: r["score"] for r in rows if r["metric"] == "recall_at_10"}
        assert recalls["ridge-cca"] > 3 * recalls["chance-items"]
    in_order = {"store": str(small_store), "text": "tokens"}
    assert "ridge-cca" not in {
        r["method"] for r in chance_rows("pairs", (0,), "tiny", settings=in_order)
    }
