"""A metric as one would add it: how it is measured, and what is known of it, in one file."""

import numpy as np

from rivae.metrics.base import Metric, OfLatents, Results, Sample

TOY = Metric(
    "toy", "Toy²", "largest squared correlation", "standard", higher_is_better=False, decimals=1
)


def _measure(sample: Sample) -> Results:
    shared = sample.only("shared", numeric=True)
    if shared is None:
        return {}
    table = np.corrcoef(shared.latents.T, shared.factors.T)[: shared.latents.shape[1]]
    return {TOY.key: TOY.result(float(table[:, -1].max() ** 2), settings={}, n=len(table))}


OF_LATENTS = OfLatents((TOY,), _measure)
