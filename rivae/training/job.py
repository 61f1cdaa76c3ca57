"""One run to train, and what the trainer is given to measure and finish it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rivae.config import RunConfig
from rivae.data.base import PairedDataset
from rivae.methods.base import Method
from rivae.runs import Run

# Called with a single model; "score" (higher is better) selects the best epoch.
Validator = Callable[[Method, PairedDataset], dict[str, float]]
Finaliser = Callable[[Method, PairedDataset, Run], None]
Listener = Callable[[dict[str, Any]], None]


@dataclass(frozen=True)
class Standing:
    """Where a training is: so many epochs of all stages, and steps of the present epoch, are over.

    ``steps`` is 0 before the first epoch of a stage, while it is prepared.
    """

    stage: str
    epoch: int
    total_epochs: int
    step: int
    steps: int


Watcher = Callable[[Standing], None]


@dataclass
class Job:
    """A run folder and the data set it was configured with."""

    run: Run
    data: PairedDataset

    @property
    def config(self) -> RunConfig:
        """The settings of the run."""
        return self.run.config

    @property
    def checkpoint(self) -> Path:
        """Where the newest state of training is kept."""
        return self.run.path / "checkpoints" / "last.safetensors"
