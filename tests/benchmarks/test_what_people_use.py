"""What people would use instead: each way reads axes off embeddings, and the table shows them."""

import numpy as np
import pandas as pd
import pytest
import torch

from benchmarks import what_people_use as bench
from rivae.metrics.measures.mcc import mcc


@pytest.fixture(scope="module")
def embedded():
    """Two independent factors, and rows whose first coordinates they are, turned."""
    rng = np.random.default_rng(0)
    factors = rng.uniform(-1, 1, (1200, 2))
    turn = np.linalg.qr(rng.standard_normal((6, 6)))[0]
    rows = np.column_stack([factors, 0.05 * rng.standard_normal((1200, 4))]) @ turn
    return torch.from_numpy(rows).float(), factors


@pytest.mark.slow
def test_each_way_reads_the_axes_that_it_can(embedded, monkeypatch):
    monkeypatch.setattr(bench, "SAE_STEPS", 60)
    rows, factors = embedded
    found = bench.readings(rows[:900], rows[900:], factors[:900], 2, 0)
    score = {way: mcc(z, factors[900:]).score for way, z in found.items()}
    assert found["PCA"].shape == found["ICA"].shape == (300, 2)
    assert score["ICA"] > 0.98 and score["ridge on labels"] > 0.98
    assert score["PCA"] < 0.95  # equal variances: any turn of the plane would do
    for way in ("TopK SAE", "Matryoshka SAE"):
        z = found[way]
        assert z.shape == (300, bench.DICTIONARY)
        assert (z >= 0).all() and (z > 0).sum(axis=1).max() <= bench.ACTIVE
        assert 0.3 < score[way] < 0.98


def test_a_sparse_auto_encoder_learns_to_reconstruct(embedded, monkeypatch):
    rows, _ = embedded
    losses = {}
    for steps in (1, 80):
        monkeypatch.setattr(bench, "SAE_STEPS", steps)
        for prefixes in ((bench.DICTIONARY,), bench.PREFIXES):
            model = bench.SparseAutoencoder.fitted(rows, prefixes, 0)
            losses[steps, prefixes] = model.loss(rows).item()
            assert torch.allclose(model.decoder.norm(dim=1), torch.ones(bench.DICTIONARY))
    for prefixes in ((bench.DICTIONARY,), bench.PREFIXES):
        assert losses[80, prefixes] < 0.7 * losses[1, prefixes]


def test_the_table():
    key = {"condition": "plain", "split": 0}
    axes = [{**key, "seed": n, "way": "PCA", "mcc": 0.8 + n / 10, "r2": 0.5} for n in (0, 1)]
    apart = [{**key, "seed": n, "way": "embedding", "recall_at_1": 0.9} for n in (0, 1)]
    text = bench.table(pd.DataFrame(axes + apart))
    assert "| plain | MCC | 2 | 0.850 ± 0.071 | – |" in text and "| plain | R² | 2 |" in text
    assert "| plain | R@1 | 2 | – | 0.900 ± 0.000 |" in text
