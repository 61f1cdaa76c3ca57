"""Every metric, each described in the file that measures it.

A new metric is one new file and one line here: ``evaluate`` then measures it, with its level of
chance, and every table, chart and report has it.
"""

from __future__ import annotations

import math

from rivae.metrics import (
    dci_paper,
    dci_standard,
    digits,
    infomec,
    mcc,
    own_part,
    r2,
    retrieval,
    udr,
)
from rivae.metrics.base import Metric, OfLatents

# Measured on z itself and true factors, in the order of the tables.
OF_LATENTS: tuple[OfLatents, ...] = (
    mcc.OF_LATENTS,
    own_part.OF_LATENTS,
    *r2.OF_LATENTS,
    dci_standard.OF_LATENTS,
    infomec.OF_LATENTS,
)
# Measured on ranks, on the items along traversals, on their digits, and on other runs.
OTHERS: tuple[Metric, ...] = (
    *retrieval.METRICS,
    retrieval.RECIPROCAL_RANK,
    *dci_paper.METRICS,
    *dci_paper.WITH_PRIVATE,
    *dci_paper.AT_ALPHA,
    *digits.METRICS,
    udr.UDR,
)


def metrics() -> dict[str, Metric]:
    """Every metric by its key."""
    of_latents = (metric for group in OF_LATENTS for metric in group.metrics)
    return {metric.key: metric for metric in (*OTHERS, *of_latents)}


def metric(key: str) -> Metric:
    """The metric ``key``; only its name for a metric of another version, or for a
    term of a loss.
    """
    unknown = Metric(key, key.replace("_", " "), low=-math.inf, high=math.inf)
    return metrics().get(key, unknown)


def columns(table: str) -> tuple[str, ...]:
    """The keys of the metrics in a table of the benchmark, in its order."""
    return tuple(key for key, each in metrics().items() if each.table == table)
