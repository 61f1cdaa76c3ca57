"""The fonts of this machine, and which letters each has: from fontconfig, or from their folders."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import IO, NamedTuple

SECONDS = 20.0  # that looking for fonts may take
MAX_FONTS = 5_000
MAX_BYTES = 64 * 2**20  # of fontconfig's list
REGULAR, BOLD = 80, 200  # weights, as fontconfig counts them
_FILES = (".ttf", ".otf", ".ttc", ".otc")
_FORMAT = (
    r"%{file}\t%{index}\t%{weight}\t%{slant}\t%{spacing}\t%{scalable}\t%{color}\t"
    r"%{fontformat}\t%{family}\t%{charset}\n"
)
_NAMED_STYLES = 2**16  # numbers from here on are styles of a variable font
# Names of files with many letters, for where a folder has more fonts than time allows to read.
_BROAD = ("noto", "arial", "msyh", "yugoth", "meiryo", "malgun", "nirmala", "leelaw", "pingfang")


class Face(NamedTuple):
    """A font: its file, and its number in a file of several. "" is the one built into Pillow."""

    path: str
    number: int = 0


@dataclass(frozen=True)
class InstalledFont:
    """A font of this machine.

    Attributes:
        is_outline: whether it can be drawn at any size, as those of coloured pictures cannot.
        starts, ends: the ranges of its letters, sorted.
    """

    face: Face
    family: str
    weight: int
    is_upright: bool
    is_mono: bool
    is_outline: bool
    starts: array[int]
    ends: array[int]

    def has(self, letter: str) -> bool:
        """Whether it can draw a letter."""
        at = bisect_right(self.starts, ord(letter)) - 1
        return at >= 0 and ord(letter) <= self.ends[at]


@lru_cache(maxsize=1)
def installed_fonts() -> tuple[InstalledFont, ...]:
    """All fonts; () where there are none, or they cannot be listed in time."""
    program = shutil.which("fc-list")
    files = _listed(program) if program else _read(_folders())
    return tuple(font for font, _ in zip(files, range(MAX_FONTS), strict=False))


def letters_of(file: str | IO[bytes], number: int = 0) -> frozenset[int]:
    """The code points that a font file can draw; none where it is damaged."""
    from fontTools.ttLib import TTFont

    try:
        with TTFont(file, fontNumber=number, lazy=True) as font:
            return frozenset(font.getBestCmap() or ())
    except Exception:  # noqa: BLE001  (a damaged file alone raises nearly everything)
        return frozenset()


def _listed(program: str) -> Iterator[InstalledFont]:
    try:
        process = subprocess.run(
            [program, "--format", _FORMAT], capture_output=True, timeout=SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return
    for line in process.stdout[:MAX_BYTES].decode("utf-8", "replace").splitlines():
        cells = line.split("\t")
        if len(cells) != 10:
            continue
        file, index, weight, slant, spacing, scalable, colour, kind, family, letters = cells
        is_file = file.lower().endswith(_FILES) and kind in ("TrueType", "CFF")
        if not is_file or not index.isdigit() or int(index) >= _NAMED_STYLES:
            continue
        starts, ends = array("l"), array("l")
        for pair in letters.split():
            first, _, last = pair.partition("-")
            starts.append(int(first, 16))
            ends.append(int(last or first, 16))
        yield InstalledFont(
            Face(file, int(index)),
            family.partition(",")[0],
            _number(weight, REGULAR),
            _number(slant, 0) == 0,
            _number(spacing, 0) >= 90,
            scalable == "True" and colour != "True",
            starts,
            ends,
        )


def _number(text: str, otherwise: int) -> int:
    """The first number of ``80``, or of ``[0 210]`` of a variable font."""
    try:
        return int(float(text.strip("[]").split()[0]))
    except (IndexError, ValueError):
        return otherwise


def _folders() -> list[Path]:
    home, windows = Path.home(), os.environ.get("WINDIR")
    if windows:
        local = os.environ.get("LOCALAPPDATA", "")
        return [Path(windows, "Fonts"), Path(local, "Microsoft", "Windows", "Fonts")]
    mac = [Path("/System/Library/Fonts"), Path("/Library/Fonts"), home / "Library" / "Fonts"]
    linux = [Path("/usr/share/fonts"), Path("/usr/local/share/fonts")]
    return [*mac, *linux, home / ".local" / "share" / "fonts", home / ".fonts"]


def _read(folders: Iterable[Path]) -> Iterator[InstalledFont]:
    """The fonts of folders, for as long as ``SECONDS``; of a file of several fonts the first."""
    until = time.monotonic() + SECONDS
    files = [
        Path(place, name)
        for folder in folders
        for place, _, names in os.walk(folder)
        for name in names
        if name.lower().endswith(_FILES)
    ]
    files.sort(key=lambda file: (not file.name.lower().startswith(_BROAD), str(file)))
    for file in files:
        if time.monotonic() > until:
            return
        if letters := sorted(letters_of(str(file))):
            name = file.stem.lower()
            starts, ends = array("l"), array("l")
            for letter in letters:
                if ends and letter == ends[-1] + 1:
                    ends[-1] = letter
                else:
                    starts.append(letter)
                    ends.append(letter)
            yield InstalledFont(
                Face(str(file)),
                file.stem,
                BOLD if "bold" in name else REGULAR,
                "italic" not in name and "oblique" not in name,
                "mono" in name,
                "color" not in name,
                starts,
                ends,
            )
