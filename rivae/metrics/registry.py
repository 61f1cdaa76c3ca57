"""Every metric there is, each described in the file that measures it.

A new metric is one new file and one line here: then ``evaluate`` measures it, with its level of
chance, and it has its place in every table, chart and report.
"""

from __future__ import annotations

import math

from rivae.metrics import dci_paper, dci_standard, digits, infomec, mcc, r2, retrieval, udr
from rivae.metrics.base import Metric, OfLatents

# What is measured of z itself and of true factors, in the order of the tables.
OF_LATENTS: tuple[OfLatents, ...] = (
    mcc.OF_LATENTS,
    *r2.OF_LATENTS,
    dci_standard.OF_LATENTS,
    infomec.OF_LATENTS,
)
# What is measured of ranks, of the items along traversals, of their digits, and of other runs.
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
    """What is known of the metric ``key``; its name alone where another version measured it, or
    where it is a term of a loss.
    """
    unknown = Metric(key, key.replace("_", " "), low=-math.inf, high=math.inf)
    return metrics().get(key, unknown)


def columns(table: str) -> tuple[str, ...]:
    """The keys of the metrics in a table of the benchmark, in its order."""
    return tuple(key for key, each in metrics().items() if each.table == table)
