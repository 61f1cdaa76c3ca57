"""Clouds of all states with pictures of dishes under each, as one figure (paper, Recipe1M)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from PIL import Image

from rivae.figures import clouds as drawing
from rivae.figures import sheet
from rivae.figures.clouds import LEGEND, Clouds, describe, relation_color
from rivae.figures.palette import theme
from rivae.figures.sheet import Sheet, fitted

N_PICTURES = 4
SIDE, GAP, PAD = 116, 10, 18  # of the pictures; PAD is the gap between clouds


@dataclass(frozen=True)
class CloudSheet:
    """Clouds and the pictures below them.

    Attributes:
        pictures: a sheet of one row, as wide as all clouds.
    """

    clouds: Clouds
    pictures: Sheet

    @property
    def rows(self) -> list[dict[str, Any]]:
        """One row per word with its count in every state and its relation, for a CSV file."""
        counts = self.clouds.counts
        return [{**row, "relation": self.clouds.of(row["word"])} for row in counts.rows()]

    @property
    def alt(self) -> str:
        """One sentence per state, plain text."""
        states = range(len(self.clouds.counts.states))
        return " ".join(describe(self.clouds, s) for s in states)


def cloud_sheet(
    clouds: Clouds,
    items: Sequence[Sequence[int]],
    picture: Callable[[int], Image.Image],
    title: Callable[[int], str] = lambda i: f"item {i}",
    *,
    n_pictures: int = N_PICTURES,
) -> CloudSheet:
    """Put the first ``n_pictures`` items of each state under its cloud.

    Args:
        items: for every state the data rows to show, the best first.
        picture, title: of a data row; titles are plain text.
    """
    layout, n_states = clouds.layout, len(clouds.counts.states)
    row = Sheet(n_states * (layout.width + PAD) + PAD, SIDE + 2 * GAP, "Dishes of each state.")
    for s in range(n_states):
        state_items = list(items[s])[:n_pictures]
        width = len(state_items) * SIDE + (len(state_items) - 1) * GAP
        left = PAD + s * (layout.width + PAD) + (layout.width - width) / 2
        for n, i in enumerate(state_items):
            alt = f"{title(i)}, at {clouds.counts.states[s]}"
            row.marks.append(fitted(picture(i), left + n * (SIDE + GAP), GAP, SIDE, SIDE, alt))
    return CloudSheet(clouds, row)


def to_image(
    figure: CloudSheet, *, scale: float = 2.0, dark: bool = False, transparent: bool = False
) -> Image.Image:
    """The figure as an RGBA picture of ``scale`` times its size."""
    top = drawing.to_image(figure.clouds, dark=dark, scale=scale, transparent=transparent)
    row = sheet.to_image(figure.pictures, dark=dark, scale=scale, transparent=transparent)
    background = (0, 0, 0, 0) if transparent else theme(dark).surface
    image = Image.new("RGBA", (top.width, top.height + row.height), background)
    image.paste(top, (0, 0))
    image.paste(row, (0, top.height))
    return image


def to_svg(figure: CloudSheet, *, dark: bool = False, transparent: bool = False) -> str:
    """The figure as SVG; all text is escaped."""
    clouds, colors = figure.clouds, theme(dark)
    layout, counts, head, foot = clouds.layout, clouds.counts, 30, 28 if clouds.factor else 4
    width, below = figure.pictures.width, head + layout.height + foot
    height = below + figure.pictures.height
    parts = (
        []
        if transparent
        else [f'<rect width="{width:g}" height="{height:g}" fill="{colors.surface}"/>']
    )
    for s, state in enumerate(counts.states):
        left = PAD + s * (layout.width + PAD)
        parts.append(
            f'<text x="{left + layout.width / 2:g}" y="20" text-anchor="middle" font-size="14" '
            f'font-weight="700" fill="{colors.text}">'
            f"{escape(f'{state}   ({counts.n_items[s]} items)')}</text>"
            f'<rect x="{left}" y="{head}" width="{layout.width}" height="{layout.height}" '
            f'fill="none" stroke="{colors.grid}"/>'
            f'<g transform="translate({left} {head})">{drawing.to_svg(clouds, s, dark=dark)}</g>'
        )
    if clouds.factor:
        words = "".join(
            f'<tspan dx="{22 if n else 0}" fill="{relation_color(relation, colors)}" '
            f"{drawing.STYLE[relation]}>{escape(text.format(clouds.factor))}</tspan>"
            for n, (relation, text) in enumerate(LEGEND.items())
        )
        parts.append(f'<text x="{PAD}" y="{below - 9:g}" font-size="13">{words}</text>')
    parts.append(
        f'<g transform="translate(0 {below})">'
        f"{sheet.to_svg(figure.pictures, dark=dark, transparent=True)}</g>"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}" font-family="{sheet.FAMILY}">{"".join(parts)}</svg>\n'
    )


def to_html(figure: CloudSheet, *, title: str = "", dark: bool = False) -> str:
    """The figure as a complete HTML page."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{escape(title or 'RIVAE Explorer')}</title>"
        f"<style>body{{margin:0;background:{theme(dark).surface}}}svg{{max-width:100%;height:auto}}"
        f"</style></head><body>{to_svg(figure, dark=dark)}</body></html>\n"
    )
