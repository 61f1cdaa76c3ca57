"""``rivae.register``: a part of one's own, until this process ends."""

from __future__ import annotations

import importlib
from typing import Any

from rivae.base.errors import ConfigError
from rivae.base.parts import Parts

# Every kind of part: the registry that knows the parts of it.
KINDS = (
    "rivae.data.names:DATASETS",
    "rivae.models.registry:METHODS",
    "rivae.metrics.registry:METRICS",
    "rivae.retrieval.registry:INDEXES",
    "rivae.training.alignment.registry:STEPS",
    "rivae.data.features.contract:FEATURES",
)


def kinds() -> list[Parts[Any]]:
    """The registries of all kinds of parts; their parts are not loaded."""
    places = (kind.split(":") for kind in KINDS)
    return [getattr(importlib.import_module(module), name) for module, name in places]


def register(part: Any) -> Any:
    """Add a method, data set, metric, index, feature source or step on the axes to this process.

    It is then found by its name as the parts of this package are. Training in the background and
    other processes do not know it: for these, install it with an entry point (docs/extending.md).

    Args:
        part: an object as ``docs/extending.md`` describes it, with a name of its own. One that was
            registered before under the same name is replaced.

    Returns:
        ``part``, so that ``@rivae.register`` can stand above the class of a method.

    Raises:
        ConfigError: it is no part of any kind, or its name is taken.

    Example:
        >>> from rivae.data.names import DATASETS
        >>> from dataclasses import replace
        >>> mine = rivae.register(replace(DATASETS["split-digits"], name="my-digits"))
        >>> "my-digits" in DATASETS
        True
        >>> DATASETS.unregister("my-digits")
    """
    every = kinds()
    for parts in every:
        if parts.fits(part):
            return parts.register(part)
    names = ", ".join(parts.kind for parts in every)
    raise ConfigError(
        f"{part!r:.80} is none of these: {names}: docs/extending.md has an example of each"
    )
