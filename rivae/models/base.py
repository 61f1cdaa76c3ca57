"""The contract of a method: one hook, ``loss(batch) -> dict``, and the maps retrieval needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import torch
from pydantic import BaseModel, ConfigDict, field_validator
from torch import Tensor, nn

from rivae.base.config import sane
from rivae.data.base import PairedDataset
from rivae.models.nets.share import Share


class MethodConfig(BaseModel):
    """Settings of a method; every method derives its own class from this one."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    @field_validator("*", mode="after")
    @classmethod
    def _sane(cls, value: Any) -> Any:
        return sane(value)

    @classmethod
    def lengths(cls) -> tuple[str, ...]:
        """The settings that are lengths of stages, in epochs."""
        return tuple(name for name in cls.model_fields if name.endswith("epochs"))

    def untrained(self) -> str:
        """What would keep its random weights, and which setting to raise; "" where nothing would.

        Not checked when a run is opened: only a training that is asked for can still be changed.
        """
        names = self.lengths()
        if not names or any(getattr(self, name) for name in names):
            return ""
        return f"nothing would be trained: raise {' or '.join(names)}"


class Noise:
    """Random numbers for one model, or for S models trained as one batch.

    Each model has its own generator, so a model sees the same noise whether it trains alone or
    together with others.
    """

    def __init__(self, generators: Sequence[torch.Generator], stacked: bool) -> None:
        self.generators, self.stacked = list(generators), stacked

    def _each(self, draw: list[Tensor]) -> Tensor:
        return torch.stack(draw) if self.stacked else draw[0]

    def normal_like(self, x: Tensor, share: Share | None = None) -> Tensor:
        """Standard normal numbers with the shape, type and device of ``x``.

        With a ``share`` ``x`` holds this process's rows of a batch, whose numbers are those that
        they would have in one process.
        """
        share = share or Share()
        shape = x.shape[1:] if self.stacked else share.whole_shape(x.shape)
        draws = [
            share.own(torch.randn(shape, generator=g, device=g.device)) for g in self.generators
        ]
        return self._each(draws).to(dtype=x.dtype, device=x.device)

    def integers(self, high: int, shape: tuple[int, ...]) -> Tensor:
        """Integers in [0, high) of ``shape`` (with a leading S when stacked)."""
        draws = [torch.randint(high, shape, generator=g, device=g.device) for g in self.generators]
        return self._each(draws)


@dataclass
class Batch:
    """The input of ``Method.loss``.

    ``x1``/``x2`` have shape (..., B, *shape) with a leading S when S models train as one batch.
    In a stage on cached embeddings they are None and ``v1``/``v2`` (..., B, D) are given instead.
    ``target`` (..., B, D) is the smooth starting embedding and ``coordinates`` (..., B, d) are
    the unfolded coordinates of v2, where the stage asks for them. ``words`` (..., B, K) are the
    weights of the parts of the texts, or None where the second side has no weighted words.
    ``progress`` goes from 0 at the first step of the stage to 1 at its last.
    Where several processes train together, ``x1`` and ``x2`` are this one's ``share``, and a loss
    gathers its results with ``share.whole``; everything else is of the full batch.
    """

    stage: str
    progress: float
    noise: Noise
    x1: Tensor | None = None
    x2: Tensor | None = None
    v1: Tensor | None = None
    v2: Tensor | None = None
    target: Tensor | None = None
    coordinates: Tensor | None = None
    words: Tensor | None = None
    share: Share = field(default_factory=Share)


@dataclass(frozen=True)
class Stage:
    """A part of training with its own parameters and rates.

    Attributes:
        name: shown in the log and passed in ``Batch.stage``.
        epochs: its length; 0 skips it.
        learning_rate: rate of the parameter group of scale 1.
        milestones: (epoch within the stage, factor) pairs; the rate is multiplied from there on.
        cached: train on embeddings computed once at the start of the stage (embedders frozen).
        needs_target: the batch carries the smooth starting embedding.
        needs_coordinates: the batch carries the unfolded coordinates of v2; cached stages only.
        needs_words: the batch carries the parts of the texts, where there are any.
        schedule: "constant" or "cosine" decay to zero over the stage.
        validate: measure validation retrieval after its epochs (off where z means nothing yet).
        closed_form: its one epoch is no descent but the solution that ``Start.solve`` finds.
    """

    name: str
    epochs: int
    learning_rate: float
    batch_size: int = 64
    milestones: tuple[tuple[int, float], ...] = ()
    cached: bool = False
    needs_target: bool = False
    needs_coordinates: bool = False
    needs_words: bool = False
    schedule: Literal["constant", "cosine"] = "constant"
    validate: bool = True
    closed_form: bool = False

    def n_seen(self, n_rows: int) -> int:
        """How many of ``n_rows`` rows it sees."""
        return max(1, n_rows)

    def epoch_steps(self, n_rows: int) -> int:
        """Batches in an epoch over ``n_rows`` rows."""
        n_seen = self.n_seen(n_rows)
        return n_seen // min(self.batch_size, n_seen)

    def over(self, n_rows: int) -> Stage:
        """This stage in epochs over ``n_rows`` rows; only a start counts its length otherwise."""
        return self


