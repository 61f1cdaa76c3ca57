"""Synth: the supplement's networks."""

from rivae.models.presets.by_shape import DataPreset

# RIVAE's default unfolds contrastive embeddings, which is its own recipe. The others start from the
# paper's Cos-Sim-LVM.
START = {"init": "cos-sim-lvm", "init_epochs": 200}
PRESET = DataPreset(
    networks={
        "n_components": 2,
        "dim_v": 3,
        "embedder": {"kind": "mlp", "hidden": (25,), "activation": "tanh"},
        "head_hidden": (10, 10),
    },
    default={
        # Fits of 200 steps have not yet told far pairs from very far ones.
        "rivae": {
            "learning_rate": 5e-3,
            "init": "contrast",
            "contrast": {"steps": 600},
            "init_learning_rate": 5e-3,
            "ivae_epochs": 100,
            # As on Sprites: the anchor keeps unfolded what L_Retr alone would fold again.
            "joint_epochs": 250,
            "lambda_lb": 0.1,
            "anchor": (1.0, 1.0),
            "prior_pull": 0.1,
        },
        # RIVAE's start takes as many steps as 240 epochs.
        "cos-sim-lvm": {"epochs": 500},
        "bi-vae": {"network": "mlp", "hidden": (50,) * 3, "epochs": 500, "learning_rate": 5e-3},
        "bi-vae-on-v": {**START, "epochs": 500},
        "rbi-vae": {**START, "model_epochs": 100, "joint_epochs": 500},
        "dcca": {**START, "joint_batch_size": 256, "g_epochs": 100, "joint_epochs": 500},
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
