"""Sprites-hard: as Sprites, but RIVAE starts with a contrast, which forgets what is private.

The other methods keep the starts that they have on Sprites.
"""

from dataclasses import replace

from rivae.methods.presets.datasets import sprites

_RIVAE = {
    **sprites.PRESET.default["rivae"],
    "init": "contrast",
    "schedule": "cosine",
    "joint_learning_rate": 6e-4,
}
PRESET = replace(sprites.PRESET, default={**sprites.PRESET.default, "rivae": _RIVAE})
