"""One trainer for every method; smooth starts, checkpoints, many seeds as one batch."""

from rivae.training.models import Job, Listener, Standing, Watcher
from rivae.training.trainer import Trainer

__all__ = ["Job", "Listener", "Standing", "Trainer", "Watcher"]
