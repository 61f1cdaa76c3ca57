"""A sheet of pictures and labels: placed once, then drawn as PNG, SVG or HTML.

``rivae.figures.traversals``, ``results`` and ``steering`` place the marks; this file draws them
with Pillow (``to_image``) or writes them as SVG and HTML, self-contained, with pictures embedded
and all text escaped. Coordinates are pixels at scale 1 from the top left.
"""

from __future__ import annotations

import hashlib
import io
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any, Literal, get_args

from PIL import Image, ImageDraw

from rivae.data.thumbnails import Thumbnail, encode_picture
from rivae.figures.fonts import draw_note, draw_text, font_note
from rivae.figures.palette import DARK, LIGHT, Theme, sample, theme

# The last three are for words: how they relate to a factor (see ``rivae.figures.clouds``).
Tone = Literal["text", "muted", "accent", "related", "opposite", "faint"]
Anchor = Literal["start", "middle", "end"]

# Pictures up to this size are drawings of single pixels and stay sharp when enlarged.
TINY = 64
# Enough for sharp pictures on screens of two device pixels per CSS pixel.
PIXELS_PER_UNIT = 2
# Drawings of single pixels keep their exact values.
FEW_COLORS = 32
SLANTED, UNDERLINED = ' font-style="italic"', ' text-decoration="underline"'
FAMILY = "'Source Sans', 'Source Sans Pro', system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif"


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
    """Marks in reading order, and one sentence that describes the sheet.

    ``rows`` holds the same as data, one row per retrieved item, for a CSV file.
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
    if tone == "faint":  # light grey, still 4.5:1 on the page
        return sample((colors.grid, colors.muted), 0.9)
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
    """The sheet as an RGBA picture of ``scale`` times its size; with a sentence below it where no
    font on this machine has some of the letters.
    """
    colors = theme(dark)
    size = max(1, round(sheet.width * scale)), max(1, round(sheet.height * scale))
    canvas = Image.new("RGBA", size, (0, 0, 0, 0) if transparent else colors.surface)
    draw = ImageDraw.Draw(canvas)
    anchors = {"start": "lm", "middle": "mm", "end": "rm"}
    for mark in sheet.marks:
        if isinstance(mark, Text):
            at, ink = (mark.x * scale, mark.y * scale), tone_color(mark.tone, colors)
            letters = mark.size * scale
            x0, x1 = draw_text(
                draw, at, mark.text, ink, letters, mark.bold, mark.slanted, anchors[mark.anchor]
            )
            if mark.underlined:
                y, thick = at[1] + 0.45 * mark.size * scale, max(1, round(mark.size * scale / 16))
                draw.rectangle((x0, y, x1, y + thick - 1), fill=ink)
            continue
        left, top = round(mark.x * scale), round(mark.y * scale)
        scaled_image = _resized(mark, scale)
        canvas.paste(scaled_image, (left, top), scaled_image)
        line = round((2.5 if mark.marked else 1) * scale)
        box = (
            left - line,
            top - line,
            left + scaled_image.width - 1 + line,
            top + scaled_image.height - 1 + line,
        )
        draw.rectangle(box, outline=colors.frame if mark.marked else colors.grid, width=line)
    note = font_note(mark.text for mark in sheet.marks if isinstance(mark, Text))
    return draw_note(canvas, note, scale, colors.text)


def _resized(mark: Picture, scale: float) -> Image.Image:
    target = max(1, round(mark.width * scale)), max(1, round(mark.height * scale))
    image = mark.image.convert("RGBA")
    factor = math.ceil(max(target[0] / image.width, target[1] / image.height))
    if mark.is_tiny and factor > 1:
        # Integer multiples first: nearest neighbour alone makes pixels of unequal width.
        image = image.resize(
            (image.width * factor, image.height * factor), Image.Resampling.NEAREST
        )
    return image.resize(target, Image.Resampling.LANCZOS)


def to_svg(sheet: Sheet, *, dark: bool = False, transparent: bool = False) -> str:
    """The sheet as one SVG file; equal pictures are embedded once. The file and every picture
    carry their alt text as title.
    """
    colors, encoder = theme(dark), _Encoder(encode_picture)
    width, height = f"{sheet.width:g}", f"{sheet.height:g}"
    parts: list[str] = []
    for mark in sheet.marks:
        if isinstance(mark, Text):
            parts.append(
                f'<text x="{mark.x:g}" y="{mark.y:g}" font-size="{mark.size:g}" '
                f'text-anchor="{mark.anchor}" dominant-baseline="central" '
                f'fill="{tone_color(mark.tone, colors)}" '
                f'font-weight="{700 if mark.bold else 400}"'
                f"{SLANTED * mark.slanted}{UNDERLINED * mark.underlined}>"
                f"{escape(mark.text)}</text>"
            )
            continue
        box = f'x="{mark.x:g}" y="{mark.y:g}" width="{mark.width:g}" height="{mark.height:g}"'
        frame = colors.frame if mark.marked else colors.grid
        stroke = 2.5 if mark.marked else 1
        parts.append(
            f'<g role="img" aria-label="{escape(mark.alt)}"><title>{escape(mark.alt)}</title>'
            f'<use href="#{encoder.key(mark)}" transform="translate({mark.x:g} {mark.y:g}) '
            f'scale({mark.width:g} {mark.height:g})"/>'
            f'<rect {box} fill="none" stroke="{frame}" stroke-width="{stroke:g}"/></g>'
        )
    background = (
        ""
        if transparent
        else (f'<rect width="{width}" height="{height}" fill="{colors.surface}"/>')
    )
    definitions = "".join(
        f'<image id="{key}" width="1" height="1" preserveAspectRatio="none" '
        f'style="image-rendering:{"pixelated" if thumbnail.is_tiny else "auto"}" '
        f'href="{thumbnail.data_uri}"/>'
        for key, thumbnail in encoder.thumbnails.items()
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="{FAMILY}">'
        f"<title>{escape(sheet.alt)}</title><defs>{definitions}</defs>{background}"
        f"{''.join(parts)}</svg>\n"
    )


def to_html(sheet: Sheet, *, title: str = "", dark: bool | None = None) -> str:
    """The sheet as a complete HTML page; ``dark`` None follows the reader's system setting."""
    if dark is None:
        rules = f":root{{{_variables(LIGHT)}}}"
        rules += f"@media (prefers-color-scheme: dark){{:root{{{_variables(DARK)}}}}}"
    else:
        rules = f":root{{{_variables(theme(dark))}}}"
    rules += "body{background:var(--rv-surface);margin:16px}"
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width">'
        f"<title>{escape(title or 'RIVAE Explorer')}</title><style>{rules}</style></head>"
        f"<body>{to_fragment(sheet)}</body></html>\n"
    )


