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
# Pictures and words: networks that train on two CPU cores; dim(z) and the heads are Recipe1M's.
# Batch normalisation and much dropout: without the one InfoNCE on 15,228 photographs ends at MedR
# 220 of 1,000, without the other at 120, with both at 71.
NETWORKS["pairs"] = {
    "n_components": 30,
    "dim_v": 256,
    "embedder": {
        "kind": "small-resnet",
        "hidden": (),
        "channels": (32, 64, 128, 256),
        "input_dropout": 0.4,
        "augment": 0.5,
    },
    "embedder2": {
        "kind": "mlp",
        "hidden": (512,),
        "activation": "relu",
        "dropout": 0.6,
        "input_dropout": 0.6,
    },
    "head_hidden": (100,),
}
# Where "paper" has other networks than "default": Recipe1M's own (supplement). Both embedders end
# in one layer, behind layers of 1,024 of their own: a width that the supplement does not give.
PAPER_NETWORKS: dict[str, dict[str, Any]] = {
    "pairs": {
        "dim_v": 1024,
        "embedder": {"kind": "resnet50-attention", "hidden": (1024,)},
        "embedder2": {
            "kind": "recipe-rnn",
            "hidden": (1024,),
            "activation": "relu",
            "n_words": 20_000,
        },
        "shared": True,
    },
}
# Where both sides are embeddings from elsewhere (CLIP …), and no pixels and words.
VECTOR_EMBEDDER: dict[str, Any] = {
    "kind": "mlp",
    "hidden": (512,),
    "activation": "relu",
    "dropout": 0.3,
    "input_dropout": 0.2,
}
# What such networks read: words in order, and pictures whose map has 28 x 28 places.
PAPER_DATASETS: dict[str, dict[str, Any]] = {
    "pairs": {"text": "tokens", "image_size": 224, "max_words": 20_000},
}
# The kitchen has eight factors and few words; smaller networks keep its demo runs small. Its texts
# go through one linear map: with a hidden layer the contrast between texts is told from six or
# seven factors and the others are never learned (linear R^2 of all .68, with the map .87). Two
# axes more than factors, for one of them lies on a curve that takes two.
NETWORKS["kitchen"] = {
    **NETWORKS["pairs"],
    "n_components": 10,
    "dim_v": 64,
    "embedder": {
        "kind": "small-resnet",
        "hidden": (),
        "channels": (20, 40, 80, 160),
        "input_dropout": 0.1,
        "augment": 0.3,
    },
    "embedder2": {"kind": "mlp", "hidden": (), "activation": "relu", "input_dropout": 0.3},
}
# A query's distribution has more parameters (means and spreads) than Synth has shared factors.
NETWORKS["synth-modulated"] = {
    "n_components": 2,
    "dim_v": 8,
    "embedder": {"kind": "mlp", "hidden": (64, 64), "activation": "tanh"},
    "head_hidden": (32, 32),
}
