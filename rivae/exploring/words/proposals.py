"""Names for the axes of a model that has just been trained, as proposals.

A name is made from the training items: factors, words and tags that change along an axis
(``naming``). How well it says where items lie is then measured on test items, beside what a
property that has nothing to do with the axis would reach.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rivae.base.arrays import Floats
from rivae.data.base import PairedDataset
from rivae.exploring.words.item_terms import ItemTerms
from rivae.exploring.words.naming import propose_name
from rivae.models.base import Method
from rivae.retrieval.model import LatentModel
from rivae.runs.axis_names import AxisName, HeldOut

MAX_ROWS = 10_000  # that names are made from, and as many that they are measured on
N_SHUFFLES = 200
MIN_ROWS = 30  # on which a score says something


def proposed_names(
    method: Method, data: PairedDataset, random_state: int = 0, terms: ItemTerms | None = None
) -> list[AxisName | None]:
    """A proposal for every axis of z, None where nothing changes along it or there is no latent.

    Args:
        method: trained, on the CPU.
        random_state: of the shuffles that tell what chance reaches.
        terms: of the data, which are read where they are not given.
    """
    if not method.has_latent:
        return [None] * method.n_components
    model = LatentModel(method)
    fit, held_out = (data.splits[name][:MAX_ROWS] for name in ("train", "test"))
    z = model.latents(data, fit)
    if not np.isfinite(z).all():
        return [None] * method.n_components
    terms = terms or ItemTerms(data)
    evidence_of_axes = terms.evidence(z, fit)
    names = [propose_name(j, evidence, terms.poles) for j, evidence in enumerate(evidence_of_axes)]
    if len(held_out) < MIN_ROWS:
        return [name and replace(name, proposed=True) for name in names]
    there, rng = model.latents(data, held_out), np.random.default_rng(random_state)
    return [
        name
        and replace(
            name,
            proposed=True,
            held_out=_held_out(terms.property_of(name, held_out), there[:, name.dim], rng),
        )
        for name in names
    ]


def _held_out(values: Floats, z: Floats, rng: np.random.Generator) -> HeldOut | None:
    """The score of a property on one axis; None where too little is known."""
    is_known = np.isfinite(values)
    values, z = values[is_known], z[is_known]
    if len(values) < MIN_ROWS or np.ptp(values) == 0 or np.ptp(z) == 0:
        return None
    values, z = (one - one.mean() for one in (values, z))
    norm = float(np.linalg.norm(values) * np.linalg.norm(z))
    chance = [abs(float(rng.permutation(values) @ z)) / norm for _ in range(N_SHUFFLES)]
    score = min(1.0, abs(float(values @ z)) / norm)
    return HeldOut(score, float(np.quantile(chance, 0.95)), len(values))
