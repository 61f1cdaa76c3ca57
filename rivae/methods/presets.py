"""Named settings of every method on every data set: "paper" (literal) and "default" (works).

"paper" takes the supplement's networks, rates and schedule, the printed scales of eta and
|eps|, one random mismatch per pair and embedders that start from a trained Cos-Sim-LVM.
"default" keeps the networks and changes what keeps the paper's scales from working; each change
is named beside it.
"""

from __future__ import annotations

from typing import Any

from rivae.errors import ConfigError

_MNIST_EMBEDDER = {"kind": "mlp", "hidden": (1024, 1024, 1024, 1024), "activation": "relu"}
# What the supplement fixes per data set.
_NETWORKS: dict[str, dict[str, Any]] = {
    "synth": {
        "n_components": 2,
        "dim_v": 3,
        "embedder": {"kind": "mlp", "hidden": (25,), "activation": "tanh"},
        "head_hidden": (10, 10),
    },
    "sprites": {
        "n_components": 3,
        "dim_v": 10,
        "embedder": {"kind": "conv", "hidden": (128,), "channels": (32, 32, 64, 64)},
        "head_hidden": (10, 10),
    },
    "split-mnist": {
        "n_components": 10,
        "dim_v": 50,
        "embedder": _MNIST_EMBEDDER,
        "head_hidden": (10, 10),
    },
}
# scikit-learn's digits are 50 times fewer and 12 times smaller than MNIST.
_NETWORKS["split-digits"] = {
    **_NETWORKS["split-mnist"],
    "embedder": {"kind": "mlp", "hidden": (256, 256), "activation": "relu", "dropout": 0.1},
}

_PAPER_SCALES: dict[str, Any] = {
    "init": "cos-sim-lvm",
    "eta": (1e-3, 1e-3),
    "joint_eta": (1e-3, 1e-3),
    "n_mismatches": 1,
    "loss_form": "hinge",
    "reg_form": "literal",
    "reg_magnitude": 1e-3,
    "lambda_reg": 0.1,
}
_RIVAE_PAPER: dict[str, dict[str, Any]] = {
    "synth": {
        "learning_rate": 5e-3,
        "init_learning_rate": 5e-3,
        "init_epochs": 300,
        "ivae_epochs": 100,
        "joint_epochs": 1900,
        "milestones": ((100, 0.5), (900, 0.5)),
    },
    "sprites": {
        "learning_rate": 1e-3,
        "init_learning_rate": 1e-3,
        "init_epochs": 50,
        "ivae_epochs": 100,
        "joint_epochs": 1900,
        "milestones": ((100, 0.5), (900, 0.5)),
    },
    "split-mnist": {
        "learning_rate": 1e-4,
        "init_learning_rate": 1e-4,
        "init_epochs": 20,
        "ivae_epochs": 5,
        "joint_epochs": 95,
        "milestones": ((15, 0.5), (45, 0.5)),
    },
}
_RIVAE_PAPER["split-digits"] = {**_RIVAE_PAPER["split-mnist"], "init_epochs": 100}

