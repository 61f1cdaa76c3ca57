"""Settings of every method on every data set by name: "paper" (literal) and "default" (works).

A preset is made from two parts: settings for the data (``by_shape``, or the data set's own file in
``datasets``) and the method's additions (its recipe in ``recipes``). Neither file is needed: a
new data set takes the preset of its shape, a new method the shortest recipe and its own defaults.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from rivae.base.errors import ConfigError, RivaeError
from rivae.data import item_shapes, named_dataset
from rivae.data.store import find_store
from rivae.data.store.features import SIDES, feature_sides
from rivae.models.presets.by_shape import FEATURES, PICTURE_FEATURES, VECTORS, DataPreset, by_shape
from rivae.models.presets.recipes import RECIPES, one_stage, same_axes
from rivae.models.registry import METHODS


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

    With ``data["features"]`` both sides are embeddings from elsewhere, or the pictures alone: fully
    connected embedders for both.

    Raises:
        ConfigError: for an unknown preset, data set or method.
    """
    name, place = named_dataset(dataset)
    settings = {**place, **(data or {})}
    found = preset_for(_of_data(name, settings), method, preset)
    if "embedder2" not in METHODS[method].config_class.model_fields:
        return replace(found, dataset={})  # its own networks read the usual items
    if not settings.get("features"):
        return found
    features = PICTURE_FEATURES if _without_texts(settings) else FEATURES
    return replace(found, method={**found.method, **features}, dataset={})


def preset_for(data: DataPreset, method: str, preset: str = "default") -> Preset:
    """The preset of a method for a kind of data, such as ``by_shape`` gives.

    Raises:
        ConfigError: for an unknown preset or method.
    """
    if preset not in preset_names():
        raise ConfigError(f"there is no preset '{preset}': choose default or paper")
    # A method without a latent or heads has no setting for them.
    known, paper = METHODS[method].config_class.model_fields, preset == "paper"
    made = dict(data.networks) | (dict(data.paper_networks) if paper else {})
    if method in RECIPES:
        made = {key: value for key, value in made.items() if key in known}
        made |= RECIPES[method](data, paper)
    else:
        made = {k: v for k, v in (made | one_stage(data, paper)).items() if k in known}
    if paper:
        made |= data.paper_methods.get(method, {})
    elif "axes" in known and METHODS[method].has_latent:
        made |= same_axes(data, method)
    return Preset(
        method=made,
        dataset=dict(data.paper_dataset) if paper else {},
        training={"clip_norm": None} if paper else dict(data.training),
    )


def _without_texts(settings: Mapping[str, Any]) -> bool:
    """Whether the features that these settings name are of pictures alone."""
    try:
        return feature_sides(find_store(settings["store"]), settings["features"]) == SIDES[:1]
    except (RivaeError, KeyError):  # not here yet
        return False


def _of_data(name: str, settings: Mapping[str, Any]) -> DataPreset:
    """The data set's own preset, or that of its shape."""
    module = f"{__name__}.datasets.{name.replace('-', '_')}"
    if find_spec(module) is not None:
        preset: DataPreset = import_module(module).PRESET
        return preset
    try:
        return _of_shape(name, json.dumps(dict(settings), sort_keys=True, default=str))
    except RivaeError:  # not here yet: fully connected networks take items of every shape
        return VECTORS


@lru_cache(maxsize=64)
def _of_shape(name: str, settings: str) -> DataPreset:
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
