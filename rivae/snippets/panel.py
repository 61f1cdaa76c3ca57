"""What a template of :mod:`rivae.snippets` is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

SAVE = "from rivae.export import save"
TRAVERSE = (
    "from rivae.ranges import traversal_values",
    "from rivae.traversal import traverse",
)
# The values of every dimension: "data", "paper", "prior", "sigma" or two numbers.
VALUES = """\
values, _ = traversal_values({range}, explorer.prior)
"""


@dataclass(frozen=True)
class Panel:
    """A template: import lines, the body with ``{name}`` places, and the default of each place.

    ``opens`` tells whether the panel needs the model (an ``explorer``) or only the run's files.
    """

    imports: tuple[str, ...]
    body: str
    defaults: Mapping[str, Any] = field(default_factory=dict)
    opens: bool = True
