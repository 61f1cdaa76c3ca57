"""Metrics of a training for TensorBoard or MLflow, where ``RIVAE_TRACKING`` names one of them.

``tensorboard:FOLDER`` writes event files below FOLDER, one folder per run; ``mlflow:URI`` logs to
that server or folder. Both packages are optional. An error in them is logged once and never stops
a training.
"""

from __future__ import annotations

import logging
import math
import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rivae.base.config import RunConfig
from rivae.base.paths import home_path
from rivae.runs import Run

TRACKING = "RIVAE_TRACKING"
EXPERIMENT = "rivae"
MAX_PARAM = 500  # characters that MLflow takes for a setting
log = logging.getLogger("rivae.jobs")


class Tracking:
    """A listener of a trainer; does nothing unless the environment asks for it.

    Args:
        run: the run that trains; its folder need not be there yet.
        config: its settings.
        target: "tensorboard:FOLDER", "mlflow:URI" or "" for none.
    """

    def __init__(self, run: Run, config: RunConfig, target: str | None = None) -> None:
        self.run, self.config = run, config
        self.target = os.environ.get(TRACKING, "") if target is None else target
        self._sink: _TensorBoard | _MLflow | None = None

    def __call__(self, row: dict[str, Any]) -> None:
        """One metrics row; notes are ignored."""
        if not self.target or "epoch" not in row:
            return
        try:
            if self._sink is None:
                self._sink = self._open(int(row["epoch"]))
            self._sink.write(int(row["epoch"]), dict(numbers_of(row)))
        except ImportError:
            log.warning(
                "%s=%s is left out: its package is missing, install rivae-explorer[tensorboard] "
                "or [mlflow]",
                TRACKING,
                self.target,
            )
            self.target = ""
        except Exception:
            log.warning("%s=%s is left out from here on", TRACKING, self.target, exc_info=True)
            self.target = ""

    def finish(self, complete: bool) -> None:
        """Write the rest; ``complete`` is False if the training is to be resumed."""
        sink, self._sink = self._sink, None
        try:
            if sink is not None and self.target:
                sink.close(complete)
        except Exception:
            log.warning("%s=%s could not be completed", TRACKING, self.target, exc_info=True)

    def _open(self, epoch: int) -> _TensorBoard | _MLflow:
        kind, _, where = self.target.partition(":")
        if kind == "tensorboard" and where:
            return _TensorBoard(home_path(where, TRACKING) / self.run.id, epoch)
        if kind == "mlflow" and where:
            return _MLflow(_with_home(where), self.run.id, self.config)
        raise ValueError("write tensorboard:FOLDER or mlflow:URI")


def _with_home(uri: str) -> str:
    """The URI, with "~" expanded if it is of a file or folder."""
    match = re.fullmatch(r"(file:(?://)?|sqlite:///|)(~.*)", uri)
    return f"{match[1]}{home_path(match[2], TRACKING)}" if match else uri


@contextmanager
def tracked(
    run: Run, config: RunConfig, listener: Callable[[dict[str, Any]], None] | None
) -> Iterator[Callable[[dict[str, Any]], None]]:
    """``listener`` and a ``Tracking`` of the run, for the time of its training."""
    tracking = Tracking(run, config)

    def hear(row: dict[str, Any]) -> None:
        tracking(row)
        if listener is not None:
            listener(row)

    try:
        yield hear
        tracking.finish(complete=True)
    finally:
        tracking.finish(complete=False)


def numbers_of(row: dict[str, Any]) -> Iterator[tuple[str, float]]:
    """The finite numbers of a metrics row, by "stage/term", "validation/score" or their name."""
    for key, value in row.items():
        if isinstance(value, dict):
            inner = {f"{key}/{name}": number for name, number in value.items()}
            yield from numbers_of(inner)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            if key in ("epoch", "total_epochs") or not math.isfinite(value):
                continue
            plain = "/" in key or key in ("step", "learning_rate", "seconds")
            yield key if plain else f"{row.get('stage', 'training')}/{key}", float(value)


class _TensorBoard:
    def __init__(self, folder: Path, epoch: int) -> None:
        from tensorboardX import SummaryWriter

        # Epochs from this one on, written by an earlier process, are trained again.
        self.writer = SummaryWriter(
            str(folder), purge_step=epoch, flush_secs=10, filename_suffix=f".{time.time_ns()}"
        )

    def write(self, epoch: int, numbers: dict[str, float]) -> None:
        for name, value in numbers.items():
            self.writer.add_scalar(name, value, epoch)

    def close(self, complete: bool) -> None:
        self.writer.close()


class _MLflow:
    def __init__(self, uri: str, name: str, config: RunConfig) -> None:
        # A server that does not answer then costs seconds once, not minutes at every epoch.
        os.environ.setdefault("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "1")
        os.environ.setdefault("MLFLOW_HTTP_REQUEST_TIMEOUT", "10")
        from mlflow.tracking import MlflowClient

        self.client = MlflowClient(tracking_uri=uri)
        existing = self.client.get_experiment_by_name(EXPERIMENT)
        experiment = (
            existing.experiment_id if existing else self.client.create_experiment(EXPERIMENT)
        )
        # A resumed training continues in its earlier entry.
        settings = config.model_dump_json()
        entries = self.client.search_runs([experiment], f"tags.`rivae.run` = '{name}'")
        same = [entry for entry in entries if entry.data.tags.get("rivae.config") == settings]
        if same:
            self.id = same[0].info.run_id
            self.client.update_run(self.id, "RUNNING")
            return
        tags = {"rivae.run": name, "rivae.config": settings}
        self.id = self.client.create_run(experiment, tags=tags, run_name=name).info.run_id
        for key, value in _settings(config.model_dump(mode="json")):
            self.client.log_param(self.id, key, value)

    def write(self, epoch: int, numbers: dict[str, float]) -> None:
        from mlflow.entities import Metric

        at = int(time.time() * 1000)
        rows = [Metric(name, value, at, epoch) for name, value in numbers.items()]
        self.client.log_batch(self.id, metrics=rows)

    def close(self, complete: bool) -> None:
        self.client.set_terminated(self.id, "FINISHED" if complete else "KILLED")


def _settings(values: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for key, value in values.items():
        if isinstance(value, dict):
            yield from _settings(value, f"{prefix}{key}.")
        else:
            yield prefix + key, str(value)[:MAX_PARAM]
