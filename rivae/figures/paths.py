"""A path through z as a strip of pictures, and as an animated GIF."""

from __future__ import annotations

import io
from collections.abc import Collection, Sequence

import numpy as np
from PIL import Image

from rivae.exploring.paths import Path
from rivae.figures.traversals import Strip

FRAME_MS, STOP_MS = 125, 700
SIDE = 384  # pixels; small pictures are enlarged by a whole number, so they stay sharp


def path_strip(path: Path) -> Strip:
    """The points where another item is found, numbered from 1, and the way-points."""
    stops = [0, *np.flatnonzero(np.diff(path.ids)) + 1, *path.stops]
    points = np.unique(stops)
    return Strip("path", points + 1.0, path.ids[points, None], len(points))


def to_gif(pictures: Sequence[Image.Image], stops: Collection[int] = ()) -> bytes:
    """An endless GIF of ``pictures``, each on white in a square; those at ``stops`` stay longer.

    Raises:
        ValueError: there are no pictures.
    """
    if not pictures:
        raise ValueError("an animation needs pictures")
    frames = [_square(picture) for picture in pictures]
    times = [STOP_MS if k in stops else FRAME_MS for k in range(len(frames))]
    out = io.BytesIO()
    # Without disposal and with equal sizes every frame covers the one before.
    frames[0].save(
        out, "GIF", save_all=True, append_images=frames[1:], duration=times, loop=0, optimize=False
    )
    return out.getvalue()


def _square(picture: Image.Image) -> Image.Image:
    picture = picture.convert("RGBA")
    scale = SIDE / max(picture.size)
    if scale >= 2:
        way, scale = Image.Resampling.NEAREST, int(scale)
    else:
        way, scale = Image.Resampling.LANCZOS, min(scale, 1.0)
    width, height = (max(1, round(scale * edge)) for edge in picture.size)
    small = picture.resize((width, height), way)
    ground = Image.new("RGBA", (SIDE, SIDE), "white")
    ground.alpha_composite(small, ((SIDE - width) // 2, (SIDE - height) // 2))
    return ground.convert("RGB").quantize(255, dither=Image.Dither.NONE)
