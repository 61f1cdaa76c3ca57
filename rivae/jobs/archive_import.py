"""A run out of an archive, which is read as a stranger's: checked whole before it is in the list.

Its files are unpacked into a hidden folder beside the runs, checked there, and the folder is given
the run's name in one step at the end.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import stat
import struct
import time
import uuid
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from pydantic import ValidationError

from rivae.errors import RunError
from rivae.files import is_locked, locked, sync_folder
from rivae.jobs.archive import (
    CHECKPOINTS,
    FILES,
    MANIFEST,
    MAX_ARCHIVE_BYTES,
    MAX_MANIFEST,
    Entry,
    Manifest,
    is_weights,
)
from rivae.jobs.archive_check import check_run
from rivae.jobs.manage import require_free
from rivae.reading.regular import open_regular
from rivae.runs import Run
from rivae.trash import is_folder

# The end of a zip: its signature, ..., entries, bytes of the directory, where it begins, comment.
_END = struct.Struct("<4s4H2LH")
_END_MARK, _ZIP64_MARK = b"PK\x05\x06", b"PK\x06\x07"
_ZIP64_BYTES = 20
MAX_DIRECTORY = 16 * 1024
_BLOCK = 1 << 20
_WAITING = re.compile(r"\.[0-9a-f]{32}\.import")
# What zipfile and zlib raise on damaged, encrypted or exotic entries.
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    RuntimeError,
    ValueError,
)
_FOREIGN = "choose a file that an export of a run made"


@dataclass(frozen=True, slots=True)
class Imported:
    """A run that was imported, and sentences about what is to be known about it."""

    run: Run
    remarks: tuple[str, ...] = ()


def import_run(
    source: Path | IO[bytes], root: Path, name: str = "", *, files: bool = True
) -> Imported:
    """Bring the run of an archive into ``root``.

    Args:
        source: a file, or a stream that can seek.
        name: of the run here; its own by default.
        files: whether its settings may name files of this machine.

    Raises:
        ConfigError: its configuration is wrong, or the name cannot name a run.
        RunError: the archive is none, damaged, too large or holds anything but a run's files; a
            run of this name exists; or the disk is full. Nothing is left behind.
    """
    with contextlib.ExitStack() as stack:
        try:
            stream = (
                stack.enter_context(open_regular(source)) if isinstance(source, Path) else source
            )
            folder = stack.enter_context(_waiting_room(root))
            with _damage():
                _check_end(stream)
                with zipfile.ZipFile(stream) as archive:
                    manifest = _read_manifest(archive)
                    for entry in manifest.files:
                        _unpack(archive, entry, folder)
            config, remarks = check_run(folder, name or manifest.name, files=files)
            require_free(config.name, root)
            target = root / config.name
            (folder / "checkpoints").mkdir(exist_ok=True)
            folder.rename(target)
        except OSError as error:
            raise RunError(f"the run cannot be imported: {error.strerror or error}") from None
    sync_folder(root)
    return Imported(Run(target), remarks)


@contextlib.contextmanager
def _waiting_room(root: Path) -> Iterator[Path]:
    """A hidden folder of its own in ``root``; whatever is still in it at the end is removed."""
    root.mkdir(parents=True, exist_ok=True)
    _remove_abandoned(root)
    folder = root / f".{uuid.uuid4().hex}.import"
    folder.mkdir()
    try:
        with locked(folder / ".lock"):
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _remove_abandoned(root: Path) -> None:
    """Remove what imports that were killed have left."""
    for folder in root.glob(".*.import"):
        if not _WAITING.fullmatch(folder.name) or not is_folder(folder):
            continue
        with contextlib.suppress(OSError):
            old = time.time() - folder.stat().st_mtime > 60
            if old and os.name == "posix" and not is_locked(folder / ".lock"):
                shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def _damage() -> Iterator[None]:
    try:
        yield
    except _DAMAGE:
        raise RunError(f"this archive is damaged: {_FOREIGN}") from None


def _check_end(stream: IO[bytes]) -> None:
    """RunError unless the directory of the zip is small: zipfile reads it whole."""
    size = stream.seek(0, os.SEEK_END)
    tail = min(size, _END.size + _ZIP64_BYTES)
    stream.seek(size - tail)
    last = stream.read(tail)
    stream.seek(0)
    if len(last) < _END.size or last[-_END.size :][:4] != _END_MARK or last[-2:] != b"\0\0":
        raise RunError(f"this file is no archive of a run, or the end of it is missing: {_FOREIGN}")
    _, _, _, _, entries, directory, _, _ = _END.unpack(last[-_END.size :])
    if last.startswith(_ZIP64_MARK) or directory > MAX_DIRECTORY:
        raise RunError(f"this archive holds too many files to be one of a run: {_FOREIGN}")
    if entries > len(FILES) + len(CHECKPOINTS) + 1:
        raise RunError(f"this archive holds too many files to be one of a run: {_FOREIGN}")


def _read_manifest(archive: zipfile.ZipFile) -> Manifest:
    """The manifest, which names exactly the entries, all of them ordinary files of a run."""
    known = {**FILES, **CHECKPOINTS, MANIFEST: MAX_MANIFEST}
    infos: dict[str, zipfile.ZipInfo] = {}
    for info in archive.infolist():
        # ``orig_filename``: the name as it stands there, before zipfile makes it harmless.
        if info.orig_filename not in known:
            raise RunError(f"this archive holds files that no run has: {_FOREIGN}")
        kind = stat.S_IFMT(info.external_attr >> 16)
        if info.orig_filename in infos or kind not in (0, stat.S_IFREG) or info.is_dir():
            raise RunError(f"this archive holds more than plain files: {_FOREIGN}")
        # Weights as they are: then nothing grows far beyond the archive when it is unpacked.
        stored = info.compress_type == zipfile.ZIP_STORED
        small = info.compress_type == zipfile.ZIP_DEFLATED and not is_weights(info.orig_filename)
        if not (stored or small):
            raise RunError(f"this archive is packed in another way than those of runs: {_FOREIGN}")
        if info.file_size > known[info.orig_filename]:
            raise RunError(f"{info.orig_filename} is too large to belong to a run: {_FOREIGN}")
        infos[info.orig_filename] = info
    if MANIFEST not in infos:
        raise RunError(f"this archive has no manifest: {_FOREIGN}")
    with archive.open(infos[MANIFEST]) as stream:
        text = stream.read(MAX_MANIFEST + 1)
    try:
        manifest = Manifest.model_validate_json(text)
    except ValidationError:
        raise RunError(f"the manifest of this archive is wrong: {_FOREIGN}") from None
    named = {entry.name: entry.bytes for entry in manifest.files}
    there = {name: info.file_size for name, info in infos.items() if name != MANIFEST}
    if named != there or len(named) != len(manifest.files):
        raise RunError(f"this archive holds other files than its manifest names: {_FOREIGN}")
    if sum(named.values()) > MAX_ARCHIVE_BYTES:
        raise RunError(f"this archive holds more than 4 GB: {_FOREIGN}")
    return manifest


def _unpack(archive: zipfile.ZipFile, entry: Entry, folder: Path) -> None:
    """Write one file, never more of it than the manifest says, and compare its hash."""
    path = folder / entry.name
    path.parent.mkdir(exist_ok=True)
    digest, left = hashlib.sha256(), entry.bytes
    with archive.open(entry.name) as source, path.open("xb") as sink:
        while block := source.read(min(left + 1, _BLOCK)):
            left -= len(block)
            if left < 0:
                break
            digest.update(block)
            sink.write(block)
        sink.flush()
        os.fsync(sink.fileno())
    if left or digest.hexdigest() != entry.sha256:
        raise RunError(f"{entry.name} in this archive is not what its manifest says: {_FOREIGN}")
