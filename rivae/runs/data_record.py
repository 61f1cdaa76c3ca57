"""``data.json`` and ``vocabulary.json`` of a run: its training data, and its words.

Other data may get the name of a data set later, so ``data.json`` has a hash of its content. Runs
before 2026-11-27 have none; for these the time of an import is compared. ``vocabulary.json`` has
the words and rules by which the model reads texts, so that later rules and texts do not change it.
Runs before 2026-11-28, and runs on data without texts, have none.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from rivae.base.config import RunConfig
from rivae.base.errors import DataError, RivaeError, RunError
from rivae.base.files import why_not, write_json
from rivae.base.reading.contents import Written, written
from rivae.base.reading.documents import read_own_form
from rivae.data.kitchens import renamed
from rivae.data.names import IMPORTED
from rivae.data.tokenizer import NEWEST
from rivae.data.vocabulary import UNKEPT, Vocabulary

if TYPE_CHECKING:
    from rivae.data.base import PairedDataset

DATA, VOCABULARY = "data.json", "vocabulary.json"
MAX_DATA, MAX_VOCABULARY = 64 * 1024, 16 * 2**20
CHANGED = "the data '{name}' were replaced{when}; this run was trained on the ones before"
UNSURE = (
    "the data '{name}' were imported{when}, after this run was trained, and it does not say on "
    "which data: they may be others"
)
DAMAGED = "{} of run {} is damaged: bring it back, or train a new run"
NEWER = "run {} reads words by rules of a newer version: update rivae to open it"
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
    """Record the data and the vocabulary of the run in ``folder``, each file if it is missing.

    Raises:
        RunError: the folder cannot be written.
    """
    record = DataRecord(dataset=data.name, content=data.content or "?", n_items=len(data))
    for name, content in ((DATA, record), (VOCABULARY, data.vocabulary)):
        if content is None or (folder / name).exists():
            continue
        try:
            write_json(folder / name, content.model_dump(mode="json"))
        except OSError as error:
            raise RunError(f"cannot write {folder}: {why_not(error)}") from None


def recorded_data(folder: Path) -> DataRecord | None:
    """The data that the run in ``folder`` was trained on; None without a record.

    Raises:
        DataError: the file is damaged.
    """
    path = folder / DATA
    try:
        return _read_data(path, written(path))
    except OSError:
        return None


def kept_vocabulary(folder: Path) -> Vocabulary:
    """The words and rules by which the run in ``folder`` reads texts.

    Raises:
        DataError: the file is damaged, or was written by a newer version.
    """
    path = folder / VOCABULARY
    try:
        vocabulary = _read_vocabulary(path, written(path))
    except OSError:
        return UNKEPT
    if vocabulary.tokenizer > NEWEST:
        raise DataError(NEWER.format(folder.name))
    return vocabulary


# Pages ask many times.
@lru_cache(maxsize=256)
def _read_data(path: Path, when: Written) -> DataRecord:
    return read_own_form(DataRecord, path, MAX_DATA, DAMAGED.format(DATA, path.parent.name))


@lru_cache(maxsize=32)
def _read_vocabulary(path: Path, when: Written) -> Vocabulary:
    damage = DAMAGED.format(VOCABULARY, path.parent.name)
    return read_own_form(Vocabulary, path, MAX_VOCABULARY, damage)


def data_named_now(folder: Path, config: RunConfig) -> RunConfig:
    """The configuration of the trained run in ``folder``, its data by the name they have now."""
    try:
        record = recorded_data(folder)
    except DataError:  # said when the data are opened
        return config
    name = renamed(config.dataset.name, record.content if record else None)
    if name == config.dataset.name:
        return config
    return config.model_copy(update={"dataset": config.dataset.model_copy(update={"name": name})})


def content_now(config: RunConfig) -> str:
    """The content hash of a run's data now, without reading items; "" if they cannot be opened."""
    from rivae.data.registry import dataset_content  # brings PyTorch
    from rivae.runs.named_files import require_open

    try:
        require_open(config)
        return dataset_content(config.dataset.name, config.dataset.settings)
    except (RivaeError, OSError):
        return ""


def data_change(folder: Path, config: RunConfig, start: Callable[[], str | None]) -> str:
    """A sentence, without a full stop, if the data have changed since the training of the run in
    ``folder``; "" if not, or if they cannot be opened. Does not read the items.

    Args:
        start: returns the ISO time of the start of the run; called if it has no record.

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
    # Equal times are no evidence of a change.
    if not import_time or not (begun := start()) or import_time <= begun:
        return ""
    return (UNSURE if config.imported else CHANGED).format(name=name, when=when)


def data_key(config: RunConfig) -> str:
    """8 hex digits of the content of a run's data now."""
    return hashlib.blake2b(content_now(config).encode(), digest_size=4).hexdigest()


def _import(config: RunConfig) -> tuple[str, str]:
    """The name of the data of a run for users, and the time of the import, "" for others."""
    from rivae.data.store.manifest import Manifest, find_store

    store = config.dataset.settings.get("store")
    if config.dataset.name != IMPORTED or not isinstance(store, str):
        return config.dataset.name, ""
    try:
        folder = find_store(store)
        return folder.name, Manifest.read(folder).created
    except DataError:
        return store, ""
