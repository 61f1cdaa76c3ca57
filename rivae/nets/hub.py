"""Weights from the Hugging Face hub: ``hf://OWNER/NAME`` in place of a file's path."""

from __future__ import annotations

import re

from rivae.errors import ConfigError

PREFIX = "hf://"
FILE = "model.safetensors"
_PART = r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}"
_ADDRESS = re.compile(rf"{PREFIX}({_PART}/{_PART})(?:@({_PART}))?(?:/({_PART}\.safetensors))?")


def is_on_hub(weights: str) -> bool:
    """Whether ``weights`` names a model of the hub instead of a file."""
    return weights.startswith(PREFIX)


def hub_file(weights: str) -> str:
    """The path of ``hf://OWNER/NAME[@REVISION][/FILE.safetensors]``, fetched once and then kept.

    Only safetensors are taken: a file of a stranger must not run code.

    Raises:
        ConfigError: when the address is none, the library is missing, or the file cannot be had.
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
            "weights from the hub need one more package: pip install 'rivae-explorer[features]', "
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
