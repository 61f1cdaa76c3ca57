"""Sprites-hard: the preset of Sprites, so that runs on both differ by the condition only."""

from rivae.methods.presets.datasets.sprites import PRESET

__all__ = ["PRESET"]
