"""The data sets, one file each; ``rivae.data.registry`` finds them."""
