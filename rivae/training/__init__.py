"""One trainer for every method; smooth starts, checkpoints, many seeds as one batch."""

from rivae.training.trainer import Job, Trainer

__all__ = ["Job", "Trainer"]
