"""Settings of every method on every data set by name: "paper" (literal) and "default" (works).

Presets are written down, each as what differs from the defaults of the method's settings, which
are those of vectors and small pictures in "default". A method says its own values
(``Method.presets``), a data set its networks, rates and epochs, and what single methods have there:
in a file in ``datasets``, or else its shape does (``by_shape``), which a data set of another
package may add to (``presets``). Later ones win::

    defaults < every method < all of the data set < the method < the method on this data set

In "default" every method gets the same care: RIVAE's sizes of heads, a rate that falls as a cosine,
and at least as many epochs of each stage as RIVAE has (``tests/methods/test_presets.py`` holds it;
``benchmarks/results/preset-choice.md`` has the validation scores before and after). "paper" takes
the supplement's rates and schedule, the printed scales of eta and |eps|, one random mismatch per
pair and embedders that start from a trained Cos-Sim-LVM.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from pydantic import ValidationError

from rivae.base.errors import ConfigError, RivaeError
from rivae.data import item_shapes, named_dataset, registry
from rivae.data.store import find_store
from rivae.data.store.features import SIDES, beside_words, feature_sides
from rivae.models.base import Method
from rivae.models.presets.by_shape import (
    ALL,
    CLOSED_FORM,
    FEATURES,
    PICTURE_FEATURES,
    VECTORS,
    Presets,
    by_shape,
    with_own,
)
from rivae.models.registry import METHODS

# Of every method that has such a setting, on all data.
EVERY: dict[str, dict[str, Any]] = {
    "default": {"schedule": "cosine"},
    "paper": {"cos_sim": {"loss_form": "hinge", "n_mismatches": 1}},
}
# Of the trainer, where the data set says nothing else.
TRAINING: dict[str, dict[str, Any]] = {
    "default": {"clip_norm": 1.0},
    "paper": {"clip_norm": None},
}


@dataclass(frozen=True)
class Preset:
    """The start of a configuration, to be changed key by key.

    Attributes:
        method: settings of the method, complete but for its own defaults.
        dataset: settings of the data set that the method's networks need.
        training: options of the trainer.
    """

    method: dict[str, Any]
    dataset: dict[str, Any]
    training: dict[str, Any]


def preset_names() -> tuple[str, ...]:
    """The presets of every method."""
    return ("default", "paper")


def find_preset(
    dataset: str, method: str, preset: str, data: Mapping[str, Any] | None = None
) -> Preset:
    """The preset of a method on a data set with the settings ``data``.

    With features of the pictures in ``data["features"]`` linear maps in closed form by default,
    else fully connected embedders for both sides.

    Raises:
        ConfigError: for an unknown preset, data set or method.
    """
    name, place = named_dataset(dataset)
    settings = {**place, **(data or {})}
    choice = preset_for(_of_data(name, settings), method, preset)
    if "embedder2" not in METHODS[method].config_class.model_fields:
        return replace(choice, dataset={})  # its own networks read the usual items
    if not settings.get("features") or _pixels_stay(settings):
        return choice
    fields = METHODS[method].config_class.model_fields
    if preset != "default" or "init" not in fields:
        features = PICTURE_FEATURES if _words_stay(settings) else FEATURES
        return replace(choice, method={**choice.method, **features}, dataset={})
    closed_form = {**CLOSED_FORM[ALL], **CLOSED_FORM.get(method, {})}
    known_settings = {name: value for name, value in closed_form.items() if name in fields}
    return replace(
        choice,
        method={**choice.method, **known_settings},
        dataset={},
        training={**choice.training, "select": "best"},
    )


def preset_for(data: Presets, method: str, preset: str = "default") -> Preset:
    """The preset of a method for a kind of data, such as ``by_shape`` gives.

    Raises:
        ConfigError: for an unknown preset or method.
    """
    if preset not in preset_names():
        raise ConfigError(f"there is no preset '{preset}': choose default or paper")
    method_class, here = METHODS[method], data[preset]
    return Preset(
        method={
            **_taken(method_class, {**EVERY[preset], **here.get(ALL, {})}),
            **method_class.presets.get(preset, {}),
            **here.get(method, {}),
        },
        dataset=dict(here.get("dataset", {})),
        training=dict(here.get("training", TRAINING[preset])),
    )


def _taken(method: type[Method], common: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the ``common`` settings that a method has and whose bounds let it take them."""
    schema = method.config_class
    settings = {name: value for name, value in common.items() if name in schema.model_fields}
    if not method.has_latent:
        settings.pop("axes", None)  # those of an embedding stay as they are
    try:
        schema.model_validate(settings)
    except ValidationError as error:  # of single settings: what belongs together follows later
        for place in (each["loc"] for each in error.errors()):
            settings.pop(str(place[0]) if place else "", None)
    return settings


def _words_stay(settings: Mapping[str, Any]) -> bool:
    """Whether the features that these settings name leave the words of the texts, or add to them.

    False for what is not here yet.
    """
    with suppress(RivaeError, KeyError):
        folder, features = find_store(settings["store"]), settings["features"]
        return feature_sides(folder, features) == SIDES[:1] or beside_words(folder, features)
    return False


def _pixels_stay(settings: Mapping[str, Any]) -> bool:
    """Whether the features that these settings name are of texts alone."""
    with suppress(RivaeError, KeyError):
        return feature_sides(find_store(settings["store"]), settings["features"]) == SIDES[1:]
    return False


def _of_data(name: str, settings: Mapping[str, Any]) -> Presets:
    """The presets in the data set's file, or those of its shape with what it says itself."""
    module = f"{__name__}.datasets.{name.replace('-', '_')}"
    if find_spec(module) is not None:
        presets: Presets = import_module(module).PRESETS
        return presets
    try:
        of_shape = _of_shape(name, json.dumps(dict(settings), sort_keys=True, default=str))
    except RivaeError:  # not here yet: fully connected networks take items of every shape
        of_shape = VECTORS
    part = getattr(registry, "DATASETS", {}).get(name)
    return with_own(of_shape, getattr(part, "presets", {}))


@lru_cache(maxsize=64)
def _of_shape(name: str, settings: str) -> Presets:
    """Cached: a data set without a function ``shapes`` has to be loaded for them."""
    return by_shape(*item_shapes(name, json.loads(settings)))


def trains_as_batch(settings: Mapping[str, Any]) -> bool:
    """Whether several seeds of these method settings train faster as one batch.

    Small fully connected networks do (measured: 8 to 12 times); wide ones are bound by
    arithmetic, and no other kind can be stacked.
    """
    if "network" in settings:  # no embedders: the networks are the method's own
        networks = [(settings["network"], settings["hidden"])]
    elif "embedder" in settings:
        embedders = [settings["embedder"], settings.get("embedder2") or settings["embedder"]]
        networks = [(e["kind"], e["hidden"]) for e in embedders]
    else:
        return False
    small = ("mlp", "linear")
    return all(kind in small and max(hidden, default=0) <= 256 for kind, hidden in networks)
