"""Every registered method is searched exactly, whatever its networks."""

import numpy as np
import pytest
import torch

from rivae.models.registry import METHODS, build_method
from rivae.retrieval.exact_path import exact_change_points
from rivae.retrieval.retriever import Retriever
from tests.retrieval.small import small_data

DATA = small_data(n=300, duplicates=20)
EMBEDDER = {"kind": "mlp", "hidden": (12,), "activation": "tanh"}


@pytest.fixture(
    params=[(name, dim_v) for name in METHODS for dim_v in (3, 24)],
    ids=lambda p: f"{p[0]}-V{p[1]}",
)
def retriever(request):
    name, dim_v = request.param
    networks = {"n_components": 3, "dim_v": dim_v, "embedder": EMBEDDER, "head_hidden": (10, 10)}
    known = METHODS[name].config_class.model_fields
    settings = {key: value for key, value in networks.items() if key in known}
    method = build_method(name, settings, DATA.x1.shape, DATA.x2.shape, seeds=(4,))
    return Retriever(method, DATA, np.arange(len(DATA)))


def test_same_ids_in_the_same_order_as_brute_force(retriever):
    z = np.random.default_rng(0).normal(size=(80, retriever.n_components)) * 3
    found = retriever.search(z, 12)
    v = retriever.model.embed_targets(DATA.x2, retriever.ids)
    distances = np.stack([((v - f) ** 2).sum(1) for f in retriever.decode(z)])
    np.testing.assert_array_equal(found.ids, np.argsort(distances, axis=1, kind="stable")[:, :12])
    assert (np.diff(found.scores, axis=1) <= 1e-12).all()


def test_scores_and_decoding_are_those_of_the_method(retriever):
    z = np.random.default_rng(1).normal(size=(5, retriever.n_components))
    found = retriever.search(z, 4)
    with torch.inference_mode():
        z32 = torch.tensor(z, dtype=torch.float32)
        f = retriever.method.decode(z32)
        v = retriever.method.embed_target(DATA.x2.batch(found.ids))
        squared = ((f[:, None] - v) ** 2).sum(-1)
        score = retriever.method.score(z32, squared)
    np.testing.assert_allclose(found.squared_distances, squared, rtol=1e-3, atol=1e-5)
    np.testing.assert_allclose(found.scores, score, rtol=1e-3, atol=1e-3)


def test_exact_paths_agree_with_samples(retriever):
    path = exact_change_points(retriever, np.zeros(retriever.n_components), 1, -6.0, 6.0)
    t = np.random.default_rng(2).uniform(-6, 6, 2000)
    t = t[np.abs(t[:, None] - path.starts).min(axis=1) > 1e-7]
    z = np.zeros((len(t), retriever.n_components))
    z[:, 1] = t
    np.testing.assert_array_equal(path.at(t), retriever.nearest(z, 1)[0][:, 0])


def test_the_method_is_left_as_it_was(retriever):
    assert all(p.dtype == torch.float32 for p in retriever.method.parameters())
    assert all(p.requires_grad for p in retriever.method.parameters())
