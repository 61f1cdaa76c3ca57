"""What a probe of a run has measured, and what follows for other lengths of its stages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from rivae.config import RunConfig
from rivae.jobs.fields import stage_lengths

# The first checkpoint, the change of axes and its two validations.
VALIDATIONS_AT_END = 3


@dataclass(frozen=True)
class StageTime:
    """One stage of training.

    Attributes:
        name: as in the log.
        setting: the setting that is its length, or "" where there is none.
        epochs: its length; 0 when the run leaves it out, then the times are 0 as well.
        steps: in an epoch.
        step_s: seconds of one step, the median.
        prepare_s: seconds before the first step.
        validated: whether its epochs are followed by validations.
    """

    name: str
    setting: str
    epochs: int
    steps: int
    step_s: float
    prepare_s: float
    validated: bool


@dataclass(frozen=True)
class Estimate:
    """Measured on this machine; ``memory`` and ``card_memory`` are peaks in bytes."""

    stages: tuple[StageTime, ...]
    start_s: float
    validate_s: float
    save_s: float
    validate_every: int
    checkpoint_seconds: float
    n_pairs: int
    device: str
    memory: int | None
    card_memory: int | None

    def seconds(self, lengths: Mapping[str, int] | None = None) -> float:
        """The whole run, with other lengths of stages by setting where some are given."""
        stages = sum(self.stage_seconds(stage, lengths) for stage in self.stages)
        return self.start_s + stages + VALIDATIONS_AT_END * self.validate_s

    def stage_seconds(self, stage: StageTime, lengths: Mapping[str, int] | None = None) -> float:
        """One stage with its validations and checkpoints."""
        epochs = (lengths or {}).get(stage.setting, stage.epochs)
        if not epochs:
            return 0.0
        each = stage.steps * stage.step_s
        # The state is kept after an epoch, but no more often than every checkpoint_seconds.
        saves = epochs * min(each / max(self.checkpoint_seconds, 1e-9), 1.0)
        validations = -(-epochs // self.validate_every) if stage.validated else 0
        return stage.prepare_s + epochs * each + saves * self.save_s + validations * self.validate_s

    def to_dict(self) -> dict[str, Any]:
        """For JSON; see ``from_dict``."""
        return asdict(self)

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Estimate:
        """The inverse of ``to_dict``."""
        stages = tuple(StageTime(**stage) for stage in value["stages"])
        return cls(**{**value, "stages": stages})


def estimate_key(config: RunConfig) -> str:
    """Equal for runs that one estimate holds for: name, seed and lengths of stages do not matter,
    but which stages there are does."""
    settings = dict(config.method.settings)
    for name in stage_lengths(config.method.name):
        settings[name] = min(settings.get(name, 0), 1)
    method = config.method.model_copy(update={"settings": settings, "preset": ""})
    alike = config.model_copy(update={"name": "-", "seed": 0, "parent": None, "method": method})
    return alike.model_dump_json()


def lengths_of(config: RunConfig) -> dict[str, int]:
    """The lengths of the stages of a run, by setting."""
    return {name: config.method.settings[name] for name in stage_lengths(config.method.name)}
