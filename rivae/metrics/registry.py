"""Every metric, each described in the file that measures it.

A new metric is one file in ``rivae/metrics/measures``, or a part of another package (entry points
``rivae.metrics``): ``evaluate`` then measures it, with its level of chance, and every table, chart
and report has it.
"""

from __future__ import annotations

import math

from rivae.base.parts import Parts
from rivae.metrics.base import Metric, MetricGroup, OfLatents

# Groups in the order in which tables have their columns; others follow.
METRICS: Parts[MetricGroup] = Parts(
    "metric",
    "rivae.metrics.measures",
    "rivae.metrics",
    "rivae.metrics.base:MetricGroup",
    first=(
        *("retrieval", "dci-paper", "digits", "udr"),
        *("mcc", "own-part", "r2", "r2-nonlinear", "dci-standard", "infomec"),
    ),
    keys=lambda group: (metric.key for metric in group.metrics),
)


def of_latents() -> tuple[OfLatents, ...]:
    """The groups that are measured on z itself and true factors."""
    return tuple(group for group in METRICS.working().values() if isinstance(group, OfLatents))


def metrics() -> dict[str, Metric]:
    """Every metric by its key."""
    return {metric.key: metric for group in METRICS.working().values() for metric in group.metrics}


def metric(key: str) -> Metric:
    """The metric ``key``; only its name for a metric of another version, or for a
    term of a loss.
    """
    unknown = Metric(key, key.replace("_", " "), low=-math.inf, high=math.inf)
    return metrics().get(key, unknown)


def columns(table: str) -> tuple[str, ...]:
    """The keys of the metrics in a table of the benchmark, in its order."""
    return tuple(key for key, each in metrics().items() if each.table == table)
