"""Files that a browser sent for an import, kept in the folder of data sets until they are taken in.

An upload lies below ``.uploads`` under the hash of its content, so the same files sent again have
the same path, and an import that was stopped resumes with them. Of a name only what is safe in the
name of a file is kept.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import zipfile
import zlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime
from pathlib import Path
from typing import IO

from rivae.base.dates import DatesSeen
from rivae.base.errors import DataError, shown
from rivae.base.files import folder_bytes, is_folder, private_folder, why_not, write_atomic_with
from rivae.base.reading.tables import SUFFIXES, table_kind
from rivae.data.pictures import PICTURE_SUFFIXES

UPLOADS, DATES = ".uploads", ".uploads.dates.json"
KEPT_DATES = 2  # that of the upload is not counted: one whole date lies between
MAX_KEPT = 4 * 2**30  # bytes of all uploads that wait

# The name that the browser gave, and the content.
Sent = tuple[str, IO[bytes]]


def keep_files(root: Path, files: Sequence[Sent]) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """Keep uploads under the folder of data sets ``root``: the table among them, if any, and zips.

    The table may lie in a zip beside the pictures, where it is the only one.

    Returns:
        The path of the table, or none, and the paths of the zips of pictures.

    Raises:
        DataError: there are two tables, a file is neither a table nor a picture, two different
            pictures have one name, too many uploads wait, or the disk refuses them.
    """
    pictures = [upload for upload in files if _suffix(upload[0]) in (".zip", *PICTURE_SUFFIXES)]
    tables = [upload for upload in files if upload not in pictures]
    if len(tables) > 1:
        names = ", ".join(shown(name) for name, _ in tables)
        raise DataError(f"{len(tables)} tables were sent ({names}): send the one with the pairs")
    kept = keep_pictures(root, pictures)
    if tables:
        return (keep_table(root, tables[0]),), kept
    return tuple(filter(None, [_table_within(root, path) for path in kept])), kept


def _may_be_table(name: str) -> bool:
    return _suffix(name.lower().removesuffix(".gz")) in SUFFIXES


def _table_within(root: Path, path: Path) -> Path | None:
    """The only table in a zip, kept beside it; None where there are none or several."""
    try:
        with zipfile.ZipFile(path) as archive:
            inside = [
                info
                for info in archive.infolist()
                if _may_be_table(info.filename)
                and not any(p.startswith(("__MACOSX", ".")) for p in Path(info.filename).parts)
            ]
            if len(inside) != 1 or inside[0].file_size > MAX_KEPT:
                return None
            with archive.open(inside[0]) as stream:
                return keep_table(root, (inside[0].filename, stream))
    except (OSError, RuntimeError, NotImplementedError, EOFError, zipfile.BadZipFile, zlib.error):
        return None  # what is wrong with it is said when its pictures are read


def keep_table(root: Path, upload: Sent) -> Path:
    """Keep an uploaded table under the folder of data sets ``root``; returns its path.

    Raises:
        DataError: its name is not a table's, too many uploads wait, or the disk refuses it.
    """
    path = _keep_one(root, upload)
    try:
        table_kind(path)
    except DataError:
        forget([path])
        raise
    return path


def keep_pictures(root: Path, files: Sequence[Sent]) -> tuple[Path, ...]:
    """Keep uploaded zips as they are, and loose pictures in a zip of their own; returns the zips.

    Raises:
        DataError: a file is neither, two different pictures have one name, too many uploads wait,
            or the disk refuses it.
    """
    zips = [upload for upload in files if _suffix(upload[0]) == ".zip"]
    loose = [upload for upload in files if _suffix(upload[0]) in PICTURE_SUFFIXES]
    for name, _ in files:
        if _suffix(name) not in (".zip", *PICTURE_SUFFIXES):
            raise DataError(
                f"{name[:80]} is no picture: send a zip, or {', '.join(PICTURE_SUFFIXES)}"
            )
    loose = _without_twins(loose)
    roots = [_keep_one(root, upload) for upload in zips]
    if loose:
        roots.append(
            _keep(root, f"{len(loose)}-pictures.zip", loose, lambda out: _bundle(loose, out))
        )
    return tuple(roots)


def _without_twins(pictures: Sequence[Sent]) -> list[Sent]:
    """The pictures, of those with the same name and content the first."""
    by_name: dict[str, list[Sent]] = {}
    for upload in pictures:
        by_name.setdefault(upload[0], []).append(upload)
    for name, same in by_name.items():
        if len(same) > 1 and len({_content(stream) for _, stream in same}) > 1:
            raise DataError(
                f"{len(same)} different pictures are named {shown(name)}: send them in a zip with "
                "their folders, and name these in the table; or rename them"
            )
    return [same[0] for same in by_name.values()]


def forget(paths: Iterable[Path]) -> None:
    """Delete those of ``paths`` that are uploads; a user's own files stay."""
    for path in paths:
        if path.parent.parent.name == UPLOADS:
            shutil.rmtree(path.parent, ignore_errors=True)


def sweep(root: Path, now: datetime | None = None, anew: str = "") -> int:
    """Delete uploads that waited for a whole date, or a day before they were first noted; returns
    the bytes of those that remain.

    Args:
        now: the time, for tests.
        anew: the name of one that begins to wait.
    """
    folders = {folder.name: folder for folder in (root / UPLOADS).glob("*") if is_folder(folder)}
    ages: dict[str, int] = {}
    dates = DatesSeen(root, DATES)
    with suppress(OSError):
        ages = dates.note(folders, now, anew=(anew,)) if folders else {}
    n_bytes = 0
    for name, folder in folders.items():
        if ages.get(name, 0) >= KEPT_DATES or _was_old(folder, dates.first_seen(name)):
            shutil.rmtree(folder, ignore_errors=True)
        else:
            n_bytes += folder_bytes(folder)
    return n_bytes


def _was_old(folder: Path, first_noted: date | None) -> bool:
    """Whether an upload had waited for a day when it was noted, as those of older versions had."""
    with suppress(OSError, ValueError, OverflowError):
        upload_date = datetime.fromtimestamp(folder.stat().st_mtime, UTC).date()
        return first_noted is not None and (first_noted - upload_date).days > 1
    return False


def _keep(
    root: Path, name: str, uploads: Sequence[Sent], write: Callable[[IO[bytes]], object]
) -> Path:
    n_bytes, digest = 0, hashlib.sha256()
    for title, stream in uploads:
        digest.update(title.encode("utf-8", "replace") + b"\0")
        stream.seek(0)
        while chunk := stream.read(2**20):
            n_bytes += len(chunk)
            digest.update(chunk)
        stream.seek(0)
    folder = root / UPLOADS / digest.hexdigest()[:32]
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
        folder.touch()
        sweep(root, anew=folder.name)  # it waits from now on
    except OSError as error:
        raise DataError(f"{name[:80]} cannot be kept: {why_not(error)}") from None
    return path


def _keep_one(root: Path, upload: Sent) -> Path:
    return _keep(root, upload[0], [upload], lambda out: shutil.copyfileobj(upload[1], out))


def _content(stream: IO[bytes]) -> bytes:
    """A hash of all that is in a stream, which is then at its start again."""
    digest = hashlib.sha256()
    stream.seek(0)
    while chunk := stream.read(2**20):
        digest.update(chunk)
    stream.seek(0)
    return digest.digest()


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
