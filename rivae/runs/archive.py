"""A run as one file: a zip of its known files and a manifest of their names, sizes and SHA-256.

Archives are not trusted: everything in them is checked when they are unpacked.
``rivae.jobs.archive_import`` makes a run of the files.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import struct
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from rivae.base.config import MAX_CONFIG_BYTES
from rivae.base.errors import RunError
from rivae.base.files import why_not, write_atomic_with
from rivae.base.installed import VERSION
from rivae.runs import Run
from rivae.runs.added_axes import ADDED_AXES
from rivae.runs.added_axes import MAX_BYTES as MAX_ADDED_BYTES
from rivae.runs.axis_names import AXIS_NAMES
from rivae.runs.axis_names import MAX_BYTES as MAX_NAMES
from rivae.runs.data_record import DATA, MAX_DATA, MAX_VOCABULARY, VOCABULARY
from rivae.runs.evaluation_file import FILES as EVALUATIONS
from rivae.runs.evaluation_file import MAX_BYTES as MAX_EVALUATION
from rivae.runs.notes import ABOUT
from rivae.runs.notes import MAX_BYTES as MAX_ABOUT
from rivae.runs.records import MAX_STATUS
from rivae.runs.run import MAX_MODEL_BYTES, MODEL
from rivae.runs.selections import MAX_BYTES as MAX_SELECTED_BYTES
from rivae.runs.selections import SELECTIONS

MANIFEST = "manifest.json"
MAX_MANIFEST = 64 * 1024
# The files of a run, with the most bytes of each.
FILES: dict[str, int] = {
    "config.json": MAX_CONFIG_BYTES,
    "status.json": MAX_STATUS,
    DATA: MAX_DATA,
    VOCABULARY: MAX_VOCABULARY,
    "metrics.jsonl": 64 * 2**20,
    "timing.jsonl": 64 * 2**20,
    MODEL: MAX_MODEL_BYTES,
    **dict.fromkeys(EVALUATIONS.values(), MAX_EVALUATION),
    "alignment.json": 8 * 2**20,
    AXIS_NAMES: MAX_NAMES,
    ADDED_AXES: MAX_ADDED_BYTES,
    SELECTIONS: MAX_SELECTED_BYTES,
    ABOUT: MAX_ABOUT,
}
CHECKPOINTS: dict[str, int] = {
    f"checkpoints/{name}.safetensors{end}": 2 * MAX_MODEL_BYTES
    for name in ("last", "best")
    for end in ("", ".previous")
} | {"checkpoints/unfolded.safetensors": MAX_MODEL_BYTES}
# Below this size no zip needs the zip64 extension, which keeps sizes elsewhere.
MAX_ARCHIVE_BYTES = 4 * 10**9
# The end of a zip: its signature, ..., entries, bytes of the directory, where it begins, comment.
_END = struct.Struct("<4s4H2LH")
_END_MARK, _ZIP64_MARK = b"PK\x05\x06", b"PK\x06\x07"
_ZIP64_BYTES = 20
MAX_DIRECTORY = 16 * 1024
# The errors of zipfile and zlib on damaged, encrypted or exotic entries.
_DAMAGE = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, RuntimeError, ValueError)
_FOREIGN = "choose a file that an export of a run made"
_EPOCH = (1980, 1, 1, 0, 0, 0)
_BLOCK = 1 << 20


class Entry(BaseModel):
    """One file of the manifest."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    name: Annotated[str, Field(min_length=1, max_length=80)]
    bytes: Annotated[int, Field(ge=0)]
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Manifest(BaseModel):
    """The list of files that an archive claims to hold."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    format: Literal["rivae-run"]
    version: Literal[1]
    rivae: Annotated[str, Field(max_length=40)] = ""
    name: Annotated[str, Field(max_length=255)]
    files: Annotated[list[Entry], Field(max_length=len(FILES) + len(CHECKPOINTS))]


@dataclass(frozen=True, slots=True)
class Part:
    """A file of a run that goes into its archive."""

    name: str
    path: Path
    n_bytes: int


def is_weights(name: str) -> bool:
    """Whether a file holds weights, which compression does not make smaller."""
    return name == MODEL or name in CHECKPOINTS


def parts_of(run: Run, checkpoints: bool = False) -> list[Part]:
    """The run's files that an archive would hold, in their order.

    Raises:
        RunError: there is no configuration, or a file is too large.
    """
    parts = []
    for name, most in {**FILES, **(CHECKPOINTS if checkpoints else {})}.items():
        path = run.path / name
        try:
            file_stat = path.lstat()
        except OSError:
            continue
        if not stat.S_ISREG(file_stat.st_mode):
            continue
        if file_stat.st_size > most:
            raise RunError(f"run {run.id}: {name} is too large to be exported")
        parts.append(Part(name, path, file_stat.st_size))
    if not any(part.name == "config.json" for part in parts):
        raise RunError(f"run {run.id} has no config.json: there is nothing to export")
    if sum(part.n_bytes for part in parts) > MAX_ARCHIVE_BYTES:
        raise RunError(f"run {run.id} is larger than 4 GB: export it without checkpoints")
    return parts


def export_run(run: Run, target: Path | IO[bytes], *, checkpoints: bool = False) -> Manifest:
    """Write the run as one archive; the same files give the same bytes.

    Args:
        target: a file, replaced in one step, or a stream that can seek.
        checkpoints: the training states too, so that it can be resumed elsewhere.

    Raises:
        RunError: the run is being trained, has no configuration, or cannot be read or written.
    """
    if run.is_training:
        raise RunError(f"{run.id} is being trained: export it when it has ended")
    parts = parts_of(run, checkpoints)
    manifests: list[Manifest] = []
    try:
        if isinstance(target, Path):
            write_atomic_with(target, lambda stream: manifests.append(_write(run, parts, stream)))
        else:
            manifests.append(_write(run, parts, target))
    except OSError as error:
        raise RunError(f"run {run.id} cannot be exported: {why_not(error)}") from None
    return manifests[0]


def _write(run: Run, parts: list[Part], stream: IO[bytes]) -> Manifest:
    entries = []
    with zipfile.ZipFile(stream, "w", allowZip64=False) as archive:
        for part in parts:
            entries.append(_add(archive, part))
        manifest = Manifest(
            format="rivae-run", version=1, rivae=VERSION, name=run.id, files=entries
        )
        text = json.dumps(manifest.model_dump(), indent=2, ensure_ascii=False) + "\n"
        archive.writestr(_info(MANIFEST, zipfile.ZIP_DEFLATED), text.encode())
    return manifest


def _add(archive: zipfile.ZipFile, part: Part) -> Entry:
    """Copy one file; of a growing log only the bytes that ``part`` counted."""
    weights = is_weights(part.name)
    info = _info(part.name, zipfile.ZIP_STORED if weights else zipfile.ZIP_DEFLATED)
    info.file_size = part.n_bytes
    digest, n_left = hashlib.sha256(), part.n_bytes
    try:
        handle = _opened(part.path)
    except OSError as error:
        raise RunError(f"{part.path} cannot be read: {error.strerror}") from None
    with handle as source, archive.open(info, "w") as sink:
        while n_left and (block := source.read(min(n_left, _BLOCK))):
            digest.update(block)
            sink.write(block)
            n_left -= len(block)
    if n_left:
        raise RunError(f"{part.path} became shorter while it was read: try again")
    return Entry(name=part.name, bytes=part.n_bytes, sha256=digest.hexdigest())


def _info(name: str, compression: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, _EPOCH)
    info.compress_type = compression
    info.external_attr = (stat.S_IFREG | 0o644) << 16
    return info


def _opened(path: Path) -> IO[bytes]:
    """Open a file, but never the target of a link."""
    return os.fdopen(os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0)), "rb")


# unpacking


def unpack(stream: IO[bytes], folder: Path) -> Manifest:
    """Write the files of an archive into ``folder``, as its manifest names them.

    Raises:
        RunError: it is no archive of a run, damaged or too large, or holds anything but the files
            of a run.
        OSError: they cannot be written.
    """
    try:
        _check_end(stream)
        with zipfile.ZipFile(stream) as archive:
            manifest = _read_manifest(archive)
            for entry in manifest.files:
                _unpack(archive, entry, folder)
    except _DAMAGE:
        raise RunError(f"this archive is damaged: {_FOREIGN}") from None
    return manifest


def _check_end(stream: IO[bytes]) -> None:
    """RunError unless the directory of the zip is small: zipfile reads all of it."""
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
    """The manifest, checked to list exactly the entries, all of them files of a run."""
    limits = {**FILES, **CHECKPOINTS, MANIFEST: MAX_MANIFEST}
    infos: dict[str, zipfile.ZipInfo] = {}
    for info in archive.infolist():
        # ``orig_filename``: the name in the archive, before zipfile makes it harmless.
        if info.orig_filename not in limits:
            raise RunError(f"this archive holds files that no run has: {_FOREIGN}")
        kind = stat.S_IFMT(info.external_attr >> 16)
        if info.orig_filename in infos or kind not in (0, stat.S_IFREG) or info.is_dir():
            raise RunError(f"this archive holds more than plain files: {_FOREIGN}")
        # Weights are not compressed, so that nothing unpacks to far more than the archive.
        is_plain = info.compress_type == zipfile.ZIP_STORED
        small = info.compress_type == zipfile.ZIP_DEFLATED and not is_weights(info.orig_filename)
        if not (is_plain or small):
            raise RunError(f"this archive is packed in another way than those of runs: {_FOREIGN}")
        if info.file_size > limits[info.orig_filename]:
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
    sizes = {entry.name: entry.bytes for entry in manifest.files}
    there = {name: info.file_size for name, info in infos.items() if name != MANIFEST}
    if sizes != there or len(sizes) != len(manifest.files):
        raise RunError(f"this archive holds other files than its manifest names: {_FOREIGN}")
    if sum(sizes.values()) > MAX_ARCHIVE_BYTES:
        raise RunError(f"this archive holds more than 4 GB: {_FOREIGN}")
    return manifest


def _unpack(archive: zipfile.ZipFile, entry: Entry, folder: Path) -> None:
    """Write one file, at most the bytes in the manifest, and compare its hash."""
    path = folder / entry.name
    path.parent.mkdir(exist_ok=True)
    digest, n_left = hashlib.sha256(), entry.bytes
    with archive.open(entry.name) as source, path.open("xb") as sink:
        while block := source.read(min(n_left + 1, _BLOCK)):
            n_left -= len(block)
            if n_left < 0:
                break
            digest.update(block)
            sink.write(block)
        sink.flush()
        os.fsync(sink.fileno())
    if n_left or digest.hexdigest() != entry.sha256:
        raise RunError(f"{entry.name} in this archive is not what its manifest says: {_FOREIGN}")
