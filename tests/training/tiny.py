"""Small, fast runs of real methods on real data sets, for the tests of training and runs."""

import numpy as np
import torch

from rivae.jobs.launch import make_config
from rivae.models.registry import METHODS, build_method
from rivae.models.stages import Batch, Noise
from rivae.models.word_reader import N_PARTS
from rivae.runs import Run

SYNTH = {"n_pairs": 150}


# RIVAE with networks and a rate with which a few epochs move what is found.
SMALL_RIVAE = {
    "init": "none",
    "ivae_epochs": 0,
    "embedder": {"kind": "mlp", "hidden": [25], "activation": "tanh"},
    "head_hidden": [10, 10],
    "learning_rate": 5e-3,
    "loss_form": "hinge",
    "n_mismatches": None,
    "reg_form": "ratio",
}
# Embedders in closed form, and heads that are their principal components.
RIDGE = {
    "init": "ridge-cca",
    "embedder": {"kind": "mlp", "hidden": [8], "activation": "relu"},
    "head_start": "components",
    "head_hidden": [8],
}


def linear_r2(z, truth):
    """Of each column of the truth (n, K), the share that a linear map of z (n, d) explains."""
    design = np.column_stack([z, np.ones(len(truth))])
    left = truth - design @ np.linalg.lstsq(design, truth, rcond=None)[0]
    return 1 - left.var(axis=0) / truth.var(axis=0)


NARROW = {"kind": "mlp", "hidden": [16], "activation": "relu", "dropout": 0.1}
ALWAYS = {"checkpoint_seconds": 0, "validate_every": 1}


def small_networks(method):
    """Networks for the small digits; a method without a latent has no n_components."""
    networks = {"n_components": 3, "dim_v": 8, "embedder": NARROW}
    known = METHODS[method].config_class.model_fields
    return {key: value for key, value in networks.items() if key in known}


def short(method):
    """Settings with which it trains in a moment, each stage if it says so itself."""
    chosen = METHODS[method]
    return {**dict.fromkeys(chosen.config_class.lengths(), 2), **chosen.smallest}


def tiny_config(name="run", method="rivae", dataset="synth", *, seed=0, training=None, **settings):
    """A complete configuration that trains in well under a second."""
    changes = {**short(method), **settings}
    data_settings = {}
    if dataset == "synth":
        data_settings = SYNTH
    elif dataset == "split-digits":
        changes = {**small_networks(method), **changes}
        data_settings = {"fractions": [0.05, 0.05, 0.9]}
    return make_config(
        dataset,
        method,
        name=name,
        seed=seed,
        dataset_settings=data_settings,
        method_settings=changes,
        training={**ALWAYS, **(training or {})},
    )


def smooth_settings():
    """A smooth start that unfolds the 50 training pairs of the small Synth."""
    return {"init": "smooth", "anchor": [0.5, 0.1], "smooth_neighbours": 12, "axes": "independent"}


def contrast_settings():
    """Two contrastive fits in three epochs of the small Synth each, then both ways to unfold."""
    return {
        "init": "contrast",
        "contrast": {"fits": 2, "steps": 6, "unfold_steps": 6, "dim": 8, "batch_size": 16},
        "anchor": [0.5, 0.1],
        "axes": "independent",
    }


def first_batch(method, data, stage, generator, n=16):
    """The batch that the trainer would give ``stage``, from the first training rows."""
    rows = data.splits["train"][:n]
    batch = Batch(stage=stage.name, progress=0.3, noise=Noise([generator], stacked=False))
    x1, x2 = data.x1.batch(rows), data.x2.batch(rows)
    if stage.cached:
        batch.v1, batch.v2 = (v.detach() for v in method.embeddings(x1, x2))
    else:
        batch.x1, batch.x2 = x1, x2
    if stage.needs_target:
        directions = torch.randn(n, method.config.dim_v, generator=torch.Generator().manual_seed(8))
        batch.target = torch.nn.functional.normalize(directions, dim=-1)
    if stage.needs_coordinates:
        drawn = torch.Generator().manual_seed(8)
        batch.coordinates = torch.randn(n, method.n_components, generator=drawn)
    if stage.needs_words:
        batch.words = torch.randn(n, N_PARTS, generator=torch.Generator().manual_seed(8))
    return batch


def files_of(run):
    """What a run must have in common with an uninterrupted one: weights, rows, axes."""
    names = ("model.safetensors", "metrics.jsonl", "alignment.json")
    return {name: (run.path / name).read_bytes() for name in names if (run.path / name).exists()}


class StopAfter:
    """A listener that interrupts training once it has heard of ``n`` epochs."""

    def __init__(self, n):
        self.left, self.notes = n, []

    def __call__(self, row):
        if "note" in row:
            self.notes.append(row["note"])
            return
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt


def untrained_run(folder, name="good"):
    """A finished run folder with a model that was never trained."""
    made = Run.create(tiny_config(name), folder)
    choice = made.config.method
    made.write_model(build_method(choice.name, choice.settings, (50,), (50,)))
    made.set_status(state="finished", epoch=9, total_epochs=9)
    return made
