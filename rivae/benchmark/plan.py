"""What a table of the benchmark is made of: its lines, their runs and their names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rivae.config import RunConfig
from rivae.launch import make_config


def draw_settings(dataset: str, draw: int) -> dict[str, Any]:
    """The settings of draw number ``draw`` of a data set; only Synth has more than one."""
    if dataset != "synth":
        return {}
    return {"g_seed": draw, "factor_seed": draw, "split_seed": draw}


@dataclass(frozen=True)
class Cell:
    """One row of a table: a data set, a method and a preset, over several seeds.

    ``draws`` are draws of the data set itself (Synth's G and factors); a data set that is fixed
    has one.
    """

    dataset: str
    method: str
    preset: str
    seeds: tuple[int, ...]
    draws: tuple[int, ...] = (0,)
    settings: tuple[tuple[str, Any], ...] = ()

    @property
    def label(self) -> str:
        """Name of the run folders."""
        extra = "".join(f"-{key}-{value}" for key, value in self.settings).lower()
        name = f"bench-{self.dataset}-{self.method}-{self.preset}{extra}"
        return "".join(c if c.isalnum() or c in "._-" else "-" for c in name)

    def configs(self) -> list[RunConfig]:
        """One configuration per seed and draw."""
        out = []
        for draw in self.draws:
            data = draw_settings(self.dataset, draw)
            for seed in self.seeds:
                out.append(
                    make_config(
                        self.dataset,
                        self.method,
                        self.preset,
                        name=f"{self.label}-d{draw}-s{seed}",
                        seed=seed,
                        dataset_settings=data,
                        method_settings=dict(self.settings),
                    )
                )
        return out


def cell_key(row: dict[str, Any]) -> tuple[str, str, str, str]:
    """What makes one line of a table: data set, method, preset and changed settings."""
    return row["dataset"], row["method"], row["preset"], row["settings"]
