"""Linear CCA with a latent: what a model without networks finds, measured as others are.

Both views are vectors, reduced to principal components of the training pairs. Probabilistic CCA on
these (``rivae/models/pcca.py``) has a z of as many axes as the other methods, P(z|v1) and
P(v2|z), in closed form: nothing is random, so there is one fit.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from sklearn.decomposition import PCA
from torch import Tensor, nn

from rivae.data.base import PairedDataset
from rivae.models.methods.dcca import DCCA, DCCAConfig
from rivae.models.nets.layers import FixedAffine, identity
from rivae.models.pcca import fit_pcca
from rivae.retrieval.base import median_rank
from rivae.retrieval.retriever import Retriever
from rivae.training.alignment.folding import scaled_axes

N_PRINCIPAL = (100, 200, 400, 800, 1600)  # tried; validation pairs decide


class LinearCCA(DCCA):
    """DCCA whose features are canonical variates of principal components of each view."""

    def __init__(self, views: Sequence[Tensor], principal: Sequence[Tensor], d: int) -> None:
        nn.Module.__init__(self)
        self.config = DCCAConfig(n_components=d, joint_batch_size=2 * (d + 1))
        self.n_components = self.dim_v = d
        self.embedder1, self.embedder2 = map(_linear, principal)
        fit = fit_pcca(self.embedder1(views[0]), self.embedder2(views[1]), d)
        self.g1, self.g2 = map(_linear, (fit.directions1[:, :d], fit.directions2[:, :d]))
        self.to_z, self.from_z = FixedAffine(d, d), FixedAffine(d, d)
        self.pair1, self.pair2, self.whiten = (FixedAffine(d, d) for _ in range(3))
        self.register_buffer("covariance", identity(d, d, None))
        self.finish(views[0], views[1], 0)


def _principal(rows: Tensor) -> Tensor:
    """Directions (p, n) of the leading principal components of ``rows`` (N, p), in float64."""
    n = min(max(N_PRINCIPAL), rows.shape[1])
    found = PCA(n, svd_solver="covariance_eigh").fit(rows.double().numpy())
    return torch.from_numpy(found.components_.T.copy())


def _linear(weight: Tensor) -> FixedAffine:
    """The map ``x @ weight``: no mean is taken off, for CCA has means of its own."""
    out = FixedAffine(*weight.shape)
    out.assign(weight, torch.zeros(weight.shape[1]))
    return out


def fit_linear_cca(data: PairedDataset, n_components: int) -> tuple[LinearCCA, int]:
    """The fit to the training pairs of ``data`` with scaled axes, and how many principal components
    it has: so many that validation pairs have the best median rank.
    """
    train, validation = data.splits["train"], np.sort(data.splits["validation"])
    views = [view.batch(train) for view in (data.x1, data.x2)]
    principal, ranked = [_principal(view) for view in views], []
    for n in N_PRINCIPAL:
        made = LinearCCA(views, [each[:, :n] for each in principal], n_components).eval()
        ranks = Retriever(made, data, validation).true_ranks(validation)
        ranked.append((median_rank(ranks), n, made))
    _, n_principal, best = min(ranked, key=lambda each: each[:2])
    change = scaled_axes(best.encode(views[0])[0].double().numpy(), best.config.axis_reach)
    best.apply_affine(torch.from_numpy(change.matrix), torch.from_numpy(change.offset))
    return best, n_principal
