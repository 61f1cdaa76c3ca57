"""Bi-VAE: no embedders, so its networks are its own; the paper tried several and names none.

"paper": three hidden layers (the convolutions of the embedding networks on Sprites), and rates,
decay and epochs as for RIVAE. "default": the same, pictures at half size, fewer epochs with a
cosine decay. Chosen on Synth by the validation score (mean reciprocal rank, mean of 4 seeds, 150
to 200 epochs): three hidden layers .06, one .05, linear .04; eta learned .06, fixed at .5 .05;
without the ELBOs of single modalities .03; without the prior expert .06.
"""

from __future__ import annotations

from typing import Any

from rivae.methods.presets.networks import NETWORKS
from rivae.methods.presets.rivae import PAPER

MLPS: dict[str, tuple[int, ...]] = {
    "synth": (50, 50, 50),
    "synth-modulated": (50, 50, 50),
    "split-mnist": (512, 512, 512),
    "split-digits": (256, 256, 256),
    "pairs": (512, 512, 512),
    "kitchen": (512, 512, 512),
}
DEFAULT: dict[str, dict[str, Any]] = {
    "synth": {"epochs": 200, "learning_rate": 5e-3},
    "synth-modulated": {"epochs": 100, "learning_rate": 3e-3, "batch_size": 256},
    "sprites": {"epochs": 20, "learning_rate": 2e-3, "downsample": 2},
    "split-mnist": {"epochs": 16, "learning_rate": 1e-3, "batch_size": 256},
    "split-digits": {"epochs": 150, "learning_rate": 1e-3},
    "pairs": {"epochs": 30, "learning_rate": 1e-3, "batch_size": 256},
    "kitchen": {"epochs": 30, "learning_rate": 1e-3, "batch_size": 256},
}


def bi_vae(dataset: str, preset: str) -> dict[str, Any]:
    """Bi-VAE's settings on a data set."""
    if dataset == "sprites":
        embedder = NETWORKS[dataset]["embedder"]
        networks = {
            "network": "conv",
            "hidden": embedder["hidden"],
            "channels": embedder["channels"],
        }
    else:
        networks = {"network": "mlp", "hidden": MLPS[dataset]}
    if preset == "default":
        return {**networks, **DEFAULT[dataset], "schedule": "cosine"}
    steps = PAPER[dataset]
    # RIVAE counts its decay from the start of joint training, this from that of the only stage.
    first = steps["ivae_epochs"]
    return {
        **networks,
        "learning_rate": steps["learning_rate"],
        "epochs": first + steps["joint_epochs"],
        "milestones": tuple((first + epoch, factor) for epoch, factor in steps["milestones"]),
    }
