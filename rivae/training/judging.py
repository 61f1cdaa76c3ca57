"""Checks after an epoch: which models have diverged, the scores of the others, the best weights."""

from __future__ import annotations

import math
from contextlib import suppress
from typing import Any

import numpy as np
import torch

from rivae.base.errors import DataError
from rivae.data.base import PairedDataset
from rivae.models.base import Method
from rivae.models.stages import Stage
from rivae.training.checkpoint import save_checkpoint
from rivae.training.models import Models, TrainingJob, Validator

MAX_ROWS = 4000  # a covariance of the few latent dimensions needs no more


def finish_closed_form(method: Method, data: PairedDataset, seed: int) -> None:
    """Call ``method.finish`` with at most 4,000 training pairs, drawn by ``seed``.

    Raises:
        DataError: when the method finds no solution.
    """
    if not method.has_closed_form:
        return
    rows = data.splits["train"]
    if len(rows) > MAX_ROWS:
        rows = np.sort(np.random.default_rng(seed).permutation(rows)[:MAX_ROWS])
    method.eval()
    with torch.no_grad():
        method.finish(data.x1.batch(rows), data.x2.batch(rows), seed)


def measure(
    model: Method, job: TrainingJob, validate: Validator, device: torch.device
) -> dict[str, float]:
    """Validation scores of a model that is on the CPU, after its closed form is fitted there.

    The model moves to ``device``, where it trains: a card embeds pictures far faster.
    """
    finish_closed_form(model, job.data, job.config.seed)
    return validate(model.to(device), job.data)


class Judge:
    """Writes its findings into the ``progress`` of the models.

    Args:
        validate: measures a model on its validation rows; nothing is measured without it.
    """

    def __init__(self, models: Models, validate: Validator | None) -> None:
        self.models, self.validate = models, validate

    def look(self, s: int, stage: Stage, row: dict[str, Any]) -> None:
        """Check model ``s`` after an epoch of ``stage``, whose metrics are in ``row``.

        A model whose loss is not finite has failed. When a validation is due, so has one with a
        weight that is not finite; the scores of the others go into ``row["validation"]``.
        """
        progress, options = self.models.progress, self.models.options
        at_end = progress.stage_epoch == stage.epochs
        due = progress.stage_epoch % options.validate_every == 0 or at_end
        if progress.failed[s]:
            return
        if not math.isfinite(row["objective"]):
            self._give_up(s, f"the loss became {row['objective']}", stage)
        elif due:
            model = self.models.single(s)
            if not all(bool(torch.isfinite(p).all()) for p in model.parameters()):
                self._give_up(s, "a weight became infinite or NaN", stage)
            elif stage.validate and self.validate:
                self._measure(s, stage, model, row, self.validate)

    def start(self, stage: Stage) -> None:
        """Look at the models that ``stage`` begins with, where the start is a model already: an
        epoch that is no better does not replace it.
        """
        models = self.models
        if not models.method.start.is_model or stage.closed_form or not self.validate:
            return
        for s, job in enumerate(models.jobs):
            if not models.progress.failed[s]:
                with suppress(DataError):  # heads that mean nothing yet
                    scores = measure(models.single(s), job, self.validate, models.device)
                    if scores.get("score", -math.inf) > models.progress.best[s]:
                        self._track_best(s, stage, scores)

    def should_stop(self, stage: Stage) -> bool:
        """Whether the last stage has trained for too long without a better score."""
        patience = self.models.options.patience
        if patience is None or stage is not self.models.stages[-1]:
            return False
        return self.models.progress.since_best[0] >= patience

    def _measure(
        self, s: int, stage: Stage, model: Method, row: dict[str, Any], validate: Validator
    ) -> None:
        job = self.models.jobs[s]
        try:
            row["validation"] = measure(model, job, validate, self.models.device)
        except DataError:  # huge weights: their z or embeddings are infinite or NaN
            self._give_up(s, "z became infinite, NaN or constant", stage)
            return
        self._track_best(s, stage, row["validation"])

    def _give_up(self, s: int, what: str, stage: Stage) -> None:
        self.models.progress.failed[s] = (
            f"{what} in epoch {self.models.progress.epoch} ({stage.name}): "
            "lower the learning rate or raise eta"
        )

    def _track_best(self, s: int, stage: Stage, scores: dict[str, float]) -> None:
        models, progress = self.models, self.models.progress
        is_last = stage is models.stages[-1]
        if not (is_last or models.method.start.is_model) or "score" not in scores:
            return
        if scores["score"] > progress.best[s]:
            progress.best[s], progress.since_best[s] = scores["score"], 0
            if models.options.select == "best":
                record = {"epoch": progress.epoch, **scores}
                save_checkpoint(models.jobs[s].run.best_weights, models.weights(s), record)
        elif is_last:
            progress.since_best[s] += 1
