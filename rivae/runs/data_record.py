"""``data.json`` in a run's folder: which data the run was trained on, as a hash of what they hold.

A data set is known by its name, and other data may get the same name later. A run of a version
before 2026-11-27 has no such file; of imported data it is then known when they were imported.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from rivae.base.errors import DataError, RivaeError, RunError
from rivae.base.files import why_not, write_json
from rivae.base.reading.contents import Written, written
from rivae.base.reading.documents import read_own_form

if TYPE_CHECKING:
    from rivae.base.config import RunConfig
    from rivae.data.base import PairedDataset

DATA = "data.json"
MAX_BYTES = 64 * 1024
CHANGED = "the data '{name}' were replaced{when}; this run was trained on the ones before"
UNSURE = (
    "the data '{name}' were imported{when}, after this run was trained, and it does not say on "
    "which data: they may be others"
)
DAMAGED = "{} of run {} is damaged: bring it back, or train a new run"
MEND = "train a new run on them, or bring the data back"

_Text = Annotated[str, Field(max_length=1000)]


class DataRecord(BaseModel):
    """The data that a run was trained on.

    Attributes:
        dataset: their name.
        content: see ``rivae.data.registry.dataset_content``.
        n_items: their number.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)

    version: Literal[1] = 1
    dataset: _Text
    content: Annotated[str, Field(min_length=1, max_length=200)]
    n_items: Annotated[int, Field(ge=0)]


def record_data(folder: Path, data: PairedDataset) -> None:
    """Write down that the run in ``folder`` is trained on ``data``, atomically.

    Raises:
        RunError: the folder cannot be written.
    """
    record = DataRecord(dataset=data.name, content=data.content or "?", n_items=len(data))
    try:
        write_json(folder / DATA, record.model_dump())
    except OSError as error:
        raise RunError(f"cannot write {folder}: {why_not(error)}") from None


def recorded_data(folder: Path) -> DataRecord | None:
    """What the run in ``folder`` was trained on; None where it does not say.

    Raises:
        DataError: the file is damaged.
    """
    path = folder / DATA
    try:
        return _read(path, written(path))
    except OSError:
        return None


@lru_cache(maxsize=256)  # pages ask many times
def _read(path: Path, when: Written) -> DataRecord:
    return read_own_form(DataRecord, path, MAX_BYTES, DAMAGED.format(DATA, path.parent.name))


def content_now(config: RunConfig) -> str:
    """What the data of a run hold now; "" where they cannot be opened, which opening them explains.

    Does not read the items.
    """
    from rivae.data.registry import dataset_content  # brings PyTorch
    from rivae.runs.named_files import require_open

    try:
        require_open(config)
        return dataset_content(config.dataset.name, config.dataset.settings)
    except (RivaeError, OSError):
        return ""


def data_change(folder: Path, config: RunConfig, start: Callable[[], str | None]) -> str:
    """One sentence, without a full stop, where the data are not those that the run in ``folder``
    was trained on; "" where they are, or cannot be opened at all. Does not read the items.

    Args:
        start: gives the ISO time at which the run began; asked where it has no record.

    Raises:
        RivaeError: the run or its record cannot be read.
    """
    record = recorded_data(folder)
    if record is None and "store" not in config.dataset.settings:
        return ""  # of an older version, on data that nobody imports
    now = content_now(config)
    if not now or (record is not None and record.content == now):
        return ""
    name, import_time = _import(config)
    when = f" on {import_time[:10]}" if import_time else ""
    if record is not None:
        return CHANGED.format(name=name, when=when)
    # A clock that tells the same second twice must not accuse anybody.
    if not import_time or not (begun := start()) or import_time <= begun:
        return ""
    return (UNSURE if config.imported else CHANGED).format(name=name, when=when)


def data_key(config: RunConfig) -> str:
    """8 hex digits for what the data of a run hold now."""
    return hashlib.blake2b(content_now(config).encode(), digest_size=4).hexdigest()


def _import(config: RunConfig) -> tuple[str, str]:
    """What a person calls the data of a run, and when they were imported, "" for others."""
    from rivae.data.names import IMPORTED
    from rivae.data.store.manifest import Manifest, find_store

    store = config.dataset.settings.get("store")
    if config.dataset.name != IMPORTED or not isinstance(store, str):
        return config.dataset.name, ""
    try:
        folder = find_store(store)
        return folder.name, Manifest.read(folder).created
    except DataError:
        return store, ""
