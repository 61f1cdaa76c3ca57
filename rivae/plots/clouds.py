"""Word clouds of several states with words in stable places, as SVG and as a picture.

The words are laid out once, each at the largest size that any state gives it, by the ``wordcloud``
package; in each state a word is drawn in the middle of its place, at the size of its frequency
there. Colour is the word's relation to a factor, and the lettering says it too: related words are
bold and underlined, opposite ones bold and slanted, the others plain and light grey (as in the
paper).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from random import Random
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from rivae.plots.fonts import drawable, font, font_path, shortened, text_width
from rivae.plots.palette import Theme, theme
from rivae.plots.sheet import FAMILY, tone_color
from rivae.plots.theme import join_words
from rivae.retrieval.base import Floats
from rivae.words.clouds import CloudCounts
from rivae.words.relations import Relation

SMALLEST = 9.0  # letters below this many pixels are not drawn: pages show clouds at 0.7 of it
N_WORDS = 50
# The share of the canvas that words can fill, tried from large to small letters.
FILLS = (0.62, 0.52, 0.43, 0.35, 0.28, 0.2, 0.12, 0.05)
# A smaller gap lets an underline touch the next word; a larger one makes all letters smaller.
GAP = 6

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
class CloudLayout:
    """Places on a canvas of ``width`` x ``height`` pixels.

    Attributes:
        x, y: (W,) middle of every word.
        scale: letter size in pixels of a word that every item has: a word of relative frequency
            f is ``scale * sqrt(f)`` large, so that the inked area follows the frequency.
    """

    width: int
    height: int
    x: Floats
    y: Floats
    scale: float


def lay_out(
    words: Sequence[str],
    frequency: Floats,
    *,
    width: int = 520,
    height: int = 340,
    random_state: int = 0,
) -> CloudLayout:
    """Places for W words, given their (S, W) frequencies; the same input gives the same places.

    Raises:
        ValueError: if there is no word, or a word has no frequency above zero in any state.
    """
    from wordcloud import WordCloud

    size = np.sqrt(np.asarray(frequency, dtype=np.float64).max(axis=0))
    if not len(words) or not (size > 0).all():
        raise ValueError("a cloud needs words, each with a frequency above zero in some state")
    # Equal words would fall together; a name as drawn may not be unique, its number is.
    labels = [one_line(word) for word in words]
    order = sorted(range(len(words)), key=lambda w: (-size[w], labels[w], w))
    unique = {labels[w] + "\u200b" * labels[:w].count(labels[w]): w for w in order}
    area = sum(_area(labels[w]) * size[w] ** 2 for w in order)
    best: CloudLayout | None = None
    for fill in FILLS:
        largest = int(np.sqrt(fill * width * height / area) * size.max())
        cloud = WordCloud(
            font_path=font_path(bold=True),
            width=width,
            height=height,
            margin=GAP,
            prefer_horizontal=1.0,
            relative_scaling=1.0,
            min_font_size=1,
            max_words=len(words),
            max_font_size=max(largest, 2),
            random_state=Random(random_state),
            color_func=lambda *_, **__: "white",
        )
        cloud.generate_from_frequencies({label: size[w] for label, w in unique.items()})
        if len(cloud.layout_) < len(words):
            continue
        x, y, scale = np.zeros(len(words)), np.zeros(len(words)), np.inf
        for (label, _), letters, (top, left), _, _ in cloud.layout_:
            w = unique[label]
            ink = _ink(labels[w], letters)
            x[w], y[w] = left + ink[0] / 2, top + ink[1] / 2
            scale = min(scale, letters / size[w])
        if best is None or scale > best.scale:
            best = CloudLayout(width, height, x, y, float(scale))
        # It shrinks a word that finds no room, and all after it; without that the fill is right.
        if scale * size.max() > 0.95 * largest:
            break
    if best is None:
        raise ValueError(f"no room for {len(words)} words on {width} x {height} pixels")
    return best


def printable(text: str) -> str:
    """Text on one line, without the control characters that an SVG may not hold."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def one_line(word: str) -> str:
    """The word as it is drawn: at most 32 characters."""
    text = printable(word)
    return drawable(text if len(text) <= 32 else text[:31] + "…") or "?"


def _ink(label: str, size: float) -> tuple[float, float]:
    path = font_path(bold=True)
    font = ImageFont.load_default(size) if path is None else ImageFont.truetype(path, size)
    left, top, right, bottom = font.getbbox(label)
    return right - left, bottom - top


def _area(label: str) -> float:
    """Inked box of the label in letters of 1 pixel, with the gap around it at a usual size."""
    width, height = _ink(label, 40)
    return (width + GAP) * (height + GAP) / 1600


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
    shown = counts.top(n_words)
    if not shown.words:
        return None
    layout = lay_out(
        shown.words, shown.frequency, width=width, height=height, random_state=random_state
    )
    return Clouds(shown, layout, relation or {}, factor)


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
    """All states side by side under their names, with the legend, as an RGBA picture."""
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
        draw.text(
            ((left + layout.width / 2) * scale, head / 2 * scale),
            title,
            colors.text,
            font(14 * scale, True),
            anchor="mm",
        )
        frame = [v * scale for v in (left, head, left + layout.width, head + layout.height)]
        draw.rectangle(frame, outline=colors.grid, width=max(1, round(scale)))
        for w, letters in enumerate(clouds.size(s)):
            if letters >= SMALLEST:
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
    return image


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
    _, top, _, bottom = font(100, True).getbbox(one_line(clouds.counts.words[w]), anchor="ls")
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
    letters = font(size * scale, bold, relation == "opposite")
    draw.text((x * scale, y * scale), text, color, letters, anchor=anchor)
    if relation == "related":
        half = letters.getlength(text) / 2
        middle = x * scale + (half if anchor[0] == "l" else 0)
        line, thick = (y + 0.1 * size) * scale, max(1, round(0.06 * size * scale))
        draw.rectangle((middle - half, line, middle + half, line + thick - 1), fill=color)


def _legend(
    draw: ImageDraw.ImageDraw, factor: str, x: float, y: float, colors: Theme, scale: float
) -> None:
    for relation, text in LEGEND.items():
        label = drawable(shortened(printable(text.format(factor)), 260, 13, True))
        _write(draw, label, x, y + 5, 13, relation, colors, scale, anchor="ls")
        x += text_width(label, 13, True) + 28
