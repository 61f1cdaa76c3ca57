"""The metrics: a file each, named like what it measures; see ``rivae.metrics.registry``."""
