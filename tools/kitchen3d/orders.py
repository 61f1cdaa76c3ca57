"""Writes an order file: one line of JSON per dish, from the kitchen's own draw of levels.

    .venv/bin/python tools/kitchen3d/orders.py orders.jsonl --n 200 [--seed 0] [--first 0]
    .venv/bin/python tools/kitchen3d/orders.py orders.jsonl --strips 11001131 [--seed 0]

It runs in the library's environment, the renderer in its own; the file is all that they share.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from rivae.data.food_factors import FACTOR_NAMES, N_LEVELS
from rivae.data.kitchen.factors import make_dish
from rivae.data.kitchen.serving import order_of


def main() -> None:
    """Write the orders of the first dishes, or of strips: one factor after another, 0 to 4."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--n", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--strips", help="eight codes in the order of the factors: 11001131")
    args = parser.parse_args()
    orders = []
    if args.strips:
        base = dict(zip(FACTOR_NAMES, map(int, args.strips), strict=True))
        dish = make_dish(args.seed, args.first)
        for factor in FACTOR_NAMES:
            for level in range(N_LEVELS):
                served = dish.with_codes(**(base | {factor: level}))
                orders.append(order_of(served, f"{factor}-{level}"))
    else:
        for i in range(args.first, args.first + args.n):
            orders.append(order_of(make_dish(args.seed, i), f"{i:05d}"))
    args.file.write_text("".join(json.dumps(order) + "\n" for order in orders))


if __name__ == "__main__":
    main()
