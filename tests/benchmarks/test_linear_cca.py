"""The linear CCA with a latent finds what two views share linearly; in shuffled pairs nothing."""

import numpy as np
import pytest
import torch
from sklearn.linear_model import LinearRegression

from benchmarks.linear_cca import fit_linear_cca
from rivae.data.base import PairedDataset, TensorView, random_split
from rivae.retrieval.base import median_rank
from rivae.retrieval.retriever import Retriever


def vectors(shuffled=False, n=900):
    rng = np.random.default_rng(0)
    factors = rng.standard_normal((n, 3))
    one = factors @ rng.standard_normal((3, 20)) + 0.1 * rng.standard_normal((n, 20))
    two = factors @ rng.standard_normal((3, 30)) + 0.1 * rng.standard_normal((n, 30))
    if shuffled:
        two = two[rng.permutation(n)]
    views = [TensorView(torch.from_numpy(x.astype(np.float32))) for x in (one, two)]
    splits = random_split(n, (0.6, 0.2, 0.2), 0)
    made = PairedDataset(
        name="vectors", settings={}, splits=splits, search_size=100, x1=views[0], x2=views[1]
    )
    return made, factors


def test_a_shared_latent_is_found_with_axes_that_end_at_ten():
    data, factors = vectors()
    method, _ = fit_linear_cca(data, 3)
    test = np.sort(data.splits["test"])
    retriever = Retriever(method, data, test)
    assert median_rank(retriever.true_ranks(test)) < 5
    z = retriever.encode(test)[0]
    assert LinearRegression().fit(z, factors[test]).score(z, factors[test]) > 0.95
    train = retriever.encode(data.splits["train"])[0]
    assert np.percentile(train, [0.5, 99.5], axis=0) == pytest.approx(
        np.array([[-10.0] * 3, [10.0] * 3]), abs=1e-3
    )
    nothing, _ = vectors(shuffled=True)
    method, _ = fit_linear_cca(nothing, 3)
    ranks = Retriever(method, nothing, test).true_ranks(test)
    assert 60 < median_rank(ranks) < 120
