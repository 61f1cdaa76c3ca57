"""The contract of a method: one hook, ``loss(batch) -> dict``, and the maps retrieval needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, field_validator
from torch import Tensor, nn

from rivae.base.config import sane
from rivae.models.stages import Batch, ParamGroup, Stage, Start


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
    embedder1: nn.Module
    embedder2: nn.Module
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
        """v1 = e1(x1), shape (..., B, D); e1 is ``embedder1``, unless the method has another."""
        v1: Tensor = self.embedder1(x1)
        return v1

    def embed_target(self, x2: Tensor) -> Tensor:
        """v2 = e2(x2), shape (..., B, D); unit norm where e2 is an embedder of the paper.

        e2 is ``embedder2``, unless the method has another.
        """
        v2: Tensor = self.embedder2(x2)
        return v2

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
