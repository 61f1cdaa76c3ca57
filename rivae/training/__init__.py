"""One trainer for every method; smooth starts, checkpoints, many seeds as one batch."""

from rivae.training.models import Listener, Position, TrainingJob, Watcher
from rivae.training.trainer import Trainer

__all__ = ["Listener", "Position", "Trainer", "TrainingJob", "Watcher"]
