"""The steps on axes: a file each; see ``rivae.training.alignment.registry``."""
