"""Cos-Sim-LVM: the initialiser of the others, on its own."""

from __future__ import annotations

from typing import Any

from rivae.methods.presets.rivae import PAPER, rivae

# One stage from fresh embedders: what initialisation and joint training of the others take.
EPOCHS = {
    "synth": 300,
    "synth-modulated": 120,
    "sprites": 60,
    "split-mnist": 30,
    "split-digits": 150,
    "pairs": 40,
    "kitchen": 40,
}


def cos_sim(dataset: str, preset: str) -> dict[str, Any]:
    """Cos-Sim-LVM's settings on a data set."""
    start = rivae(dataset, preset)
    return {
        "epochs": EPOCHS[dataset],
        "learning_rate": PAPER[dataset]["learning_rate"] if preset == "paper"
        else start["init_learning_rate"],
        "batch_size": start.get("batch_size", 64),
        "loss_form": "hinge" if preset == "paper" else "softmax",
        "n_mismatches": 1 if preset == "paper" else None,
        **{key: start[key] for key in ("mismatches", "hardest_from") if key in start},
        **({"embedder": start["embedder"]} if "embedder" in start else {}),
    }
