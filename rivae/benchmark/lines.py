"""The lines of every table: method, preset and changed settings.

Most tables have a line per method. Others are ablations: RIVAE without L_Reg, other starts, the
paper's literal settings.
"""

from __future__ import annotations

from typing import Any

from rivae.data.names import dataset_names
from rivae.models.registry import METHODS

Changes = tuple[tuple[str, Any], ...]
Line = tuple[str, str | None, Changes]  # method, its preset if not those asked for, changes
ABLATION: Changes = (("lambda_reg", 0.0),)  # RIVAE without L_Reg, the paper's table "ablation"
START_ALONE: Changes = (("ivae_epochs", 0), ("joint_epochs", 0))


# On pixels the closed form needs linear embedders, which then replace the preset's networks.
LINEAR_START: Changes = (("init", "ridge-cca"), ("embedder.hidden", ()))


def _from_papers_start(epochs: int) -> Changes:
    return (("init", "cos-sim-lvm"), ("anchor", None), ("init_epochs", epochs))


def _from_rivaes_start(init: str) -> tuple[Line, ...]:
    return tuple((method, None, (("init", init),)) for method in ("rbi-vae", "bi-vae-on-v", "dcca"))


ALL: tuple[Line, ...] = tuple(
    (method, None, ()) for method in METHODS if not METHODS.trouble(method)
)
WITH_AND_WITHOUT_REG: tuple[Line, ...] = (("rivae", None, ()), ("rivae", None, ABLATION))
NON_LINEAR: Line = ("rbi-vae", None, (("form", "non-linear"),))
# Sprites-hard has its own benchmark (benchmarks/hard_conditions.py).
OF_EVERY_METHOD = tuple(name for name in dataset_names() if name != "sprites-hard")
# name for --tables -> data sets it trains on -> its lines
TABLE_LINES: dict[str, dict[str, tuple[Line, ...]]] = {
    **{name: {name: ALL} for name in OF_EVERY_METHOD},
    "ablation": dict.fromkeys(("synth", "sprites", "split-mnist"), WITH_AND_WITHOUT_REG),
    # Other starts: RIVAE from the paper's, the other methods from RIVAE's.
    "starts": {
        "synth": (
            ("rivae", None, _from_papers_start(200)),
            ("rivae", None, START_ALONE),
            *_from_rivaes_start("contrast"),
            NON_LINEAR,
        ),
        "sprites": (
            ("rivae", None, _from_papers_start(60)),
            ("rivae", None, START_ALONE),
            *_from_rivaes_start("smooth"),
            NON_LINEAR,
        ),
        "split-mnist": (("rivae", None, LINEAR_START),),
    },
    # The literal settings: 2,000 epochs each, so of the smallest data set.
    "paper": {
        "synth": (
            *((name, "paper", ()) for name in METHODS if METHODS.said(name, "paper", False)),
            ("rivae", "paper", ABLATION),
        )
    },
}
