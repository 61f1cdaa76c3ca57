"""Synth: 50-dimensional signals from two shared and two private factors (paper, Sec. 5.1).

x1 = G1(fS, f1) and x2 = G2(fS, f2): fS are two shared factors, f1 and f2 one private factor each,
all independent with mean 0 and variance 1; G1 and G2 are random two-layer networks.

The paper fixes 4 factors, 50 outputs, two layers, Gaussian factors and (in a comment of its LaTeX)
3,000 pairs split into 1,000 / 1,000 / 1,000. It does not define G; here

* G(f) = 1.5 * W2 @ activation(W1 @ f + b1), with ``g_width`` hidden units (50) and no output bias;
* W1 ~ N(0, 1/3), b1 ~ N(0, 1/4), W2 ~ N(0, 1/width): pre-activations have an s.d. near 1.1, so
  tanh bends strongly but few units saturate, and the outputs have a variance near 1;
* the activation is strictly increasing and W1 has rank 3, so the hidden layer, and with it G, is
  one-to-one;
* G1 and G2 depend on ``g_seed`` alone, the factors and the noise on ``factor_seed`` alone.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Annotated, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image, ImageDraw
from pydantic import Field, model_validator

from rivae.base.arrays import Floats
from rivae.data.base import PairedDataset, Shape, TensorView, random_split
from rivae.data.dataset import Dataset
from rivae.data.factors import FactorSpec
from rivae.data.settings import DatasetSettings, Seed, SplitSeed

SIZE = (160, 96)
_PAPER, _INK, _AXIS = (252, 251, 248), (45, 52, 70), (206, 204, 198)
_MARGIN, _LINE_HEIGHT, _STRIP_TOP, _STRIP_HEIGHT = 5, 70, 78, 14
_OVERSAMPLING = 2  # PIL draws hard edges; drawing larger and averaging smooths them

# Blue to white to red, after ColorBrewer's RdBu: it stays readable for colour-blind eyes.
_STOPS = np.array([-1.0, -0.5, 0.0, 0.5, 1.0])
_COLOURS = np.array(
    [[33, 102, 172], [103, 169, 207], [243, 241, 238], [239, 138, 98], [178, 24, 43]], float
)


def diverging(values: NDArray[np.floating]) -> NDArray[np.uint8]:
    """Colours (..., 3) of ``values`` in [-1, 1]: blue below zero, red above."""
    channels = [np.interp(values, _STOPS, _COLOURS[:, c]) for c in range(3)]
    return np.stack(channels, axis=-1).round().astype(np.uint8)


@cache
def _fill(width: int, height: int) -> Image.Image:
    """The colours under the line: clear from the zero line on, stronger further away."""
    heights = np.linspace(1.0, -1.0, height)
    column = diverging(np.sign(heights) * (0.4 + 0.6 * np.abs(heights)))
    return Image.fromarray(np.ascontiguousarray(np.repeat(column[:, None], width, axis=1)))


def signal_picture(values: NDArray[np.floating], scale: float) -> Image.Image:
    """``values`` (n,) as a 160 x 96 RGB picture; ``scale`` is the value at the upper edge."""
    k = _OVERSAMPLING
    relative = np.clip(np.asarray(values, dtype=float) / scale, -1.0, 1.0)
    width, height = SIZE[0] * k, (_LINE_HEIGHT + _MARGIN) * k
    left, right, middle = _MARGIN * k, width - _MARGIN * k, height / 2
    xs = np.linspace(left, right - 1, len(relative))
    ys = middle - relative * (_LINE_HEIGHT * k / 2 - k)
    line = list(zip(xs.tolist(), ys.tolist(), strict=True))

    mask = Image.new("L", (width, height), 0)
    ImageDraw.Draw(mask).polygon([(left, middle), *line, (right - 1, middle)], fill=255)
    plot = Image.new("RGB", (width, height), _PAPER)
    plot.paste(_fill(width, height), (0, 0), mask)
    pen = ImageDraw.Draw(plot)
    pen.line([(left, middle), (right - 1, middle)], fill=_AXIS, width=k)
    pen.line(line, fill=_INK, width=k + 1, joint="curve")

    picture = Image.new("RGB", SIZE, _PAPER)
    picture.paste(plot.reduce(k), (0, 0))
    strip = Image.fromarray(diverging(relative)[None])
    strip = strip.resize((SIZE[0] - 2 * _MARGIN, _STRIP_HEIGHT), Image.Resampling.NEAREST)
    picture.paste(strip, (_MARGIN, _STRIP_TOP))
    return picture


N_OUTPUTS = 50
HIDDEN_AT_ONCE = 2**24
MAX_HIDDEN = 2**26  # numbers that signals are made through: a second or two of one core
SCALED_BY = 100_000  # items that the scale of all pictures is taken from
FACTOR_SPECS = (
    FactorSpec("shared 1", "continuous", "shared"),
    FactorSpec("shared 2", "continuous", "shared"),
    FactorSpec("private 1", "continuous", "private1"),
    FactorSpec("private 2", "continuous", "private2"),
)
ACTIVATIONS: dict[str, Callable[[Floats], Floats]] = {
    "tanh": np.tanh,
    "leaky_relu": lambda u: np.where(u > 0, u, 0.2 * u),
    "softplus": lambda u: np.logaddexp(0.0, u) - np.log(2.0),
}
# Every distribution has mean 0 and variance 1.
DISTRIBUTIONS: dict[str, Callable[[np.random.Generator, tuple[int, int]], Floats]] = {
    "gaussian": lambda rng, shape: rng.standard_normal(shape),
    "uniform": lambda rng, shape: rng.uniform(-np.sqrt(3.0), np.sqrt(3.0), shape),
    "laplace": lambda rng, shape: rng.laplace(0.0, np.sqrt(0.5), shape),
}


class MixingNetwork:
    """One draw of G: (n, n_in) factors to (n, 50) signals, float64."""

    def __init__(
        self, rng: np.random.Generator, width: int, activation: str, n_in: int = 3
    ) -> None:
        self.w1 = rng.standard_normal((n_in, width)) / np.sqrt(n_in)
        self.b1 = rng.standard_normal(width) / 2.0
        self.w2 = rng.standard_normal((width, N_OUTPUTS)) * (1.5 / np.sqrt(width))
        self._activation = ACTIVATIONS[activation]

    def __call__(self, factors: Floats) -> Floats:
        # In blocks: the hidden layer of a million items would not fit into memory.
        step = max(1, HIDDEN_AT_ONCE // len(self.b1))
        blocks = [self._signals(factors[i : i + step]) for i in range(0, len(factors), step)]
        return blocks[0] if len(blocks) == 1 else np.concatenate(blocks)

    def _signals(self, factors: Floats) -> Floats:
        signals: Floats = self._activation(factors @ self.w1 + self.b1) @ self.w2
        return signals


class Synth(PairedDataset):
    """The data set with its pictures: a filled line above a heat strip, one scale for all items."""

    def __init__(self, *, x1: Floats, x2: Floats, **rest: object) -> None:
        views = [torch.from_numpy(x.astype(np.float32)) for x in (x1, x2)]
        super().__init__(
            x1=TensorView(views[0]),
            x2=TensorView(views[1]),
            view_names=("signal 1", "signal 2"),
            **rest,  # type: ignore[arg-type]
        )
        self._values = (views[0].numpy(), views[1].numpy())
        some = np.concatenate([x1[:SCALED_BY], x2[:SCALED_BY]])
        self._scale = float(np.quantile(np.abs(some), 0.999)) or 1.0

    def picture(self, i: int, side: int = 2) -> Image.Image:
        """160 x 96 RGB for one view; both views one above the other (160 x 200) for side 0."""
        if side:
            return signal_picture(self._values[side - 1][i], self._scale)
        both = Image.new("RGB", (160, 200), "white")
        both.paste(self.picture(i, 1), (0, 0))
        both.paste(self.picture(i, 2), (0, 104))
        return both

    def title(self, i: int) -> str:
        return f"Signal {i}"


NumberOfPairs = Annotated[
    int,
    Field(
        ge=30,
        le=1_000_000,
        title="Pairs",
        description="number of pairs, over training, validation and test",
    ),
]


class SignalSettings(DatasetSettings):
    """Settings of the data sets whose signals come from two random networks."""

    n_pairs: NumberOfPairs = 3000
    g_width: int = Field(
        default=50, ge=3, le=4096, title="Network width", description="hidden units of G1 and G2"
    )
    g_activation: Literal["tanh", "leaky_relu", "softplus"] = Field(
        default="tanh",
        title="Network activation",
        description="of G1 and G2: tanh, leaky_relu (slope 0.2) or softplus (shifted to 0 at 0)",
    )
    g_seed: Seed = Field(default=0, title="Network seed", description="draw of G1 and G2")
    factor_seed: Seed = Field(
        default=0, title="Factor seed", description="draw of the factors and of the noise"
    )
    split_seed: SplitSeed = 0

    @model_validator(mode="after")
    def _fits_into_memory(self) -> SignalSettings:
        numbers = self.n_pairs * self.g_width
        if numbers > MAX_HIDDEN:
            raise ValueError(
                f"n_pairs x g_width is {numbers:,}: choose fewer pairs or a smaller g_width, at "
                f"most {MAX_HIDDEN:,} together"
            )
        return self


class Settings(SignalSettings):
    """Settings of Synth; a third of the pairs each goes to train, validation and test."""

    factor_distribution: Literal["gaussian", "uniform", "laplace"] = Field(
        default="gaussian",
        title="Factor distribution",
        description="of every factor, with variance 1; the paper has gaussian",
    )
    noise: float = Field(
        default=0.0,
        ge=0,
        le=10,
        title="Noise",
        description="s.d. of Gaussian noise on every output, whose own s.d. is near 1",
    )


def load(settings: Settings) -> PairedDataset:
    """Generate Synth.

    Returns:
        Views of shape (50,), factors (N, 4) in the order shared 1, shared 2, private 1, private 2.
    """
    n, noise = settings.n_pairs, settings.noise
    g_rng = np.random.default_rng(settings.g_seed)
    factor_rng = np.random.default_rng(settings.factor_seed)
    splits = random_split(n, (1 / 3, 1 / 3, 1 / 3), settings.split_seed)

    width, activation = settings.g_width, settings.g_activation
    g1, g2 = (MixingNetwork(rng, width, activation) for rng in g_rng.spawn(2))
    # Row by row, so that a larger n_pairs only appends rows.
    factors = DISTRIBUTIONS[settings.factor_distribution](factor_rng, (n, 4))
    x1, x2 = g1(factors[:, [0, 1, 2]]), g2(factors[:, [0, 1, 3]])
    if noise:
        x1 = x1 + noise * factor_rng.standard_normal(x1.shape)
        x2 = x2 + noise * factor_rng.standard_normal(x2.shape)
    return Synth(
        name="synth",
        factor_specs=FACTOR_SPECS,
        settings=settings.kept(),
        x1=x1,
        x2=x2,
        factors=factors,
        splits=splits,
        search_size=min(1000, len(splits["test"])),
    )


def shapes(settings: Settings) -> tuple[Shape, Shape]:
    """Of items of both views, without making any."""
    return (N_OUTPUTS,), (N_OUTPUTS,)


DATASET = Dataset(
    name="synth",
    title="Synth",
    blurb="Signals from two known numbers: does the model find both?",
    description=__doc__,
    settings=Settings,
    load=load,
    shapes=shapes,
    drawn_by=("g_seed", "factor_seed", "split_seed"),
    smallest={"n_pairs": 240},
)
