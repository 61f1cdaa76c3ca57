"""A font for drawing on pictures, with Greek letters and a real minus sign where one is found."""

from __future__ import annotations

import importlib.util
from functools import lru_cache
from pathlib import Path

from PIL import ImageFont

STAND_INS = {"−": "-", "–": "-", "×": "x", "…": "...", "→": ">", "↑": "^", "●": "X", "○": "o"}

Font = ImageFont.FreeTypeFont | ImageFont.ImageFont


@lru_cache(maxsize=1)
def _font_folder() -> Path | None:
    """The fonts that come with matplotlib, which wordcloud installs; nothing is imported."""
    spec = importlib.util.find_spec("matplotlib")
    if spec is None or spec.origin is None:
        return None
    folder = Path(spec.origin).parent / "mpl-data" / "fonts" / "ttf"
    return folder if (folder / "DejaVuSans.ttf").is_file() else None


@lru_cache(maxsize=64)
def font(size: float, bold: bool = False, italic: bool = False) -> Font:
    """DejaVu Sans of ``size`` pixels, or Pillow's built-in font where it is not installed."""
    path = font_path(bold, italic)
    return ImageFont.load_default(size) if path is None else ImageFont.truetype(path, size)


def font_path(bold: bool = False, italic: bool = False) -> str | None:
    """The file of DejaVu Sans, None where it is not installed."""
    folder = _font_folder()
    style = f"{'Bold' if bold else ''}{'Oblique' if italic else ''}"
    return None if folder is None else str(folder / f"DejaVuSans{'-' * bool(style)}{style}.ttf")


def drawable(text: str) -> str:
    """``text`` as the font can draw it: Pillow's built-in one has ASCII letters only."""
    if _font_folder() is not None:
        return text
    plain = text
    for letter, stand_in in STAND_INS.items():
        plain = plain.replace(letter, stand_in)
    return plain.encode("ascii", "replace").decode("ascii")


def text_width(text: str, size: float, bold: bool = False) -> float:
    """Width of one line in pixels."""
    return float(font(size, bold).getlength(drawable(text)))


def shortened(text: str, width: float, size: float, bold: bool = False) -> str:
    """``text`` cut with an ellipsis so that it fits into ``width`` pixels."""
    if text_width(text, size, bold) <= width:
        return text
    while text and text_width(text + "…", size, bold) > width:
        text = text[:-1]
    return text.rstrip() + "…"


def wrapped(text: str, width: float, size: float, max_lines: int = 4) -> list[str]:
    """``text`` broken at spaces into lines of ``width`` pixels; the last one may end in an
    ellipsis.
    """
    lines: list[str] = []
    line = ""
    words = text.split()
    for n, word in enumerate(words):
        longer = f"{line} {word}".strip()
        if line and text_width(longer, size) > width:
            if len(lines) == max_lines - 1:
                return [*lines, shortened(" ".join([line, *words[n:]]), width, size)]
            lines.append(shortened(line, width, size))
            line = word
        else:
            line = longer
    return [*lines, shortened(line, width, size)]
