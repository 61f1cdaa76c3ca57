"""R² by boosted trees, and its null by nearest neighbours: see ``r2``."""

from __future__ import annotations

from functools import partial

from rivae.metrics.base import OfLatents
from rivae.metrics.measures.r2 import NONLINEAR, measure_r2

R2_NONLINEAR = OfLatents(
    "r2-nonlinear",
    (NONLINEAR,),
    partial(measure_r2, usual="boosting", cheap="neighbours"),
    refits=True,
)
