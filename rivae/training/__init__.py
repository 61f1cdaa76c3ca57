"""One trainer for every method: smooth starts, checkpoints, many seeds as one batch, alignment.

It may import ``metrics``, ``retrieval``, ``models``, ``runs`` and ``data``; ``jobs``, ``api`` and
the benchmark start it. Begin with ``trainer.Trainer``; ``smooth_start.py`` has the start that finds
the factors, ``alignment`` the steps on the axes of a trained model.
"""

from typing import TYPE_CHECKING

from rivae.base.lazy import loads_on_use

if TYPE_CHECKING:
    from rivae.training.models import Listener, Position, TrainingJob, Watcher
    from rivae.training.trainer import Trainer

__all__ = ["Listener", "Position", "Trainer", "TrainingJob", "Watcher"]


__getattr__ = loads_on_use(
    __name__,
    {name: f"{__name__}.{'trainer' if name == 'Trainer' else 'models'}" for name in __all__},
)