@dataclass(frozen=True)
class ParamGroup:
    """Parameters that share a learning-rate scale within a stage."""

    parameters: list[nn.Parameter]
    scale: float = 1.0


class Start:
    """Stages that train the embedders before those of a method; this base class has none.

    Attributes:
        unfolds_pairs: whether it unfolds the training pairs as they are, before any training.
        is_model: whether what it ends with retrieves already; training then keeps it where no
            epoch after it is better on validation pairs.
    """

    unfolds_pairs: bool = False
    is_model: bool = False

    def stages(self) -> list[Stage]:
        """Its stages in order."""
        return []

    def has(self, stage: str) -> bool:
        """Whether ``stage`` is one of its own."""
        return any(stage == each.name for each in self.stages())

    def groups(self, stage: str) -> list[ParamGroup]:
        """The parameters that one of its stages updates."""
        raise NotImplementedError

    def loss(self, batch: Batch) -> dict[str, Tensor]:
        """The loss of one of its stages, as ``Method.loss``."""
        raise NotImplementedError

    def solve(self, data: PairedDataset, watch: Callable[[float], None]) -> dict[str, float]:
        """Set the embedders to the solution of a stage in closed form; the numbers to log.

        Args:
            data: views and split of the training pairs.
            watch: called with the share that is done; an exception of it ends the solution.
        """
        raise NotImplementedError

    def contrast_embeddings(self, x1: Tensor, x2: Tensor) -> tuple[Tensor, Tensor]:
        """Unit vectors of both sides whose sheet a contrastive start unfolds, each (..., B, .)."""
        raise NotImplementedError

    def refitted(self) -> tuple[nn.Module, ...]:
        """The modules that begin each of several fits from other random weights."""
        return ()


