"""Methods by name. A new method is one new file and one line in ``_CLASSES``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from pydantic import ValidationError

from rivae.base.config import MethodChoice, explain
from rivae.base.errors import ConfigError
from rivae.base.reading.documents import printable
from rivae.models.methods.base import Batch, Method, MethodConfig, Noise, ParamGroup, Stage
from rivae.models.methods.bi_vae import BiVAE
from rivae.models.methods.bi_vae_on_v import BiVAEOnV
from rivae.models.methods.contrastive import CosSim, InfoNCE, InfoNCEICA
from rivae.models.methods.cos_sim_lvm import CosSimLVM
from rivae.models.methods.dcca import DCCA
from rivae.models.methods.rbi_vae import RBiVAE
from rivae.models.methods.rivae import RIVAE
from rivae.models.nets.layers import reset_linears

# 1 GiB of float32 weights: no network of this project comes near.
MAX_PARAMETERS = 2**28

_CLASSES: dict[str, type[Method]] = {
    "rivae": RIVAE,
    "cos-sim-lvm": CosSimLVM,
    "bi-vae": BiVAE,
    "bi-vae-on-v": BiVAEOnV,
    "rbi-vae": RBiVAE,
    "dcca": DCCA,
    "cos-sim": CosSim,
    "info-nce": InfoNCE,
    "info-nce-ica": InfoNCEICA,
}

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
    "require_training",
]


def method_names() -> tuple[str, ...]:
    """The registered names."""
    return tuple(_CLASSES)


def method_class(name: str) -> type[Method]:
    """The class registered as ``name``; ConfigError for an unknown name."""
    if name not in _CLASSES:
        raise ConfigError(
            f"there is no method '{printable(name[:80])}': choose one of {', '.join(_CLASSES)}"
        )
    return _CLASSES[name]


def method_config(name: str, settings: dict[str, Any]) -> MethodConfig:
    """Validated settings; ConfigError names the first wrong one."""
    schema = method_class(name).config_class
    try:
        return schema.model_validate(settings)
    except ValidationError as error:
        raise ConfigError(explain(error, name, schema)) from None


def require_training(choice: MethodChoice) -> None:
    """Refuse settings with which a finished run would hold random weights.

    Raises:
        ConfigError: naming the setting to raise, or the first wrong one.
    """
    if said := method_config(choice.name, choice.settings).untrained():
        raise ConfigError(f"settings of {choice.name}: {said}")


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

    Raises:
        ConfigError: for a wrong setting, or networks that are far too large.
    """
    config, n_models = method_config(name, settings), len(seeds) if stacked else None
    with torch.device("meta"):  # counts without allocating
        sketch = method_class(name)(config, shape1, shape2, n_models)
    n_parameters = sum(p.numel() for p in sketch.parameters())
    if n_parameters > MAX_PARAMETERS:
        raise ConfigError(
            f"these settings of {name} ask for {n_parameters:,} weights, more than "
            f"{MAX_PARAMETERS:,}: choose smaller networks or fewer seeds"
        )
    method = method_class(name)(config, shape1, shape2, n_models)
    reset_linears(method, [torch.Generator().manual_seed(seed) for seed in seeds])
    return method
