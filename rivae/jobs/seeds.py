"""Several seeds in one line of text."""

from __future__ import annotations

import re

from rivae.errors import ConfigError

MAX_SEEDS = 1000


def parse_seeds(text: str) -> list[int]:
    """ "0-3,7" as [0, 1, 2, 3, 7]; ConfigError for anything else."""
    seeds: list[int] = []
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\d{1,10})(?:-(\d{1,10}))?\s*", part)
        if match is None:
            raise ConfigError(f"'{text}' names no seeds: write 3, 0-9 or 0,2,5")
        low, high = int(match[1]), int(match[2] or match[1])
        seeds += range(low, min(high, low + MAX_SEEDS) + 1)
    if not seeds or len(set(seeds)) != len(seeds) or len(seeds) > MAX_SEEDS:
        raise ConfigError(f"'{text}' must name 1 to {MAX_SEEDS} different seeds")
    return seeds
