"""What is trained: a run and its data, the model of each, several stacked into one."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from rivae.base.config import RunConfig
from rivae.base.errors import ConfigError, RunError
from rivae.data.base import PairedDataset
from rivae.data.tokens import TokensView
from rivae.models.base import Method
from rivae.models.nets.layers import RandomLayer
from rivae.models.nets.precision import number_format
from rivae.models.nets.recipe_rnn import RecipeRNN
from rivae.models.nets.resnets import ResNet50Attention
from rivae.models.registry import build_method
from rivae.runs import Run
from rivae.training.checkpoint import has_checkpoint

# Called with a single model; "score" (higher is better) selects the best epoch.
Validator = Callable[[Method, PairedDataset], dict[str, float]]
# What it returns is called when the model is written, before the run counts as finished.
Finaliser = Callable[[Method, PairedDataset, Run], Callable[[], None] | None]
Listener = Callable[[dict[str, Any]], None]


@dataclass(frozen=True)
class Position:
    """The position of a training: finished epochs of all stages, finished steps of this epoch.

    ``steps`` is 0 before the first epoch of a stage, while it is prepared.
    """

    stage: str
    epoch: int
    total_epochs: int
    step: int
    steps: int


Watcher = Callable[[Position], None]


@dataclass
class TrainingJob:
    """A run folder and the data set it was configured with."""

    run: Run
    data: PairedDataset

    @property
    def config(self) -> RunConfig:
        """The settings of the run."""
        return self.run.config

    @property
    def checkpoint(self) -> Path:
        """The file of the newest state of training."""
        return self.run.path / "checkpoints" / "last.safetensors"


def take_model(state: dict[str, Tensor], s: int | None) -> dict[str, Tensor]:
    """The state of model ``s`` from a stacked state; for None a state that is not stacked."""
    if s is None:
        return dict(state)
    return {key: value[s] for key, value in state.items()}


def join_models(states: list[dict[str, Tensor]], stacked: bool) -> dict[str, Tensor]:
    """The inverse of ``take_model`` over all models."""
    if not stacked:
        return states[0]
    return {key: torch.stack([state[key] for state in states]) for key in states[0]}


@torch.no_grad()
def clip_gradients(parameters: Iterable[nn.Parameter], bound: float, stacked: bool) -> Tensor:
    """Scale the gradients of each model to a norm of at most ``bound``; returns the norms (S,).

    ``torch.nn.utils.clip_grad_norm_`` would clip S stacked models by their common norm, which
    makes a model's path depend on its neighbours.
    """
    grads = [p.grad for p in parameters if p.grad is not None]
    squares = [
        (g.reshape(g.shape[0], -1) if stacked else g.reshape(1, -1)).square().sum(-1) for g in grads
    ]
    norms = torch.stack(squares).sum(0).sqrt()
    factors = (bound / (norms + 1e-6)).clamp_max(1.0)
    for g in grads:
        g.mul_(factors.reshape(-1, *[1] * (g.dim() - 1)) if stacked else factors[0])
    return norms


@dataclass
class TrainingProgress:
    """The position of training and the results so far; without tensors and random states."""

    stage: int = 0
    stage_epoch: int = 0
    epoch: int = 0
    step: int = 0
    # Per model: the best validation score of the last stage, and validations since then.
    best: list[float] = field(default_factory=list)
    since_best: list[int] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)


def require_device(device: torch.device) -> None:
    """Raise ConfigError where this machine has no such device."""
    if device.type == "cuda" and (device.index or 0) >= torch.cuda.device_count():
        raise ConfigError(f"this machine has no device {device}: use --device cpu")


def check_jobs(jobs: list[TrainingJob], device: torch.device) -> None:
    """Check that these jobs can train on ``device``, several of them as one batch.

    Raises:
        ConfigError: they cannot.
    """
    first = jobs[0].config
    for job in jobs[1:]:
        if job.config.method != first.method or job.config.training != first.training:
            raise ConfigError(
                "runs that train as one batch must share all settings but the seed: "
                "train them one by one"
            )
    if len(jobs) > 1 and first.training.patience is not None:
        raise ConfigError("runs with patience stop at different epochs: train them one by one")
    require_device(device)


class Models:
    """Fresh models with the weights of their seeds, still on the CPU.

    Attributes:
        method: all of them, stacked when there is more than one.
        order, noise: a generator per model, for the order of the rows and for all random numbers.
        stages, total_epochs: all stages of the training.
        progress: their position, and which have failed and why.
    """

    def __init__(self, jobs: list[TrainingJob], device: torch.device) -> None:
        self.jobs, self.stacked, self.device = jobs, len(jobs) > 1, device
        first = jobs[0]
        self.options, choice = first.config.training, first.config.method
        self.seeds = [job.config.seed for job in jobs]
        shapes = (first.data.x1.shape, first.data.x2.shape)
        self.method = build_method(choice.name, choice.settings, *shapes, self.seeds, self.stacked)
        self._single = build_method(choice.name, choice.settings, *shapes)
        # Separate streams: the order of the rows does not depend on how much noise a loss draws.
        self.order = [torch.Generator().manual_seed(2 * seed + 1) for seed in self.seeds]
        self.noise = [torch.Generator(self.device).manual_seed(2 * seed) for seed in self.seeds]
        n = len(jobs[0].data.splits["train"])
        self.stages = tuple(stage.over(max(n, 1)) for stage in self.method.stages())
        self.total_epochs = sum(stage.epochs for stage in self.stages)
        n = len(jobs)
        self.precision = self._number_format()
        self.progress = TrainingProgress(best=[-math.inf] * n, since_best=[0] * n, failed=[""] * n)

    def _number_format(self) -> str:
        """That of the processor, or the one that a run to be resumed began with."""
        begun = ""
        with contextlib.suppress(RunError):  # a damaged status
            begun = self.jobs[0].run.status.precision
        return begun or number_format(self.options.precision, self.device)

    def to_device(self) -> None:
        """Move them to the device that they train on, and set them up for it."""
        self.method.to(self.device)
        for module in self.method.modules():
            if self.precision == "bf16" and hasattr(module, "autocast"):
                module.autocast = True  # type: ignore[assignment]
            if isinstance(module, RandomLayer):
                module.generators = self.noise

    def require_one_dataset(self, stage: str) -> None:
        """Check that all models learn from the same pairs.

        Raises:
            ConfigError: they do not.
        """
        if any(job.data is not self.jobs[0].data for job in self.jobs):
            raise ConfigError(
                f"{stage} is solved for one draw of the data at a time: train the runs one by one"
            )

    def weights(self, s: int) -> dict[str, Tensor]:
        """The weights of model ``s`` as they are now."""
        return take_model(self.method.state_dict(), s if self.stacked else None)

    def single(self, s: int) -> Method:
        """Model ``s`` alone, on the CPU, for evaluation; valid until the next call."""
        self._single.cpu().load_state_dict({k: v.cpu() for k, v in self.weights(s).items()})
        return self._single.eval()

    def set_status(self, **changes: Any) -> None:
        """Change the status of every run that has not failed."""
        for s, job in enumerate(self.jobs):
            if not self.progress.failed[s]:
                job.run.set_status(**changes)

    def raise_if_all_failed(self) -> None:
        """Mark the runs as failed, each with its reason, when no model is left.

        Raises:
            RunError: in that case, with the reason of the first.
        """
        if all(self.progress.failed):
            for job, reason in zip(self.jobs, self.progress.failed, strict=True):
                job.run.set_status(state="failed", message=reason)
            raise RunError(self.progress.failed[0])


def check_views(method: Method, data: PairedDataset) -> None:
    """Check that word numbers go to embedders that read them, and to no others.

    A method sees the shapes of its data only, and word numbers have the shape of any vector.

    Raises:
        ConfigError: they do not.
    """
    for side, view in ((1, data.x1), (2, data.x2)):
        reads_words = isinstance(getattr(method, f"embedder{side}", None), RecipeRNN)
        is_words = isinstance(view, TokensView)
        if is_words and not reads_words:
            raise ConfigError(
                f"{method.title} would take word numbers for measurements: set the embedder's "
                "kind to recipe-rnn where the method has one, or dataset.text=words"
            )
        if reads_words and not is_words:
            raise ConfigError("recipe-rnn reads word numbers: set dataset.text=tokens")
        if is_words and method.start.unfolds_pairs:
            raise ConfigError(
                "word numbers cannot be unfolded for a smooth start: set init=contrast or "
                "init=cos-sim-lvm"
            )


def start_embedders(method: Method, jobs: Sequence[TrainingJob]) -> None:
    """Load the weights and word vectors that the embedders of a new model start from.

    Not for runs with a checkpoint: they are trained already, and their files may be gone.

    Raises:
        ConfigError, DataError: when embedders and data do not match, or word vectors or weights
            are missing or do not fit.
    """
    data = jobs[0].data
    check_views(method, data)
    if not all(has_checkpoint(job.checkpoint) for job in jobs):
        load_pretrained(method, data)


def load_pretrained(method: Method, data: PairedDataset) -> None:
    """Load the weights and word vectors from elsewhere that the embedders start from.

    Raises:
        ConfigError, DataError: as ``start_embedders``.
    """
    for side, view in ((1, data.x1), (2, data.x2)):
        embedder = getattr(method, f"embedder{side}", None)
        if isinstance(embedder, ResNet50Attention):
            embedder.load_weights()
        if isinstance(embedder, RecipeRNN) and isinstance(view, TokensView):
            embedder.check_room(len(view.vocabulary))
            vectors = view.word_vectors(embedder.words.weight.shape[1])
            if vectors is not None:
                embedder.start_from(vectors)
