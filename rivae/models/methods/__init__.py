"""One file per method, found by its name in ``rivae.models.registry.METHODS``.

The names below are for scripts that were written when a list of methods stood here.
"""

from rivae.models.base import Method, MethodConfig
from rivae.models.registry import METHODS, build_method, method_config, require_training
from rivae.models.stages import Batch, Noise, ParamGroup, Stage

__all__ = [
    "Batch",
    "Method",
    "MethodConfig",
    "Noise",
    "ParamGroup",
    "Stage",
    "build_method",
    "method_class",
    "method_config",
    "method_names",
    "require_training",
]


def method_names() -> tuple[str, ...]:
    """The names of all methods."""
    return tuple(METHODS)


def method_class(name: str) -> type[Method]:
    """The method ``name``; ConfigError where there is none."""
    return METHODS[name]
