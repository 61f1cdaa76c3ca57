"""Imports: "default" is that of pictures, with axes of words, and may be asked by either view;
"paper" has Recipe1M's networks.
"""

from rivae.models.presets.by_shape import ALIGNED, ALL, PICTURES, RECIPE1M, Presets, with_own

PRESETS: Presets = {
    # The axes follow parts of the words, read off the texts' z: texts say more of the factors than
    # pictures do (benchmarks/results/food-axes.md). v2 learns to tell those parts, which a contrast
    # has little use for: few labels say more then, at equal ranks. Both sides ask from the start
    # on, and the heads begin as principal components: random ones lose a tenth of the ranks.
    "default": with_own(
        PICTURES,
        {
            "default": {
                ALL: {
                    "cos_sim": {**ALIGNED, "temperature": 0.07, "both_ways": True},
                    "lambda_words": 1.5,
                    "init_epochs": 36,
                    "joint_epochs": 6,
                    "epochs": 42,
                    "axes": "words",
                },
                "rivae": {"head_start": "components", "ivae_epochs": 10, "ask_both_ways": True},
            }
        },
    )["default"],
    # The supplement's numbers of Recipe1M. Both embedders end in one layer, after separate layers
    # of 1,024, a width that the supplement does not give.
    "paper": {
        **RECIPE1M,
        ALL: {
            **RECIPE1M[ALL],
            "n_components": 30,
            "dim_v": 1024,
            "embedder": {"kind": "resnet50-attention", "hidden": (1024,)},
            "embedder2": {
                "kind": "recipe-rnn",
                "hidden": (1024,),
                "activation": "relu",
                "n_words": 20_000,
            },
            "shared": True,
            "head_hidden": (100,),
            "epochs": 42,
        },
        "dcca": {**RECIPE1M["dcca"], "g_hidden": (100,)},
        "rbi-vae": {**RECIPE1M["rbi-vae"], "gamma": 100.0, "discriminator_hidden": (100,) * 6},
        # Such networks read words in order, and pictures whose map has 28 x 28 places.
        "dataset": {"text": "tokens", "image_size": 224, "max_words": 20_000},
    },
}
