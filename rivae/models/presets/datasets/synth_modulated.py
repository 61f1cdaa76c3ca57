"""Synth-modulated: a query's distribution has more parameters than Synth has shared factors."""

from rivae.models.presets.by_shape import DataPreset
from rivae.models.presets.datasets import synth

PRESET = DataPreset(
    networks={
        "n_components": 2,
        "dim_v": 8,
        "embedder": {"kind": "mlp", "hidden": (64, 64), "activation": "tanh"},
        "head_hidden": (32, 32),
    },
    default={
        # The contrastive start leaves the shared factors on a curved sheet of V; the heads start
        # from its Isomap coordinates, and stage 1 turns them to the axes whose variance the query
        # modulates.
        "rivae": {
            "batch_size": 256,
            "init_epochs": 60,
            "init_learning_rate": 3e-3,
            "unfold_epochs": 40,
            "ivae_epochs": 30,
            "joint_epochs": 5,
            "learning_rate": 3e-3,
            "joint_learning_rate": 1e-4,
            "eta": (0.1, 0.1),
            "score_tau": (0.1, 0.1),
            "axes": "modulated",
        },
        "cos-sim-lvm": {"epochs": 120},
        "bi-vae": {
            "network": "mlp",
            "hidden": (50,) * 3,
            "epochs": 100,
            "learning_rate": 3e-3,
            "batch_size": 256,
        },
        "bi-vae-on-v": {"epochs": 100},
        "rbi-vae": {"model_epochs": 60},
        # Twelve times the pairs of Synth: as many steps as RIVAE takes there.
        "dcca": {"joint_batch_size": 1024, "g_epochs": 40, "joint_epochs": 60},
    },
    paper=synth.PRESET.paper,
)
