"""The recipe of every method: its settings on top of a data set's, as "default" and as "paper".

In "default" every method gets the same care: RIVAE's sizes of heads, a rate that falls as a cosine,
and at least as many epochs of each stage as RIVAE has (``tests/methods/test_presets.py`` holds it;
``benchmarks/results/preset-choice.md`` has the validation scores before and after).

"paper" takes the supplement's rates and schedule, the printed scales of eta and |eps|, one random
mismatch per pair and embedders that start from a trained Cos-Sim-LVM. "default" changes what keeps
the paper's scales from working. The methods take what they can from RIVAE's recipe, so that two of
them differ only by their method.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rivae.models.presets.by_shape import DataPreset

Recipe = Callable[[DataPreset, bool], dict[str, Any]]

PAPER_SCALES: dict[str, Any] = {
    "init": "cos-sim-lvm",
    "cos_sim": {"loss_form": "hinge", "n_mismatches": 1},
    "eta": (1e-3, 1e-3),
    "joint_eta": (1e-3, 1e-3),
    "n_mismatches": 1,
    "loss_form": "hinge",
    "reg_form": "literal",
    "reg_magnitude": 1e-3,
    "lambda_reg": 0.1,
}
# Scores in units that leave a gradient (eta around .1), every other pair of the batch as a
# mismatch, the regulariser on the Jacobian itself.
DEFAULT_SCALES: dict[str, Any] = {
    "init": "cos-sim-lvm",
    "cos_sim": {"loss_form": "softmax"},
    "eta": (0.3, 0.1),
    "joint_eta": (0.1, 0.1),
    "score_tau": (0.3, 0.1),
    "loss_form": "softmax",
    "n_mismatches": None,
    "reg_form": "jvp",
    "reg_every": 4,  # derivatives of every embedder layer are half of a step's time otherwise
    "lambda_reg": 0.1,
    "schedule": "cosine",
}


def rivae(data: DataPreset, paper: bool) -> dict[str, Any]:
    """RIVAE: the paper's settings, or the ones that work."""
    if paper:
        return {**PAPER_SCALES, **data.paper}
    return {**DEFAULT_SCALES, **data.default["rivae"]}


def cos_sim_lvm(data: DataPreset, paper: bool) -> dict[str, Any]:
    """Cos-Sim-LVM, the initialiser of the others, on its own.

    One stage from fresh embedders: at least as long as initialisation and joint training of RIVAE.
    """
    own, start = data.default["cos-sim-lvm"], rivae(data, paper)
    shared = {
        "batch_size": start.get("batch_size", 64),
        **_those(start, ("mismatches", "hardest_from", "embedder", "lambda_words")),
    }
    if paper:
        return {
            **shared,
            "epochs": own["epochs"],
            "learning_rate": data.paper["learning_rate"],
            "loss_form": "hinge",
            "n_mismatches": 1,
        }
    return {
        **shared,
        **_those(start, ("head_hidden",)),
        "learning_rate": start["init_learning_rate"],
        "schedule": "cosine",
        "loss_form": "softmax",
        "n_mismatches": None,
        **own,
    }


# Bi-VAE has no embedders, so its networks are its own; the paper tried several and names none.
# Chosen on Synth by the validation score: three hidden layers instead of one or none, a learned eta
# instead of .5, and the ELBOs of single modalities kept.


def bi_vae(data: DataPreset, paper: bool) -> dict[str, Any]:
    """Bi-VAE: "paper" has rates, decay and epochs as for RIVAE."""
    own = data.default["bi-vae"]
    if not paper:
        return {**own, "schedule": "cosine"}
    steps = data.paper
    # RIVAE counts its decay from the start of joint training, this from that of the only stage.
    first = steps["ivae_epochs"]
    return {
        **_those(own, ("network", "hidden", "channels")),
        "learning_rate": steps["learning_rate"],
        "epochs": first + steps["joint_epochs"],
        "milestones": tuple((first + epoch, factor) for epoch, factor in steps["milestones"]),
    }


# RBi-VAE and Bi-VAE on V: embedders start as RIVAE's do, so that the comparison is fair. What
# RIVAE's recipe says about the start, and about how the embedders train afterwards:
START = (
    "init",
    "embedder2",
    "cos_sim",
    "init_epochs",
    "init_learning_rate",
    "init_schedule",
    "batch_size",
    "embedder",
    "head_hidden",
    "lambda_words",
)
JOINT = (
    "learning_rate",
    "joint_learning_rate",
    "joint_epochs",
    "schedule",
    "milestones",
    "loss_form",
    "n_mismatches",
    "mismatches",
    "hardest_from",
    "reg_form",
    "reg_magnitude",
    "reg_every",
    "lambda_reg",
)


