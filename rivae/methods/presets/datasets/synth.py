"""Synth: the supplement's networks."""

from rivae.methods.presets.by_shape import DataPreset

PRESET = DataPreset(
    networks={
        "n_components": 2,
        "dim_v": 3,
        "embedder": {"kind": "mlp", "hidden": (25,), "activation": "tanh"},
        "head_hidden": (10, 10),
    },
    default={
        # Without the unfolding the map is folded on most draws: linear R^2 .37 over 50 runs.
        "rivae": {
            "learning_rate": 5e-3,
            "init_learning_rate": 5e-3,
            "init_epochs": 200,
            "unfold_epochs": 100,
            "ivae_epochs": 100,
            "joint_epochs": 500,
        },
        "cos-sim-lvm": {"epochs": 300},
        "bi-vae": {"network": "mlp", "hidden": (50,) * 3, "epochs": 200, "learning_rate": 5e-3},
        "bi-vae-on-v": {"epochs": 500},
        "rbi-vae": {"model_epochs": 100},
        "dcca": {"joint_batch_size": 256, "g_epochs": 100, "joint_epochs": 500},
    },
    paper={
        "learning_rate": 5e-3,
        "init_learning_rate": 5e-3,
        "init_epochs": 300,
        "ivae_epochs": 100,
        "joint_epochs": 1900,
        "milestones": ((100, 0.5), (900, 0.5)),
    },
)
