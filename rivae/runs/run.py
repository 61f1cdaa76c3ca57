"""The run folder, the single truth about a run: the only code that reads or writes its files.

A run folder holds ``config.json``, ``status.json``, ``metrics.jsonl``, ``timing.jsonl``,
``model.safetensors``, ``data.json``, ``vocabulary.json``, ``checkpoints/`` and, after ``rivae
evaluate``, ``evaluation.json`` (for other queries see ``evaluation_file``). Until the training
ends, ``preview.safetensors`` holds weights saved on the way. Modules of their own read and write
``axis_names.json``, ``alignment.json`` and ``previews/``.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import warnings
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rivae.base.config import Asks, RunConfig
from rivae.base.errors import ConfigError, DataError, DataReplacedWarning, RivaeError, RunError
from rivae.base.files import is_locked, write_atomic, write_json
from rivae.base.reading.documents import printable, read_own_form
from rivae.base.reading.regular import is_file, open_regular
from rivae.base.reading.weights import load_weights, read_header
from rivae.models.registry import build_method
from rivae.runs.data_record import MEND, content_now, data_change, data_key, kept_vocabulary
from rivae.runs.evaluation_file import (
    FILES,
    Evaluation,
    read_evaluation,
    require_room_for_evaluation,
    write_evaluation,
)
from rivae.runs.records import MAX_STATUS, MetricsLog, Status, now
from rivae.runs.settings import completed, stored_config

if TYPE_CHECKING:
    from torch import Tensor

    from rivae.data.base import PairedDataset
    from rivae.models.base import Method

# Models of this project are far smaller.
MODEL, PREVIEW = "model.safetensors", "preview.safetensors"
MAX_MODEL_BYTES = 4 * 2**30
NO_MODEL = "run {} has no trained model yet: let it finish or resume it"


class Run:
    """One run folder; files are read only when a property is used.

    Every property raises ``RunError`` with one sentence when its file is missing or damaged.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.id = _shown(self.path.name)
        self._content_key: tuple[tuple[int, int], str] | None = None

    def __repr__(self) -> str:
        return f"Run({self.id!r})"

    @classmethod
    def create(cls, config: RunConfig, root: Path) -> Run:
        """Make ``root/<config.name>`` with its configuration, all settings written down.

        Raises:
            RunError: when the name is taken, or the folder cannot be written.
        """
        path = Path(root) / config.name
        in_use = f"a run named {config.name} already exists: choose another --name, or resume it"
        if path.exists():
            raise RunError(in_use)
        # Created under another name, then renamed: no kill leaves a folder without configuration.
        folder = path.with_name(f".{config.name}.{os.getpid()}.tmp")
        try:
            (folder / "checkpoints").mkdir(parents=True)
            write_json(folder / "config.json", completed(config).model_dump(mode="json"))
            cls(folder).set_status(state="created", started=now())
            folder.rename(path)
        except OSError as error:
            shutil.rmtree(folder, ignore_errors=True)
            if path.exists():
                raise RunError(in_use) from None
            raise RunError(f"cannot write runs to {root}: {error.strerror}") from None
        return cls(path)

    # reading

    @cached_property
    def config(self) -> RunConfig:
        """The validated configuration."""
        try:
            return stored_config(self.path, trained=self.opens)
        except RivaeError as error:
            raise RunError(f"run {self.id}: {error}") from None

    @property
    def status(self) -> Status:
        """The last written status; a run whose process has ended is not "running" any more."""
        status = self._written_status()
        if status.state == "running" and not is_locked(self.lock_path):
            message = "its process is gone: resume it to continue"
            return status.model_copy(update={"state": "interrupted", "message": message})
        return status

    @property
    def config_or_none(self) -> RunConfig | None:
        """``config``, None where it is missing or damaged."""
        try:
            return self.config
        except RunError:
            return None

    @property
    def status_or_none(self) -> Status | None:
        """``status``, None where it is missing or damaged."""
        try:
            return self.status
        except RunError:
            return None

    @property
    def parent(self) -> str | None:
        """The id of the run that this one was derived from; None also where it cannot be read."""
        return config.parent if (config := self.config_or_none) is not None else None

    @property
    def is_training(self) -> bool:
        """Whether a process trains it now, as far as its status can be read."""
        return (status := self.status_or_none) is not None and status.state == "running"

    @property
    def lock_path(self) -> Path:
        """The file that the training process holds locked."""
        return self.path / ".lock"

    def _written_status(self) -> Status:
        unreadable = f"run {self.id} has no readable status.json: resume it or delete the folder"
        try:
            return read_own_form(Status, self.path / "status.json", MAX_STATUS, unreadable)
        except DataError as error:
            raise RunError(str(error)) from None

    @property
    def unfolded(self) -> Path:
        """The coordinates that a contrastive start found, which no later state can give again."""
        return self.path / "checkpoints" / "unfolded.safetensors"

    @property
    def best_weights(self) -> Path:
        """The weights with the best validation score, and these scores, with ``select="best"``."""
        return self.path / "checkpoints" / "best.safetensors"

    @property
    def log(self) -> MetricsLog:
        """``metrics.jsonl``: one row per epoch."""
        return MetricsLog(self.path / "metrics.jsonl")

    @property
    def timing(self) -> MetricsLog:
        """``timing.jsonl``: per epoch its "seconds" of training, and its "wall" seconds with
        validation and saving. Not in ``log``, which is the same in every repetition.
        """
        return MetricsLog(self.path / "timing.jsonl")

    def metrics(self) -> list[dict[str, Any]]:
        """The rows of ``log``."""
        return self.log.rows()

    @property
    def evaluation(self) -> Evaluation | None:
        """The results of ``rivae evaluate``, or None before it has run."""
        return self.evaluation_of("first")

    def evaluation_of(self, asks: Asks) -> Evaluation | None:
        """``evaluation`` of queries by the view ``asks``; None too once the data were replaced."""
        path = self.path / FILES[asks]
        if not os.path.lexists(path):
            return None
        try:
            evaluation = read_evaluation(path)
        except DataError as error:
            raise RunError(f"run {self.id}: {error}") from None
        # An older version did not say which data it measured.
        data_then = evaluation.settings.data
        now = content_now(self.config) if data_then else ""
        is_of_others = data_then != now if now else bool(self.data_change)
        return None if is_of_others else evaluation

    @property
    def ready(self) -> bool:
        """Whether there is a trained model."""
        return is_file(self.path / MODEL)

    @property
    def opens(self) -> bool:
        """Whether there is a model to open, also of a run in training."""
        return self.ready or is_file(self.path / PREVIEW)

    @property
    def preview_from(self) -> tuple[str, int]:
        """Stage and epoch (over all stages) of the preview weights; ("", 0) where unknown."""
        try:
            metadata = read_header(self.path / PREVIEW, MAX_MODEL_BYTES).metadata
            return _shown(metadata["stage"]), int(metadata["epoch"])
        except (DataError, OSError, KeyError, ValueError):
            return "", 0

    @property
    def content_hash(self) -> str:
        """16 hex digits of the model file: the key of every cache of this run."""
        digest = hashlib.blake2b(digest_size=8)
        try:
            with open_regular(self._model_path(preview=True)) as stream:
                while block := stream.read(1 << 20):
                    digest.update(block)
        except OSError:
            raise self._no_model() from None
        return digest.hexdigest()

    @property
    def shown_key(self) -> str:
        """The cache key of what is computed from the model and its data; changes with both."""
        return f"{self.model_key}-{data_key(self.config)}"

    @property
    def data_change(self) -> str:
        """A sentence where the data are not those of the training, see ``data_record``."""
        return data_change(self.path, self.config, lambda: self._written_status().started)

    def require_same_data(self) -> None:
        """RunError where the data are not those of the training."""
        if change := self.data_change:
            raise RunError(f"{self.id}: {change}: {MEND}")

    @property
    def model_key(self) -> str:
        """``content_hash``, computed again only after the model file has changed."""
        try:
            stat = self._model_path(preview=True).stat()
        except OSError:
            raise self._no_model() from None
        stamp = (stat.st_mtime_ns, stat.st_size)
        if self._content_key is None or self._content_key[0] != stamp:
            self._content_key = stamp, self.content_hash
        return self._content_key[1]

    def _no_model(self) -> RunError:
        return RunError(NO_MODEL.format(self.id))

    def _model_path(self, preview: bool) -> Path:
        path = self.path / (PREVIEW if preview and not self.ready else MODEL)
        try:
            size = path.stat().st_size if path.is_file() else None
        except OSError as error:
            why = f"{path.name} cannot be read ({error.strerror})"
            raise RunError(f"run {self.id}: {why}: restore it or delete the run") from None
        if size is None:
            raise self._no_model()
        if size > MAX_MODEL_BYTES:
            raise RunError(f"run {self.id}: {path.name} is too large to be a rivae model")
        return path

    def load_dataset(self) -> PairedDataset:
        """The data set that the run was trained on; its texts as the run's words.

        Warns:
            DataReplacedWarning: other data have its name now.
        """
        from rivae.data.registry import open_dataset
        from rivae.runs.named_files import require_open

        require_open(self.config)
        if change := self.data_change:
            warnings.warn(f"{self.id}: {change}", DataReplacedWarning, stacklevel=2)
        choice = self.config.dataset
        return open_dataset(choice.name, choice.settings, kept_vocabulary(self.path))

    def load_method(self, dataset: PairedDataset | None = None, *, preview: bool = False) -> Method:
        """The trained model in evaluation mode.

        Args:
            preview: use the model of a run in training if there is no trained one.

        Raises:
            RunError: when there is no model, or the file does not fit the configuration.
        """
        path, choice = self._model_path(preview), self.config.method
        data = dataset or self.load_dataset()
        shapes = data.x1.shape, data.x2.shape
        try:
            method = build_method(choice.name, choice.settings, *shapes, stored=True)
        except ConfigError as error:
            raise RunError(f"run {self.id}: config.json: {error}") from None
        try:
            expected_state = method.state_dict()
            method.load_state_dict(load_weights(path, expected_state, MAX_MODEL_BYTES))
        except (DataError, RuntimeError, OSError):
            self.require_same_data()
            raise RunError(
                f"run {self.id}: {path.name} is damaged or belongs to another "
                "configuration: train the run again"
            ) from None
        return method.eval()

    # writing

    def set_status(self, **changes: Any) -> None:
        """Change some fields of the status, atomically."""
        try:
            status = self._written_status()
        except RunError:
            status = Status()
        changed = status.model_copy(update={**changes, "updated": now()})
        write_json(self.path / "status.json", changed.model_dump())

    def write_model(self, method: Method) -> None:
        """Write ``model.safetensors`` atomically, and delete the preview."""
        self._write_weights(MODEL, method.state_dict())
        (self.path / PREVIEW).unlink(missing_ok=True)

    def write_preview(self, weights: Mapping[str, Tensor], stage: str = "", epoch: int = 0) -> None:
        """Write the current weights for viewing during training, see ``preview_from``."""
        self._write_weights(PREVIEW, weights, {"stage": stage, "epoch": str(epoch)})

    def _write_weights(
        self, name: str, weights: Mapping[str, Tensor], metadata: dict[str, str] | None = None
    ) -> None:
        from safetensors.torch import save

        state = {key: value.detach().cpu().contiguous() for key, value in weights.items()}
        write_atomic(self.path / name, save(state, metadata))

    def write_evaluation(self, evaluation: Evaluation, or_elsewhere: bool = False) -> None:
        """Write an evaluation, see ``evaluation_file.write_evaluation``."""
        write_evaluation(self.path, self.id, evaluation, or_elsewhere)

    def require_evaluation_room(self) -> None:
        """RunError where an evaluation cannot be saved here: to ask before its minutes."""
        require_room_for_evaluation(self.path, self.id)


def _shown(name: str) -> str:
    """A folder's name as printable text."""
    return printable(os.fsencode(name).decode("utf-8", "replace"))
