"""What a browser needs to search by z: the decoder's hidden layers, points, and density.

``assets/components/engine.js`` reads it. Points are kept in steps of 2^-48 of a column's range,
which is finer than what rounding changes in a distance; equal points stay equal.
"""

from __future__ import annotations

import base64
import copy
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import nn

from rivae.base.arrays import Floats
from rivae.base.errors import ConfigError
from rivae.exploring.explorer import Explorer
from rivae.models.nets.layers import FixedAffine, Linear
from rivae.retrieval.model import FullSpace, LatentModel, ProjectedSpace
from rivae.retrieval.retriever import FAR

STEPS = 2**48 - 1
CANNOT = (
    "a {} cannot be explored in a page or a notebook: its decoder is more than layers that follow "
    "each other"
)
_CHECKED = 16  # points z at which the layers are compared with the decoder

Layers = list[dict[str, Any]]


def text(numbers: ArrayLike, kind: str = "<f8") -> str:
    """Numbers of a little-endian ``kind`` as base64."""
    return base64.b64encode(np.ascontiguousarray(numbers, dtype=kind).tobytes()).decode("ascii")


def model_of(explorer: Explorer) -> dict[str, Any]:
    """``{layers, query, points, density}`` of an opened run.

    Raises:
        ConfigError: its decoder is no sequence of layers.
    """
    retriever = explorer.retriever
    layers = layers_of(retriever.model, explorer.method.title)
    space = retriever.space
    # Both spaces ask with an affine map of h(z).
    if isinstance(space, ProjectedSpace):
        turn = np.zeros((space.r.shape[1], space.n_features))
        turn[:, :-1] = space.r.T
        query = {"weight": text(turn), "bias": text(np.zeros(space.n_features))}
    else:
        assert isinstance(space, FullSpace)
        query = {"weight": text(space.weight), "bias": text(space.bias)}
    mu, _ = retriever.reference_latents()
    scale = np.maximum(explorer.prior.std, 1e-12)
    limit = explorer.far(explorer.mean).limit
    return {
        "layers": [
            {
                key: text(value) if isinstance(value, np.ndarray) else value
                for key, value in layer.items()
            }
            for layer in layers
        ],
        "query": query,
        "points": points_of(retriever.index.rows(np.arange(retriever.index.n_items))),
        "density": {
            "points": text(mu / scale, "<f4"),
            "scale": text(scale),
            "limit": limit,
            "far": FAR * limit,
        },
    }


def layers_of(model: LatentModel, title: str) -> Layers:
    """The layers from z to h(z), each ``{weight, bias}`` or ``{name, slope}`` of an activation.

    Raises:
        ConfigError: h(z) is not what they give.
    """
    double = copy.deepcopy(model.method).to("cpu").double().eval()
    layers: Layers = []

    def record(module: nn.Module, _: Any, __: Any) -> None:
        if isinstance(module, Linear | FixedAffine):
            weight, bias = module.weight.detach().numpy(), module.bias.detach().numpy()
            layers.append({"weight": weight.copy(), "bias": bias.copy()})
        elif isinstance(module, nn.LeakyReLU):
            layers.append({"name": "leaky-relu", "slope": module.negative_slope})
        elif isinstance(module, nn.ReLU | nn.Tanh):
            layers.append({"name": type(module).__name__.lower(), "slope": 0.0})

    for module in double.modules():
        module.register_forward_hook(record)
    z = 3 * np.random.default_rng(0).standard_normal((_CHECKED, model.n_components))
    with torch.no_grad():
        double.hidden(torch.from_numpy(z[:1]))
    hidden = model.hidden(z)
    try:
        same = np.allclose(followed(layers, z), hidden, rtol=1e-9, atol=1e-9)
    except ValueError:  # the shapes do not fit each other
        same = False
    if not same:
        raise ConfigError(CANNOT.format(title))
    return layers


def followed(layers: Layers, z: Floats) -> Floats:
    """What the layers make of z (n, d)."""
    for layer in layers:
        if "weight" in layer:
            z = z @ layer["weight"] + layer["bias"]
        elif layer["name"] == "tanh":
            z = np.tanh(z)
        else:
            z = np.where(z < 0, layer["slope"] * z, z)
    return z


def points_of(points: Floats) -> dict[str, Any]:
    """Points (n, m) in 48 bits for each number, as a browser reads them."""
    low = points.min(axis=0)
    step = (points.max(axis=0) - low) / STEPS
    codes = np.rint((points - low) / np.where(step > 0, step, 1.0)).astype(np.uint64)
    high: NDArray[np.uint64] = codes >> np.uint64(16)
    return {
        "n": len(points),
        "m": points.shape[1],
        "low": text(low),
        "step": text(step),
        "high": text(high, "<u4"),
        "rest": text(codes & np.uint64(0xFFFF), "<u2"),
    }
