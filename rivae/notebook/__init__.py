"""The explorer in a cell of a notebook: ``rivae.explore``."""
