"""Templates of snippets, and values as Python source."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rivae.base.errors import ConfigError

SAVE = "from rivae.figures.export import save"


@dataclass(frozen=True)
class Template:
    """The template of a panel: import lines, the body with ``{name}`` places, and their defaults.

    The body finds the run as ``run``, a ``rivae.Run``. ``asked``: whether it depends on the view
    that is the query.
    """

    imports: tuple[str, ...]
    body: str
    defaults: Mapping[str, Any] = field(default_factory=dict)
    asked: bool = True


def literal(value: Any) -> str:
    """A plain value as Python source that evaluates to it (numbers to 6 significant digits).

    Raises:
        ConfigError: it is not a number, text, None, or a list or array of them.
    """
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if value is None or isinstance(value, bool | int | str):
        return repr(value)
    if isinstance(value, float) and math.isfinite(value):
        return repr(float(f"{value:.6g}"))
    if isinstance(value, tuple):
        return "(" + ", ".join(map(literal, value)) + ("," if len(value) == 1 else "") + ")"
    if isinstance(value, list):
        return "[" + ", ".join(map(literal, value)) + "]"
    raise ConfigError(f"a snippet cannot hold {type(value).__name__} {value!r}: pass plain values")