def rbi_vae(data: DataPreset, paper: bool) -> dict[str, Any]:
    """RBi-VAE: joint training as RIVAE's."""
    settings = _those(rivae(data, paper), START + JOINT)
    if paper:
        return {**settings, "model_epochs": data.paper["ivae_epochs"]}
    # Six layers of 100, the paper's discriminator of Recipe1M: those of 300 are nine tenths of the
    # work of a step on Synth (86 of 94 ms for ten stacked seeds).
    return {**settings, "discriminator_hidden": (100,) * 6, **data.default["rbi-vae"]}


def bi_vae_on_v(data: DataPreset, paper: bool) -> dict[str, Any]:
    """Bi-VAE on V: about as many epochs as the two stages of RBi-VAE."""
    settings = _those(rivae(data, paper), (*START, "learning_rate", "schedule"))
    if not paper:
        return {**settings, **data.default["bi-vae-on-v"]}
    steps = data.paper
    return {
        **settings,
        "epochs": steps["ivae_epochs"] + steps["joint_epochs"],
        # Counted from the start of the model, RIVAE's from the start of its joint stage.
        "milestones": [(e + steps["ivae_epochs"], f) for e, f in steps["milestones"]],
    }


def dcca(data: DataPreset, paper: bool) -> dict[str, Any]:
    """DCCA: the start and epochs of RIVAE, batches as large as a correlation needs."""
    shared = _those(
        rivae(data, paper),
        (
            "embedder",
            "embedder2",
            "batch_size",
            "init",
            "init_epochs",
            "init_learning_rate",
            "init_schedule",
            "cos_sim",
            "lambda_words",
            "learning_rate",
            "milestones",
        ),
    )
    if paper:
        return {
            **shared,
            "g_epochs": data.paper["ivae_epochs"],
            "joint_epochs": data.paper["joint_epochs"],
        }
    heads = rivae(data, paper).get("head_hidden", data.networks["head_hidden"])
    return {
        **shared,
        "head_hidden": heads,
        "g_hidden": heads,
        "schedule": "cosine",
        **data.default["dcca"],
    }


# Cos-Sim, InfoNCE and InfoNCE + linear ICA: one stage, as long as Cos-Sim-LVM's.


def one_stage(data: DataPreset, paper: bool) -> dict[str, Any]:
    """Rate, batches, epochs and embedders of Cos-Sim-LVM: also of a method without a recipe.

    "default" lets the rate fall to zero, as RIVAE's joint stage does. The paper has no InfoNCE, so
    "paper" takes Cos-Sim-LVM's rates.
    """
    keys = ("epochs", "temperature", "learning_rate", "batch_size", "embedder", "embedder2")
    settings = _those(cos_sim_lvm(data, paper), (*keys, "lambda_words"))
    return settings if paper else {**settings, "schedule": "cosine"}


def cos_sim(data: DataPreset, paper: bool) -> dict[str, Any]:
    """Plain Cos-Sim: the hinge of L_Retr on cos(v1, v2); the softmax form would be InfoNCE."""
    shared = {**one_stage(data, paper), "loss_form": "hinge"}
    if paper:
        terms = ("n_mismatches", "mismatches", "hardest_from")
        return {**shared, **_those(cos_sim_lvm(data, paper), terms)}
    # At a margin of .3 far fewer pairs of Synth are found (benchmarks/results/preset-choice.md).
    own = data.default.get("cos-sim", {})
    return {**shared, "margin": 0.1, "n_mismatches": None, **own}


def same_axes(data: DataPreset, method: str) -> dict[str, Any]:
    """The step on the axes that RIVAE's "default" takes, for another method.

    Modulated axes are a step of RIVAE's theory; with InfoNCE, ICA is the method itself.
    """
    axes = rivae(data, paper=False).get("axes", "scaled")
    taken = axes == "words" or (axes == "independent" and method != "info-nce-ica")
    return {"axes": axes} if taken else {}


def _those(settings: Any, keys: tuple[str, ...]) -> dict[str, Any]:
    return {key: settings[key] for key in keys if key in settings}


RECIPES: dict[str, Recipe] = {
    "rivae": rivae,
    "cos-sim-lvm": cos_sim_lvm,
    "bi-vae": bi_vae,
    "bi-vae-on-v": bi_vae_on_v,
    "rbi-vae": rbi_vae,
    "dcca": dcca,
    "cos-sim": cos_sim,
    "info-nce": one_stage,
    "info-nce-ica": one_stage,
}
