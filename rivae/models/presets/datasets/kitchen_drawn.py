"""The drawn kitchen: the settings of the kitchen, which it was."""

from rivae.models.presets.datasets.kitchen import PRESETS

__all__ = ["PRESETS"]
