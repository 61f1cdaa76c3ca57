"""Defaults of before version 0.2, which a run of before means by a setting that its file lacks.

Newer runs have all settings written down (``Run.create``), so a default may change without a change
of any run. Whoever changes one that this file does not name adds its old value here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Settings = Mapping[str, Any]

_RATE: Settings = {"learning_rate": 5e-3}
_EMBEDDINGS: Settings = {"dim_v": 3, "embedder": {"hidden": [25], "activation": "tanh"}}
_HEADS: Settings = {**_EMBEDDINGS, "n_components": 2, "head_hidden": [10, 10]}
_EMBEDDED: Settings = {
    **_HEADS,
    **_RATE,
    "init_epochs": 100,
    "init_learning_rate": 5e-3,
    "cos_sim": {"loss_form": "hinge"},
}
_JOINT: Settings = {
    **_EMBEDDED,
    "joint_epochs": 300,
    "loss_form": "hinge",
    "n_mismatches": 1,
    "reg_form": "ratio",
}
_CONTRASTIVE: Settings = {**_EMBEDDINGS, **_RATE, "epochs": 300}
OLD_DEFAULTS: Mapping[str, Settings] = {
    "cos-sim-lvm": {**_HEADS, **_RATE, "epochs": 200, "loss_form": "hinge"},
    "bi-vae": {**_RATE, "n_components": 2, "hidden": [50], "epochs": 200},
    "bi-vae-on-v": {**_EMBEDDED, "epochs": 300},
    "dcca": {**_EMBEDDED, "g_epochs": 100, "joint_epochs": 300},
    "rbi-vae": {**_JOINT, "model_epochs": 100},
    "rivae": {**_JOINT, "ivae_epochs": 100, "eta": [0.1, 0.1]},
    "cos-sim": _CONTRASTIVE,
    "info-nce": _CONTRASTIVE,
    "info-nce-ica": {**_CONTRASTIVE, "n_components": 2},
}


def with_old_defaults(method: str, settings: Settings) -> dict[str, Any]:
    """Settings of a stored run of ``method``, with the old default of each that they lack.

    >>> with_old_defaults("bi-vae", {"n_components": 3, "hidden": [8], "epochs": 5})
    {'learning_rate': 0.005, 'n_components': 3, 'hidden': [8], 'epochs': 5}
    """
    before = OLD_DEFAULTS.get(method, {})
    completed = {**before, **settings}
    terms = completed.get("cos_sim")  # of the start; those that it lacks had defaults as well
    if "cos_sim" in before and isinstance(terms, Mapping):
        completed["cos_sim"] = {**before["cos_sim"], **terms}
    return completed
