"""A sheet of pictures and labels: placed once, then drawn as PNG, SVG or HTML.

``rivae.plots.strips`` and ``rivae.plots.plane`` place; this file draws with Pillow and
``rivae.plots.markup`` writes SVG and HTML. Coordinates are pixels at scale 1 from the top left.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from PIL import Image, ImageDraw

from rivae.plots.fonts import drawable, font
from rivae.plots.palette import Theme, sample, theme

# The last three are for words: how they relate to a factor (see ``rivae.plots.clouds``).
Tone = Literal["text", "muted", "accent", "related", "opposite", "faint"]
Anchor = Literal["start", "middle", "end"]

# Pictures up to this size are drawings of single pixels and stay sharp when enlarged.
TINY = 64


@dataclass(frozen=True)
class Picture:
    """An image inside its frame; ``marked`` frames stand out. ``alt`` is plain text."""

    x: float
    y: float
    width: float
    height: float
    image: Image.Image
    alt: str
    marked: bool = False

    @property
    def is_tiny(self) -> bool:
        """Whether single pixels should stay visible when the picture is enlarged."""
        return max(self.image.size) <= TINY


@dataclass(frozen=True)
class Text:
    """One line of plain text; (x, y) is the middle of the line at ``anchor``."""

    x: float
    y: float
    text: str
    size: float = 13
    anchor: Anchor = "start"
    tone: Tone = "text"
    bold: bool = False
    slanted: bool = False
    underlined: bool = False


@dataclass
class Sheet:
    """Marks in reading order, with one sentence that describes the whole.

    ``rows`` says the same in words, one row per retrieved item, for a CSV file.
    """

    width: float
    height: float
    alt: str
    marks: list[Picture | Text] = field(default_factory=list)
    rows: list[dict[str, Any]] = field(default_factory=list)


def fitted(
    image: Image.Image,
    x: float,
    y: float,
    width: float,
    height: float,
    alt: str,
    marked: bool = False,
) -> Picture:
    """``image`` in its own proportions, centred in the given box."""
    ratio = min(width / image.width, height / image.height)
    w, h = image.width * ratio, image.height * ratio
    return Picture(x + (width - w) / 2, y + (height - h) / 2, w, h, image, alt, marked)


def stacked(sheets: Sequence[Sheet], gap: float = 24) -> Sheet:
    """Several sheets as one, from top to bottom (one panel per query, as in the paper)."""
    out = Sheet(max((s.width for s in sheets), default=0), 0, " ".join(s.alt for s in sheets))
    for number, sheet in enumerate(sheets):
        top = out.height + (gap if out.marks else 0)
        out.marks += [replace(mark, y=mark.y + top) for mark in sheet.marks]
        out.rows += [{"panel": number, **row} for row in sheet.rows]
        out.height = top + sheet.height
    return out


def tone_color(tone: Tone, colors: Theme) -> str:
    """The theme's colour for a tone of text."""
    if tone == "faint":  # light grey, still 3:1 on the page
        return sample((colors.grid, colors.muted), 0.75)
    return {
        "text": colors.text,
        "muted": colors.muted,
        "accent": colors.series[0],
        "related": colors.series[5],
        "opposite": colors.series[0],
    }[tone]


def to_image(
    sheet: Sheet, *, scale: float = 2.0, dark: bool = False, transparent: bool = False
) -> Image.Image:
    """The sheet as an RGBA picture of ``scale`` times its size."""
    colors = theme(dark)
    size = max(1, round(sheet.width * scale)), max(1, round(sheet.height * scale))
    canvas = Image.new("RGBA", size, (0, 0, 0, 0) if transparent else colors.surface)
    draw = ImageDraw.Draw(canvas)
    anchors = {"start": "lm", "middle": "mm", "end": "rm"}
    for mark in sheet.marks:
        if isinstance(mark, Text):
            letters = font(mark.size * scale, mark.bold, mark.slanted)
            at, ink = (mark.x * scale, mark.y * scale), tone_color(mark.tone, colors)
            text, anchor = drawable(mark.text), anchors[mark.anchor]
            draw.text(at, text, fill=ink, font=letters, anchor=anchor)
            if mark.underlined:
                x0, _, x1, _ = draw.textbbox(at, text, font=letters, anchor=anchor)
                y, thick = at[1] + 0.45 * mark.size * scale, max(1, round(mark.size * scale / 16))
                draw.rectangle((x0, y, x1, y + thick - 1), fill=ink)
            continue
        left, top = round(mark.x * scale), round(mark.y * scale)
        resized = _resized(mark, scale)
        canvas.paste(resized, (left, top), resized)
        line = round((2.5 if mark.marked else 1) * scale)
        box = (
            left - line,
            top - line,
            left + resized.width - 1 + line,
            top + resized.height - 1 + line,
        )
        draw.rectangle(box, outline=colors.frame if mark.marked else colors.grid, width=line)
    return canvas


def _resized(mark: Picture, scale: float) -> Image.Image:
    target = max(1, round(mark.width * scale)), max(1, round(mark.height * scale))
    image = mark.image.convert("RGBA")
    factor = math.ceil(max(target[0] / image.width, target[1] / image.height))
    if mark.is_tiny and factor > 1:
        # Whole multiples first: nearest neighbour alone makes pixels of unequal width.
        image = image.resize(
            (image.width * factor, image.height * factor), Image.Resampling.NEAREST
        )
    return image.resize(target, Image.Resampling.LANCZOS)
