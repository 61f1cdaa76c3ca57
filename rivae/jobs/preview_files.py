"""The pictures of a model in training as files: ``previews/epoch-00040.png`` in the run's folder.

Drawn once for light pages and once for dark ones (``epoch-00040.dark.png``); photographs as WebP.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from rivae.reading.regular import read_at_most

KEEP = 12
MAX_BYTES = 4 * 2**20  # a larger file is none of ours
FOLDER = "previews"
_NAME = re.compile(r"epoch-(\d{5,9})(\.dark)?\.(png|webp)")


@dataclass(frozen=True)
class Preview:
    """The pictures after ``epoch`` epochs, for light and dark pages."""

    epoch: int
    light: Path
    dark: Path

    def content(self, dark: bool) -> bytes | None:
        """The encoded picture; None where it is gone or was not written by us."""
        path = self.dark if dark else self.light
        try:
            found = read_at_most(path, MAX_BYTES)
        except OSError:
            return None
        return found if found is not None and found[:4] in (b"\x89PNG", b"RIFF") else None


def previews_of(run_folder: Path) -> list[Preview]:
    """What was drawn for a run so far, by epoch."""
    found: dict[int, dict[bool, Path]] = {}
    try:
        paths = sorted((run_folder / FOLDER).iterdir())
    except OSError:
        return []
    for path in paths:
        if name := _NAME.fullmatch(path.name):
            found.setdefault(int(name[1]), {})[bool(name[2])] = path
    return [
        Preview(
            epoch,
            both.get(False, next(iter(both.values()))),
            both.get(True, next(iter(both.values()))),
        )
        for epoch, both in sorted(found.items())
    ]


def file_name(epoch: int, dark: bool, ending: str) -> str:
    """The name of a picture's file."""
    return f"epoch-{epoch:05d}{'.dark' if dark else ''}.{ending}"


def thin_out(run_folder: Path, keep: int = KEEP) -> None:
    """Delete pictures until ``keep`` are left: the first, the last and others evenly between."""
    kept = previews_of(run_folder)
    while len(kept) > max(keep, 2):
        # The one whose neighbours are closest to each other is missed least.
        gaps = [kept[i + 1].epoch - kept[i - 1].epoch for i in range(1, len(kept) - 1)]
        gone = kept.pop(1 + gaps.index(min(gaps)))
        for path in {gone.light, gone.dark}:
            path.unlink(missing_ok=True)
