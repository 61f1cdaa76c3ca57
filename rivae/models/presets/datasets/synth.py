"""Synth: the supplement's networks."""

from rivae.models.presets.by_shape import ALL, Presets

NETWORKS = {
    "n_components": 2,
    "dim_v": 3,
    "embedder": {"kind": "mlp", "hidden": (25,), "activation": "tanh"},
    "head_hidden": (10, 10),
}
# The paper's of Synth, Synth-modulated and Sprites but for rates and networks.
PAPER = {
    "bi-vae": {
        "hidden": (50,) * 3,
        "epochs": 2000,
        "milestones": ((200, 0.5), (1000, 0.5)),
    },
    "bi-vae-on-v": {"epochs": 2000, "milestones": ((200, 0.5), (1000, 0.5))},
    "dcca": {"g_epochs": 100, "milestones": ((100, 0.5), (900, 0.5))},
    "rbi-vae": {"model_epochs": 100, "milestones": ((100, 0.5), (900, 0.5))},
    "rivae": {"ivae_epochs": 100, "milestones": ((100, 0.5), (900, 0.5))},
}
PAPER_RATES = {
    "init_epochs": 300,
    "init_learning_rate": 5e-3,
    "learning_rate": 5e-3,
    "joint_epochs": 1900,
}
PRESETS: Presets = {
    "default": {
        ALL: {
            **NETWORKS,
            # RIVAE's default unfolds contrastive embeddings, which is its own recipe. The others
            # start from the paper's Cos-Sim-LVM.
            "init_epochs": 200,
            "init_learning_rate": 5e-3,
            "learning_rate": 5e-3,
            # RIVAE's start takes as many steps as 240 epochs.
            "joint_epochs": 500,
            "epochs": 500,
        },
        "bi-vae": {"hidden": (50,) * 3},
        "dcca": {"g_hidden": (10, 10), "g_epochs": 100, "joint_batch_size": 256},
        "rbi-vae": {"model_epochs": 100},
        # Fits of 200 steps have not yet told far pairs from very far ones. As on Sprites the anchor
        # keeps unfolded what L_Retr alone would fold again.
        "rivae": {
            "init": "contrast",
            "contrast": {"steps": 600},
            "init_epochs": 100,
            "ivae_epochs": 100,
            "joint_epochs": 250,
            "lambda_lb": 0.1,
            "anchor": (1.0, 1.0),
            "prior_pull": 0.1,
        },
    },
    "paper": {**PAPER, ALL: {**NETWORKS, **PAPER_RATES, "epochs": 500}},
}
