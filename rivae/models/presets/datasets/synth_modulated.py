"""Synth-modulated: a query's distribution has more parameters than Synth has shared factors."""

from rivae.models.presets.by_shape import ALL, Presets
from rivae.models.presets.datasets.synth import PAPER, PAPER_RATES

NETWORKS = {
    "n_components": 2,
    "dim_v": 8,
    "embedder": {"kind": "mlp", "hidden": (64, 64), "activation": "tanh"},
    "head_hidden": (32, 32),
}
PRESETS: Presets = {
    "default": {
        ALL: {
            **NETWORKS,
            "init_epochs": 60,
            "init_learning_rate": 3e-3,
            "batch_size": 256,
            "learning_rate": 3e-3,
            "joint_learning_rate": 1e-4,
            "joint_epochs": 5,
            "epochs": 120,
        },
        "bi-vae": {"hidden": (50,) * 3, "epochs": 100},
        "bi-vae-on-v": {"epochs": 100},
        # Twelve times the pairs of Synth: as many steps as RIVAE takes there.
        "dcca": {
            "g_hidden": (32, 32),
            "g_epochs": 40,
            "joint_batch_size": 1024,
            "joint_learning_rate": None,
            "joint_epochs": 60,
        },
        "rbi-vae": {"model_epochs": 60},
        # The contrastive start leaves the shared factors on a curved sheet of V; the heads start
        # from its Isomap coordinates, and stage 1 turns them to the axes whose variance the query
        # modulates.
        "rivae": {
            "unfold_epochs": 40,
            "ivae_epochs": 30,
            "eta": (0.1, 0.1),
            "score_tau": (0.1, 0.1),
            "axes": "modulated",
        },
    },
    "paper": {**PAPER, ALL: {**NETWORKS, **PAPER_RATES, "epochs": 120}},
}
