"""Pretrained weights from a file or from the Hugging Face hub.

Files are read without running code from them and checked name by name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import torch
from torch import Tensor

from rivae.base.errors import ConfigError, DataError
from rivae.base.installed import how_to_install
from rivae.base.paths import home_path
from rivae.base.reading.weights import load_weights

MAX_BYTES = 4 * 2**30
# Counts the batches seen; old files lack it and nothing here reads it.
OPTIONAL = ".num_batches_tracked"
PICKLED = {".pth", ".pt", ".bin", ".ckpt", ".pkl"}
CONVERT = (
    "`safetensors.torch.save_file(torch.load('weights.pth', weights_only=True), "
    "'weights.safetensors')`"
)
# Addresses of the hub.
PREFIX = "hf://"
FILE = "model.safetensors"
_PART = r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}"
_ADDRESS = re.compile(rf"{PREFIX}({_PART}/{_PART})(?:@({_PART}))?(?:/({_PART}\.safetensors))?")


def read_weights(path: str, expected: Mapping[str, Tensor], skip: str = "") -> dict[str, Tensor]:
    """The tensors named in ``expected``, in its shapes and types.

    Args:
        path: a .safetensors file, or ``hf://OWNER/NAME`` on the hub (``hub_file``).
        expected: names and shapes that must be there.
        skip: names in the file that begin with this are ignored.

    Raises:
        ConfigError: when it cannot be read, or lacks a name, has an unknown one, another shape, or
            numbers that are not finite.
    """
    tensors = _tensors(Path(hub_file(path)) if is_on_hub(path) else home_path(path))
    by_name = {k: v for k, v in tensors.items() if not (skip and k.startswith(skip))}
    missing = [k for k in expected if k not in by_name and not k.endswith(OPTIONAL)]
    unknown = [k for k in by_name if k not in expected]
    if missing or unknown:
        what = f"lacks '{missing[0]}'" if missing else f"has '{unknown[0][:60]}', which is unknown"
        raise ConfigError(f"{path} holds weights of another network: it {what}")
    for name, value in by_name.items():
        if value.shape != expected[name].shape:
            raise ConfigError(
                f"{path} holds weights of another network: '{name}' has shape "
                f"{tuple(value.shape)}, not {tuple(expected[name].shape)}"
            )
        if not bool(torch.isfinite(value).all()):
            raise ConfigError(f"{path} is damaged: '{name}' holds NaN or infinite values")
    return {name: value.to(expected[name].dtype) for name, value in by_name.items()}


def _tensors(path: Path) -> dict[str, Tensor]:
    try:
        return load_weights(path, max_bytes=MAX_BYTES)
    except OSError as error:
        raise ConfigError(
            f"the weights {path} cannot be read ({error.strerror}): name another file, or "
            "remove the setting weights"
        ) from error
    except DataError as error:
        if path.suffix in PICKLED:
            raise ConfigError(
                f"{path.name} is a pickle, which is not read since it could run code: convert it "
                f"where you trust it, with {CONVERT}, and name the .safetensors file"
            ) from None
        raise ConfigError(f"{error}: name a .safetensors file of such weights") from None


def is_on_hub(weights: str) -> bool:
    """Whether ``weights`` names a model of the hub instead of a file."""
    return weights.startswith(PREFIX)


def hub_file(weights: str) -> str:
    """The path of ``hf://OWNER/NAME[@REVISION][/FILE.safetensors]``, fetched once and then kept.

    Only safetensors are accepted: a stranger's file must not run code.

    Raises:
        ConfigError: for a wrong address, a missing library, or a file that cannot be fetched.
    """
    parts = _ADDRESS.fullmatch(weights)
    if parts is None:
        raise ConfigError(
            f"'{weights[:100]}' names no weights on the hub: write hf://OWNER/NAME, e.g. "
            "hf://timm/resnet50.tv_in1k, or the path of a file"
        )
    try:
        from huggingface_hub import hf_hub_download
    except ImportError as error:
        raise ConfigError(
            f"weights from the hub need one more package: {how_to_install('features')}, "
            "or name a file"
        ) from error
    repository, revision, file = parts.groups()
    try:
        return str(hf_hub_download(repository, file or FILE, revision=revision))
    except Exception as error:  # the library raises many kinds, also for a missing network
        raise ConfigError(
            f"{weights} cannot be fetched ({type(error).__name__}): check the name and the "
            "connection, or name a file"
        ) from error
