"""The networks that the supplement fixes per data set, shared by all methods."""

from __future__ import annotations

from typing import Any

MNIST_EMBEDDER = {"kind": "mlp", "hidden": (1024, 1024, 1024, 1024), "activation": "relu"}
# What the supplement fixes per data set.
NETWORKS: dict[str, dict[str, Any]] = {
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
        "embedder": MNIST_EMBEDDER,
        "head_hidden": (10, 10),
    },
}
# scikit-learn's digits are 50 times fewer and 12 times smaller than MNIST.
NETWORKS["split-digits"] = {
    **NETWORKS["split-mnist"],
    "embedder": {"kind": "mlp", "hidden": (256, 256), "activation": "relu", "dropout": 0.1},
}
# Pictures and words: networks that train on two CPU cores. The paper's Recipe1M has dim(V) 1,024, a
# ResNet50 and recurrent networks; dim(z) and the heads are the paper's.
NETWORKS["pairs"] = {
    "n_components": 30,
    "dim_v": 256,
    "embedder": {
        "kind": "conv", "hidden": (256,), "channels": (32, 64, 128, 256), "dropout": 0.2,
        "augment": 0.6,
    },
    "embedder2": {"kind": "mlp", "hidden": (256,), "activation": "relu", "dropout": 0.5},
    "head_hidden": (100,),
}  # fmt: skip
# The kitchen has eight factors and few words; half the width keeps its demo runs small.
NETWORKS["kitchen"] = {
    **NETWORKS["pairs"],
    "n_components": 8,
    "dim_v": 64,
    "embedder": {**NETWORKS["pairs"]["embedder"], "hidden": (128,), "channels": (32, 64, 64, 128)},
    "embedder2": {"kind": "mlp", "hidden": (128,), "activation": "relu", "dropout": 0.2},
}
# A query's distribution has more parameters (means and spreads) than Synth has shared factors.
NETWORKS["synth-modulated"] = {
    "n_components": 2,
    "dim_v": 8,
    "embedder": {"kind": "mlp", "hidden": (64, 64), "activation": "tanh"},
    "head_hidden": (32, 32),
}
