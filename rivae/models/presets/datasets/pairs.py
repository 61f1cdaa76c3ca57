"""Imports: "default" is that of pictures, with axes of words, and may be asked by either view;
"paper" has Recipe1M's networks.
"""

from dataclasses import replace

from rivae.models.presets.by_shape import PICTURES

RIVAE = PICTURES.default["rivae"]
PRESET = replace(
    PICTURES,
    # The axes follow parts of the words, read off the texts' z: texts say more of the factors than
    # pictures do (benchmarks/results/food-axes.md). v2 learns to tell those parts, which a contrast
    # has little use for: few labels say more then, at equal ranks. Both sides ask from the start
    # on, and the heads begin as principal components: random ones lose a tenth of the ranks.
    default={
        **PICTURES.default,
        "rivae": {
            **RIVAE,
            "cos_sim": {**RIVAE["cos_sim"], "both_ways": True},
            "lambda_words": 1.5,
            "init_epochs": 36,
            "head_start": "components",
            "ivae_epochs": 10,
            "joint_epochs": 6,
            "ask_both_ways": True,
            "axes": "words",
        },
        "cos-sim-lvm": {**PICTURES.default["cos-sim-lvm"], "epochs": 42},
        "bi-vae": {**PICTURES.default["bi-vae"], "epochs": 42},
    },
    # The supplement's numbers of Recipe1M.
    paper_methods={
        "rbi-vae": {"gamma": 100.0, "discriminator_hidden": (100,) * 6},
        "dcca": {"g_hidden": (100,)},
    },
    # Both embedders end in one layer, after separate layers of 1,024, a
    # width that the supplement does not give.
    paper_networks={
        "dim_v": 1024,
        "embedder": {"kind": "resnet50-attention", "hidden": (1024,)},
        "embedder2": {
            "kind": "recipe-rnn",
            "hidden": (1024,),
            "activation": "relu",
            "n_words": 20_000,
        },
        "shared": True,
    },
    # Such networks read words in order, and pictures whose map has 28 x 28 places.
    paper_dataset={"text": "tokens", "image_size": 224, "max_words": 20_000},
)
