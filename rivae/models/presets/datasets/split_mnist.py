"""Split-MNIST: the supplement's wide networks, 50 times as many pairs as Split-Digits."""

from rivae.models.presets.by_shape import ALL, VECTORS, Presets

EMBEDDER = {"kind": "mlp", "hidden": (1024,) * 4, "activation": "relu"}
BI_VAE = {"hidden": (512,) * 3}
PRESETS: Presets = {
    "default": {
        ALL: {
            "embedder": {**EMBEDDER, "dropout": 0.1},
            "head_hidden": (64, 64),
            "init_epochs": 6,
            "init_learning_rate": 3e-4,
            "batch_size": 256,
            "joint_learning_rate": 3e-4,
            "joint_epochs": 14,
            "epochs": 30,
        },
        "cos-sim-lvm": {"learning_rate": 3e-4},
        "bi-vae": {**BI_VAE, "epochs": 20},
        "bi-vae-on-v": {"epochs": 20},
        # Wide embedders learn ten correlations by heart: at RIVAE's rate (3e-4) the joint stage
        # loses validation pairs, at .03 of it for the embedders it keeps them
        # (benchmarks/results/preset-choice.md).
        "dcca": {
            "g_hidden": (64, 64),
            "g_epochs": 5,
            "joint_batch_size": 1024,
            "embedder_rate": 0.03,
        },
        "rbi-vae": {"model_epochs": 5},
        "rivae": {"ivae_epochs": 5},
        "cos-sim": {"learning_rate": 3e-4},
        "info-nce": {"learning_rate": 3e-4},
        "info-nce-ica": {"learning_rate": 3e-4},
        "training": {"precision": "auto", "validate_every": 1},
    },
    "paper": {
        **VECTORS["paper"],
        ALL: {**VECTORS["paper"][ALL], "embedder": EMBEDDER, "init_epochs": 20, "epochs": 30},
        "bi-vae": {**VECTORS["paper"]["bi-vae"], **BI_VAE},
    },
}
