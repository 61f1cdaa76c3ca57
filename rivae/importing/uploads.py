"""Files that a browser sent for an import, kept in the folder of data sets until they are taken in.

An upload lies below ``.uploads`` under the hash of its content, so the same files sent again have
the same path, and an import that was stopped resumes with them. Of a name only what is safe in the
name of a file is kept.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import time
import zipfile
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from rivae.data.pictures import PICTURE_SUFFIXES
from rivae.errors import DataError
from rivae.files import private_folder, why_not, write_atomic_with
from rivae.reading.tables import table_kind

UPLOADS = ".uploads"
KEPT_DAYS = 1
MAX_KEPT = 4 * 2**30  # bytes of all uploads that wait

# The name that the browser gave, and the content.
Sent = tuple[str, IO[bytes]]


def keep_table(root: Path, sent: Sent) -> Path:
    """Keep an uploaded table under the folder of data sets ``root``; returns its path.

    Raises:
        DataError: its name is not a table's, too many uploads wait, or the disk refuses it.
    """
    path = _keep_one(root, sent)
    try:
        table_kind(path)
    except DataError:
        forget([path])
        raise
    return path


def keep_pictures(root: Path, files: Sequence[Sent]) -> tuple[Path, ...]:
    """Keep uploaded zips as they are, and loose pictures in a zip of their own; returns the zips.

    Raises:
        DataError: a file is neither, too many uploads wait, or the disk refuses it.
    """
    zips = [sent for sent in files if _suffix(sent[0]) == ".zip"]
    loose = [sent for sent in files if _suffix(sent[0]) in PICTURE_SUFFIXES]
    for name, _ in files:
        if _suffix(name) not in (".zip", *PICTURE_SUFFIXES):
            raise DataError(
                f"{name[:80]} is no picture: send a zip, or {', '.join(PICTURE_SUFFIXES)}"
            )
    found = [_keep_one(root, sent) for sent in zips]
    if loose:
        found.append(
            _keep(root, f"{len(loose)}-pictures.zip", loose, lambda out: _bundle(loose, out))
        )
    return tuple(found)


def forget(paths: Iterable[Path]) -> None:
    """Delete those of ``paths`` that are uploads; a user's own files stay."""
    for path in paths:
        if path.parent.parent.name == UPLOADS:
            shutil.rmtree(path.parent, ignore_errors=True)


def sweep(root: Path) -> int:
    """Delete uploads that waited for a day; returns the bytes of those that remain."""
    oldest, kept = time.time() - KEPT_DAYS * 86_400, 0
    for folder in (root / UPLOADS).glob("*"):
        with suppress(OSError):
            if folder.stat().st_mtime < oldest:
                shutil.rmtree(folder, ignore_errors=True)
            else:
                kept += sum(path.stat().st_size for path in folder.iterdir())
    return kept


def _keep(
    root: Path, name: str, sent: Sequence[Sent], write: Callable[[IO[bytes]], object]
) -> Path:
    n_bytes, seen = 0, hashlib.sha256()
    for title, stream in sent:
        seen.update(title.encode("utf-8", "replace") + b"\0")
        stream.seek(0)
        while chunk := stream.read(2**20):
            n_bytes += len(chunk)
            seen.update(chunk)
        stream.seek(0)
    folder = root / UPLOADS / seen.hexdigest()[:32]
    path = folder / _safe(name)
    try:
        if not path.is_file():
            if sweep(root) + n_bytes > MAX_KEPT:
                raise DataError(
                    f"more than {MAX_KEPT // 2**30} GiB of uploads wait here: import or remove "
                    "some of them, or give a path on the machine of the app"
                )
            private_folder(root / UPLOADS)
            private_folder(folder)
            write_atomic_with(path, write, private=True)
        folder.touch()  # it has a day from now
    except OSError as error:
        raise DataError(f"{name[:80]} cannot be kept: {why_not(error)}") from None
    return path


def _keep_one(root: Path, sent: Sent) -> Path:
    return _keep(root, sent[0], [sent], lambda out: shutil.copyfileobj(sent[1], out))


def _bundle(pictures: Sequence[Sent], out: IO[bytes]) -> None:
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for name, stream in pictures:
            with archive.open(name, "w") as member:  # read back by name, never unpacked
                shutil.copyfileobj(stream, member)


def _suffix(name: str) -> str:
    return Path(name).suffix.lower()


def _safe(name: str) -> str:
    """The last part of a name, of letters, digits, dots, dashes and lines, at most 80."""
    return re.sub(r"[^\w.-]+", "-", Path(name.replace("\\", "/")).name).strip("-.")[-80:] or "file"
