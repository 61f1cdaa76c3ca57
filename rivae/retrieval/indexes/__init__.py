"""The kinds of indexes: a file each; see ``rivae.retrieval.registry``."""
