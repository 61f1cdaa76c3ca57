"""Every kind of index, and the one place that chooses among them."""

from __future__ import annotations

from rivae.base.errors import ConfigError
from rivae.base.parts import Parts
from rivae.retrieval.base import KeptIndex

INDEXES: Parts[type[KeptIndex]] = Parts(
    "index",
    "rivae.retrieval.indexes",
    "rivae.indexes",
    "rivae.retrieval.base:KeptIndex",
    first=("brute-force", "two-stage"),
)


def choose_index(n: int, width: int) -> type[KeptIndex]:
    """The index for ``n`` points of ``width`` numbers: of those that suit, the one with the highest
    priority, the first listed of several.

    Raises:
        ConfigError: none suits, or an installed one cannot be loaded.
    """
    suitable = [index for index in INDEXES.working().values() if index.suits(n, width)]
    if not suitable:
        raise ConfigError(f"no index suits {n:,} items of {width} numbers")
    return max(suitable, key=lambda index: index.priority)
