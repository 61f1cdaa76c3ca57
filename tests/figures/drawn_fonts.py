"""Fonts that tests draw, with a square for each of a few letters, and what is known of fonts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen

from rivae.base import fonts, system_fonts
from rivae.figures import chart_letters

_EM, _SIDE = 1000, 800


def draw_font(path: Path, letters: str, family: str = "Drawn Sans", weight: int = 400) -> Path:
    """A font file in which each letter is a full square, as wide as high."""
    names = {ord(letter): f"g{ord(letter):x}" for letter in letters}
    builder = FontBuilder(_EM, isTTF=True)
    builder.setupGlyphOrder([".notdef", *names.values()])
    builder.setupCharacterMap(names)
    builder.setupGlyf({".notdef": _square(40), **{n: _square(_SIDE) for n in names.values()}})
    builder.setupHorizontalMetrics(dict.fromkeys([".notdef", *names.values()], (_EM, 50)))
    builder.setupHorizontalHeader(ascent=900, descent=-200)
    builder.setupNameTable({"familyName": family, "styleName": "Regular"})
    builder.setupOS2(usWeightClass=weight, sTypoAscender=900, sTypoDescender=-200)
    builder.setupPost()
    path.parent.mkdir(parents=True, exist_ok=True)
    builder.save(path)
    return path


def _square(side: int) -> object:
    pen = TTGlyphPen(None)
    pen.moveTo((50, 0))
    for point in ((50, side), (50 + side, side), (50 + side, 0)):
        pen.lineTo(point)
    pen.closePath()
    return pen.glyph()


def forget_fonts() -> None:
    """Find the fonts of the machine anew."""
    for function in (
        *(fonts._bundled_folder, fonts.runs, fonts.load, fonts._letters, fonts._installed),
        *(chart_letters._is_lost, system_fonts.installed_fonts),
    ):
        getattr(function, "cache_clear", lambda: None)()


@contextmanager
def forgotten_fonts() -> Iterator[None]:
    """Nothing is known of fonts when it begins, nor when it ends."""
    forget_fonts()
    try:
        yield
    finally:
        forget_fonts()
