"""Which font has the letters of a text: the one that is asked for first, else one of this machine.

Pillow draws a box for a letter that its font lacks. So a text is given in parts here, each with a
font that has all its letters, and where no font of the machine has them, that is said in a sentence
and nothing is drawn.
"""

from __future__ import annotations

import importlib.util
import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

from PIL import ImageFont, features

from rivae.base.system_fonts import BOLD, REGULAR, Face, installed_fonts, letters_of

Font = ImageFont.FreeTypeFont | ImageFont.ImageFont
# A part of a text and the font that has its letters; None where no font has.
Run = tuple[str, Face | None]

BUILT_IN = Face("")
# Letters of scripts that are joined or change places when drawn, by their Unicode names.
JOINED = (
    *("Arabic", "Balinese", "Bengali", "Devanagari", "Gujarati", "Gurmukhi", "Hebrew", "Javanese"),
    *("Kannada", "Khmer", "Lao", "Malayalam", "Mongolian", "Myanmar", "Nko", "Oriya", "Sinhala"),
    *("Syriac", "Tamil", "Telugu", "Thaana", "Thai", "Tibetan"),
)
_UNDRAWN = ("Zs", "Zl", "Zp", "Cc", "Cf")  # spaces and controls
_PIECE = re.compile(r"\s*\S+\s*")  # a word


@lru_cache(maxsize=1)
def _bundled_folder() -> Path | None:
    """The fonts that come with matplotlib, which wordcloud installs; nothing is imported."""
    spec = importlib.util.find_spec("matplotlib")
    if spec is None or spec.origin is None:
        return None
    folder = Path(spec.origin).parent / "mpl-data" / "fonts" / "ttf"
    return folder if (folder / "DejaVuSans.ttf").is_file() else None


def bundled(bold: bool = False, italic: bool = False) -> Face:
    """DejaVu Sans, or Pillow's built-in font where it is not installed."""
    folder = _bundled_folder()
    style = f"{'Bold' if bold else ''}{'Oblique' if italic else ''}"
    return Face(str(folder / f"DejaVuSans{'-' * bool(style)}{style}.ttf")) if folder else BUILT_IN


@lru_cache(maxsize=128)
def load(face: Face, size: float) -> Font:
    """A font in letters of ``size`` pixels."""
    if face == BUILT_IN:
        return ImageFont.load_default(size)
    return ImageFont.truetype(face.path, size, index=face.number)


@lru_cache(maxsize=8192)
def runs(text: str, first: Face, bold: bool = False) -> tuple[Run, ...]:
    """``text`` in parts, each with a font that has all its letters; None where no font has.

    Args:
        first: the font that is taken where it has the letters.
        bold: which fonts of the machine are looked for.
    """
    if face := first if text.isascii() else _face_of(text, first, bold):
        return ((text, face),)
    parts = _PIECE.findall(text)
    if len(parts) < 2:
        parts = list(clusters(text))
    if len(parts) < 2:
        return ((text, None),)
    font_runs: list[Run] = []
    for part in parts:
        for piece, face in runs(part, first, bold):
            if font_runs and font_runs[-1][1] == face:
                font_runs[-1] = (font_runs[-1][0] + piece, face)
            else:
                font_runs.append((piece, face))
    return tuple(font_runs)


def without_font(texts: Iterable[str], first: Face | None = None) -> list[str]:
    """The parts of texts that no font can draw."""
    first = first or bundled()
    return [part for text in texts for part, face in runs(text, first) if face is None]


def no_font(parts: Iterable[str]) -> str:
    """One sentence on parts of texts that are not drawn; "" without any. In ASCII letters."""
    scripts = list(dict.fromkeys(_script(letter) for part in parts for letter in _drawn(part)))
    if not scripts:
        return ""
    script_names = scripts if len(scripts) <= 3 else [*scripts[:3], "other scripts"]
    text = " and ".join(filter(None, (", ".join(script_names[:-1]), script_names[-1])))
    return (
        f"No font on this machine has the letters of {text}, so they are left out: install one, "
        "such as Noto, or export SVG or HTML."
    )


def badly_joined(texts: Iterable[str]) -> str:
    """One sentence where Pillow cannot join the letters of a script that needs it; else ""."""
    if features.check("raqm"):
        return ""
    scripts = {_script(letter) for text in texts for letter in text if not letter.isascii()}
    cursive = sorted(script for script in scripts if script in JOINED)
    if not cursive:
        return ""
    return (
        f"Letters of {cursive[0]} are not joined as they should be: install the library fribidi, "
        "or export SVG or HTML."
    )


def _face_of(text: str, first: Face, bold: bool) -> Face | None:
    """One font that has all letters of a text."""
    letters = frozenset(_drawn(text))
    for face in (first, bundled(bold), bundled()):
        if not letters or _has_all(face, letters):
            return face
    return _installed(letters, bold)


def _has_all(face: Face, text_letters: frozenset[str]) -> bool:
    letters = _letters(face)
    return all(ord(letter) in letters for letter in text_letters)


@lru_cache(maxsize=16)
def _letters(face: Face) -> frozenset[int]:
    built_in = getattr(ImageFont.load_default(10), "path", None) if face == BUILT_IN else None
    if face != BUILT_IN:
        return letters_of(face.path, face.number)
    return frozenset(range(32, 127)) if built_in is None else letters_of(built_in)


@lru_cache(maxsize=4096)
def _installed(letters: frozenset[str], bold: bool) -> Face | None:
    """The font of this machine that has all these letters, rather a plain one without serifs."""
    weight = BOLD if bold else REGULAR
    fonts = sorted(
        (font for font in installed_fonts() if font.is_outline and all(map(font.has, letters))),
        key=lambda font: (
            font.is_mono,
            not font.is_upright,
            "sans" not in font.family.lower(),
            abs(font.weight - weight),
            font.face.number,
            font.family,
            font.face.path,
        ),
    )
    return next((font.face for font in fonts if _is_sound(font.face)), None)


def _is_sound(face: Face) -> bool:
    try:
        load(face, 20)
    except OSError:
        return False
    return True


def _drawn(text: str) -> Iterator[str]:
    """The letters that need a glyph: neither spaces nor marks that only direct or choose forms."""
    for letter in text:
        is_selector = "\ufe00" <= letter <= "\ufe0f" or "\U000e0100" <= letter <= "\U000e01ef"
        if not is_selector and unicodedata.category(letter) not in _UNDRAWN:
            yield letter


def clusters(text: str) -> Iterator[str]:
    """Letters, each with the marks on it."""
    begun = ""
    for letter in text:
        follows = unicodedata.category(letter)[0] == "M" or letter in "\u200c\u200d"
        if begun and not follows and not begun.endswith("\u200d"):
            yield begun
            begun = ""
        begun += letter
    if begun:
        yield begun


def _script(letter: str) -> str:
    """As Unicode calls it, such as Devanagari."""
    name = unicodedata.name(letter, "")
    if unicodedata.category(letter)[0] not in "LMN" or not name:
        return "pictures and signs"
    word = name.split()[0]
    return word if word == "CJK" else word.capitalize()
