"""DCCA: the start and epochs of RIVAE, batches as large as a correlation needs."""

from __future__ import annotations

from typing import Any

from rivae.methods.presets.rivae import PAPER, rivae

# The rest is RIVAE's on the same data set, so that the two differ by their method alone.
SHARED = (
    "embedder",
    "embedder2",
    "batch_size",
    "init",
    "init_epochs",
    "init_learning_rate",
    "init_schedule",
    "cos_sim",
    "learning_rate",
    "milestones",
)
DEFAULT: dict[str, dict[str, Any]] = {
    "synth": {"joint_batch_size": 256, "g_epochs": 100, "joint_epochs": 500},
    # RIVAE's smooth start is its own recipe; this is the paper's.
    "sprites": {
        "init": "cos-sim-lvm",
        "cos_sim": {"loss_form": "softmax"},
        "init_epochs": 60,
        "joint_batch_size": 256,
        "g_epochs": 60,
        "joint_epochs": 40,
    },
    # Wide embedders learn ten correlations by heart: R@1 of validation pairs is .63 before the
    # joint stage, .22 after it at RIVAE's rate (3e-4) and .66 where the embedders take .03 of
    # that; at .1 of it R@1 falls after two epochs.
    "split-mnist": {
        "joint_batch_size": 1024,
        "joint_learning_rate": 3e-4,
        "embedder_rate": 0.03,
        "g_epochs": 5,
        "joint_epochs": 14,
    },
    "split-digits": {
        "joint_batch_size": 256,
        "joint_learning_rate": 3e-4,
        "g_epochs": 30,
        "joint_epochs": 100,
    },
}
DEFAULT["pairs"] = {
    "joint_batch_size": 1024,
    "joint_learning_rate": 3e-4,
    "g_epochs": 10,
    "joint_epochs": 20,
}
DEFAULT["kitchen"] = DEFAULT["pairs"]
# Twelve times the pairs of Synth: as many steps as RIVAE takes there.
DEFAULT["synth-modulated"] = {"joint_batch_size": 1024, "g_epochs": 40, "joint_epochs": 60}


def dcca(dataset: str, preset: str) -> dict[str, Any]:
    """DCCA's settings on a data set."""
    shared = {key: value for key, value in rivae(dataset, preset).items() if key in SHARED}
    if preset == "paper":
        paper = PAPER[dataset]
        return {
            **shared,
            "g_epochs": paper["ivae_epochs"],
            "joint_epochs": paper["joint_epochs"],
        }
    return {**shared, "schedule": "cosine", **DEFAULT[dataset]}
