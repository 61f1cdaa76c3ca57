"""A run folder as the processes see it that do not lead: it is read and never written."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rivae.config import RunConfig
from rivae.runs import Run
from rivae.runs.records import MetricsLog

if TYPE_CHECKING:
    from torch import Tensor

    from rivae.methods.base import Method
    from rivae.runs.evaluation_file import Evaluation


class _Silent(MetricsLog):
    def append(self, row: dict[str, Any]) -> None:
        """Nothing: the leading process writes this row."""

    def sync(self) -> None:
        """Nothing."""

    def truncate(self, last_epoch: int) -> None:
        """Nothing."""


class Follower(Run):
    """The run whose folder another process writes, and may not have made yet.

    Args:
        config: of a new run; read from the folder by default.
    """

    def __init__(self, path: Path, config: RunConfig | None = None) -> None:
        super().__init__(path)
        if config is not None:
            self.config = config

    @property
    def log(self) -> MetricsLog:
        """The rows so far; new ones are dropped."""
        return _Silent(super().log.path)

    @property
    def timing(self) -> MetricsLog:
        """The times so far; new ones are dropped."""
        return _Silent(super().timing.path)

    def set_status(self, **changes: Any) -> None:
        """Nothing."""

    def write_model(self, method: Method) -> None:
        """Nothing."""

    def write_preview(self, weights: Mapping[str, Tensor]) -> None:
        """Nothing."""

    def write_evaluation(self, evaluation: Evaluation) -> None:
        """Nothing."""
