"""The drawn kitchen: the settings of the kitchen with fewer axes, as it had when it was that."""

from rivae.models.presets.by_shape import ALL, Presets, with_own
from rivae.models.presets.datasets import kitchen

PRESETS: Presets = with_own(kitchen.PRESETS, {"default": {ALL: {"n_components": 10}}})
