"""Settings for data by their shape alone: the start of every preset.

Vectors and small pictures go through fully connected networks, the defaults of every method; larger
pictures, alone or with texts, through a small residual network. The numbers are those of
Split-Digits and of imported pairs of photograph and recipe, on which they were measured. A data set
on which something else works better has a file in ``datasets``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

Shape = tuple[int, ...]
Settings = Mapping[str, Any]
# preset -> method -> settings. ``ALL`` are settings of every method that has them; "training" are
# options of the trainer and "dataset" settings of the data set that the networks need.
Presets = Mapping[str, Mapping[str, Settings]]
ALL = "all"
SMALL = 1024  # numbers per item that suit a fully connected network

# Vectors and small pictures.

VECTORS: Presets = {
    "default": {
        "dcca": {"g_hidden": (32, 32), "joint_batch_size": 256, "joint_learning_rate": 3e-4},
    },
    "paper": {
        ALL: {
            "head_hidden": (10, 10),
            "init_epochs": 100,
            "init_learning_rate": 1e-4,
            "learning_rate": 1e-4,
            "joint_epochs": 95,
        },
        "bi-vae": {"epochs": 100, "milestones": ((20, 0.5), (50, 0.5))},
        "bi-vae-on-v": {"epochs": 100, "milestones": ((20, 0.5), (50, 0.5))},
        "dcca": {"g_epochs": 5, "milestones": ((15, 0.5), (45, 0.5))},
        "rbi-vae": {"model_epochs": 5, "milestones": ((15, 0.5), (45, 0.5))},
        "rivae": {"ivae_epochs": 5, "milestones": ((15, 0.5), (45, 0.5))},
    },
}

# Where both sides are embeddings from elsewhere (CLIP …), and no pixels and words.
FEATURES: Settings = {
    "embedder": {
        "kind": "mlp",
        "hidden": (512,),
        "activation": "relu",
        "dropout": 0.3,
        "input_dropout": 0.2,
    },
    "embedder2": None,
    "shared": False,
}

# Pictures, with or without texts: networks that train on two CPU cores; dim(z) and the heads are
# Recipe1M's. Batch normalisation and much dropout: without the one InfoNCE on 15,228 photographs
# ends at MedR 220 of 1,000, without the other at 120, with both at 71.

PICTURE: Settings = {
    "kind": "small-resnet",
    "hidden": (),
    "channels": (32, 64, 128, 256),
    "input_dropout": 0.4,
    "augment": 0.5,
}
TEXT: Settings = {
    "kind": "mlp",
    "hidden": (512,),
    "activation": "relu",
    "dropout": 0.6,
    "input_dropout": 0.6,
}
# Embeddings of the pictures alone, next to the words of the texts.
PICTURE_FEATURES: Settings = {
    **FEATURES,
    "embedder": {**FEATURES["embedder"], "dropout": 0.6},
    "embedder2": TEXT,
}
# On features linear maps in closed form retrieve as well as networks do, and training from there
# gains little: a low rate for the embedders, much input dropout, and what is better on validation
# pairs stays (benchmarks/results/closed-form.md).
LINEAR: Settings = {"kind": "mlp", "hidden": (), "activation": "relu", "input_dropout": 0.5}
ALONE: Settings = {"learning_rate": 1e-4, "epochs": 12}  # of embedders that train alone
CLOSED_FORM: Mapping[str, Settings] = {
    ALL: {
        "init": "ridge-cca",
        "dim_v": 30,
        "embedder": LINEAR,
        "embedder2": LINEAR,
        "shared": False,
        "ivae_epochs": 3,
        "joint_epochs": 6,
        "joint_learning_rate": 3e-4,
        "embedder_rate": 0.1,
    },
    "cos-sim": ALONE,
    "info-nce": ALONE,
    "info-nce-ica": ALONE,
}
PICTURE_NETWORKS: Settings = {
    "n_components": 30,
    "dim_v": 256,
    "embedder": PICTURE,
    "embedder2": TEXT,
    "head_hidden": (100,),
}
PICTURE_TRAINING: Settings = {"precision": "auto", "validate_every": 1}
# Of the three terms of Cos-Sim-LVM the contrast of the embeddings leads, for the bottleneck pulls
# them to the few directions that it keeps.
LED_BY_EMBEDDING: Settings = {"lambda_latent": 0.1, "lambda_auto": 0.1}
# The start aligns the embeddings alone: with the bottleneck of Cos-Sim-LVM as well they keep far
# less of what they could learn.
ALIGNED: Settings = {"lambda_latent": 0.0, "lambda_auto": 0.0}
# The paper's Recipe1M: rates a tenth at epochs 30 and 60, joint training from epoch 20.
RECIPE1M: Mapping[str, Settings] = {
    ALL: {
        "init_epochs": 30,
        "init_learning_rate": 1e-3,
        "learning_rate": 1e-3,
        "joint_epochs": 80,
        # Hard examples without a schedule: here from epoch 30 on, where the rate first falls.
        "mismatches": "hardest",
        "hardest_from": 0.125,
    },
    "bi-vae": {
        "hidden": (512,) * 3,
        "epochs": 100,
        "milestones": ((30, 0.1), (60, 0.1)),
    },
    "bi-vae-on-v": {"epochs": 100, "milestones": ((30, 0.1), (60, 0.1))},
    "dcca": {"g_epochs": 20, "milestones": ((10, 0.1), (40, 0.1))},
    "rbi-vae": {"model_epochs": 20, "milestones": ((10, 0.1), (40, 0.1))},
    "rivae": {"ivae_epochs": 20, "milestones": ((10, 0.1), (40, 0.1))},
}
PICTURES: Presets = {
    "default": {
        ALL: {
            **PICTURE_NETWORKS,
            "cos_sim": {**ALIGNED, "temperature": 0.07},
            "init_epochs": 24,
            "init_learning_rate": 2e-3,
            "init_schedule": "cosine",
            "batch_size": 256,
            "joint_learning_rate": 5e-4,
            "joint_epochs": 12,
            "epochs": 36,
            "temperature": 0.07,
            "axes": "independent",
        },
        "cos-sim-lvm": {"learning_rate": 2e-3, **LED_BY_EMBEDDING},
        "bi-vae": {"hidden": (512,) * 3},
        "bi-vae-on-v": {"epochs": 40},
        "dcca": {
            "g_hidden": (100,),
            "g_epochs": 25,
            "joint_batch_size": 1024,
            "joint_learning_rate": 3e-4,
            "joint_epochs": 20,
        },
        "rbi-vae": {"model_epochs": 25},
        # tau^2 of the scores is the start's temperature. A lower bound of 256 dimensions at full
        # weight drowns L_Retr in the gradient of the heads, and samples of z blur queries that say
        # little.
        "rivae": {
            "ivae_epochs": 25,
            "expectation": "mean",
            "lambda_lb": 0.02,
            "score_tau": (0.26, 0.26),
        },
        "cos-sim": {"learning_rate": 2e-3},
        "info-nce": {"learning_rate": 2e-3},
        "info-nce-ica": {"learning_rate": 2e-3},
        "training": PICTURE_TRAINING,
    },
    "paper": {**RECIPE1M, ALL: {**RECIPE1M[ALL], **PICTURE_NETWORKS, "epochs": 36}},
}


def by_shape(shape1: Shape, shape2: Shape) -> Presets:
    """The presets of data whose items have these shapes."""
    if not _is_picture(shape1) and not _is_picture(shape2):
        return VECTORS
    networks = {ALL: {"embedder": _embedder(shape1), "embedder2": _embedder(shape2)}}
    # Bi-VAE models every pixel.
    pixels = {"bi-vae": {"downsample": _downsample(shape1, shape2)}}
    return with_own(PICTURES, {"default": {**networks, **pixels}, "paper": networks})


def with_own(presets: Presets, of_data: Presets) -> Presets:
    """``presets`` with the settings that ``of_data`` has for the same preset and method."""
    return {
        preset: {
            method: {**here.get(method, {}), **of_data.get(preset, {}).get(method, {})}
            for method in (*here, *of_data.get(preset, {}))
        }
        for preset, here in presets.items()
    }


def _is_picture(shape: Shape) -> bool:
    """Whether it is a picture for convolutions: too large to be taken pixel by pixel."""
    return len(shape) == 3 and math.prod(shape) > SMALL and _halvings(shape) > 1


def _halvings(shape: Shape) -> int:
    """How often both sides of a picture can be halved, at most as often as in ``PICTURE``."""
    most = len(PICTURE["channels"])
    return max(k for k in range(most + 1) if all(side % 2**k == 0 for side in shape[1:]))


def _embedder(shape: Shape) -> dict[str, Any]:
    if not _is_picture(shape):
        return dict(TEXT)
    return {**PICTURE, "channels": PICTURE["channels"][: _halvings(shape)]}


def _downsample(*shapes: Shape) -> int:
    """The squares to average over so that ``SMALL`` places are left; 1 where a side is a text."""
    if not all(_is_picture(shape) for shape in shapes):
        return 1
    places = max(math.prod(shape[1:]) for shape in shapes)
    sides = [2**k for k in range(min(3, *map(_halvings, shapes)) + 1)]
    return next((side for side in sides if places / side**2 <= SMALL), sides[-1])
