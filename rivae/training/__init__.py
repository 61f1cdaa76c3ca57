"""One trainer for every method; smooth starts, checkpoints, many seeds as one batch."""

from rivae.training.job import Job, Listener
from rivae.training.trainer import Trainer

__all__ = ["Job", "Listener", "Trainer"]
