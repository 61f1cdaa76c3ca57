"""The methods by name: the files of ``rivae/models/methods``, installed packages, registered ones.

Importing this loads no torch; the first method that is asked for does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from rivae.base.config import MethodChoice, explain
from rivae.base.errors import ConfigError
from rivae.base.parts import NameIn, Parts

if TYPE_CHECKING:
    from rivae.models.base import Method, MethodConfig

# 1 GiB of float32 weights: no network of this project comes near.
MAX_PARAMETERS = 2**28

METHODS: Parts[type[Method]] = Parts(
    "method",
    "rivae.models.methods",
    "rivae.methods",
    "rivae.models.base:Method",
    # The rows of the paper's tables in their order, then the baselines.
    first=(
        "cos-sim-lvm",
        "bi-vae",
        "bi-vae-on-v",
        "dcca",
        "rbi-vae",
        "rivae",
        "cos-sim",
        "info-nce",
        "info-nce-ica",
    ),
)


def method_title(name: str) -> str:
    """The title of a method; its name where there is no such method (any more)."""
    try:
        return str(METHODS.said(name, "title", name))
    except ConfigError:
        return name


def method_config(name: str, settings: dict[str, Any], stored: bool = False) -> MethodConfig:
    """Validated settings; ConfigError names the first wrong one.

    Those of a ``stored`` run, to look at it, may name a part that is not installed here, such as
    the step that has changed its axes.
    """
    if stored and name not in METHODS:
        raise ConfigError(METHODS.absent(name))
    schema = METHODS[name].config_class
    try:
        return schema.model_validate(settings, context=NameIn.STORED if stored else None)
    except ValidationError as error:
        raise ConfigError(explain(error, name, schema)) from None


def require_training(choice: MethodChoice) -> None:
    """Refuse settings with which a finished run would hold random weights.

    Raises:
        ConfigError: naming the setting to raise, or the first wrong one.
    """
    if problem := method_config(choice.name, choice.settings).untrained():
        raise ConfigError(f"settings of {choice.name}: {problem}")


def build_method(
    name: str,
    settings: dict[str, Any],
    shape1: tuple[int, ...],
    shape2: tuple[int, ...],
    seeds: Sequence[int] = (0,),
    stacked: bool = False,
    stored: bool = False,
) -> Method:
    """A method with fresh weights drawn from ``seeds``.

    With ``stacked`` every parameter gets a leading axis of ``len(seeds)`` models. ``stored`` is
    that of ``method_config``.

    Raises:
        ConfigError: for a wrong setting, or networks that are far too large.
    """
    config, n_models = method_config(name, settings, stored), len(seeds) if stacked else None
    import torch

    from rivae.models.nets.layers import reset_linears

    with torch.device("meta"):  # counts without allocating
        sketch = METHODS[name](config, shape1, shape2, n_models)
    n_parameters = sum(p.numel() for p in sketch.parameters())
    if n_parameters > MAX_PARAMETERS:
        raise ConfigError(
            f"these settings of {name} ask for {n_parameters:,} weights, more than "
            f"{MAX_PARAMETERS:,}: choose smaller networks or fewer seeds"
        )
    method = METHODS[name](config, shape1, shape2, n_models)
    reset_linears(method, [torch.Generator().manual_seed(seed) for seed in seeds])
    return method
