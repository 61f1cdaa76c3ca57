"""How long a run would take and how much memory it would need, from some real steps of each stage.

The data set and the model are the run's own. Every stage that the run has is trained for a moment;
embeddings of frozen embedders are computed for some of the rows only. Nothing is kept. The times
also hold for other lengths of the stages.
"""

from __future__ import annotations

import math
import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import torch

from rivae.app.forms.fields import stage_lengths
from rivae.base.config import RunConfig
from rivae.base.errors import ConfigError, RivaeError, RunError
from rivae.base.progress import Progress, silent
from rivae.base.scratch import scratch_folder
from rivae.data import PairedDataset, load_dataset
from rivae.models.registry import METHODS, method_config
from rivae.models.stages import Stage
from rivae.runs import Run
from rivae.training import Trainer, TrainingJob
from rivae.training.judging import measure
from rivae.training.state import make_optimiser, save_state
from rivae.training.trainer import seconds_between_saves
from rivae.training.validation import validation_scores

# The first checkpoint, the change of axes and its two validations.
VALIDATIONS_AT_END = 3


@dataclass(frozen=True)
class StageTime:
    """One stage of training.

    Attributes:
        name: as in the log.
        setting: the setting that holds its length, or "" where there is none.
        epochs: its length; 0 when the run leaves it out, then the times are 0 too.
        steps: per epoch.
        step_s: seconds of one step, the median.
        prepare_s: seconds before the first step.
        validated: whether the model is validated during this stage.
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
        """Seconds of the run; ``lengths`` are other lengths of stages by setting."""
        stages = sum(self.stage_seconds(stage, lengths) for stage in self.stages)
        return self.start_s + stages + VALIDATIONS_AT_END * self.validate_s

    def stage_seconds(self, stage: StageTime, lengths: Mapping[str, int] | None = None) -> float:
        """Seconds of one stage with its validations and checkpoints."""
        epochs = (lengths or {}).get(stage.setting, stage.epochs)
        if not epochs:
            return 0.0
        each = stage.steps * stage.step_s
        # The state is saved after an epoch, but not too often.
        between = seconds_between_saves(self.checkpoint_seconds, self.save_s)
        saves = epochs * min(each / max(between, 1e-9), 1.0)
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
    """Equal for runs that share an estimate: they may differ in name, seed and lengths of stages,
    but not in which stages they have."""
    settings = dict(config.method.settings)
    for name in stage_lengths(config.method.name):
        settings[name] = min(settings.get(name, 0), 1)
    method = config.method.model_copy(update={"settings": settings, "preset": ""})
    alike = config.model_copy(update={"name": "-", "seed": 0, "parent": None, "method": method})
    return alike.model_dump_json()


def lengths_of(config: RunConfig) -> dict[str, int]:
    """The lengths of the stages of a run, by setting."""
    return {name: config.method.settings[name] for name in stage_lengths(config.method.name)}


STEPS = 20
LIMIT_S = 20.0  # of one stage, but never fewer than three steps
CACHED_ROWS = 2048
TIMED_ROWS, TIMED_SIDE = 256, 400  # of what ``solving_seconds`` times


def probe(config: RunConfig, progress: Progress = silent) -> Estimate:
    """Train every stage of ``config`` for about 20 steps and measure.

    Args:
        progress: called with the current step and the share in [0, 1] that is done.

    Raises:
        ConfigError, DataError, RunError: such a run could not be trained; one sentence.
        KeyboardInterrupt: passed on; nothing is left behind.
    """
    progress("opening the data set", 0.0)
    start = time.monotonic()
    data = load_dataset(config.dataset.name, **config.dataset.settings)
    try:
        with scratch_folder("rivae-probe-") as folder:
            progress("building the model", 0.1)
            trainer = _Stopwatch([TrainingJob(Run.create(config, folder), data)])
            start_s = time.monotonic() - start
            settings = _settings_of_stages(config, data, trainer.models.stages)
            stages = [
                trainer.clock(stage, setting, progress)
                for stage, setting in zip(trainer.models.stages, settings, strict=True)
            ]
            progress("validation", 0.9)
            options = config.training
            return Estimate(
                stages=tuple(stages),
                start_s=start_s,
                validate_s=trainer.validation_s(),
                save_s=trainer.save_s,
                validate_every=options.validate_every,
                checkpoint_seconds=options.checkpoint_seconds,
                n_pairs=trainer.feed.n,
                device=str(trainer.models.device),
                memory=_memory(),
                card_memory=_card_memory(trainer.models.device),
            )
    except OSError as error:
        raise RunError(f"cannot write a temporary folder: {error.strerror}") from None
    except torch.OutOfMemoryError:
        raise ConfigError(
            f"the memory of {config.training.device} is too small for these settings: lower "
            "batch_size or choose smaller networks"
        ) from None


def _settings_of_stages(
    config: RunConfig, data: PairedDataset, stages: Sequence[Stage]
) -> list[str]:
    """The setting that holds the length of each stage, or "": found by giving each another one."""
    choice, shapes = config.method, (data.x1.shape, data.x2.shape)
    names = stage_lengths(choice.name)
    lengths = {name: 1_000 + i for i, name in enumerate(names)}
    names_by_length = {length: name for name, length in lengths.items()}
    settings = method_config(choice.name, {**choice.settings, **lengths})
    settings_of = [""] * len(stages)
    with suppress(RivaeError), torch.device("meta"):
        new_stages = METHODS[choice.name](settings, *shapes).stages()
        if [stage.name for stage in new_stages] == [stage.name for stage in stages]:
            settings_of = [names_by_length.get(stage.epochs, "") for stage in new_stages]
    return settings_of


def solving_seconds(shapes: Sequence[tuple[int, ...]], n: int) -> float:
    """How long ridge CCA of ``n`` pairs with these shapes takes: from one product of a part of the
    pairs, and one decomposition of a small matrix, which grow by known powers.
    """
    sizes = [math.prod(shape) for shape in shapes]
    part, side = min(n, TIMED_ROWS), min(TIMED_SIDE, *sizes)
    rows = np.ones((part, max(sizes)), dtype=np.float32)
    start = time.monotonic()
    rows.T @ rows
    product = (time.monotonic() - start) / (part * max(sizes) ** 2)
    small = np.diag(np.arange(side, dtype=np.float32)) + 1
    start = time.monotonic()
    np.linalg.eigh(small)
    decomposition = (time.monotonic() - start) / side**3
    products = n * (sizes[0] ** 2 + sizes[1] ** 2 + sizes[0] * sizes[1])
    ranks = [min(n, size) for size in sizes]
    return product * products + decomposition * sum(rank**2 * max(ranks) for rank in ranks)


class _EnoughError(Exception):
    """The stage has been trained for long enough."""


class _Stopwatch(Trainer):
    """A trainer that only begins its stages, and writes no rows."""

    def __init__(self, jobs: list[TrainingJob]) -> None:
        super().__init__(jobs, tick=self._note)
        self.save_s = 0.0
        self._ticks: list[tuple[int, float]] = []  # (epoch, time) at the beginning of each step
        self._limit = 0.0

    def clock(self, stage: Stage, setting: str, tell: Progress) -> StageTime:
        """Begin one stage and measure it; an empty one is not measured."""
        n, rows = self.feed.n, self.feed.rows
        steps = stage.epoch_steps(self.feed.n)
        if not stage.epochs:
            return StageTime(stage.name, setting, 0, steps, 0.0, 0.0, stage.validate)
        tell(stage.name, self._share(stage))
        if stage.closed_form:
            data = self.models.jobs[0].data
            seconds = solving_seconds((data.x1.shape, data.x2.shape), n)
            return StageTime(stage.name, setting, stage.epochs, 1, seconds, 0.0, stage.validate)
        try:
            return self._begin(stage, setting, steps)
        finally:
            self.feed.n, self.feed.rows = n, rows
            for kind in ("v1", "v2", "coordinates"):
                self.feed.tables.pop(kind, None)

    def validation_s(self) -> float:
        """Seconds of one validation; about 0 if it fails, as the model is hardly trained."""
        job = self.models.jobs[0]
        start = time.monotonic()
        model = self.models.single(0)
        with suppress(RivaeError):
            measure(model, job, validation_scores, self.models.device)
        return time.monotonic() - start

    def _begin(self, stage: Stage, setting: str, steps: int) -> StageTime:
        share = 1.0
        if stage.cached and not stage.needs_coordinates:  # those are made from all rows
            few = min(self.feed.n, max(CACHED_ROWS, 4 * stage.batch_size))
            share = few / self.feed.n
            self.feed.n, self.feed.rows = few, [rows[:few] for rows in self.feed.rows]
        groups = self.models.method.param_groups(stage.name)
        optimiser = make_optimiser(groups, stage.learning_rate)
        start = time.monotonic()
        self._prepare(stage)
        self._wait()
        prepare_s = (time.monotonic() - start) / share
        self.models.progress.stage_epoch = 0
        self._ticks, self._limit = [], time.monotonic() + LIMIT_S
        endless = replace(stage, epochs=max(stage.epochs, STEPS + 2))
        with suppress(_EnoughError):
            while True:
                self._epoch(endless, optimiser)
        start = time.monotonic()
        save_state(self.models, optimiser)
        self.save_s = max(self.save_s, time.monotonic() - start)
        return StageTime(
            stage.name,
            setting,
            stage.epochs,
            steps,
            self._seconds_per_step(),
            prepare_s,
            stage.validate,
        )

    def _note(self) -> None:
        """Before every step: note the time, and stop after enough steps."""
        self._wait()
        now = time.monotonic()
        self._ticks.append((self.models.progress.stage_epoch, now))
        if len(self._ticks) > STEPS or (len(self._ticks) > 3 and now > self._limit):
            raise _EnoughError

    def _after_epoch(self, stage: Stage, *rest: object) -> None:
        """Writes no rows or checkpoints, and does not check for divergence."""

    def _prepare(self, stage: Stage) -> None:
        try:
            super()._prepare(stage)
        except ConfigError:
            # Embedders that are hardly trained may give embeddings that cannot be unfolded.
            if not stage.needs_coordinates:
                raise
            shape = (self.feed.n, self.models.method.n_components)
            self.feed.tables["coordinates"] = torch.zeros(shape, device=self.models.device)

    def _seconds_per_step(self) -> float:
        """The median without the first step; across epochs only if each has just one step."""
        pairs = list(zip(self._ticks, self._ticks[1:], strict=False))
        within = [b[1] - a[1] for a, b in pairs[1:] if a[0] == b[0]]
        every = [b[1] - a[1] for a, b in pairs[1:]]
        return statistics.median(within or every or [0.0])

    def _wait(self) -> None:
        if self.models.device.type == "cuda":
            torch.cuda.synchronize(self.models.device)

    def _share(self, stage: Stage) -> float:
        ahead = [known.name for known in self.models.stages if known.epochs]
        return 0.15 + 0.75 * ahead.index(stage.name) / len(ahead)


def _memory() -> int | None:
    """The peak memory of this process in bytes; None where the system does not report it."""
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _card_memory(device: torch.device) -> int | None:
    """The peak memory of the card in bytes; None on the CPU."""
    return torch.cuda.max_memory_reserved(device) if device.type == "cuda" else None
