"""The sources of features: a file each; see ``rivae.data.features.contract``."""
