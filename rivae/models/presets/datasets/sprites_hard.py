"""Sprites-hard: as Sprites, but RIVAE starts with a contrast, which forgets what is private.

The other methods keep what they have on Sprites.
"""

from dataclasses import replace

from rivae.models.presets.datasets import sprites

_RIVAE = {
    **sprites.PRESET.default["rivae"],
    "init": "contrast",
    # Batches of 256 hold closer mismatches than those of 64, and cost less.
    "joint_epochs": 30,
    "joint_batch_size": 256,
    "joint_learning_rate": 1.2e-3,
}
PRESET = replace(sprites.PRESET, default={**sprites.PRESET.default, "rivae": _RIVAE})