def to_fragment(sheet: Sheet, *, dark: bool | None = None) -> str:
    """The sheet as a piece of HTML for a page; ``dark`` None uses the page's own variables."""
    encoder = _Encoder(_webp)
    parts = []
    for mark in sheet.marks:
        if isinstance(mark, Text):
            shift = {"start": "0", "middle": "-50%", "end": "-100%"}[mark.anchor]
            parts.append(
                f'<span style="left:{mark.x:g}px;top:{mark.y:g}px;font-size:{mark.size:g}px;'
                f"color:var(--rv-{mark.tone});font-weight:{700 if mark.bold else 400};"
                f"{'font-style:italic;' * mark.slanted}"
                f"{'text-decoration:underline;' * mark.underlined}"
                f'transform:translate({shift},-50%)">{escape(mark.text)}</span>'
            )
            continue
        thumbnail = encoder.thumbnails[encoder.key(mark)]
        outline = "2.5px solid var(--rv-frame)" if mark.marked else "1px solid var(--rv-grid)"
        parts.append(
            f'<img alt="{escape(mark.alt)}" src="{thumbnail.data_uri}" style="left:{mark.x:g}px;'
            f"top:{mark.y:g}px;width:{mark.width:g}px;height:{mark.height:g}px;"
            f'outline:{outline};image-rendering:{"pixelated" if thumbnail.is_tiny else "auto"}">'
        )
    variables = "" if dark is None else _variables(theme(dark))
    return (
        "<style>.rv-sheet>*{position:absolute;white-space:nowrap;line-height:1.2}</style>"
        f'<div style="overflow-x:auto;{variables}" role="group" tabindex="0" '
        f'aria-label="{escape(sheet.alt)}"><div class="rv-sheet" style="position:relative;'
        f'width:{sheet.width:g}px;height:{sheet.height:g}px;font-family:{escape(FAMILY)}">'
        f"{''.join(parts)}</div></div>"
    )


def _variables(colors: Theme) -> str:
    values = {
        "surface": colors.surface,
        "grid": colors.grid,
        "frame": colors.frame,
        **{tone: tone_color(tone, colors) for tone in get_args(Tone)},
    }
    return "".join(f"--rv-{name}:{value};" for name, value in values.items())


class _Encoder:
    """Encodes every distinct picture once, no larger than it is shown."""

    def __init__(self, encode: Callable[[Image.Image, int], Thumbnail]) -> None:
        self.thumbnails: dict[str, Thumbnail] = {}
        self._encode = encode
        self._keys: dict[tuple[int, int], str] = {}

    def key(self, mark: Picture) -> str:
        """Identifier of the encoded picture of ``mark``."""
        side = max(round(max(mark.width, mark.height) * PIXELS_PER_UNIT), 1)
        key = (id(mark.image), side)
        if key not in self._keys:
            thumbnail = self._encode(mark.image, side)
            # Named by content: one page may have two sheets.
            name = "p" + hashlib.blake2b(thumbnail.content, digest_size=8).hexdigest()
            self._keys[key] = name
            self.thumbnails[name] = thumbnail
        return self._keys[key]


def _webp(image: Image.Image, max_side: int) -> Thumbnail:
    """As WebP, a third to a sixth of the PNG: a sheet of hundreds of pictures goes over a wire.

    Browsers read it; programs that open SVG files often do not.
    """
    if max(image.size) > max_side:
        image = image.copy()
        image.thumbnail((max_side, max_side), Image.Resampling.LANCZOS)
    few_colors = image.getcolors(FEW_COLORS) is not None
    buffer = io.BytesIO()
    image.save(buffer, "WEBP", lossless=few_colors, quality=88, method=2)
    return Thumbnail(buffer.getvalue(), "image/webp", image.width, image.height)
