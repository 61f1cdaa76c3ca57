"""Split-MNIST: the supplement's wide networks, 50 times as many pairs as Split-Digits."""

from dataclasses import replace

from rivae.models.presets.by_shape import VECTORS

EMBEDDER = {"kind": "mlp", "hidden": (1024,) * 4, "activation": "relu"}
PRESET = replace(
    VECTORS,
    networks={**VECTORS.networks, "embedder": EMBEDDER},
    default={
        "rivae": {
            "embedder": {**EMBEDDER, "dropout": 0.1},
            "head_hidden": (64, 64),
            "batch_size": 256,
            "init_epochs": 6,
            "init_learning_rate": 3e-4,
            "ivae_epochs": 5,
            "joint_epochs": 14,
            "learning_rate": 1e-3,
            "joint_learning_rate": 3e-4,
        },
        "cos-sim-lvm": {"epochs": 30},
        "bi-vae": {
            "network": "mlp",
            "hidden": (512,) * 3,
            "epochs": 20,
            "learning_rate": 1e-3,
            "batch_size": 256,
        },
        "bi-vae-on-v": {"epochs": 20},
        "rbi-vae": {"model_epochs": 5},
        # Wide embedders learn ten correlations by heart: at RIVAE's rate (3e-4) the joint stage
        # loses validation pairs, at .03 of it for the embedders it keeps them
        # (benchmarks/results/preset-choice.md).
        "dcca": {
            "joint_batch_size": 1024,
            "joint_learning_rate": 3e-4,
            "embedder_rate": 0.03,
            "g_epochs": 5,
            "joint_epochs": 14,
        },
    },
    paper={**VECTORS.paper, "init_epochs": 20},
    training={"precision": "auto", "validate_every": 1},
)
