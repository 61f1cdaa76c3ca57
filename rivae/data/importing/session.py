"""One import from start to finish: dry run or real, with progress, resumed after a kill."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from rivae.base.errors import ConfigError, DataError, RivaeError, WorkStoppedError
from rivae.base.progress import Progress
from rivae.base.reading.typed_text import clean
from rivae.data.fulltext import store_index
from rivae.data.importing.indexing import Indexing
from rivae.data.importing.parts import Parts
from rivae.data.importing.report import ImportReport
from rivae.data.store import (
    FactorColumn,
    Manifest,
    PairStore,
    StoreItem,
    StoreWriter,
    data_root,
    list_stores,
)
from rivae.data.store.manifest import MAX_FACTORS, MAX_SOURCE, MAX_TITLE, checked_name

SIDES = (32, 1024)
MIN_PAIRS = 30  # fewer cannot be split, trained on and measured
REPORT_EVERY = 200
REPORT_SECONDS = 0.5
_NAMES = frozenset({"kind", "embeddings"})  # of a source's fingerprint that are names of files
# How files are read; raised when the same files become another store.
RULES = 2
_SINCE_RULES = frozenset({"rules", "chosen"})  # of a fingerprint; versions before 2 lack them
REPORT = "report.json"


class ImportCancelledError(Exception):
    """Raised by a progress callback to stop an import; its finished chunks are kept."""


@dataclass(frozen=True)
class ImportSettings:
    """The user's choices, for every kind of source.

    Attributes:
        name: of the new data set.
        title: its name for people; ``name`` by default.
        side: stored pictures are squares of at most this many pixels.
        paper_filter: 1-20 ingredients and 1-20 instructions only, as in the paper.
        root: where it goes; ``RIVAE_DATA`` or ``data`` by default.
    """

    name: str
    title: str = ""
    side: int = 256
    paper_filter: bool = False
    root: Path | None = None

    def check(self) -> None:
        """Raise DataError or ConfigError for a value out of range."""
        checked_name(self.name)
        if len(clean(self.title)) > MAX_TITLE:
            raise ConfigError(f"the title is longer than {MAX_TITLE} characters: shorten it")
        if not SIDES[0] <= self.side <= SIDES[1]:
            raise ConfigError(f"side must be from {SIDES[0]} to {SIDES[1]} pixels, got {self.side}")

    @property
    def folder(self) -> Path:
        return (self.root or data_root()) / self.name


class Source(Protocol):
    """A kind of files that pairs are read from."""

    # The hash of the files that ``items`` has read, where it keeps one; a resumed import sets it.
    files_so_far: str

    @property
    def synthetic(self) -> bool:
        """Whether the items are made by a program; known after ``factor_columns``."""
        ...

    def fingerprint(self) -> dict[str, Any]:
        """Names the files and settings, to recognise the same import when it resumes."""
        ...

    def files_read(self, settings: ImportSettings, tell: Progress) -> str:
        """32 hex digits for what the pictures and embeddings hold now, under any name.

        Raises:
            DataError: a place of pictures, or the table, cannot be read.
        """
        ...

    def factor_columns(self, report: ImportReport, tell: Progress) -> tuple[FactorColumn, ...]:
        """The known factors; may read the source once."""
        ...

    def items(
        self, settings: ImportSettings, report: ImportReport, skip: int, tell: Progress
    ) -> Iterator[StoreItem | None]:
        """One element per record, None for skipped ones (counted in ``report``).

        The first ``skip`` records were read before and yield None at no cost. ``tell`` reports
        progress before the first record; the caller reports it afterwards.
        """
        ...

    def share_done(self) -> float:
        """In [0, 1], while ``items`` runs."""
        ...

    def after(self, folder: Path) -> None:
        """Add to the store in ``folder``, whose items are finished.

        Raises:
            DataError: when that fails; the data set then does not appear.
        """
        ...


def run_import(
    source: Source,
    settings: ImportSettings,
    *,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> ImportReport:
    """Read all of ``source`` and store the usable pairs.

    A dry run reads and checks everything and writes nothing. A killed import resumes with the same
    call, and so does one that was cancelled (``ImportCancelledError`` from ``progress``) or stopped
    by a full disk. A refused import leaves nothing behind, so that it can be corrected.

    Args:
        progress: called at once, before anything is read, and then at least twice a second
            while records are read.

    Raises:
        ConfigError, DataError: with one sentence; no data set then appears.
    """
    settings.check()
    tell = progress or (lambda words, share: None)
    tell("reading", 0.0)
    report = ImportReport()
    columns = source.factor_columns(report, tell)
    if len(columns) > MAX_FACTORS:
        raise ConfigError(f"{len(columns)} known factors are more than {MAX_FACTORS}: choose fewer")
    parts = Parts()
    if dry_run:
        _take(source, settings, report, None, parts, tell)
        parts.end(report)
        return report
    fingerprint = _fingerprint(source, settings)
    writer = StoreWriter(settings.folder, fingerprint, tuple(c.name for c in columns))
    indexing = Indexing(writer.partial, columns)

    def complete(folder: Path) -> None:
        indexing.all_finished(len(writer.chunks))
        source.after(folder)
        with suppress(ImportCancelledError):  # the first search makes the index
            while indexing.is_running(REPORT_SECONDS):
                tell("indexing the texts", 1.0)
        indexing.stop()

    try:
        report = _resumed(writer, report, source)
        parts = Parts.begun(writer.partial, len(writer.chunks))
        position = _take(source, settings, report, writer, parts, tell, indexing)
        groups = parts.end(report)
        (writer.partial / REPORT).unlink(missing_ok=True)
        tell("finishing the data set", 1.0)
        manifest = _manifest(source, settings, columns, report, fingerprint)
        manifest["files_read"] = source.files_so_far or source.files_read(settings, tell)
        writer.finish(manifest, position, complete, groups)
    except BaseException as error:
        indexing.stop()
        # Wrong files or settings must be corrected, which makes it another import.
        is_wrong = isinstance(error, RivaeError) and not isinstance(error, WorkStoppedError)
        writer.give_up(keep=not is_wrong)
        raise
    with suppress(ImportCancelledError):  # the data are there; the first search makes the index
        store_index(PairStore(settings.folder), tell).close()
    return report


def same_as(
    source: Source, settings: ImportSettings, progress: Progress | None = None
) -> Path | None:
    """The finished import of the same table, pictures and embeddings with the same choices, under
    any name; None without.

    Files are compared by what they hold. An import of an older version kept only the names of
    pictures and embeddings (its manifest has no ``files_read``), and is taken by these. It may have
    read the table by other rules (``is_read_as_now``); one that was read as now comes first.

    Raises:
        DataError: the table cannot be read.
    """
    now = _fingerprint(source, settings)
    old = {key: value for key, value in now.items() if key not in _SINCE_RULES}
    by_rules, by_old_rules, by_name = _made_of(now), _made_of(old), _digest(old)
    tell, files_read = progress or (lambda words, share: None), ""
    older: Path | None = None
    for folder in list_stores(settings.root):
        with suppress(DataError):  # a damaged one is another's concern
            manifest = Manifest.read(folder)
            if not manifest.files_read and manifest.made_of == by_name:
                older = older or folder
            if manifest.files_read and manifest.made_of in (by_rules, by_old_rules):
                files_read = files_read or source.files_read(settings, tell)
                if manifest.files_read == files_read and manifest.made_of == by_rules:
                    return folder
                if manifest.files_read == files_read:
                    older = older or folder
    return older


def is_read_as_now(source: Source, settings: ImportSettings, folder: Path) -> bool:
    """Whether the import in ``folder``, found by ``same_as``, read its table by today's rules.

    Raises:
        DataError: its manifest cannot be read.
    """
    made_of = Manifest.read(folder).made_of
    return made_of == _made_of(_fingerprint(source, settings))


def _fingerprint(source: Source, settings: ImportSettings) -> dict[str, Any]:
    common = {"side": settings.side, "paper_filter": settings.paper_filter, "rules": RULES}
    return {**source.fingerprint(), **common}


def _made_of(fingerprint: dict[str, Any]) -> str:
    """A hash of what an import is made of, whatever its files are called."""
    return _digest({key: fingerprint[key] for key in fingerprint if key not in _NAMES})


def _digest(fingerprint: dict[str, Any]) -> str:
    text = json.dumps(fingerprint, sort_keys=True, default=str)
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def _take(
    source: Source,
    settings: ImportSettings,
    report: ImportReport,
    writer: StoreWriter | None,
    parts: Parts,
    tell: Progress,
    indexing: Indexing | None = None,
) -> int:
    """All records of ``source``; returns their number."""
    position, skip = 0, writer.source_position if writer else 0
    last = time.monotonic()
    for item in source.items(settings, report, skip, tell):
        position += 1
        if position > skip:
            report.read += 1
            if item is not None:
                report.taken += 1
                parts.add(item)
                if writer is not None and writer.add(item, position):
                    writer.keep(REPORT, {**report.to_dict(), "files": source.files_so_far})
                    if indexing is not None:
                        indexing.finished(len(writer.chunks))
        if position % REPORT_EVERY == 0 or time.monotonic() - last > REPORT_SECONDS:
            last = time.monotonic()
            tell(report.sentence, source.share_done())
    if report.taken < MIN_PAIRS:
        raise DataError(
            f"only {report.taken} usable pairs among {report.read:,} records, at least {MIN_PAIRS} "
            f"are needed{_main_reason(report)}"
        )
    tell(report.sentence, 1.0)
    return position


def _resumed(writer: StoreWriter, fresh: ImportReport, source: Source) -> ImportReport:
    """The report after the last finished chunk; the source takes its hash of files from there."""
    if not writer.chunks:
        return fresh
    try:
        document = json.loads((writer.partial / REPORT).read_bytes())
        report = ImportReport.from_dict(document)
        if report.read == writer.source_position:
            source.files_so_far = str(document.get("files", ""))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        report = fresh  # killed between a chunk and its report: the counts begin with this chunk
    if report.read != writer.source_position:
        report.note("the counts of left-out records are incomplete: the import was killed", "all")
        report.read, report.taken = writer.source_position, writer.n_items
    report.columns = fresh.columns
    return report


def _manifest(
    source: Source,
    settings: ImportSettings,
    columns: tuple[FactorColumn, ...],
    report: ImportReport,
    fingerprint: dict[str, Any],
) -> dict[str, Any]:
    return {
        "name": settings.name,
        "title": clean(settings.title) or settings.name,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "source": clean(fingerprint.get("kind", ""))[:MAX_SOURCE],
        "synthetic": source.synthetic,
        "picture_side": settings.side,
        "factors": columns,
        "report": report.to_dict(),
        "made_of": _made_of(fingerprint),
    }


def _main_reason(report: ImportReport) -> str:
    if not report.left_out:
        return ""
    reason = max(report.left_out, key=lambda r: report.left_out[r])
    example = (report.examples.get(reason) or [""])[0]
    return f": {report.left_out[reason]:,} × {reason} ({example})"
