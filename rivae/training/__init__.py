"""One trainer for every method: smooth starts, checkpoints, many seeds as one batch, alignment.

It may import ``metrics``, ``retrieval``, ``models``, ``runs`` and ``data``; ``jobs``, ``api`` and
the benchmark start it. Begin with ``trainer.Trainer``; ``smooth_start.py`` has the start that finds
the factors, ``alignment`` the steps on the axes of a trained model.
"""

from rivae.training.models import Listener, Position, TrainingJob, Watcher
from rivae.training.trainer import Trainer

__all__ = ["Listener", "Position", "Trainer", "TrainingJob", "Watcher"]
