"""A run as one file: a zip of its known files and a manifest of their names, sizes and SHA-256.

See ``rivae.jobs.archive_import`` for the way in.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from rivae import __version__
from rivae.config import MAX_CONFIG_BYTES
from rivae.errors import RunError
from rivae.files import write_atomic_with
from rivae.runs import Run
from rivae.runs.evaluation_file import MAX_BYTES as MAX_EVALUATION
from rivae.runs.notes import ABOUT
from rivae.runs.notes import MAX_BYTES as MAX_ABOUT
from rivae.runs.records import MAX_STATUS
from rivae.runs.run import MAX_MODEL_BYTES, MODEL
from rivae.words.axis_names import AXIS_NAMES
from rivae.words.axis_names import MAX_BYTES as MAX_NAMES

MANIFEST = "manifest.json"
MAX_MANIFEST = 64 * 1024
# What a run may consist of, with the most bytes of each.
FILES: dict[str, int] = {
    "config.json": MAX_CONFIG_BYTES,
    "status.json": MAX_STATUS,
    "metrics.jsonl": 64 * 2**20,
    "timing.jsonl": 64 * 2**20,
    MODEL: MAX_MODEL_BYTES,
    "evaluation.json": MAX_EVALUATION,
    "alignment.json": 8 * 2**20,
    AXIS_NAMES: MAX_NAMES,
    ABOUT: MAX_ABOUT,
}
CHECKPOINTS: dict[str, int] = {
    f"checkpoints/{name}.safetensors{end}": 2 * MAX_MODEL_BYTES
    for name in ("last", "best")
    for end in ("", ".previous")
}
# As long as neither is larger than this, no zip needs the extension that hides sizes elsewhere.
MAX_ARCHIVE_BYTES = 4 * 10**9
_EPOCH = (1980, 1, 1, 0, 0, 0)
_BLOCK = 1 << 20


class Entry(BaseModel):
    """One file of the manifest."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    name: Annotated[str, Field(min_length=1, max_length=80)]
    bytes: Annotated[int, Field(ge=0)]
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Manifest(BaseModel):
    """What an archive says that it holds."""

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
    """Whether a file holds weights, which no packing makes smaller."""
    return name == MODEL or name in CHECKPOINTS


def parts_of(run: Run, checkpoints: bool = False) -> list[Part]:
    """The run's files that an archive would hold, in their order.

    Raises:
        RunError: there is no configuration, or a file is too large.
    """
    found = []
    for name, most in {**FILES, **(CHECKPOINTS if checkpoints else {})}.items():
        path = run.path / name
        try:
            seen = path.lstat()
        except OSError:
            continue
        if not stat.S_ISREG(seen.st_mode):
            continue
        if seen.st_size > most:
            raise RunError(f"run {run.id}: {name} is too large to be exported")
        found.append(Part(name, path, seen.st_size))
    if not any(part.name == "config.json" for part in found):
        raise RunError(f"run {run.id} has no config.json: there is nothing to export")
    if sum(part.n_bytes for part in found) > MAX_ARCHIVE_BYTES:
        raise RunError(f"run {run.id} is larger than 4 GB: export it without checkpoints")
    return found


def export_run(run: Run, target: Path | IO[bytes], *, checkpoints: bool = False) -> Manifest:
    """Write the run as one archive; the same files give the same bytes.

    Args:
        target: a file, replaced in one step, or a stream that can seek.
        checkpoints: the training states too, so that it can be resumed elsewhere.

    Raises:
        RunError: the run is being trained, has no configuration, or cannot be read or written.
    """
    if _is_training(run):
        raise RunError(f"{run.id} is being trained: export it when it has ended")
    parts = parts_of(run, checkpoints)
    made: list[Manifest] = []
    try:
        if isinstance(target, Path):
            write_atomic_with(target, lambda stream: made.append(_write(run, parts, stream)))
        else:
            made.append(_write(run, parts, target))
    except OSError as error:
        why = error.strerror or "a file changed meanwhile"
        raise RunError(f"run {run.id} cannot be exported: {why}") from None
    return made[0]


def _write(run: Run, parts: list[Part], stream: IO[bytes]) -> Manifest:
    entries = []
    with zipfile.ZipFile(stream, "w", allowZip64=False) as archive:
        for part in parts:
            entries.append(_add(archive, part))
        manifest = Manifest(
            format="rivae-run", version=1, rivae=__version__, name=run.id, files=entries
        )
        text = json.dumps(manifest.model_dump(), indent=2, ensure_ascii=False) + "\n"
        archive.writestr(_info(MANIFEST, zipfile.ZIP_DEFLATED), text.encode())
    return manifest


def _add(archive: zipfile.ZipFile, part: Part) -> Entry:
    """Copy one file as it is now; a log that grows meanwhile is cut where it was measured."""
    weights = is_weights(part.name)
    info = _info(part.name, zipfile.ZIP_STORED if weights else zipfile.ZIP_DEFLATED)
    info.file_size = part.n_bytes
    digest, left = hashlib.sha256(), part.n_bytes
    with _opened(part.path) as source, archive.open(info, "w") as sink:
        while left and (block := source.read(min(left, _BLOCK))):
            digest.update(block)
            sink.write(block)
            left -= len(block)
    if left:
        raise OSError(None, "a file changed meanwhile")
    return Entry(name=part.name, bytes=part.n_bytes, sha256=digest.hexdigest())


def _info(name: str, compression: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, _EPOCH)
    info.compress_type = compression
    info.external_attr = (stat.S_IFREG | 0o644) << 16
    return info


def _opened(path: Path) -> IO[bytes]:
    """The file itself, never what a link points to."""
    return os.fdopen(os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0)), "rb")


def _is_training(run: Run) -> bool:
    try:
        return run.status.state == "running"
    except RunError:
        return False
