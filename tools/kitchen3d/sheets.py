"""Contact sheets of rendered dishes, and strips of every factor.

.venv/bin/python tools/kitchen3d/sheets.py FOLDER sheet.webp [--first 0] [--n 48]
.venv/bin/python tools/kitchen3d/sheets.py FOLDER strips.webp --strips
"""

from __future__ import annotations

import argparse
from pathlib import Path

from PIL import Image, ImageDraw

FACTORS = (
    "wateriness",
    "greenness",
    "stickiness",
    "baked",
    "longishness",
    "grains",
    "dessert",
    "fruit",
)
MOST_BYTES = 150_000


def sheet(rows: list[list[Path]], side: int, heads: list[str]) -> Image.Image:
    """Pictures in rows, a head before each where there are heads."""
    left = 90 if heads else 0
    gap = 4
    wide = left + max(len(row) for row in rows) * (side + gap)
    out = Image.new("RGB", (wide, len(rows) * (side + gap)), "white")
    pen = ImageDraw.Draw(out)
    for y, row in enumerate(rows):
        if heads:
            pen.text((4, y * (side + gap) + side // 2), heads[y], fill="black")
        for x, path in enumerate(row):
            if path.exists():
                image = (
                    Image.open(path).convert("RGB").resize((side, side), Image.Resampling.LANCZOS)
                )
                out.paste(image, (left + x * (side + gap), y * (side + gap)))
    return out


def main() -> None:
    """Write one sheet, as well as 150 kB allow."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("file", type=Path)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--n", type=int, default=48)
    parser.add_argument("--side", type=int, default=160)
    parser.add_argument("--strips", action="store_true")
    parser.add_argument("--prefix", default="", help="of the names of strips")
    args = parser.parse_args()
    if args.strips:
        rows = [[args.folder / f"{args.prefix}{f}-{k}.webp" for k in range(5)] for f in FACTORS]
        image = sheet(rows, args.side, list(FACTORS))
    else:
        paths = [args.folder / f"{i:05d}.webp" for i in range(args.first, args.first + args.n)]
        rows = [paths[k : k + 8] for k in range(0, len(paths), 8)]
        image = sheet(rows, args.side, [])
    if args.file.suffix != ".webp":
        image.save(args.file)
        return
    for quality in range(85, 20, -5):
        image.save(args.file, "WEBP", quality=quality, method=6)
        if args.file.stat().st_size <= MOST_BYTES:
            return


if __name__ == "__main__":
    main()
