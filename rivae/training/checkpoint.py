"""A training state in one self-checking file, so that a kill never leaves half of one."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save
from torch import Tensor

from rivae.base.errors import DataError, RunError
from rivae.base.files import write_atomic
from rivae.base.reading.documents import parse_json
from rivae.base.reading.weights import load_weights, read_header

DAMAGED = "{} is damaged; training continues from the one before it"
ALL_DAMAGED = "every checkpoint of this run is damaged: start it again under a new name"
# Weights and the two moments of Adam.
MAX_BYTES = 12 * 2**30


@dataclass(frozen=True)
class Saved:
    """A training state; ``note`` is empty, or a sentence about a damaged file that was skipped."""

    tensors: dict[str, Tensor]
    state: dict[str, Any]
    note: str = ""

    @property
    def position(self) -> tuple[int, ...]:
        """Where in training it was saved; grows with time."""
        return tuple(self.state.get(key, 0) for key in ("stage", "stage_epoch", "epoch"))


def save_checkpoint(path: Path, tensors: dict[str, Tensor], state: dict[str, Any]) -> None:
    """Write tensors and a JSON state; the file it replaces becomes ``<name>.previous``.

    One file holds both and a digest of both, so they can never be of different epochs.
    """
    flat = {k: v.detach().cpu().contiguous() for k, v in tensors.items()}
    text = json.dumps(state, sort_keys=True)
    data = save(flat, metadata={"state": text, "digest": _digest(flat, text)})
    previous = _previous(path)
    if path.exists():
        previous.unlink(missing_ok=True)
        try:
            # A link, not a rename: at no moment is there no checkpoint under the name.
            os.link(path, previous)
        except OSError:  # a file system without hard links
            path.replace(previous)
    write_atomic(path, data)


def has_checkpoint(path: Path) -> bool:
    """Whether anything was ever saved under ``path``."""
    return path.exists() or _previous(path).exists()


def load_checkpoint(path: Path) -> Saved:
    """The newest undamaged state.

    Raises:
        RunError: when there is no usable checkpoint.
    """
    note = ""
    for candidate in (path, _previous(path)):
        if not candidate.exists():
            continue
        try:
            return Saved(*_read(candidate), note)
        except (DataError, ValueError, OSError, KeyError):
            note = DAMAGED.format(candidate.name)
    if note:
        raise RunError(ALL_DAMAGED)
    raise RunError("this run has no checkpoint yet: start it again under a new name")


def load_together(paths: list[Path]) -> list[Saved] | None:
    """The newest states of runs that train as one batch, all of one epoch.

    They are saved one after the other, so a kill may leave some of them one save ahead. None when
    the first save was never completed: training starts over.

    Raises:
        RunError: when they have no epoch in common.
    """
    paths_with_checkpoint = [path for path in paths if has_checkpoint(path)]
    if len(paths_with_checkpoint) < len(paths):
        if any(_previous(path).exists() for path in paths_with_checkpoint):
            raise RunError("some of these runs have not started yet: resume them one by one")
        return None
    checkpoints = [load_checkpoint(path) for path in paths]
    first = min(one.position for one in checkpoints)
    for i, path in enumerate(paths):
        if checkpoints[i].position != first and _previous(path).exists():
            checkpoints[i] = load_checkpoint(_previous(path))
        if checkpoints[i].position != first:
            raise RunError("the runs are at different epochs: resume them one by one")
    return checkpoints


def _previous(path: Path) -> Path:
    return path.with_name(path.name + ".previous")


def _read(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    metadata = read_header(path, MAX_BYTES).metadata
    tensors = load_weights(path, max_bytes=MAX_BYTES)
    if metadata.get("digest") != _digest(tensors, metadata["state"]):
        raise ValueError("digest differs")
    state = parse_json(metadata["state"], nan=True)
    if not isinstance(state, dict):
        raise ValueError("state is no object")
    return tensors, state


def _digest(tensors: dict[str, Tensor], text: str) -> str:
    digest = hashlib.blake2b(text.encode(), digest_size=16)
    for key in sorted(tensors):
        digest.update(key.encode())
        digest.update(tensors[key].reshape(-1).view(torch.uint8).numpy().tobytes())
    return digest.hexdigest()
