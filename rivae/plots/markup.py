"""A picture sheet as SVG and as HTML: self-contained, pictures embedded, all text escaped."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable
from html import escape
from typing import get_args

from PIL import Image

from rivae.plots.palette import DARK, LIGHT, Theme, theme
from rivae.plots.sheet import Picture, Sheet, Text, Tone, tone_color
from rivae.thumbnails import Thumbnail, encode_picture

# Enough for sharp pictures on screens of two device pixels per CSS pixel.
PIXELS_PER_UNIT = 2
# Drawings of single pixels keep their exact values.
FEW_COLORS = 32
SLANTED, UNDERLINED = ' font-style="italic"', ' text-decoration="underline"'
FAMILY = "'Source Sans', 'Source Sans Pro', system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif"


def to_svg(sheet: Sheet, *, dark: bool = False, transparent: bool = False) -> str:
    """The sheet as one SVG file; equal pictures are embedded once. The whole carries its alt text
    as title, every picture its own.
    """
    colors, encoded = theme(dark), _Encoder(encode_picture)
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
            f'<use href="#{encoded.key(mark)}" transform="translate({mark.x:g} {mark.y:g}) '
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
        for key, thumbnail in encoded.thumbnails.items()
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="{FAMILY}">'
        f"<title>{escape(sheet.alt)}</title><defs>{definitions}</defs>{background}"
        f"{''.join(parts)}</svg>\n"
    )


def to_html(sheet: Sheet, *, title: str = "", dark: bool | None = None) -> str:
    """The sheet as a page of its own; ``dark`` None follows the reader's system setting."""
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
    encoded = _Encoder(_webp)
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
        thumbnail = encoded.thumbnails[encoded.key(mark)]
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
        seen = (id(mark.image), side)
        if seen not in self._keys:
            thumbnail = self._encode(mark.image, side)
            # Named by content: two sheets may stand on one page.
            name = "p" + hashlib.blake2b(thumbnail.content, digest_size=8).hexdigest()
            self._keys[seen] = name
            self.thumbnails[name] = thumbnail
        return self._keys[seen]


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
