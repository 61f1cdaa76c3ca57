"""Which data sets a table takes, and how much of the work the full, quick and tiny sizes do."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

FEW_QUERIES = 20

# name for --tables -> data sets it trains on
TABLE_DATASETS = {
    "synth": ("synth",),
    "synth-modulated": ("synth-modulated",),
    "sprites": ("sprites",),
    "split-mnist": ("split-mnist",),
    "split-digits": ("split-digits",),
    "kitchen": ("kitchen",),
    "pairs": ("pairs",),
    "ablation": ("synth", "sprites", "split-mnist"),
}


@dataclass(frozen=True)
class Size:
    """How much of the full work is done; only "full" gives results.

    Attributes:
        epochs: share of the preset's epochs, at least one of each stage.
        seeds, draws: how many, unless the command line says otherwise.
        tables: those made, unless the command line says otherwise.
        data: data set -> settings that make it smaller.
        n_queries: traversed queries of an evaluation; None for the number that results have.
    """

    name: str
    epochs: float
    seeds: int
    draws: int
    tables: tuple[str, ...]
    data: dict[str, dict[str, Any]] = field(default_factory=dict)
    n_queries: int | None = None


SIZES = {
    size.name: size
    for size in (
        # Imported pairs are the user's own: only those who name them have that table.
        Size("full", 1.0, 5, 10, tuple(t for t in TABLE_DATASETS if t != "pairs")),
        # Split digits stand in for Split-MNIST, whose files nobody has at first.
        Size(
            "quick",
            0.1,
            2,
            2,
            ("synth", "synth-modulated", "sprites", "split-digits", "ablation"),
            {
                "synth-modulated": {"n_pairs": 3000},
                "sprites": {"fractions": [0.2, 0.05, 0.75]},
                "split-mnist": {"n_validation": 56_000},
            },
            FEW_QUERIES,
        ),
        # Shows that everything works, from training to report.
        Size(
            "tiny",
            0.0,
            2,
            1,
            ("synth",),
            {
                "synth": {"n_pairs": 150},
                "synth-modulated": {"n_pairs": 500},
                "sprites": {"fractions": [0.02, 0.02, 0.96]},
                "split-digits": {"fractions": [0.85, 0.1, 0.05]},
                "split-mnist": {"n_validation": 59_500},
            },
            FEW_QUERIES,
        ),
    )
}
