"""Places for the words of a cloud, found by the ``wordcloud`` package.

That knows one font. A word that needs another, or that no font of this machine can draw (a browser
may all the same), is laid out as a block of its size.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

import numpy as np

from rivae.base.arrays import Floats
from rivae.base.fonts import bundled, runs, without_font
from rivae.figures.fonts import Box, text_box

# The share of the canvas that words can fill, tried from large to small letters.
FILLS = (0.62, 0.52, 0.43, 0.35, 0.28, 0.2, 0.12, 0.05)
# A smaller gap lets an underline touch the next word; a larger one makes all letters smaller.
GAP = 6
BLOCK = "█"  # a little higher than any letters


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
    texts = [_laid_out_as(label) for label in labels]
    unique = {texts[w] + "\u200b" * texts[:w].count(texts[w]): w for w in order}
    area = sum(_area(texts[w]) * size[w] ** 2 for w in order)
    best: CloudLayout | None = None
    for fill in FILLS:
        largest = int(np.sqrt(fill * width * height / area) * size.max())
        cloud = WordCloud(
            font_path=bundled(bold=True).path or None,
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
            ink = ink_box(texts[w], letters)
            x[w], y[w] = left + (ink[2] - ink[0]) / 2, top + (ink[3] - ink[1]) / 2
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
    return (text if len(text) <= 32 else text[:31] + "…") or "?"


def ink_box(label: str, size: float) -> Box:
    """Left, top, right and bottom of a bold label's ink, from where its baseline begins; as a usual
    font has it where this machine has none.
    """
    if not without_font([label]):
        return text_box(label, size, bold=True)
    wide = [unicodedata.east_asian_width(letter) in "WF" for letter in label]
    return 0, -0.8 * size, sum(1 if w else 0.65 for w in wide) * size, 0.15 * size


def _laid_out_as(label: str) -> str:
    usual = bundled(bold=True)
    if [face for _, face in runs(label, usual, True)] == [usual]:
        return label
    left, _, right, _ = ink_box(label, 100)
    return BLOCK * math.ceil((right - left) / text_box(BLOCK, 100, bold=True)[2])


def _area(label: str) -> float:
    """Inked box of the label in letters of 1 pixel, with the gap around it at a usual size."""
    left, top, right, bottom = ink_box(label, 40)
    return (right - left + GAP) * (bottom - top + GAP) / 1600
