"""The kitchen: eight factors and few words; smaller networks keep its demo runs small."""

from rivae.models.presets.by_shape import (
    ALIGNED,
    ALL,
    LED_BY_EMBEDDING,
    PICTURE,
    PICTURE_TRAINING,
    RECIPE1M,
    Presets,
)

# The texts go through one linear map: with a hidden layer six or seven factors suffice to tell
# texts apart and the others are never learned. Four axes more than factors: how sweet a dish is and
# how tall its container is are curves that need two each (12 instead of 10 axes: MCC of RIVAE among
# validation rows .94 instead of .89).
NETWORKS = {
    "dim_v": 64,
    "embedder": {**PICTURE, "channels": (20, 40, 80, 160), "input_dropout": 0.1, "augment": 0.3},
    "embedder2": {"kind": "mlp", "hidden": (), "activation": "relu", "input_dropout": 0.3},
    "head_hidden": (100,),
}
PRESETS: Presets = {
    "default": {
        ALL: {
            **NETWORKS,
            "n_components": 12,
            "cos_sim": {**ALIGNED, "temperature": 0.05},
            "init_epochs": 80,
            "init_learning_rate": 3e-3,
            "init_schedule": "cosine",
            "batch_size": 256,
            "joint_learning_rate": 3e-4,
            "joint_epochs": 10,
            "epochs": 90,
            "temperature": 0.05,
            "axes": "independent",
        },
        "cos-sim-lvm": {"learning_rate": 3e-3, **LED_BY_EMBEDDING},
        "bi-vae": {"hidden": (512,) * 3},
        "bi-vae-on-v": {"epochs": 70},
        "dcca": {
            "g_hidden": (100,),
            "g_epochs": 60,
            "joint_batch_size": 1024,
            "joint_epochs": 20,
        },
        "rbi-vae": {"model_epochs": 60},
        "rivae": {
            "ivae_epochs": 60,
            "expectation": "mean",
            "lambda_lb": 0.05,
            "score_tau": (0.22, 0.22),
        },
        "cos-sim": {"learning_rate": 3e-3},
        "info-nce": {"learning_rate": 3e-3},
        "info-nce-ica": {"learning_rate": 3e-3},
        "training": PICTURE_TRAINING,
    },
    "paper": {**RECIPE1M, ALL: {**RECIPE1M[ALL], **NETWORKS, "epochs": 90}},
}
