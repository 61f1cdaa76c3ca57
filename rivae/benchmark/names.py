"""Names of data sets and methods as a reader knows them, in the order of the tables."""

from __future__ import annotations

# Recipe1M stands in the paper only; split-digits and synth-modulated stand in ours only.
DATASETS = {
    "synth": "Synth",
    "synth-modulated": "Synth, modulated",
    "sprites": "Sprites",
    "split-mnist": "Split-MNIST",
    "split-digits": "Split digits",
    "recipe1m": "Recipe1M",
    "kitchen": "Kitchen (synthetic)",
    "pairs": "Imported pairs",
}
# The paper's rows in the paper's order, then the baselines.
PAPER_METHODS = {
    "cos-sim-lvm": "Cos-Sim-LVM",
    "bi-vae": "Bi-VAE",
    "bi-vae-on-v": "Bi-VAE on V",
    "dcca": "DCCA",
    "rbi-vae": "RBi-VAE",
    "rivae": "RIVAE",
}
BASELINES = {
    "cos-sim": "Cos-Sim",
    "info-nce": "InfoNCE",
    "info-nce-ica": "InfoNCE + linear ICA",
}
CHANCE = {
    "chance-rotation": "chance: true factors, randomly rotated",
    "chance-items": "chance: random items",
    "linear-cca": "linear CCA of colour thumbnails and words",
}
METHODS = {**PAPER_METHODS, **BASELINES}
TITLES = {**METHODS, **CHANCE}
