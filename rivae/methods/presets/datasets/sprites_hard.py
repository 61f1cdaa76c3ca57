"""Sprites-hard: as Sprites."""

from rivae.methods.presets.datasets import sprites

PRESET = sprites.PRESET