# Scores in units that leave a gradient (eta around .1), every other pair of the batch as a
# mismatch, the regulariser on the Jacobian itself.
_DEFAULT_SCALES: dict[str, Any] = {
    "init": "cos-sim-lvm",
    "cos_sim": {"loss_form": "softmax"},
    "eta": (0.3, 0.1),
    "joint_eta": (0.1, 0.1),
    "score_tau": (0.3, 0.1),
    "loss_form": "softmax",
    "n_mismatches": None,
    "reg_form": "jvp",
    "lambda_reg": 0.1,
    "schedule": "cosine",
}
_RIVAE_DEFAULT: dict[str, dict[str, Any]] = {
    "synth": {
        "learning_rate": 5e-3,
        "init_learning_rate": 5e-3,
        "init_epochs": 200,
        "ivae_epochs": 100,
        "joint_epochs": 500,
    },
    # Pictures at half size train four times faster; the smooth start unfolds the map, the anchor
    # keeps it unfolded while tau goes from coarse to fine.
    "sprites": {
        "embedder": {**_NETWORKS["sprites"]["embedder"], "downsample": 2},
        "head_hidden": (32, 32),
        "init": "smooth",
        "init_epochs": 40,
        "init_learning_rate": 2e-3,
        "ivae_epochs": 60,
        "joint_epochs": 40,
        "learning_rate": 2e-3,
        "joint_learning_rate": 3e-4,
        "eta": (0.3, 0.03),
        "joint_eta": (0.1, 0.1),
        "score_tau": (0.05, 0.02),
        "lambda_lb": 0.1,
        "anchor": (1.0, 0.3),
        "prior_pull": 0.1,
        "axes": "independent",
    },
    "split-mnist": {
        "embedder": {**_MNIST_EMBEDDER, "dropout": 0.1},
        "head_hidden": (64, 64),
        "batch_size": 256,
        "init_epochs": 6,
        "init_learning_rate": 3e-4,
        "ivae_epochs": 5,
        "joint_epochs": 14,
        "learning_rate": 1e-3,
        "joint_learning_rate": 3e-4,
    },
    "split-digits": {
        "head_hidden": (32, 32),
        "init_epochs": 60,
        "init_learning_rate": 1e-3,
        "ivae_epochs": 30,
        "joint_epochs": 100,
        "learning_rate": 1e-3,
    },
}


def _rivae(dataset: str, preset: str) -> dict[str, Any]:
    if preset == "paper":
        return {**_PAPER_SCALES, **_RIVAE_PAPER[dataset]}
    return {**_DEFAULT_SCALES, **_RIVAE_DEFAULT[dataset]}


def _cos_sim(dataset: str, preset: str) -> dict[str, Any]:
    rivae = _rivae(dataset, preset)
    return {
        "epochs": {"synth": 300, "sprites": 60, "split-mnist": 30, "split-digits": 150}[dataset],
        "learning_rate": _RIVAE_PAPER[dataset]["learning_rate"] if preset == "paper"
        else rivae["init_learning_rate"],
        "batch_size": rivae.get("batch_size", 64),
        "loss_form": "hinge" if preset == "paper" else "softmax",
        "n_mismatches": 1 if preset == "paper" else None,
        **({"embedder": rivae["embedder"]} if "embedder" in rivae else {}),
    }


def preset_names() -> tuple[str, ...]:
    """The presets of every method."""
    return ("default", "paper")


def preset_settings(dataset: str, method: str, preset: str) -> dict[str, Any]:
    """The complete settings of a preset, to be changed key by key.

    Raises:
        ConfigError: for an unknown preset, data set or method.
    """
    if preset not in preset_names():
        raise ConfigError(f"there is no preset '{preset}': choose default or paper")
    if dataset not in _NETWORKS:
        raise ConfigError(f"no preset knows the data set '{dataset}'")
    table = {"rivae": _rivae, "cos-sim-lvm": _cos_sim}
    if method not in table:
        raise ConfigError(f"no preset knows the method '{method}'")
    return {**_NETWORKS[dataset], **table[method](dataset, preset)}


def preset_training(dataset: str, preset: str) -> dict[str, Any]:
    """Trainer options that belong to a preset: bf16 embedders where float32 takes hours."""
    if dataset == "split-mnist" and preset == "default":
        return {"precision": "bf16", "validate_every": 1}
    return {"clip_norm": None if preset == "paper" else 1.0}


def trains_as_batch(settings: dict[str, Any]) -> bool:
    """Whether several seeds of these method settings train faster as one batch.

    Small fully connected networks do (measured: 8 to 12 times); wide ones are bound by
    arithmetic, and convolutions cannot be stacked.
    """
    embedder = settings["embedder"]
    return embedder["kind"] == "mlp" and max(embedder["hidden"], default=0) <= 256
