"""How well eight levels can be read from pictures: ridge regression on hand-made features.

    .venv/bin/python tools/kitchen3d/probe.py orders.jsonl FOLDER [--size 96]
    .venv/bin/python tools/kitchen3d/probe.py orders.jsonl --drawn

Prints R² by factor over ten folds, of the pictures that are there. ``--drawn`` draws the same
dishes as the kitchen draws them. Few dishes give lower figures: compare at one number only.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from PIL import Image

SIDE = 96
PENALTIES = (0.03, 0.1, 0.3, 1, 3, 10)


def features(image: Image.Image) -> np.ndarray:
    """Means and spreads of a 12 x 12 grid, colours by height, edges by direction."""
    image = image.convert("RGB").resize((SIDE, SIDE))
    pixels = np.asarray(image, float) / 255
    cells = pixels.reshape(12, 8, 12, 8, 3)
    parts = [cells.mean((1, 3)).ravel(), cells.std((1, 3)).ravel()]
    for top in (0, 24, 48):
        band = pixels[top : top + 48].reshape(-1, 3)
        parts.append(np.histogramdd(band, bins=6, range=[(0, 1)] * 3)[0].ravel() ** 0.5 / 60)
    gy, gx = np.gradient(pixels.mean(2))
    strength = np.hypot(gx, gy)
    direction = (np.arctan2(gy, gx) % np.pi / np.pi * 6).astype(int).clip(0, 5)
    edges = [(strength * (direction == k)).reshape(8, 12, 8, 12).sum((1, 3)) for k in range(6)]
    parts.append(np.stack(edges, -1).ravel() ** 0.5)
    return np.concatenate(parts)


def r_squared(x: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """(8,) R² over ten folds, at the penalty that is best on average."""
    x = (x - x.mean(0)) / (x.std(0) + 1e-3)
    kernel = x @ x.T / x.shape[1]
    folds = np.random.default_rng(0).permutation(len(x))
    best = np.full(codes.shape[1], -np.inf)
    for penalty in PENALTIES:
        guess = np.zeros_like(codes)
        for k in range(10):
            test = folds[k::10]
            train = np.setdiff1d(folds, test)
            within = kernel[np.ix_(train, train)] + penalty * np.eye(len(train))
            weights = np.linalg.solve(within, codes[train] - 2)
            guess[test] = 2 + kernel[np.ix_(test, train)] @ weights
        score = 1 - ((codes - guess) ** 2).mean(0) / codes.var(0)
        if score.mean() > best.mean():
            best = score
    return best


def main() -> None:
    """Print a table row."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("orders", type=Path)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--drawn", action="store_true")
    args = parser.parse_args()
    rows, codes, factors = [], [], []
    for line in args.orders.read_text().splitlines():
        order = json.loads(line)
        factors = list(order["codes"])
        if args.drawn:
            from rivae.data.kitchen import draw, make_dish

            drawn = draw(make_dish(order["seed"], order["index"]))
            rows.append(features(drawn))
        else:
            path = args.folder / f"{order['name']}.webp"
            if not path.exists():
                continue
            rows.append(features(Image.open(path)))
        codes.append(list(order["codes"].values()))
    score = r_squared(np.stack(rows), np.array(codes, float))
    figures = ", ".join(f"{f} {s:.2f}" for f, s in zip(factors, score, strict=True))
    print(f"{len(rows)} dishes, mean {score.mean():.2f}: {figures}")


if __name__ == "__main__":
    main()
