"""A change of axes keeps what is retrieved, also where it changes the space that is searched."""

import copy

import numpy as np
import pytest
import torch

from benchmarks.label_alignment import Start
from rivae.base.errors import ConfigError
from rivae.data.base import PairedDataset, TensorView, random_split
from rivae.retrieval.base import median_rank
from rivae.retrieval.model import ProjectedSpace
from rivae.retrieval.retriever import Retriever
from rivae.training.pair_training import train_pairs

N, D, V = 400, 3, 12
# Epochs and settings. Only InfoNCE + ICA searches a projection that its axes change: f of DCCA is
# affine as well, but as wide as V.
METHODS = {"dcca": (12, {}), "info-nce-ica": (12, {"axes": "independent"}), "rivae": (90, {})}


@pytest.fixture(scope="module", params=METHODS)
def start(request) -> Start:
    """A small trained model of vectors that share three factors."""
    rng = np.random.default_rng(0)
    factors = rng.uniform(-1, 1, (N, D))
    views = [
        torch.from_numpy(
            (factors @ rng.normal(size=(D, V)) + 0.1 * rng.normal(size=(N, V))).astype(np.float32)
        )
        for _ in range(2)
    ]
    epochs, settings = METHODS[request.param]
    arguments = {
        "n_components": D,
        "batch_size": 64,
        "epochs": epochs,
        "settings": {"dim_v": V, **settings},
    }
    data = PairedDataset(
        name="vectors",
        settings={},
        splits=random_split(N, (0.6, 0.1, 0.3), 0),
        search_size=100,
        x1=TensorView(views[0]),
        x2=TensorView(views[1]),
    )
    train = data.splits["train"]
    method, _ = train_pairs(request.param, views[0][train], views[1][train], arguments, 0)
    return Start.of(request.param, Retriever(method.float(), data, np.sort(data.splits["test"])), 9)


def test_turned_axes_find_the_same_items(start):
    turned, rows = start.turned("turned"), start.retriever.ids
    is_projected = isinstance(start.retriever.space, ProjectedSpace)
    assert is_projected == (start.name == "info-nce-ica")
    before, after = (each.retriever.true_ranks(rows) for each in (start, turned))
    assert median_rank(before) < 10  # of 120: there is something to lose
    np.testing.assert_allclose(after, before, atol=1)
    there = turned.retriever.encode(rows)[0]
    np.testing.assert_allclose(turned.test, there, atol=1e-3 * np.abs(there).max())
    found = [each.retriever.search(each.test, 1).ids[:, 0] for each in (start, turned)]
    assert (found[0] == found[1]).mean() > 0.98


def test_the_index_of_other_axes_is_refused(start):
    method = copy.deepcopy(start.method)
    old = start.retriever
    for parts in ({"index": old.index}, {"index": old.index, "model": old.model}):
        with pytest.raises(ConfigError, match="belong to one method"):
            Retriever(method, start.data, old.ids, **parts)
