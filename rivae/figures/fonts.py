"""Text on pictures: drawn and measured with fonts that have its letters."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from PIL import Image, ImageDraw, ImageFont

from rivae.base.fonts import badly_joined, bundled, clusters, load, no_font, runs, without_font
from rivae.base.system_fonts import Face

STAND_INS = {"−": "-", "–": "-", "×": "x", "…": "...", "→": ">", "↑": "^", "●": "X", "○": "o"}
_NOTE, _MARGIN = 12, 14  # pixels: letters of a note, and the margin around it
Box = tuple[float, float, float, float]
# Scripts that are written without spaces between words, by the beginnings of their Unicode names.
_UNSPACED = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR")


def drawable(text: str) -> str:
    """``text`` without the letters that no font on this machine has; signs have stand-ins."""
    return "".join(part for part, _ in _parts(text, False, False))


def font_note(texts: Iterable[str]) -> str:
    """One sentence where letters of the texts cannot be drawn as they should be, else ""."""
    texts = list(texts)
    missing = ["".join(c for c in part if c not in STAND_INS) for part in without_font(texts)]
    return no_font(missing) or badly_joined(texts)


def draw_note(image: Image.Image, note: str, scale: float, ink: str) -> Image.Image:
    """The picture with a sentence below it; itself where there is none."""
    if not note:
        return image
    lines = wrapped(note, image.width / scale - 2 * _MARGIN, _NOTE)
    height = round((len(lines) * 1.4 * _NOTE + _MARGIN) * scale)
    ground = image.getpixel((0, image.height - 1))
    taller = Image.new(image.mode, (image.width, image.height + height), ground)
    taller.paste(image, (0, 0))
    draw = ImageDraw.Draw(taller)
    for n, line in enumerate(lines):
        at = (_MARGIN * scale, image.height + (n + 0.7) * 1.4 * _NOTE * scale)
        draw_text(draw, at, line, ink, _NOTE * scale, anchor="lm")
    return taller


def text_box(text: str, size: float, bold: bool = False, italic: bool = False) -> Box:
    """Left, top, right and bottom of the ink of one line, from where its baseline begins."""
    at, boxes = 0.0, []
    for part, face in _parts(text, bold, italic):
        letters = load(face, size)
        left, top, right, bottom = letters.getbbox(part, anchor="ls")
        boxes.append((at + left, top, at + right, bottom))
        at += letters.getlength(part)
    if not boxes:
        return 0, 0, 0, 0
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def draw_text(
    draw: ImageDraw.ImageDraw,
    at: tuple[float, float],
    text: str,
    ink: str,
    size: float,
    bold: bool = False,
    italic: bool = False,
    anchor: str = "ls",
) -> tuple[float, float]:
    """Draws one line of text, and gives where its ink begins and ends.

    Args:
        anchor: as in Pillow: l, m or r, then s (baseline) or m (middle).
    """
    parts, usual = _parts(text, bold, italic), bundled(bold, italic)
    if [face for _, face in parts] == [usual]:
        draw.text(at, parts[0][0], ink, load(usual, size), anchor=anchor)
        left, _, right, _ = draw.textbbox(at, parts[0][0], load(usual, size), anchor=anchor)
        return left, right
    before = {"l": 0.0, "m": 0.5, "r": 1.0}[anchor[0]]
    x, y = at[0] - before * text_width(text, size, bold, italic), at[1]
    left, _, right, _ = text_box(text, size, bold, italic)
    ends = x + left, x + right
    if anchor[1] == "m":
        letters = load(usual, size)
        if isinstance(letters, ImageFont.FreeTypeFont):
            ascent, descent = letters.getmetrics()
            y += (ascent - descent) / 2
    for part, face in parts:
        letters = load(face, size)
        draw.text((x, y), part, ink, letters, anchor="ls")
        x += letters.getlength(part)
    return ends


def text_width(text: str, size: float, bold: bool = False, italic: bool = False) -> float:
    """Width of one line in pixels."""
    return sum(load(face, size).getlength(part) for part, face in _parts(text, bold, italic))


def shortened(text: str, width: float, size: float, bold: bool = False) -> str:
    """``text`` cut with an ellipsis so that it fits into ``width`` pixels."""
    if text_width(text, size, bold) <= width:
        return text
    letters = list(clusters(text))
    while letters and text_width("".join(letters) + "…", size, bold) > width:
        letters.pop()
    return "".join(letters).rstrip() + "…"


def wrapped(text: str, width: float, size: float, max_lines: int = 4) -> list[str]:
    """``text`` broken into lines of ``width`` pixels, at spaces, and anywhere in scripts that are
    written without; the last one may end in an ellipsis.
    """
    lines: list[str] = []
    line = ""
    pieces = _pieces(text)
    for n, (space, piece) in enumerate(pieces):
        longer = f"{line}{space}{piece}" if line else piece
        if line and text_width(longer, size) > width:
            if len(lines) == max_lines - 1:
                rest = "".join(space + piece for space, piece in pieces[n:])
                return [*lines, shortened(line + rest, width, size)]
            lines.append(shortened(line, width, size))
            line = piece
        else:
            line = longer
    return [*lines, shortened(line, width, size)]


def _pieces(text: str) -> list[tuple[str, str]]:
    """What stays together on a line, each after the space that stands before it."""
    pieces = []
    for word in text.split():
        units = [word] if word.isascii() or not any(map(_is_unspaced, word)) else clusters(word)
        pieces += [("" if n else " ", piece) for n, piece in enumerate(units)]
    return pieces


def _is_unspaced(letter: str) -> bool:
    return unicodedata.name(letter, "").startswith(_UNSPACED)


def _parts(text: str, bold: bool, italic: bool) -> list[tuple[str, Face]]:
    """``drawable`` in parts, each with its font."""
    usual, parts = bundled(bold, italic), []
    for part, face in runs(text, usual, bold):
        if face is None:
            part = "".join(STAND_INS.get(letter, "") for letter in part)
        if part:
            parts.append((part, face or usual))
    return parts
