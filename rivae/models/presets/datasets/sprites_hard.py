"""Sprites-hard: as Sprites, but RIVAE starts with a contrast, which forgets what is private.

RBi-VAE trains as long together as RIVAE; the others keep what they have on Sprites.
"""

from rivae.models.presets.by_shape import Presets, with_own
from rivae.models.presets.datasets import sprites

JOINT = {"joint_epochs": 30, "joint_learning_rate": 1.2e-3}
PRESETS: Presets = with_own(
    sprites.PRESETS,
    {
        "default": {
            # Batches of 256 hold closer mismatches than those of 64, and cost less.
            "rivae": {"init": "contrast", **JOINT, "joint_batch_size": 256},
            "rbi-vae": JOINT,
        }
    },
)
