"""Writes imported pairs chunk by chunk, so that a killed import resumes where it stopped.

A chunk is two files: ``pictures-00000.bin`` (encoded pictures, one after the other, if any) and
then ``items-00000.parquet`` (texts, factors and each picture's place). Only a chunk whose Parquet
file exists is finished; until all are, ``marks-00000.bin`` says which of its pictures are the same.
The files grow in ``.NAME~FINGERPRINT.partial`` next to the final folder: the same import finds them
again, and a corrected one with other files or settings begins in a separate folder. When an import
is finished, unfinished ones of the same name are deleted.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from rivae.base.errors import DataError, WorkStoppedError
from rivae.base.files import (
    is_locked,
    locked,
    remove_temporaries,
    sync_folder,
    write_atomic,
    write_atomic_with,
    write_json,
)
from rivae.data.recipe import Recipe
from rivae.data.store.content import ContentDigest, read_content
from rivae.data.store.layout import (
    FACTOR_PREFIX,
    ROW_GROUP,
    TEXT_FIELDS,
    items_path,
    marks_path,
    pictures_path,
)
from rivae.data.store.manifest import FactorColumn, Manifest
from rivae.data.store.twins import MARK_BYTES, NO_MARK, Groups, write_groups

CHUNK_ITEMS = 25_000
CHUNK_BYTES = 128 << 20  # of pictures; a killed import reads those of its last chunk again
POSITION = b"rivae.source_position"
FINGERPRINT = "import.json"
LOCK = ".lock"

_IDENTITY = ("id", "title", "ingredients", "instructions")
_OF_RECIPE = tuple(field.name for field in fields(Recipe))


def store_id(folder: Path, name: str, n_chunks: int) -> str:
    """16 hexadecimal digits that name the data in ``folder``: its name, its ids and its texts.

    So two imports whose records are all numbered 1, 2, 3 … differ, and the same files imported
    again under the same name, here or on another machine, are the same data.

    Raises:
        OSError, pa.ArrowException: when a file is missing or damaged.
    """
    digest = hashlib.blake2b(name.encode(), digest_size=8)
    for chunk in range(n_chunks):
        with pq.ParquetFile(items_path(folder, chunk)) as file:
            for group in range(file.num_row_groups):
                table = file.read_row_group(group, columns=list(_IDENTITY))
                for column in _IDENTITY:
                    digest.update(json.dumps(table[column].to_pylist()).encode())
    return digest.hexdigest()


@dataclass(frozen=True)
class StoreItem:
    """One pair as it is stored.

    Attributes:
        picture: an encoded JPEG, PNG or WebP, or b"" without one.
        partition: "train", "validation", "test", or "" when the split is to be drawn.
        factors: name -> number (a code for categories); all factors, or the item is unusable.
        ingredient_names: names without amounts, where the source gives them.
        mark: 12 bytes that items of one picture share, see ``rivae.data.store.twins``.
    """

    recipe: Recipe
    picture: bytes = b""
    partition: str = ""
    factors: Mapping[str, float] = field(default_factory=dict)
    ingredient_names: tuple[str, ...] = ()
    mark: bytes = NO_MARK


class StoreWriter:
    """Collects items and writes full chunks.

    Args:
        folder: path of the finished folder; it must not exist.
        fingerprint: says which import this is; the same one resumes.
        factor_names: the columns of ``StoreItem.factors``.

    Raises:
        DataError: when the folder exists, the disk refuses, or the same import is running.
    """

    def __init__(
        self,
        folder: Path,
        fingerprint: Mapping[str, Any],
        factor_names: tuple[str, ...] = (),
        chunk_items: int = CHUNK_ITEMS,
    ) -> None:
        self.folder, self.factor_names, self.chunk_items = folder, factor_names, chunk_items
        if folder.exists():
            raise DataError(f"{folder} already exists: choose another name or delete that folder")
        which = json.loads(json.dumps(fingerprint, sort_keys=True, default=str))
        self.partial = _partial(folder, which)
        self.chunks: list[int] = []
        self.source_position = 0
        self._pictures: list[bytes] = []
        self._marks = bytearray()
        # By column: a million objects that wait would be looked through again and again by
        # Python's collector.
        self._rows: dict[str, list[Any]] = self._no_rows()
        self._bytes = 0
        self._content = ContentDigest(factor_names)
        self._locks = ExitStack()
        self._new_folders: list[Path] = []
        self._is_resumed = False
        try:
            self._begin(which)
        except BlockingIOError as error:
            raise DataError(
                f"the same import into {folder.name} is running: wait until it is finished"
            ) from error
        except OSError as error:
            self.give_up(keep=True)
            raise DataError(
                f"{folder.parent} cannot be written: {error.strerror}; choose another folder with "
                "RIVAE_DATA"
            ) from error

    def _begin(self, which: dict[str, Any]) -> None:
        place = self.partial
        while not place.exists():
            self._new_folders.append(place)
            place = place.parent
        self.partial.mkdir(parents=True, exist_ok=True)
        self._locks.enter_context(locked(self.partial / LOCK, patience=0.1))
        remove_temporaries(self.partial)
        # In plain ASCII: names of files need not be text.
        write_atomic(self.partial / FINGERPRINT, json.dumps(which, sort_keys=True).encode())
        while (path := items_path(self.partial, len(self.chunks))).is_file():
            try:
                metadata = pq.read_metadata(path)
                size = marks_path(self.partial, len(self.chunks)).stat().st_size
                if size != MARK_BYTES * metadata.num_rows:
                    break
                self.source_position = int((metadata.metadata or {})[POSITION])
            except (pa.ArrowException, OSError, KeyError, ValueError):
                break  # damaged: this chunk and those after it are written again
            self.chunks.append(metadata.num_rows)
        self._is_resumed = bool(self.chunks)

    def _no_rows(self) -> dict[str, list[Any]]:
        factors = (FACTOR_PREFIX + name for name in self.factor_names)
        return {name: [] for name in (*(field.name for field in TEXT_FIELDS), *factors)}

    @property
    def n_items(self) -> int:
        """Items given so far, those of finished chunks included."""
        return sum(self.chunks) + len(self._pictures)

    def add(self, item: StoreItem, source_position: int) -> bool:
        """Take one item; True when it completed a chunk.

        ``source_position`` counts the source's records up to and with this item; an import that
        resumes skips so many.
        """
        recipe, rows = item.recipe, self._rows
        for name in _OF_RECIPE:
            rows[name].append(getattr(recipe, name))
        rows["ingredient_names"].append(item.ingredient_names)
        rows["partition"].append(item.partition)
        rows["record"].append(source_position - 1)
        rows["picture_offset"].append(self._bytes)
        rows["picture_length"].append(len(item.picture))
        for name in self.factor_names:
            rows[FACTOR_PREFIX + name].append(item.factors[name])
        self._pictures.append(item.picture)
        self._marks += item.mark
        self._bytes += len(item.picture)
        if len(self._pictures) < self.chunk_items and self._bytes < CHUNK_BYTES:
            return False
        self._flush(source_position)
        return True

    def _flush(self, source_position: int) -> None:
        chunk = len(self.chunks)
        columns = [*TEXT_FIELDS]
        columns += [pa.field(FACTOR_PREFIX + name, pa.float64()) for name in self.factor_names]
        schema = pa.schema(columns, metadata={POSITION: str(source_position).encode()})
        table = pa.table(self._rows, schema=schema)
        shard = pictures_path(self.partial, chunk)
        try:
            if self._bytes:
                with shard.open("wb") as stream:
                    stream.writelines(self._pictures)
                    stream.flush()
                    os.fsync(stream.fileno())
            write_atomic(marks_path(self.partial, chunk), bytes(self._marks))
            write_atomic_with(
                items_path(self.partial, chunk),
                # Dictionaries of so short groups take half of the time and save no byte.
                lambda stream: pq.write_table(
                    table,
                    stream,
                    row_group_size=ROW_GROUP,
                    compression="zstd",
                    use_dictionary=False,
                ),
            )
        except OSError as error:
            # The items first: a chunk that has them is finished, and needs its pictures.
            for path in (items_path(self.partial, chunk), shard):
                with suppress(OSError):
                    path.unlink(missing_ok=True)
            raise self._refused(error) from error
        self._content.add(self._rows, self._pictures)
        self.chunks.append(len(self._pictures))
        self.source_position = source_position
        self._pictures, self._rows, self._bytes = [], self._no_rows(), 0
        self._marks = bytearray()

    def finish(
        self,
        manifest: Mapping[str, Any],
        source_position: int,
        before_naming: Callable[[Path], None] | None = None,
        groups: Groups | None = None,
    ) -> Path:
        """Write the rest and the manifest, and give the folder its name.

        Args:
            manifest: fields of ``Manifest`` other than ``n_items`` and ``chunks``.
            before_naming: called with the folder of the complete store, to add to it.
            groups: which items share a picture, where that is to be kept.

        Raises:
            DataError: when no item was given, the name is taken or the disk refuses.
        """
        if self._pictures:
            self._flush(source_position)
        if not self.chunks:
            raise DataError("nothing was imported: no usable pair was found")
        try:
            factors: tuple[FactorColumn, ...] = tuple(manifest.get("factors", ()))
            if groups is not None:
                write_groups(self.partial, groups)
            # Items of an earlier call, killed since, were not seen by this one.
            content = (
                read_content(self.partial, self.chunks, factors)
                if self._is_resumed
                else self._content.hexdigest(factors, groups)
            )
            Manifest(
                **manifest,
                n_items=sum(self.chunks),
                chunks=tuple(self.chunks),
                store_id=store_id(self.partial, str(manifest["name"]), len(self.chunks)),
                content=content,
            ).write(self.partial)
            if before_naming is not None:
                before_naming(self.partial)
            marks = [marks_path(self.partial, chunk) for chunk in range(len(self.chunks))]
            for path in (self.partial / FINGERPRINT, self.partial / LOCK, *marks):
                path.unlink(missing_ok=True)
            self.partial.rename(self.folder)
        except OSError as error:
            if self.folder.exists():
                raise DataError(f"{self.folder} already exists: choose another name") from error
            raise self._refused(error) from error
        self._locks.close()
        self._remove_others()
        sync_folder(self.folder.parent)
        return self.folder

    def keep(self, name: str, value: Any) -> None:
        """Write a JSON file next to the chunks."""
        try:
            write_json(self.partial / name, value)
        except OSError as error:
            raise self._refused(error) from error

    def give_up(self, keep: bool) -> None:
        """End without a finished folder, and keep only what can be resumed.

        What an earlier call left is kept, and with ``keep`` the finished chunks of this one.
        Everything else that this call made is deleted, parent folders included.
        """
        self._locks.close()
        if self._is_resumed or (keep and self.chunks):
            return
        shutil.rmtree(self.partial, ignore_errors=True)
        for place in self._new_folders[1:]:
            with suppress(OSError):  # another process put something there
                place.rmdir()

    def _refused(self, error: OSError) -> WorkStoppedError:
        return WorkStoppedError(
            f"{self.folder.parent} cannot be written: {error.strerror or error}; make room and run "
            "the same command again, it resumes where it stopped"
        )

    def _remove_others(self) -> None:
        """Unfinished imports under this name, which can no longer get it."""
        for place in unfinished(self.folder):
            if not is_locked(place / LOCK):
                shutil.rmtree(place, ignore_errors=True)


def unfinished(folder: Path) -> list[Path]:
    """The folders of unfinished imports that were to become ``folder``."""
    old = folder.with_name(f".{folder.name}.partial")  # written before each had its own folder
    folders = sorted(folder.parent.glob(f".{folder.name}~*.partial"))
    return [*folders, old] if old.is_dir() else folders


def _partial(folder: Path, which: dict[str, Any]) -> Path:
    """The folder in which the import ``which`` grows."""
    old = folder.with_name(f".{folder.name}.partial")
    with suppress(OSError, ValueError):
        if json.loads((old / FINGERPRINT).read_bytes()) == which:
            return old
    document = json.dumps(which, sort_keys=True).encode()
    mark = hashlib.blake2b(document, digest_size=4).hexdigest()
    return folder.with_name(f".{folder.name}~{mark}.partial")
