"""The training loop: any method, one model or many as one batch, resumable to the same bits."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable
from dataclasses import asdict
from itertools import islice
from typing import Any

import torch
from torch import Tensor

from rivae.base.errors import DataError, RunError
from rivae.base.files import why_not
from rivae.base.installed import cache_folder
from rivae.models.contrast_start import UnfoldStage
from rivae.models.registry import require_training
from rivae.models.stages import Batch, Noise, Stage
from rivae.training.checkpoint import load_checkpoint
from rivae.training.distributed import Group
from rivae.training.feed import Feed
from rivae.training.judging import Judge, finish_closed_form
from rivae.training.last_layers import solve_last_layers
from rivae.training.models import (
    Finaliser,
    Listener,
    Models,
    Position,
    TrainingJob,
    TrainingProgress,
    Validator,
    Watcher,
    check_jobs,
    clip_gradients,
    start_embedders,
)
from rivae.training.starts import fill_tables, require_pairs
from rivae.training.state import load_state, make_optimiser, restore_state, save_state

PREVIEW_S = 20.0  # between two models that are saved to be viewed during training


def seconds_between_saves(setting: float, save_s: float) -> float:
    """Seconds to wait until the next checkpoint, so that saving takes a twentieth at most.

    Twenty models that train as one batch save twenty files: once a second that was a third of
    their time.

    Args:
        setting: the setting ``checkpoint_seconds``; with 0 every epoch is saved.
        save_s: seconds that one checkpoint of all models takes.
    """
    return max(setting, 20 * save_s) if setting else 0.0


class Trainer:
    """Trains one job, or several with equal settings and sizes as one stacked model.

    Args:
        jobs: more than one are stacked; only ``seed`` and the draw of the data may differ.
        validate: measures a model on its validation rows.
        finalise: a last exact change of the trained model, e.g. of its axes, before it is kept; may
            return what is still to be done when it is.
        listener: receives every metrics row of the first job, with "seconds" and "total_epochs".
        tick: called before every step; an exception of it ends the training there, and everything
            since the last checkpoint is repeated when it is resumed.
        watch: called before every step, and before a stage is prepared, with the position.
        group: the processes that train together, each with its trainer; only the leading
            one validates, finalises, listens and writes.
    """

    def __init__(
        self,
        jobs: list[TrainingJob],
        validate: Validator | None = None,
        finalise: Finaliser | None = None,
        listener: Listener | None = None,
        tick: Callable[[], None] | None = None,
        group: Group | None = None,
        watch: Watcher | None = None,
    ) -> None:
        self.finalise, self.listener, self.tick, self.watch = finalise, listener, tick, watch
        self.group = group or Group()
        device = self.group.device(jobs[0].config.training.device)
        check_jobs(jobs, device)
        self.feed = Feed([job.data for job in jobs], len(jobs) > 1, device)
        require_training(jobs[0].config.method)
        self.models = Models(jobs, device)
        require_pairs(self.models.method, self.models.stages, self.feed.n)
        self.group.prepare(self.models, self.feed.n)
        start_embedders(self.models.method, jobs)
        self.models.to_device()
        self.judge = Judge(self.models, validate)
        self._saved_at = self._shown_at = -math.inf
        self._save_s = 0.0
        self._timed_at = time.monotonic()

    # public

    def fit(self, resume: bool = False) -> None:
        """Train to the end, from the last checkpoints if ``resume``.

        Raises:
            RunError: when there is nothing to resume from, or files cannot be written.
            KeyboardInterrupt: passed on after the runs were marked as interrupted; also where
                another process of the group has ended.
        """
        models = self.models
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(models.seeds[0])
            try:
                tensors = load_state(models, self._tell, self.group.leads) if resume else None
                self.group.wait()  # nothing is written before all have read
                if not resume and self.group.leads:
                    for job in models.jobs:
                        job.run.unfolded.unlink(missing_ok=True)
                if tensors is None:
                    self.group.same(models.method.state_dict().values())
                names = [job.run.id for job in models.jobs] if models.stacked else []
                models.set_status(
                    state="running",
                    total_epochs=models.total_epochs,
                    message="",
                    batch=names,
                    stages=[(stage.name, stage.epochs) for stage in models.stages],
                    precision=models.precision,
                    threads=torch.get_num_threads(),
                )
                self._timed_at = time.monotonic()
                self._run_stages(tensors)
                self._finish()
            except KeyboardInterrupt:
                with contextlib.suppress(OSError):
                    message = "stopped: resume it to continue"
                    models.set_status(state="interrupted", message=message)
                raise
            except OSError as error:
                message = f"the run cannot be written: {why_not(error)}, then resume it"
                raise RunError(message) from error

    # the loop

    def _run_stages(self, tensors: list[dict[str, Tensor]] | None) -> None:
        models = self.models
        for i, stage in enumerate(models.stages):
            if i < models.progress.stage:
                continue
            groups = models.method.param_groups(stage.name)
            optimiser = make_optimiser(groups, stage.learning_rate)
            if tensors is not None:
                restore_state(models, optimiser, tensors)
                tensors = None
            self._look(stage, 0, 0)
            self._prepare(stage)
            if stage.epochs and not models.progress.stage_epoch and self.group.leads:
                self.judge.start(stage)
            # Asked before the epoch: a run killed after its last epoch must not train another one.
            train = self._solve if stage.closed_form else self._epoch
            while models.progress.stage_epoch < stage.epochs and not self.judge.should_stop(stage):
                train(stage, optimiser)
            models.progress.stage, models.progress.stage_epoch = i + 1, 0
            self._save(None)

    def _prepare(self, stage: Stage) -> None:
        models, tables = self.models, self.feed.tables
        fill_tables(models, self.feed, stage, self.group)
        if not stage.epochs or models.progress.stage_epoch:
            return
        if stage.cached:
            models.method.begin(stage.name, tables["v1"], tables["v2"])
        elif isinstance(stage, UnfoldStage) and self.group.leads:
            solve_last_layers(models.method, self.feed, tables["target"])
        if stage.cached or isinstance(stage, UnfoldStage):
            self.group.same(models.method.state_dict().values())

    def _solve(self, stage: Stage, optimiser: torch.optim.Adam) -> None:
        """The one epoch of a stage in closed form, which is the same for models that are stacked
        on one data set.
        """
        start = time.monotonic()
        models, terms = self.models, dict[str, float]()
        models.require_one_dataset(stage.name)

        def watch(share: float) -> None:
            self._look(stage, round(100 * share), 100)
            if self.tick:
                self.tick()

        if self.group.leads:
            job = models.jobs[0]
            terms = models.method.start.solve(job.data, watch, cache_folder(job.run.path))
        self.group.same(models.method.state_dict().values())
        models.progress.stage_epoch += 1
        models.progress.epoch += 1
        means = {name: [value] * len(models.jobs) for name, value in terms.items()}
        self._after_epoch(stage, optimiser, means, time.monotonic() - start)

    def _epoch(self, stage: Stage, optimiser: torch.optim.Adam) -> None:
        start_time = time.monotonic()
        models, standing = self.models, self.models.progress
        steps = stage.epoch_steps(self.feed.n)
        total = max(1, steps * stage.epochs - 1)
        n_before = standing.stage_epoch * steps
        factor = math.prod(f for epoch, f in stage.milestones if epoch <= standing.stage_epoch)
        parameters = [p for group in optimiser.param_groups for p in group["params"]]
        models.method.train()
        sums: dict[str, Tensor] = {}
        noise = Noise(models.noise, models.stacked)
        batches = islice(self.feed.batches(stage, models.order), steps)
        for i, index in enumerate(batches):
            self._look(stage, i, steps)
            self.group.step(self.tick)
            progress = (n_before + i) / total
            factor_now = factor
            if isinstance(stage, UnfoldStage):
                factor_now *= min(1.0, (n_before + i + 1) / stage.warm_up)
            if stage.schedule == "cosine":
                factor_now *= 0.5 * (1 + math.cos(math.pi * progress))
            for group in optimiser.param_groups:
                group["lr"] = stage.learning_rate * group["scale"] * factor_now
            terms = models.method.loss(self._batch(stage, progress, noise, index))
            optimiser.zero_grad(set_to_none=True)
            terms["objective"].sum().backward()
            self.group.average(parameters)
            if models.options.clip_norm is not None:
                clip_gradients(parameters, models.options.clip_norm, models.stacked)
            optimiser.step()
            for key, value in terms.items():
                sums[key] = sums.get(key, 0.0) + value.detach()
        standing.stage_epoch += 1
        standing.epoch += 1
        standing.step += steps
        means = {key: (value / steps).reshape(-1).tolist() for key, value in sums.items()}
        self._after_epoch(stage, optimiser, means, time.monotonic() - start_time)

    def _batch(self, stage: Stage, progress: float, noise: Noise, index: Tensor) -> Batch:
        gather, share = self.feed.gather, self.group.share
        share.start(index.shape[-1])
        batch = Batch(stage=stage.name, progress=progress, noise=noise, share=share)
        if stage.cached:
            batch.v1, batch.v2 = gather("v1", index), gather("v2", index)
        else:
            rows = share.own(index)
            batch.x1, batch.x2 = gather("x1", rows), gather("x2", rows)
        if stage.needs_target:
            batch.target = gather("target", index)
        if stage.needs_coordinates:
            batch.coordinates = gather("coordinates", index)
        if stage.needs_words and "words" in self.feed.tables:
            batch.words = gather("words", index)
        return batch

    def _after_epoch(
        self,
        stage: Stage,
        optimiser: torch.optim.Adam,
        means: dict[str, list[float]],
        seconds: float,
    ) -> None:
        models, progress = self.models, self.models.progress
        for s, job in enumerate(models.jobs if self.group.leads else []):
            row: dict[str, Any] = {
                "epoch": progress.epoch,
                "stage": stage.name,
                "step": progress.step,
                "learning_rate": optimiser.param_groups[-1]["lr"],
                **{key: values[s if models.stacked else 0] for key, values in means.items()},
            }
            self.judge.look(s, stage, row)
            job.run.log.append(row)
            if s == 0 and self.listener:
                extra = {"seconds": seconds, "total_epochs": models.total_epochs}
                self.listener({**row, **extra})
        # The progress of the leading process decides for all when a stage ends.
        progress = models.progress = TrainingProgress(**self.group.broadcast(asdict(progress)))
        models.raise_if_all_failed()
        since_save = time.monotonic() - self._saved_at
        between = seconds_between_saves(models.options.checkpoint_seconds, self._save_s)
        if since_save >= between and progress.stage_epoch != stage.epochs:
            self._save(optimiser)
        now = time.monotonic()
        for job in models.jobs if self.group.leads else []:
            job.run.timing.append(
                {
                    "epoch": progress.epoch,
                    "seconds": round(seconds, 4),
                    "wall": round(now - self._timed_at, 4),
                }
            )
        self._timed_at = now

    def _save(self, optimiser: torch.optim.Adam | None) -> None:
        if not self.group.leads:
            return
        start_time = time.monotonic()
        save_state(self.models, optimiser)
        self._saved_at = time.monotonic()
        self._save_s = self._saved_at - start_time
        # After every stage, too: the axes of a short training come with its last ones.
        if optimiser is None or self._saved_at - self._shown_at >= PREVIEW_S:
            self._shown_at = self._saved_at
            self._write_previews()

    def _write_previews(self) -> None:
        progress = self.models.progress
        at_end = progress.stage_epoch == 0  # a stage, and the next one has not begun
        stage = self.models.stages[max(progress.stage - at_end, 0)].name
        for s, job in enumerate(self.models.jobs):
            if not progress.failed[s]:
                job.run.write_preview(self.models.weights(s), stage, progress.epoch)

    def _look(self, stage: Stage, step: int, steps: int) -> None:
        if self.watch and self.group.leads:
            epoch, total = self.models.progress.epoch, self.models.total_epochs
            self.watch(Position(stage.name, epoch, total, step, steps))

    def _tell(self, note: str) -> None:
        if note and self.listener:
            self.listener({"note": note})

    # the end

    def _finish(self) -> None:
        """Write every model that has not failed: its best weights, closed form and last change."""
        models, progress = self.models, self.models.progress
        for s, job in enumerate(models.jobs if self.group.leads else []):
            if progress.failed[s]:
                job.run.set_status(state="failed", message=progress.failed[s])
                continue
            model, best = models.single(s), job.run.best_weights
            if models.options.select == "best" and best.exists():
                checkpoint = load_checkpoint(best)
                self._tell(checkpoint.note)
                model.load_state_dict(checkpoint.tensors)
            try:
                finish_closed_form(model, job.data, job.config.seed)
            except DataError as error:
                progress.failed[s] = str(error)
                job.run.set_status(state="failed", message=str(error))
                continue
            then = self.finalise(model, job.data, job.run) if self.finalise else None
            job.run.write_model(model)
            if then:
                then()
            last = {"epoch": progress.epoch, "total_epochs": models.total_epochs}
            job.run.set_status(state="finished", stage="", message="", **last)
        models.raise_if_all_failed()