class Method(nn.Module):
    """A model of pairs with a latent z between the two embeddings.

    Shapes below omit the leading S of models trained as one batch.
    """

    # What a method says of itself; all but the first three may be left out. Lists of methods read
    # these from its file without loading it, so they are written there as plain values.
    name: ClassVar[str]
    title: ClassVar[str]
    config_class: ClassVar[type[MethodConfig]]
    blurb: ClassVar[str] = ""  # what it is, in one line
    paper: ClassVar[bool] = False  # a row of the paper's tables, not a baseline
    # Preset by preset what it has on all data (``rivae.models.presets``).
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    # With these a test trains each of its stages in a moment.
    smallest: ClassVar[Mapping[str, Any]] = {}
    score_name: ClassVar[str] = "log P(v2|z)"
    # False where z is v1 itself: such a method retrieves but infers no factors, so tables and
    # pages call its sliders axes of the embedding.
    has_latent: ClassVar[bool] = True
    # Whether ``hidden`` is piecewise linear with so few bends that change points along a line in z
    # can be found exactly.
    piecewise_linear: bool = True
    # Whether ``loss`` gathers the results of several processes for their shares of a batch; their
    # ``embedder1`` and ``embedder2`` draw the same random numbers.
    trains_in_shares: ClassVar[bool] = False
    # Whether x2, or x1 and x2 together, may be a query as well: ``encode_target``, ``encode_both``.
    asks_both_ways: bool = False
    config: MethodConfig
    n_components: int
    dim_v: int
    start: Start = Start()

    @classmethod
    def axis_letter(cls) -> str:
        """ "z", or "v" for a method without a latent, whose axes are those of the embedding v."""
        return "z" if cls.has_latent else "v"

    @classmethod
    def axis_names(cls, n: int) -> list[str]:
        """Plain names of the first ``n`` axes: z1, z2 ... or v1, v2 ..."""
        return [f"{cls.axis_letter()}{j + 1}" for j in range(n)]

    # training

    def stages(self) -> tuple[Stage, ...]:
        """The stages in order."""
        raise NotImplementedError

    def param_groups(self, stage: str) -> list[ParamGroup]:
        """The parameters that ``stage`` updates; all others stay untouched."""
        raise NotImplementedError

    def loss(self, batch: Batch) -> dict[str, Tensor]:
        """Terms per model, shape (S,) or (); ``"objective"`` is minimised, the rest is logged."""
        raise NotImplementedError

    def begin(self, stage: str, v1: Tensor, v2: Tensor) -> None:
        """Set what a ``stage`` on cached embeddings begins with.

        Args:
            v1, v2: (..., n, D) of all training pairs.

        Raises:
            DataError: when the embeddings do not allow it.
        """

    # Methods whose last step is in closed form (CCA, PCA, ICA) say so and implement ``finish``.
    has_closed_form: ClassVar[bool] = False

    def finish(self, x1: Tensor, x2: Tensor, random_state: int) -> None:
        """Set the closed-form parameters from training pairs (n, *shape) of a single model.

        Called on a copy before every validation and on the trained model at its end. It may not
        touch what the optimiser trains.

        Raises:
            DataError: when the problem has no solution for these embeddings.
        """

    # retrieval

    def embed_query(self, x1: Tensor) -> Tensor:
        """v1 = e1(x1), shape (..., B, D)."""
        raise NotImplementedError

    def embed_target(self, x2: Tensor) -> Tensor:
        """v2 = e2(x2), shape (..., B, D); unit norm where e2 is an embedder of the paper."""
        raise NotImplementedError

    def embeddings(self, x1: Tensor, x2: Tensor) -> tuple[Tensor, Tensor]:
        """Inputs of a cached stage in place of (x1, x2), each (..., B, .).

        v1 and v2, unless retrieval happens behind further layers that such a stage trains.
        """
        return self.embed_query(x1), self.embed_target(x2)

    def encode_v(self, v1: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and log variance of P(z|v1), each (..., B, d)."""
        raise NotImplementedError

    def encode(self, x1: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and log variance of P(z|e1(x1)), each (..., B, d)."""
        return self.encode_v(self.embed_query(x1))

    def encode_target(self, x2: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and log variance of P(z|e2(x2)), each (..., B, d), where ``asks_both_ways``.

        f(z) is then compared with v1 of the items, as v2 would find itself.
        """
        raise NotImplementedError

    def encode_both(self, x1: Tensor, x2: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and log variance of z given both views, each (..., B, d), where ``asks_both_ways``.

        f(z) is compared with v2.
        """
        raise NotImplementedError

    def encode_pair(self, x1: Tensor, x2: Tensor) -> Tensor:
        """z of a pair (..., B, d): the mean of Q(z|v1,v2) where the method has one.

        Scores a latent on data whose query fixes only the distribution of the factors.
        A method without such a posterior has only the query's z.
        """
        return self.encode(x1)[0]

    def hidden(self, z: Tensor) -> Tensor:
        """Last hidden layer h(z) of f, shape (..., B, m)."""
        raise NotImplementedError

    def output_layer(self) -> tuple[Tensor, Tensor]:
        """(W, b) with ``decode(z) == hidden(z) @ W + b``; W is (m, D), b is (D,)."""
        raise NotImplementedError

    def decode(self, z: Tensor) -> Tensor:
        """f(z) = E[v2|z], shape (..., B, D)."""
        weight, bias = self.output_layer()
        return self.hidden(z) @ weight + bias.unsqueeze(-2)

    def score(self, z: Tensor, squared_distance: Tensor) -> Tensor:
        """The method's relevance score from |f(z) - v2|^2 (B, k); decreasing in the distance."""
        raise NotImplementedError

    def apply_affine(self, matrix: Tensor, offset: Tensor) -> None:
        """Change the latent coordinates to z' = z @ matrix + offset, exactly, in mu and f.

        ``matrix`` (d, d) is any invertible matrix, ``offset`` is (d,). P(z|v1) keeps its exact mean
        and the exact diagonal of its covariance; entries off the diagonal that a
        rotation creates are dropped, so a second change starts from the diagonal alone.
        """
        raise NotImplementedError


def parameters_of(*modules: nn.Module) -> list[nn.Parameter]:
    """All parameters of ``modules``, each once."""
    return list(dict.fromkeys(p for module in modules for p in module.parameters()))
