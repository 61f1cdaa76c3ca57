"""Word clouds of several states with words in stable places, as SVG and as a picture.

The words are laid out once, each at the largest size that any state gives it, by the ``wordcloud``
package; in each state a word is drawn in the middle of its place, at the size of its frequency
there. Colour is the word's relation to a factor, and the lettering says it too: related words are
bold and underlined, opposite ones bold and slanted, the others plain and light grey (as in the
paper).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

from rivae.base.fonts import without_font
from rivae.base.wording import join_words
from rivae.exploring.words.clouds import CloudCounts
from rivae.exploring.words.relations import Relation
from rivae.figures.cloud_layout import CloudLayout, ink_box, lay_out, one_line, printable
from rivae.figures.fonts import draw_note, draw_text, font_note, shortened, text_width
from rivae.figures.palette import Theme, theme
from rivae.figures.sheet import FAMILY, tone_color

SMALLEST = 9.0  # letters below this many pixels are not drawn: pages show clouds at 0.7 of it
N_WORDS = 50

# How a relation is shown without colour, and its name in the legend.
STYLE: dict[Relation, str] = {
    "related": ' font-weight="700" text-decoration="underline"',
    "opposite": ' font-weight="700" font-style="italic"',
    "none": "",
}
LEGEND: dict[Relation, str] = {
    "related": "more with {}",
    "opposite": "less with {}",
    "none": "no clear relation",
}


@dataclass(frozen=True)
class Clouds:
    """Counts of some states, one layout for all of them, and the meaning of the colours.

    Attributes:
        factor: name of the factor or axis that the words relate to, "" for none.
        relation: word to relation; a word that is missing has none.
    """

    counts: CloudCounts
    layout: CloudLayout
    relation: Mapping[str, Relation]
    factor: str = ""

    def size(self, state: int) -> np.ndarray:
        """(W,) letter sizes in pixels."""
        return self.layout.scale * np.sqrt(self.counts.frequency[state])

    def of(self, word: str) -> Relation:
        """Relation of a word to the factor."""
        return self.relation.get(word, "none")


def make_clouds(
    counts: CloudCounts,
    relation: Mapping[str, Relation] | None = None,
    *,
    factor: str = "",
    n_words: int = N_WORDS,
    width: int = 520,
    height: int = 340,
    random_state: int = 0,
) -> Clouds | None:
    """Lay out the ``n_words`` most frequent words of all states once; None without any word."""
    top = counts.top(n_words)
    if not top.words:
        return None
    layout = lay_out(
        top.words, top.frequency, width=width, height=height, random_state=random_state
    )
    return Clouds(top, layout, relation or {}, factor)


def relation_color(relation: Relation, colors: Theme) -> str:
    """Vermilion for related, blue for opposite, light grey (3:1 on the page) for none."""
    return tone_color("faint" if relation == "none" else relation, colors)


def to_svg(clouds: Clouds, state: int, *, dark: bool = False, transparent: bool = True) -> str:
    """The cloud of one state as a complete SVG, with its description, the count of each word as
    its tooltip and its number in ``counts.words`` as ``data-word``. Words are escaped.
    """
    colors, layout, counts = theme(dark), clouds.layout, clouds.counts
    parts = (
        []
        if transparent
        else [f'<rect width="{layout.width}" height="{layout.height}" fill="{colors.surface}"/>']
    )
    for w, size in enumerate(clouds.size(state)):
        if size < SMALLEST:
            continue
        word = counts.words[w]
        relation = clouds.of(word)
        parts.append(
            f'<text data-word="{w}" x="{layout.x[w]:.1f}" y="{baseline(clouds, w, size):.1f}" '
            f'font-size="{size:.1f}" fill="{relation_color(relation, colors)}"{STYLE[relation]}>'
            f"<title>{escape(printable(describe_word(clouds, state, w)))}</title>"
            f"{escape(one_line(word))}</text>"
        )
    alt = escape(printable(describe(clouds, state)))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {layout.width} {layout.height}" '
        f'width="{layout.width}" height="{layout.height}" role="img" aria-label="{alt}" '
        f'text-anchor="middle" font-family="{FAMILY}"><title>{alt}</title>{"".join(parts)}</svg>\n'
    )


def to_json(clouds: Clouds, state: int) -> dict[str, Any]:
    """The cloud of one state for a browser (``assets/components/cloud.js``): its size, what it is
    for those who do not see it, and for every word [text, x of its middle, y of its baseline,
    letter size, relation, count in words].
    """
    layout, sizes = clouds.layout, clouds.size(state)
    words = []
    for w in np.flatnonzero(sizes >= SMALLEST).tolist():
        word, place = clouds.counts.words[w], (layout.x[w], baseline(clouds, w, sizes[w]), sizes[w])
        numbers = [round(float(number), 1) for number in place]
        words.append([one_line(word), *numbers, clouds.of(word), describe_word(clouds, state, w)])
    alt = describe(clouds, state)
    return {"width": layout.width, "height": layout.height, "alt": alt, "words": words}


def to_image(
    clouds: Clouds, *, dark: bool = False, scale: float = 2.0, transparent: bool = False
) -> Image.Image:
    """All states side by side under their names, with the legend, as an RGBA picture.

    Words that no font on this machine can draw are left out, which a sentence below says.
    """
    colors, layout, counts = theme(dark), clouds.layout, clouds.counts
    head, gap, foot = 30, 18, 28 if clouds.factor else 4
    n_states = len(counts.states)
    width = n_states * layout.width + (n_states + 1) * gap
    size = round(width * scale), round((head + layout.height + foot) * scale)
    image = Image.new("RGBA", size, (0, 0, 0, 0) if transparent else colors.surface)
    draw = ImageDraw.Draw(image)
    for s, state in enumerate(counts.states):
        left = gap + s * (layout.width + gap)
        title = f"{state}   ({counts.n_items[s]} items)"
        at = (left + layout.width / 2) * scale, head / 2 * scale
        draw_text(draw, at, title, colors.text, 14 * scale, bold=True, anchor="mm")
        frame = [v * scale for v in (left, head, left + layout.width, head + layout.height)]
        draw.rectangle(frame, outline=colors.grid, width=max(1, round(scale)))
        for w, letters in enumerate(clouds.size(s)):
            if letters >= SMALLEST and not without_font([one_line(counts.words[w])]):
                relation = clouds.of(counts.words[w])
                _write(
                    draw,
                    one_line(counts.words[w]),
                    left + layout.x[w],
                    head + baseline(clouds, w, letters),
                    letters,
                    relation,
                    colors,
                    scale,
                )
    if clouds.factor:
        _legend(draw, clouds.factor, gap, head + layout.height + foot / 2, colors, scale)
    return draw_note(image, cloud_note(clouds), scale, colors.text)


def cloud_note(clouds: Clouds) -> str:
    """One sentence where words cannot be drawn as they should be in a picture; else ""."""
    return font_note([*map(one_line, clouds.counts.words), *clouds.counts.states, clouds.factor])


def describe_word(clouds: Clouds, state: int, w: int) -> str:
    """``kale: 31 of 160 items (19 %), related to greenness``, plain text."""
    counts, word = clouds.counts, clouds.counts.words[w]
    text = (
        f"{word}: {counts.counts[state, w]} of {counts.n_items[state]} items "
        f"({100 * counts.frequency[state, w]:.0f} %)"
    )
    relation = clouds.of(word)
    if not clouds.factor or relation == "none":
        return text
    return text + (", related to " if relation == "related" else ", opposite to ") + clouds.factor


def describe(clouds: Clouds, state: int) -> str:
    """One sentence for those who do not see the cloud, plain text."""
    counts = clouds.counts
    order = np.argsort(-counts.frequency[state], kind="stable")
    present = [int(w) for w in order if counts.counts[state, w]]
    if not present:
        return f"Word cloud of {counts.states[state]}: no words."
    often = [f"{counts.words[w]} ({100 * counts.frequency[state, w]:.0f} %)" for w in present[:5]]
    text = (
        f"Word cloud of {counts.states[state]}, {counts.n_items[state]} items: "
        f"most often {join_words(often)}"
    )
    for relation, joint in (("related", "related to"), ("opposite", "opposite to")):
        words = [counts.words[w] for w in present if clouds.of(counts.words[w]) == relation][:4]
        if clouds.factor and words:
            text += f"; {joint} {clouds.factor}: {join_words(words)}"
    return text + "."


def baseline(clouds: Clouds, w: int, size: float) -> float:
    """The y of the baseline that puts the ink of a word in the middle of its place."""
    _, top, _, bottom = ink_box(one_line(clouds.counts.words[w]), 100)
    return float(clouds.layout.y[w] - (top + bottom) / 200 * size)


def _write(
    draw: ImageDraw.ImageDraw,
    text: str,
    x: float,
    y: float,
    size: float,
    relation: Relation,
    colors: Theme,
    scale: float,
    anchor: str = "ms",
) -> None:
    color, bold = relation_color(relation, colors), relation != "none"
    is_slanted = relation == "opposite"
    draw_text(draw, (x * scale, y * scale), text, color, size * scale, bold, is_slanted, anchor)
    if relation == "related":
        half = text_width(text, size * scale, bold) / 2
        middle = x * scale + (half if anchor[0] == "l" else 0)
        line, thick = (y + 0.1 * size) * scale, max(1, round(0.06 * size * scale))
        draw.rectangle((middle - half, line, middle + half, line + thick - 1), fill=color)


def _legend(
    draw: ImageDraw.ImageDraw, factor: str, x: float, y: float, colors: Theme, scale: float
) -> None:
    for relation, text in LEGEND.items():
        label = shortened(printable(text.format(factor)), 260, 13, True)
        _write(draw, label, x, y + 5, 13, relation, colors, scale, anchor="ls")
        x += text_width(label, 13, True) + 28
