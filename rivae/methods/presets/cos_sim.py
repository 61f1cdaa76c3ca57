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
    "pairs": 36,
    "kitchen": 90,
}
# Pictures and texts: of the three terms the contrast of the embeddings leads, for the bottleneck
# pulls them to the few directions that it keeps.
LED_BY_EMBEDDING = {"lambda_latent": 0.1, "lambda_auto": 0.1, "schedule": "cosine"}


def cos_sim(dataset: str, preset: str) -> dict[str, Any]:
    """Cos-Sim-LVM's settings on a data set."""
    start = rivae(dataset, preset)
    return {
        "epochs": EPOCHS[dataset],
        "learning_rate": PAPER[dataset]["learning_rate"]
        if preset == "paper"
        else start["init_learning_rate"],
        "batch_size": start.get("batch_size", 64),
        "loss_form": "hinge" if preset == "paper" else "softmax",
        "n_mismatches": 1 if preset == "paper" else None,
        **{key: start[key] for key in ("mismatches", "hardest_from") if key in start},
        **({"embedder": start["embedder"]} if "embedder" in start else {}),
        **(_food(start) if preset == "default" and dataset in ("pairs", "kitchen") else {}),
    }


def _food(start: dict[str, Any]) -> dict[str, Any]:
    return {**LED_BY_EMBEDDING, "temperature": start["cos_sim"]["temperature"]}
