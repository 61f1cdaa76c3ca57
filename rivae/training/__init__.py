"""One trainer for every method: smooth starts, checkpoints, many seeds as one batch, alignment.

It may import ``metrics``, ``retrieval``, ``models``, ``runs`` and ``data``; ``jobs``, ``api`` and
the benchmark start it. Begin with ``trainer.Trainer``; ``smooth_start.py`` has the start that finds
the factors, ``alignment`` the steps on the axes of a trained model.

Its names are loaded on first use: settings are checked with ``alignment.registry``, which waits for
no trainer.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rivae.training.models import Listener, Position, TrainingJob, Watcher
    from rivae.training.trainer import Trainer

__all__ = ["Listener", "Position", "Trainer", "TrainingJob", "Watcher"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'rivae.training' has no attribute '{name}'")
    module = "trainer" if name == "Trainer" else "models"
    return getattr(importlib.import_module(f"rivae.training.{module}"), name)
