"""One import from beginning to end: dry run or real, with progress, and taken up after a kill."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from rivae.data.store import FactorColumn, StoreItem, StoreWriter, data_root
from rivae.data.store.place import checked_name
from rivae.errors import ConfigError, DataError
from rivae.files import write_json
from rivae.importing.limits import MIN_PAIRS
from rivae.importing.report import ImportReport

Progress = Callable[[ImportReport, float], None]  # what was found so far, share done in [0, 1]
SIDES = (32, 1024)
REPORT_EVERY = 200
REPORT = "report.json"


class ImportCancelledError(Exception):
    """Raised by a progress callback to stop an import; what was finished of it stays."""


@dataclass(frozen=True)
class ImportSettings:
    """What the user decides, whatever the source.

    Attributes:
        name: of the new data set.
        title: what a person calls it; the name by default.
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
        if not SIDES[0] <= self.side <= SIDES[1]:
            raise ConfigError(f"side must be from {SIDES[0]} to {SIDES[1]} pixels, got {self.side}")

    @property
    def folder(self) -> Path:
        return (self.root or data_root()) / self.name


class Source(Protocol):
    """A kind of files that pairs are read from."""

    @property
    def synthetic(self) -> bool:
        """The items are made by a program; known once ``factor_columns`` was asked."""
        ...

    def fingerprint(self) -> dict[str, Any]:
        """Names the files and settings, to know the same import again."""
        ...

    def factor_columns(self, report: ImportReport) -> tuple[FactorColumn, ...]:
        """The known factors; may read the source once."""
        ...

    def items(
        self, settings: ImportSettings, report: ImportReport, skip: int
    ) -> Iterator[StoreItem | None]:
        """One element per record, None for those left out (and counted in ``report``).

        The first ``skip`` records were taken up before and yield None at no cost.
        """
        ...

    def share_done(self) -> float:
        """In [0, 1], while ``items`` runs."""
        ...

    def after(self, folder: Path) -> None:
        """What else goes into the store, whose items are finished in ``folder``.

        Raises:
            DataError: when that cannot be; the import does not appear then.
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

    A dry run reads and checks everything and writes nothing. A killed import is taken up by the
    same call; ``ImportCancelledError`` from ``progress`` leaves it ready for that too.

    Raises:
        ConfigError, DataError: with one sentence; nothing appears among the data sets then.
    """
    settings.check()
    tell = progress or (lambda report, share: None)
    report = ImportReport()
    columns = source.factor_columns(report)
    writer = None
    if not dry_run:
        fingerprint = {**source.fingerprint(), "side": settings.side,
                       "paper_filter": settings.paper_filter}  # fmt: skip
        writer = StoreWriter(settings.folder, fingerprint, tuple(c.name for c in columns))
        report = _taken_up(writer, report)
    position, skip = 0, writer.source_position if writer else 0
    for item in source.items(settings, report, skip):
        position += 1
        if position > skip:
            report.read += 1
            if item is not None:
                report.taken += 1
                if writer is not None and writer.add(item, position):
                    write_json(writer.partial / REPORT, report.to_dict())
        if position % REPORT_EVERY == 0:
            tell(report, source.share_done())
    if report.taken < MIN_PAIRS:
        if writer is not None:
            writer.discard()
        raise DataError(
            f"only {report.taken} usable pairs among {report.read:,} records, at least {MIN_PAIRS} "
            f"are needed{_main_reason(report)}"
        )
    if writer is not None:
        (writer.partial / REPORT).unlink(missing_ok=True)
        writer.finish(_manifest(source, settings, columns, report), position, source.after)
    tell(report, 1.0)
    return report


def _taken_up(writer: StoreWriter, fresh: ImportReport) -> ImportReport:
    """The report as it stood after the last finished chunk."""
    import json

    if not writer.chunks:
        return fresh
    try:
        stored = ImportReport.from_dict(json.loads((writer.partial / REPORT).read_bytes()))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        stored = fresh  # killed between a chunk and its report: the counts begin with this chunk
    if stored.read != writer.source_position:
        stored.note("the counts of left-out records are incomplete: the import was killed", "all")
        stored.read, stored.taken = writer.source_position, writer.n_items
    return stored


def _manifest(
    source: Source,
    settings: ImportSettings,
    columns: tuple[FactorColumn, ...],
    report: ImportReport,
) -> dict[str, Any]:
    return {
        "name": settings.name,
        "title": settings.title or settings.name,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "source": str(source.fingerprint().get("kind", "")),
        "synthetic": source.synthetic,
        "picture_side": settings.side,
        "factors": columns,
        "report": report.to_dict(),
    }


def _main_reason(report: ImportReport) -> str:
    if not report.left_out:
        return ""
    reason = max(report.left_out, key=lambda r: report.left_out[r])
    example = (report.examples.get(reason) or [""])[0]
    return f": {report.left_out[reason]:,} × {reason} ({example})"
