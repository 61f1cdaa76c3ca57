"""A training state in one self-checking file, so that a kill never leaves half of one."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from rivae.errors import RunError
from rivae.files import write_atomic


def save_checkpoint(path: Path, tensors: dict[str, Tensor], state: dict[str, Any]) -> None:
    """Write tensors and a JSON state; the file it replaces becomes ``<name>.previous``.

    One file holds both and a digest of both, so they can never be of different epochs.
    """
    flat = {k: v.detach().cpu().contiguous() for k, v in tensors.items()}
    text = json.dumps(state, sort_keys=True)
    data = save(flat, metadata={"state": text, "digest": _digest(flat, text)})
    previous = path.with_name(path.name + ".previous")
    if path.exists():
        # A link, not a rename: at no moment is there no checkpoint under the name.
        previous.unlink(missing_ok=True)
        os.link(path, previous)
    write_atomic(path, data)


def load_checkpoint(path: Path) -> tuple[dict[str, Tensor], dict[str, Any], str]:
    """The newest undamaged state: (tensors, state, note).

    ``note`` is empty, or one sentence saying that the last file was damaged and the one before
    it is used.

    Raises:
        RunError: when there is no usable checkpoint.
    """
    previous = path.with_name(path.name + ".previous")
    note = ""
    for candidate in (path, previous):
        if not candidate.exists():
            continue
        try:
            return (*_read(candidate), note)
        except (SafetensorError, ValueError, OSError, KeyError):
            note = f"{candidate.name} is damaged; training goes on from the one before it"
    if note:
        raise RunError("every checkpoint of this run is damaged: start it again under a new name")
    raise RunError("this run has no checkpoint yet: start it again under a new name")


def _read(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    with safe_open(str(path), framework="pt") as stream:
        metadata = stream.metadata() or {}
        tensors = {key: stream.get_tensor(key) for key in stream.keys()}  # noqa: SIM118
    if metadata.get("digest") != _digest(tensors, metadata["state"]):
        raise ValueError("digest differs")
    state = json.loads(metadata["state"])
    if not isinstance(state, dict):
        raise ValueError("state is no object")
    return tensors, state


def _digest(tensors: dict[str, Tensor], text: str) -> str:
    digest = hashlib.blake2b(text.encode(), digest_size=16)
    for key in sorted(tensors):
        digest.update(key.encode())
        digest.update(tensors[key].reshape(-1).view(torch.uint8).numpy().tobytes())
    return digest.hexdigest()
