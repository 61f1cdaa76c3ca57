"""Methods by name. A new method is one new file and one line in ``_CLASSES``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from pydantic import ValidationError

from rivae.errors import ConfigError
from rivae.methods.base import Batch, Method, MethodConfig, Noise, ParamGroup, Stage
from rivae.methods.cos_sim_lvm import CosSimLVM
from rivae.methods.rivae import RIVAE
from rivae.nets.heads import reset_linears

_CLASSES: dict[str, type[Method]] = {"rivae": RIVAE, "cos-sim-lvm": CosSimLVM}

__all__ = [
    "Batch",
    "Method",
    "MethodConfig",
    "Noise",
    "ParamGroup",
    "Stage",
    "build_method",
    "method_class",
    "method_names",
]


def method_names() -> tuple[str, ...]:
    """The registered names."""
    return tuple(_CLASSES)


def method_class(name: str) -> type[Method]:
    """The class registered as ``name``; ConfigError when there is none."""
    if name not in _CLASSES:
        raise ConfigError(f"there is no method '{name}': choose one of {', '.join(_CLASSES)}")
    return _CLASSES[name]


def method_config(name: str, settings: dict[str, Any]) -> MethodConfig:
    """Validated settings; ConfigError names the first wrong one."""
    try:
        return method_class(name).config_class.model_validate(settings)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "settings"
        raise ConfigError(f"setting '{where}' of {name}: {first['msg'].lower()}") from None


def build_method(
    name: str,
    settings: dict[str, Any],
    shape1: tuple[int, ...],
    shape2: tuple[int, ...],
    seeds: Sequence[int] = (0,),
    stacked: bool = False,
) -> Method:
    """A method with fresh weights drawn from ``seeds``.

    With ``stacked`` every parameter gets a leading axis of ``len(seeds)`` models.
    """
    config = method_config(name, settings)
    method = method_class(name)(config, shape1, shape2, len(seeds) if stacked else None)  # type: ignore[call-arg]
    reset_linears(method, [torch.Generator().manual_seed(seed) for seed in seeds])
    return method
