"""The training loop: any method, one model or many as one batch, resumable to the same bits."""

from __future__ import annotations

import contextlib
import math
import time
from dataclasses import asdict
from typing import Any

import torch
from torch import Tensor

from rivae.errors import ConfigError, DataError, RunError
from rivae.files import remove_temporaries
from rivae.methods import build_method
from rivae.methods.base import Batch, Method, Noise, Stage
from rivae.nets.dropout import RandomLayer
from rivae.training.checkpoint import load_checkpoint, load_together, save_checkpoint
from rivae.training.closed_form import finish_closed_form
from rivae.training.feed import Feed
from rivae.training.job import Finaliser, Job, Listener, Validator
from rivae.training.stack import clip_gradients, take_model
from rivae.training.starting_weights import start_embedders
from rivae.training.state import Progress, joined_progress, make_optimiser, restore, snapshot
from rivae.training.tables import coordinates, embed_rows, smooth_targets


class Trainer:
    """Trains one job, or several with equal settings and sizes as one stacked model.

    Args:
        jobs: more than one are stacked; only ``seed`` and the draw of the data may differ.
        validate: measures a model on its validation rows.
        finalise: a last exact change of the trained model, e.g. of its axes, before it is kept.
        listener: receives every metrics row of the first job, with "seconds" and "total_epochs".
    """

    def __init__(
        self,
        jobs: list[Job],
        validate: Validator | None = None,
        finalise: Finaliser | None = None,
        listener: Listener | None = None,
    ) -> None:
        self.jobs, self.validate, self.finalise, self.listener = jobs, validate, finalise, listener
        self.stacked = len(jobs) > 1
        first = jobs[0]
        self.options = first.config.training
        for job in jobs[1:]:
            if job.config.method != first.config.method or job.config.training != self.options:
                raise ConfigError(
                    "runs that train as one batch must share all settings but the seed: "
                    "train them one by one"
                )
        if self.stacked and self.options.patience is not None:
            raise ConfigError("runs with patience stop at different epochs: train them one by one")
        self.device = torch.device(self.options.device)
        if self.device.type == "cuda" and (self.device.index or 0) >= torch.cuda.device_count():
            raise ConfigError(
                f"this machine has no device {self.options.device}: train with --device cpu"
            )
        self.feed = Feed([job.data for job in jobs], self.stacked, self.device)
        if self.feed.n < 4:
            raise ConfigError(f"{self.feed.n} training pairs are too few: at least 4 are needed")
        seeds = [job.config.seed for job in jobs]
        choice = first.config.method
        shapes = (first.data.x1.shape, first.data.x2.shape)
        self.method = build_method(choice.name, choice.settings, *shapes, seeds, self.stacked)
        start_embedders(self.method, jobs)
        self.method.to(self.device)
        if self.options.precision == "bf16":
            for module in self.method.modules():
                if hasattr(module, "autocast"):
                    module.autocast = True  # type: ignore[assignment]
        self.single = build_method(choice.name, choice.settings, *shapes)
        # Separate streams: the order of the rows does not depend on how much noise a loss draws.
        self.order = [torch.Generator().manual_seed(2 * seed + 1) for seed in seeds]
        self.noise = [torch.Generator(self.device).manual_seed(2 * seed) for seed in seeds]
        for module in self.method.modules():
            if isinstance(module, RandomLayer):
                module.generators = self.noise
        self.stages = self.method.stages()
        self.total_epochs = sum(stage.epochs for stage in self.stages)
        n = len(jobs)
        self.progress = Progress(best=[-math.inf] * n, since_best=[0] * n, failed=[""] * n)
        self._saved_at = -math.inf

    # public

    def fit(self, resume: bool = False) -> None:
        """Train to the end, or go on from the last checkpoints.

        Raises:
            RunError: when there is nothing to resume from, or files cannot be written.
            KeyboardInterrupt: passed on after the runs were marked as interrupted.
        """
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.jobs[0].config.seed)
            try:
                tensors = self._load() if resume else None
                names = [job.run.id for job in self.jobs] if self.stacked else []
                self._set_status(
                    state="running", total_epochs=self.total_epochs, message="", batch=names
                )
                self._run_stages(tensors)
                self._finish()
            except KeyboardInterrupt:
                with contextlib.suppress(OSError):
                    self._set_status(state="interrupted", message="stopped: `rivae resume` goes on")
                raise
            except OSError as error:
                message = f"cannot write the run: {error.strerror}; free some space and resume"
                raise RunError(message) from error

    # the loop

    def _run_stages(self, tensors: list[dict[str, Tensor]] | None) -> None:
        for i, stage in enumerate(self.stages):
            if i < self.progress.stage:
                continue
            optimiser = make_optimiser(self.method.param_groups(stage.name), stage.learning_rate)
            if tensors is not None:
                inside = any(key.startswith("optim/") for key in tensors[0])
                self._restore(optimiser if inside else None, tensors)
                tensors = None
            self._prepare(stage)
            # Asked before the epoch: a run killed after its last epoch must not train another one.
            while self.progress.stage_epoch < stage.epochs and not self._should_stop(stage):
                self._epoch(stage, optimiser)
            self.progress.stage, self.progress.stage_epoch = i + 1, 0
            self._save(None)

    def _prepare(self, stage: Stage) -> None:
        """Tables that the stage trains on: embeddings of frozen embedders, smooth targets."""
        if stage.cached and stage.epochs:
            self.feed.tables.update(embed_rows(self.method, self.feed))
        if stage.needs_target and stage.epochs and "target" not in self.feed.tables:
            datasets = [job.data for job in self.jobs]
            seeds = [job.config.seed for job in self.jobs]
            targets = smooth_targets(self.method, datasets, seeds, self.stacked)
            self.feed.tables["target"] = targets.to(self.device)
        if stage.needs_coordinates and stage.epochs:
            found = coordinates(self.method, self.feed, [job.config.seed for job in self.jobs])
            self.feed.tables["coordinates"] = found

    def _epoch(self, stage: Stage, optimiser: torch.optim.Adam) -> None:
        started = time.monotonic()
        steps = self.feed.steps(stage.batch_size)
        total = max(1, steps * stage.epochs - 1)
        done = self.progress.stage_epoch * steps
        factor = math.prod(f for epoch, f in stage.milestones if epoch <= self.progress.stage_epoch)
        parameters = [p for group in optimiser.param_groups for p in group["params"]]
        self.method.train()
        sums: dict[str, Tensor] = {}
        noise = Noise(self.noise, self.stacked)
        for i, index in enumerate(self.feed.batches(stage.batch_size, self.order)):
            progress = (done + i) / total
            if stage.schedule == "cosine":
                factor_now = factor * 0.5 * (1 + math.cos(math.pi * progress))
            else:
                factor_now = factor
            for group in optimiser.param_groups:
                group["lr"] = stage.learning_rate * group["scale"] * factor_now
            terms = self.method.loss(self._batch(stage, progress, noise, index))
            optimiser.zero_grad(set_to_none=True)
            terms["objective"].sum().backward()
            if self.options.clip_norm is not None:
                clip_gradients(parameters, self.options.clip_norm, self.stacked)
            optimiser.step()
            for key, value in terms.items():
                sums[key] = sums.get(key, 0.0) + value.detach()
        self.progress.stage_epoch += 1
        self.progress.epoch += 1
        self.progress.step += steps
        means = {key: (value / steps).reshape(-1).tolist() for key, value in sums.items()}
        self._after_epoch(stage, optimiser, means, time.monotonic() - started)

    def _batch(self, stage: Stage, progress: float, noise: Noise, index: Tensor) -> Batch:
        gather = self.feed.gather
        batch = Batch(stage=stage.name, progress=progress, noise=noise)
        if stage.cached:
            batch.v1, batch.v2 = gather("v1", index), gather("v2", index)
        else:
            batch.x1, batch.x2 = gather("x1", index), gather("x2", index)
        if stage.needs_target:
            batch.target = gather("target", index)
        if stage.needs_coordinates:
            batch.coordinates = gather("coordinates", index)
        return batch

    def _after_epoch(
        self,
        stage: Stage,
        optimiser: torch.optim.Adam,
        means: dict[str, list[float]],
        seconds: float,
    ) -> None:
        at_end = self.progress.stage_epoch == stage.epochs
        due = self.progress.stage_epoch % self.options.validate_every == 0 or at_end
        for s, job in enumerate(self.jobs):
            row: dict[str, Any] = {
                "epoch": self.progress.epoch,
                "stage": stage.name,
                "step": self.progress.step,
                "learning_rate": optimiser.param_groups[-1]["lr"],
                **{key: values[s if self.stacked else 0] for key, values in means.items()},
            }
            if not self.progress.failed[s] and not math.isfinite(row["objective"]):
                self._give_up(s, f"the loss became {row['objective']}", stage)
            elif due and not self.progress.failed[s]:
                model = self._model(s)
                if not all(bool(torch.isfinite(p).all()) for p in model.parameters()):
                    self._give_up(s, "a weight became infinite or NaN", stage)
                elif stage.validate and self.validate:
                    self._validate(s, stage, model, row)
            job.run.log.append(row)
            if s == 0 and self.listener:
                extra = {"seconds": seconds, "total_epochs": self.total_epochs}
                self.listener({**row, **extra})
        self._raise_if_all_failed()
        if time.monotonic() - self._saved_at >= self.options.checkpoint_seconds and not at_end:
            self._save(optimiser)

    def _validate(self, s: int, stage: Stage, model: Method, row: dict[str, Any]) -> None:
        assert self.validate is not None
        try:
            finish_closed_form(model, self.jobs[s].data, self.jobs[s].config.seed)
            row["validation"] = self.validate(model, self.jobs[s].data)
        except DataError:  # huge weights: their z or embeddings are infinite or NaN
            self._give_up(s, "z became infinite, NaN or constant", stage)
            return
        self._track_best(s, self.jobs[s], stage, row["validation"])

    def _give_up(self, s: int, what: str, stage: Stage) -> None:
        self.progress.failed[s] = (
            f"{what} in epoch {self.progress.epoch} ({stage.name}): "
            "lower the learning rate or raise eta"
        )

    def _track_best(self, s: int, job: Job, stage: Stage, scores: dict[str, float]) -> None:
        if stage is not self.stages[-1] or "score" not in scores:
            return
        if scores["score"] > self.progress.best[s]:
            self.progress.best[s], self.progress.since_best[s] = scores["score"], 0
            if self.options.select == "best":
                weights = take_model(self.method.state_dict(), s if self.stacked else None)
                path = job.run.path / "checkpoints" / "best.safetensors"
                save_checkpoint(path, weights, {"epoch": self.progress.epoch, **scores})
        else:
            self.progress.since_best[s] += 1

    def _should_stop(self, stage: Stage) -> bool:
        patience = self.options.patience
        if patience is None or stage is not self.stages[-1]:
            return False
        return self.progress.since_best[0] >= patience

    # state

    def _model(self, s: int) -> Method:
        """Model ``s`` on its own, on the CPU, in evaluation mode."""
        state = take_model(self.method.state_dict(), s if self.stacked else None)
        self.single.load_state_dict({k: v.cpu() for k, v in state.items()})
        return self.single.eval()

    def _save(self, optimiser: torch.optim.Adam | None) -> None:
        for s, job in enumerate(self.jobs):
            job.run.log.sync()
            index = s if self.stacked else None
            tensors = snapshot(self.method, optimiser, self.order, self.noise, index)
            state = asdict(self.progress)
            for key in ("best", "since_best", "failed"):
                state[key] = state[key][s]
            save_checkpoint(job.checkpoint, tensors, state)
        stage = self.stages[min(self.progress.stage, len(self.stages) - 1)].name
        self._set_status(state="running", stage=stage, epoch=self.progress.epoch)
        self._saved_at = time.monotonic()

    def _load(self) -> list[dict[str, Tensor]] | None:
        """Read the checkpoints and take over their progress; rows after them are dropped."""
        folders = [job.run.path / "checkpoints" for job in self.jobs]
        for folder in folders:
            remove_temporaries(folder)
            remove_temporaries(folder.parent)
        loaded = load_together([job.checkpoint for job in self.jobs])
        if loaded is None:
            self._tell("nothing was saved yet: training begins anew")
        else:
            self.progress = joined_progress([saved.state for saved in loaded])
            for saved in loaded:
                self._tell(saved.note)
        for job in self.jobs:
            job.run.log.truncate(self.progress.epoch)
        tensors = None if loaded is None else [saved.tensors for saved in loaded]
        if tensors is not None and self.progress.stage >= len(self.stages):
            self._restore(None, tensors)
        return tensors

    def _restore(
        self, optimiser: torch.optim.Adam | None, tensors: list[dict[str, Tensor]]
    ) -> None:
        try:
            restore(self.method, optimiser, self.order, self.noise, tensors, self.stacked)
        except (RuntimeError, KeyError, ValueError):
            raise RunError(
                "the checkpoint belongs to another configuration: start the run under a new name"
            ) from None

    def _tell(self, note: str) -> None:
        if note and self.listener:
            self.listener({"note": note})

    def _finish(self) -> None:
        for s, job in enumerate(self.jobs):
            if self.progress.failed[s]:
                job.run.set_status(state="failed", message=self.progress.failed[s])
                continue
            model = self._model(s)
            best = job.run.path / "checkpoints" / "best.safetensors"
            if self.options.select == "best" and best.exists():
                saved = load_checkpoint(best)
                self._tell(saved.note)
                model.load_state_dict(saved.tensors)
            try:
                finish_closed_form(model, job.data, job.config.seed)
            except DataError as error:
                self.progress.failed[s] = str(error)
                job.run.set_status(state="failed", message=str(error))
                continue
            if self.finalise:
                self.finalise(model, job.data, job.run)
            job.run.write_model(model)
            done = {"epoch": self.progress.epoch, "total_epochs": self.total_epochs}
            job.run.set_status(state="finished", stage="", message="", **done)
        self._raise_if_all_failed()

    def _raise_if_all_failed(self) -> None:
        if all(self.progress.failed):
            for job, reason in zip(self.jobs, self.progress.failed, strict=True):
                job.run.set_status(state="failed", message=reason)
            raise RunError(self.progress.failed[0])

    def _set_status(self, **changes: Any) -> None:
        for s, job in enumerate(self.jobs):
            if not self.progress.failed[s]:
                job.run.set_status(**changes)
