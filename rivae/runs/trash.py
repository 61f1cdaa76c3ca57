"""The trash: deleted runs, imports, tours and axis names, in ``.trash`` of their folder.

After ``KEPT_DATES`` other dates of use (``rivae.base.dates``) an entry is permanently removed at
the next start of the app, command or deletion.

``ROOT/.trash/20261122T060826.123Z-NAME`` holds ``record.json`` (what, when, from where, how large)
and ``content``, the folder itself (of a tour its file). The record is written first and the folder
moved in one step: after a kill it is in one of the two places, and listed there. Only entries with
a valid record are ever removed, and no link is followed.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field

from rivae.base.dates import DatesSeen
from rivae.base.errors import DataError
from rivae.base.files import (
    folder_bytes,
    is_file,
    is_folder,
    locked,
    private_folder,
    sync_folder,
    write_atomic,
    write_json,
)
from rivae.base.reading.documents import read_form

KEPT_DATES = 30  # on which the app ran
FOLDER, RECORD, CONTENT = ".trash", "record.json", "content"
MAX_RECORD = 4 * 2**20
RESTORED = "Restored {}"
Kind = Literal["run", "import", "tour", "names"]
FILES: dict[Kind, str] = {"tour": ".json", "names": ".json"}  # kinds that are files, their ends
_NAME = re.compile(r"[^./\\][^/\\]{0,254}")
_ENTRY = re.compile(r"\d{8}T\d{6}\.\d{3}Z-[A-Za-z0-9._-]{1,80}")


def _is_name(name: str) -> bool:
    return _NAME.fullmatch(name) is not None and name.isprintable()


def _checked_name(name: str) -> str:
    if not _is_name(name):
        raise ValueError("no name of a folder")
    return name


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    version: Literal[1] = 1
    kind: Kind
    name: Annotated[str, AfterValidator(_checked_name)]
    deleted: AwareDatetime
    origin: Annotated[str, Field(max_length=5000)]
    bytes: Annotated[int, Field(ge=0)]
    more: dict[str, Any] = {}


@dataclass(frozen=True, slots=True)
class Deleted:
    """An entry of the trash.

    Attributes:
        id: of its entry; the same name may have been deleted more than once.
        path: the entry's folder.
        name: of the folder to which it is restored, or of the file without its ending.
        bytes: of its files.
        more: additional data for restoring, e.g. a run's entries in the queue.
        dates_left: dates of use before it may be permanently removed.
    """

    id: str
    path: Path
    kind: Kind
    name: str
    deleted: datetime
    bytes: int
    more: Mapping[str, Any]
    dates_left: int = KEPT_DATES


class Trash:
    """The trash of one kind of things directly below ``root``.

    Methods that change something raise DataError with one sentence when they fail.
    """

    def __init__(self, root: Path, kind: Kind) -> None:
        self.root, self.kind = root, kind
        self.folder = root / FOLDER

    def put(
        self, name: str, *, more: Mapping[str, Any] | None = None, now: datetime | None = None
    ) -> Deleted:
        """Move ``root/name`` into the trash; the caller has checked that it is a run, import, ….

        ``more`` is kept in the record, for restoring; ``now`` is the time, for tests.
        """
        source = self._place(name)
        if not _is_name(name) or not self._is_content(source):
            what = "file" if self.kind in FILES else "folder"
            raise DataError(f"there is no {what} '{name[:80]!a}' that can be deleted")
        return self._put(name, folder_bytes(source), source.rename, more, now)

    def put_content(
        self,
        name: str,
        content: bytes,
        *,
        more: Mapping[str, Any] | None = None,
        now: datetime | None = None,
    ) -> Deleted:
        """An entry with this content, a part of a file, say; arguments as for ``put``."""
        if not _is_name(name):
            raise DataError(f"'{name[:80]!a}' cannot be kept in the trash: give another name")
        return self._put(
            name, len(content), lambda path: write_atomic(path, content, private=True), more, now
        )

    def _put(
        self,
        name: str,
        n_bytes: int,
        fill: Callable[[Path], object],
        more: Mapping[str, Any] | None,
        now: datetime | None,
    ) -> Deleted:
        when, extra = now or datetime.now(UTC), dict(more or {})
        if len(json.dumps(extra)) > MAX_RECORD // 4:
            extra = {}  # a record that cannot be read would hide the folder
        origin = str(self._place(name).absolute()).encode(errors="replace").decode()
        record = _Record(
            kind=self.kind, name=name, deleted=when, origin=origin[:5000], bytes=n_bytes, more=extra
        )
        with self._changing():
            path = self._new_entry(name, when)
            try:
                write_json(path / RECORD, record.model_dump(mode="json"), private=True)
                fill(path / CONTENT)
            except OSError as error:
                with suppress(OSError):
                    for part in (path / CONTENT, path / RECORD):
                        part.unlink(missing_ok=True)
                    path.rmdir()
                raise DataError(
                    f"{name} cannot be moved into the trash: {error.strerror}"
                ) from None
            self._sync(path)
            self._note(now, anew=path.name)
        return _deleted(path, record)

    def entries(self) -> list[Deleted]:
        """The entries of the trash, the last deleted first."""
        entries = [
            record
            for path in self._paths()
            if not path.name.startswith(".")
            and self._is_content(path / CONTENT)
            and (record := self._read(path))
        ]
        ages = DatesSeen(self.folder).ages(entry.id for entry in entries) if entries else {}
        entries = [replace(e, dates_left=max(KEPT_DATES - ages[e.id], 0)) for e in entries]
        return sorted(entries, key=lambda entry: (entry.deleted, entry.id), reverse=True)

    def entry(self, name: str) -> Deleted:
        """The entry with this id, or the last one deleted under this name; DataError if none."""
        for entry in self.entries():
            if name in (entry.id, entry.name):
                return entry
        raise DataError(
            f"there is no {self.kind} '{name[:80]}' in the trash: `rivae trash` lists its contents"
        )

    def restore(self, name: str) -> Path:
        """Move an entry (see ``entry``) back to where it was; the folder.

        Raises:
            DataError: there is none, or its name is taken; nothing has changed then.
        """
        with self._changing():
            entry = self.entry(name)
            target = self._place(entry.name)
            if os.path.lexists(target):
                first = "delete" if self.kind in FILES else "rename or delete"
                raise DataError(
                    f"there is another {self.kind} named {entry.name}: {first} it first"
                )
            try:
                (entry.path / CONTENT).rename(target)
            except OSError as error:
                raise DataError(f"{entry.name} cannot be restored: {error.strerror}") from None
            self._sync(entry.path)
            with suppress(OSError):  # ``purge`` tries again
                self._remove(entry.path)
        return target

    def note_date(self, now: datetime | None = None) -> None:
        """Note that the app runs on this date; removes nothing."""
        with suppress(DataError):
            if self._paths():
                with self._changing(patience=0.0):
                    self._note(now)

    def purge(self, now: datetime | None = None) -> None:
        """Note the date, and remove entries that have seen 30 others and leftovers of kills, as
        far as possible now.
        """
        with suppress(DataError):
            if not self._paths():
                return
            with self._changing(patience=0.0):
                ages = self._note(now)
                for path in self._paths():
                    if self._is_expired(path, ages.get(path.name, 0)):
                        with suppress(OSError):
                            self._remove(path)

    def discard(self, entry_id: str) -> None:
        """Remove one entry, whose content is somewhere else again."""
        with self._changing(), suppress(OSError):  # ``purge`` tries again
            self._remove(self.entry(entry_id).path)

    def empty(self) -> int:
        """Permanently remove everything; returns the number of freed bytes."""
        if not self._paths():
            return 0
        n_bytes = 0
        with self._changing():
            for entry in self.entries():
                try:
                    self._remove(entry.path)
                except OSError as error:
                    raise DataError(f"{entry.name} cannot be removed: {error.strerror}") from None
                n_bytes += entry.bytes
        return n_bytes

    # helpers

    def _place(self, name: str) -> Path:
        return self.root / f"{name}{FILES.get(self.kind, '')}"

    def _is_content(self, path: Path) -> bool:
        return is_file(path) if self.kind in FILES else is_folder(path)

    @contextmanager
    def _changing(self, patience: float = 5.0) -> Iterator[None]:
        """Hold the lock of the trash."""
        try:
            private_folder(self.folder)
            if not is_folder(self.folder):
                raise DataError(
                    f"the trash is a link: remove {FOLDER} from the folder of {self.kind}s"
                )
            with locked(self.folder / ".lock", patience):
                yield
        except BlockingIOError:
            raise DataError("the trash is in use: try again in a moment") from None
        except OSError as error:
            raise DataError(f"the trash cannot be written: {error.strerror}") from None

    def _new_entry(self, name: str, when: datetime) -> Path:
        label = re.sub(r"[^A-Za-z0-9._-]", "_", name)[:80]
        while True:
            stamp = when.astimezone(UTC)
            text = f"{stamp:%Y%m%dT%H%M%S}.{stamp.microsecond // 1000:03d}Z-{label}"
            try:
                (self.folder / text).mkdir(mode=0o700)
                return self.folder / text
            except FileExistsError:
                when += timedelta(milliseconds=1)

    def _paths(self) -> list[Path]:
        """The folders of entries; names of those that are being removed begin with a dot."""
        try:
            paths = sorted(self.folder.iterdir()) if is_folder(self.folder) else []
        except OSError:  # another user's
            return []
        return [
            path
            for path in paths
            if _ENTRY.fullmatch(path.name.removeprefix(".")) and is_folder(path)
        ]

    def _note(self, now: datetime | None, anew: str = "") -> dict[str, int]:
        """Note the date; the ages of all entries, none where that cannot be written."""
        with suppress(OSError):
            return DatesSeen(self.folder).note(
                (path.name for path in self._paths()), now, anew=(anew,)
            )
        return {}

    def _is_expired(self, path: Path, age: int) -> bool:
        """Whether an entry is to be removed; never one without a valid record."""
        entry = self._read(path)
        if entry is None:
            return next(path.iterdir(), None) is None  # left by a kill before the record was there
        if path.name.startswith(".") or not self._is_content(path / CONTENT):
            return True  # a kill has left it half removed, or only the record
        return age >= KEPT_DATES

    def _read(self, path: Path) -> Deleted | None:
        """The entry in a folder; None without a valid record."""
        file = path / RECORD
        with suppress(OSError, DataError):
            if stat.S_ISREG(file.lstat().st_mode):
                record = read_form(_Record, file, MAX_RECORD, too_large="", foreign="")
                if record.kind == self.kind:
                    return _deleted(path, record)
        return None

    def _remove(self, path: Path) -> None:
        """Remove an entry, which is not listed any more from the beginning of its removal."""
        if not path.name.startswith("."):
            path = path.rename(path.with_name(f".{path.name}"))
        for child in path.iterdir():
            if child.name == RECORD:
                continue
            if is_folder(child):
                shutil.rmtree(child)
            else:
                child.unlink()
        # Last, so that after a kill the entry still has its record.
        (path / RECORD).unlink(missing_ok=True)
        path.rmdir()

    def _sync(self, path: Path) -> None:
        with suppress(OSError):
            for folder in (path, self.folder, self.root):
                sync_folder(folder)


def _deleted(path: Path, record: _Record) -> Deleted:
    return Deleted(
        path.name, path, record.kind, record.name, record.deleted, record.bytes, record.more
    )
