"""One place for every word of a set of clouds, so that a word stands still between states.

The words are laid out once, each at the largest size that any state gives it, by the ``wordcloud``
package; in a state a word is drawn in the middle of its place, at the size of its frequency there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

import numpy as np
from PIL import ImageFont

from rivae.plots.fonts import drawable, font_path
from rivae.retrieval.base import Floats

# The share of the canvas that words can fill, tried from large to small letters.
FILLS = (0.62, 0.52, 0.43, 0.35, 0.28, 0.2, 0.12, 0.05)
# A smaller gap lets an underline touch the next word.
GAP = 6


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
