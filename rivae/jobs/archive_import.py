"""Imports a run from an archive, which is not trusted.

Its files are unpacked into a hidden folder next to the runs and checked there. Then the folder is
renamed in one step, so that no unchecked run is ever listed.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import torch

from rivae.base.config import RunConfig, read_config, run_config
from rivae.base.errors import ConfigError, DataError, RivaeError, RunError
from rivae.base.files import is_folder, is_locked, locked, sync_folder, why_not, write_json
from rivae.base.paths import home_path
from rivae.base.reading.documents import read_json
from rivae.base.reading.regular import open_regular
from rivae.base.reading.weights import Shape, read_header
from rivae.data import item_shapes
from rivae.jobs.renaming import require_free
from rivae.models.registry import build_method
from rivae.runs import Run
from rivae.runs.added_axes import ADDED_AXES, read_added_axes
from rivae.runs.archive import CHECKPOINTS, FILES, unpack
from rivae.runs.axis_names import AXIS_NAMES, MAX_AXES, read_names
from rivae.runs.data_record import kept_vocabulary, recorded_data
from rivae.runs.evaluation_file import FILES as EVALUATIONS
from rivae.runs.named_files import named_files, require_open
from rivae.runs.notes import ABOUT, read_about
from rivae.runs.run import MAX_MODEL_BYTES, MODEL
from rivae.runs.selections import SELECTIONS, read_selections

_WAITING = re.compile(r"\.[0-9a-f]{32}\.import")


@dataclass(frozen=True, slots=True)
class Imported:
    """A run that was imported, and remarks on what could not be checked."""

    run: Run
    remarks: tuple[str, ...] = ()


def import_run(
    source: Path | IO[bytes], root: Path, name: str = "", *, files: bool = True
) -> Imported:
    """Import the run of an archive into ``root``.

    Args:
        source: a file, or a stream that can seek.
        name: of the run here; its name in the archive by default.
        files: whether its settings may name files of this machine.

    Raises:
        ConfigError: its configuration is wrong, or the name cannot name a run.
        RunError: it is no archive, damaged, too large or holds anything but a run's files; a run
            of this name exists; or the disk is full. Nothing is left behind.
    """
    with contextlib.ExitStack() as stack:
        stream = stack.enter_context(_opened(source)) if isinstance(source, Path) else source
        try:
            folder = stack.enter_context(_waiting_room(root))
            manifest = unpack(stream, folder)
            config, remarks = check_run(folder, name or manifest.name, files=files)
            require_free(config.name, root)
            target = root / config.name
            (folder / "checkpoints").mkdir(exist_ok=True)
            folder.rename(target)
        except OSError as error:
            raise RunError(f"the run cannot be imported: {why_not(error)}") from None
    sync_folder(root)
    return Imported(Run(target), remarks)


def _opened(source: Path) -> IO[bytes]:
    try:
        return open_regular(source)
    except OSError as error:
        why = error.strerror or error
        raise RunError(f"{source.name} cannot be imported: {why}; name another file") from None


@contextlib.contextmanager
def _waiting_room(root: Path) -> Iterator[Path]:
    """A new hidden folder in ``root``; it is removed at the end unless it was renamed."""
    root.mkdir(parents=True, exist_ok=True)
    remove_abandoned(root)
    folder = root / f".{uuid.uuid4().hex}.import"
    folder.mkdir()
    try:
        with locked(folder / ".lock"):
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def remove_abandoned(root: Path) -> None:
    """Remove the folders of imports that were killed."""
    for folder in root.glob(".*.import"):
        if not _WAITING.fullmatch(folder.name) or not is_folder(folder):
            continue
        with contextlib.suppress(OSError):
            old = time.time() - folder.stat().st_mtime > 60
            if old and os.name == "posix" and not is_locked(folder / ".lock"):
                shutil.rmtree(folder, ignore_errors=True)


# checking the files, each with the code that reads it later


def check_run(
    folder: Path, name: str = "", *, files: bool = True
) -> tuple[RunConfig, tuple[str, ...]]:
    """Check every file of a run in ``folder`` and give the run its name here.

    Args:
        name: the one in its configuration by default.
        files: whether its settings may name files of this machine.

    Returns:
        The configuration, and remarks on what could not be checked.

    Raises:
        ConfigError, DataError, RunError: one sentence about the first wrong file.
    """
    config = read_config(folder / "config.json")
    paths = named_files(config)
    config = run_config(
        **{**config.model_dump(), "name": name or config.name, "imported": bool(paths)}
    )
    if paths and not files:
        raise RunError(
            f"its settings name files ({', '.join(paths)[:200]}), which only visitors at this "
            "machine may: import it there, or with `rivae import-run`"
        )
    write_json(folder / "config.json", config.model_dump(mode="json"))
    run = Run(folder)
    run.id = config.name
    _check_status(run)
    _check_rows(run)
    recorded_data(folder)  # reading it checks it
    kept_vocabulary(folder)
    for asks in EVALUATIONS:
        run.evaluation_of(asks)  # reading it checks it
    _check_alignment(folder / "alignment.json")
    if (folder / AXIS_NAMES).is_file():
        read_names(folder / AXIS_NAMES, MAX_AXES)
    if (folder / ADDED_AXES).is_file():
        read_added_axes(folder / ADDED_AXES)
    if (folder / SELECTIONS).is_file():
        read_selections(folder / SELECTIONS)
    if (folder / ABOUT).is_file():
        read_about(folder / ABOUT)
    for weights in (MODEL, *CHECKPOINTS):
        _check_weights(folder / weights)
    return config, tuple(_check_model(run))


def _check_status(run: Run) -> None:
    if not (run.path / "status.json").is_file():
        raise RunError("status.json is missing in this archive: export the run again")
    status = run.status
    stages = [name for name, _ in status.stages]
    words = (status.message, status.stage, status.updated, status.started or "", *stages)
    if len(stages) > 100 or any(len(text) > 1000 or not text.isprintable() for text in words):
        raise RunError("status.json in this archive is no status of a run")
    # The runs that it trained with are not here; others may have their names.
    state = "interrupted" if status.state == "running" else status.state
    own_status = status.model_copy(update={"batch": [], "state": state})
    write_json(run.path / "status.json", own_status.model_dump())


def _check_rows(run: Run) -> None:
    for row in run.log.each():
        if not isinstance(row.get("epoch"), int) or not isinstance(row.get("stage"), str):
            raise RunError("metrics.jsonl in this archive holds rows that are no epochs")
    for _ in run.timing.each():
        pass  # its values are checked when they are drawn; here its lines are counted


def _check_alignment(path: Path) -> None:
    """A JSON object where it is there: no code reads more of it."""
    if not path.exists():
        return
    try:
        value = read_json(path, FILES[path.name])
    except DataError:
        value = None
    if not isinstance(value, dict):
        raise RunError(f"{path.name} in this archive is damaged")


def _check_weights(path: Path) -> None:
    if not path.exists():
        return
    try:
        read_header(path, CHECKPOINTS.get(f"checkpoints/{path.name}", MAX_MODEL_BYTES))
    except (DataError, OSError):
        raise RunError(f"{path.name} in this archive holds no weights") from None


def _check_model(run: Run) -> Iterator[str]:
    """Compare the model with its configuration where its data set is here; remarks where not."""
    paths = named_files(run.config)
    if paths:
        names = ", ".join(paths)
        yield f"its settings name files of the machine it was trained on ({names[:300]})"
    if not run.ready:
        yield "it has no trained model"
        return
    # A stranger's settings open plain files and folders only, in the app only those it may read.
    try:
        require_open(run.config)
        here = all(_is_plain(path) for path in paths)
    except DataError:
        here = False
    if not here:
        yield "its data are not here, so the model was not tried"
        return
    dataset = run.config.dataset
    try:
        shapes = item_shapes(dataset.name, dataset.settings, kept_vocabulary(run.path))
    except DataError as error:
        yield f"its data set cannot be opened here ({error}), so the model was not tried"
        return
    except RivaeError as error:
        raise RunError(f"the data set of this run cannot be made: {error}") from None
    if change := run.data_change:
        yield f"{change}, so the model was not tried"
        return
    if read_header(run.path / MODEL, MAX_MODEL_BYTES).shapes != _shapes_wanted(run, shapes):
        raise RunError("the model in this archive belongs to another configuration")


def _is_plain(path: str) -> bool:
    try:
        place = home_path(path)
        return place.is_file() or place.is_dir()
    except (OSError, ValueError, ConfigError):  # longer than a path can be, with a NUL, no user
        return False


def _shapes_wanted(run: Run, shapes: tuple[Shape, Shape]) -> dict[str, Shape]:
    """Made without weights: a configuration may ask for more than the memory holds."""
    choice = run.config.method
    with torch.device("meta"):
        method = build_method(choice.name, choice.settings, *shapes, stored=True)
    return {key: tuple(value.shape) for key, value in method.state_dict().items()}
