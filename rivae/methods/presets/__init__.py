"""Named settings of every method on every data set: "paper" (literal) and "default" (works).

"paper" takes the supplement's networks, rates and schedule, the printed scales of eta and
|eps|, one random mismatch per pair and embedders that start from a trained Cos-Sim-LVM.
"default" keeps the networks and changes what keeps the paper's scales from working; each change
is named beside it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rivae.errors import ConfigError
from rivae.methods import method_class
from rivae.methods.presets.bi_vae import bi_vae
from rivae.methods.presets.contrastive import info_nce, plain_cos_sim
from rivae.methods.presets.cos_sim import cos_sim
from rivae.methods.presets.dcca import dcca
from rivae.methods.presets.networks import (
    NETWORKS,
    PAPER_DATASETS,
    PAPER_NETWORKS,
    VECTOR_EMBEDDER,
)
from rivae.methods.presets.rbi_vae import bi_vae_on_v, rbi_vae
from rivae.methods.presets.rivae import rivae

# (data set, preset) -> settings beside the networks; a new method is one line.
_PRESETS: dict[str, Callable[[str, str], dict[str, Any]]] = {
    "rivae": rivae,
    "cos-sim-lvm": cos_sim,
    "bi-vae": bi_vae,
    "bi-vae-on-v": bi_vae_on_v,
    "rbi-vae": rbi_vae,
    "dcca": dcca,
    "cos-sim": plain_cos_sim,
    "info-nce": info_nce,
    "info-nce-ica": info_nce,
}


def preset_names() -> tuple[str, ...]:
    """The presets of every method."""
    return ("default", "paper")


def preset_settings(
    dataset: str, method: str, preset: str, *, vectors: bool = False
) -> dict[str, Any]:
    """The complete settings of a preset, to be changed key by key.

    With ``vectors`` both sides are embeddings from elsewhere: fully connected embedders for both.

    Raises:
        ConfigError: for an unknown preset, data set or method.
    """
    if preset not in preset_names():
        raise ConfigError(f"there is no preset '{preset}': choose default or paper")
    if dataset not in NETWORKS:
        raise ConfigError(f"no preset knows the data set '{dataset}'")
    if method not in _PRESETS:
        raise ConfigError(f"no preset knows the method '{method}'")
    # A method without a latent or heads has no setting for them.
    known = method_class(method).config_class.model_fields
    networks = dict(NETWORKS[dataset])
    if preset == "paper":
        networks |= PAPER_NETWORKS.get(dataset, {})
    networks = {key: value for key, value in networks.items() if key in known}
    settings = {**networks, **_PRESETS[method](dataset, preset)}
    if vectors and "embedder2" in known:
        settings |= {"embedder": VECTOR_EMBEDDER, "embedder2": None, "shared": False}
    return settings


def preset_dataset(dataset: str, method: str, preset: str) -> dict[str, Any]:
    """Settings of the data set that the networks of a preset need, to be changed key by key.

    A method without embedders has networks of its own, which read what is the default.
    """
    if preset == "paper" and "embedder2" in method_class(method).config_class.model_fields:
        return dict(PAPER_DATASETS.get(dataset, {}))
    return {}


def preset_training(dataset: str, preset: str) -> dict[str, Any]:
    """Trainer options that belong to a preset: bf16 embedders where float32 takes hours."""
    if dataset in ("split-mnist", "pairs", "kitchen") and preset == "default":
        return {"precision": "bf16", "validate_every": 1}
    return {"clip_norm": None if preset == "paper" else 1.0}


def trains_as_batch(settings: dict[str, Any]) -> bool:
    """Whether several seeds of these method settings train faster as one batch.

    Small fully connected networks do (measured: 8 to 12 times); wide ones are bound by
    arithmetic, and no other kind can be stacked.
    """
    if "network" in settings:  # no embedders: the networks are the method's own
        networks = [(settings["network"], settings["hidden"])]
    else:
        embedders = [settings["embedder"], settings.get("embedder2") or settings["embedder"]]
        networks = [(e["kind"], e["hidden"]) for e in embedders]
    small = ("mlp", "linear")
    return all(kind in small and max(hidden, default=0) <= 256 for kind, hidden in networks)
