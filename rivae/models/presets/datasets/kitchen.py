"""The kitchen: eight factors and few words; smaller networks keep its demo runs small."""

from dataclasses import replace

from rivae.models.presets.by_shape import PICTURE, PICTURES

RIVAE = PICTURES.default["rivae"]
PRESET = replace(
    PICTURES,
    # The texts go through one linear map: with a hidden layer six or seven factors suffice to
    # tell texts apart and the others are never learned. Two axes more than factors, because one of
    # them is a curve that needs two.
    networks={
        **PICTURES.networks,
        "n_components": 10,
        "dim_v": 64,
        "embedder": {
            **PICTURE,
            "channels": (20, 40, 80, 160),
            "input_dropout": 0.1,
            "augment": 0.3,
        },
        "embedder2": {"kind": "mlp", "hidden": (), "activation": "relu", "input_dropout": 0.3},
    },
    default={
        **PICTURES.default,
        "rivae": {
            **RIVAE,
            "cos_sim": {**RIVAE["cos_sim"], "temperature": 0.05},
            "init_epochs": 80,
            "init_learning_rate": 3e-3,
            "ivae_epochs": 60,
            "joint_epochs": 10,
            "joint_learning_rate": 3e-4,
            "lambda_lb": 0.05,
            "score_tau": (0.22, 0.22),
        },
        "cos-sim-lvm": {**PICTURES.default["cos-sim-lvm"], "epochs": 90, "temperature": 0.05},
        "bi-vae": {**PICTURES.default["bi-vae"], "epochs": 90},
        "bi-vae-on-v": {"epochs": 70},
        "rbi-vae": {"model_epochs": 60},
        "dcca": {**PICTURES.default["dcca"], "g_epochs": 60},
    },
)
