"""Cos-Sim-LVM: embeddings aligned by cosine, with an auto-encoding bottleneck z (Sec. 4.1)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from rivae.models.base import Method
from rivae.models.losses import CosSimTerms, alignment_loss, cosine_at
from rivae.models.nets.embedders import build_embedders
from rivae.models.nets.layers import MLP, fold_affine_into_input
from rivae.models.nets.settings import EmbedderPair
from rivae.models.settings import (
    AxisChoice,
    AxisReach,
    BatchSize,
    Components,
    EmbeddingSize,
    Epochs,
    HeadWidths,
    LearningRate,
    Milestones,
    Schedule,
)
from rivae.models.stages import Batch, ParamGroup, Stage, parameters_of
from rivae.models.word_reader import WordReader, WordTerms


class CosSimLVMConfig(WordTerms, EmbedderPair, CosSimTerms):
    """Settings of Cos-Sim-LVM."""

    n_components: Components = 10
    dim_v: EmbeddingSize = 50
    head_hidden: HeadWidths = (32, 32)
    epochs: Epochs = 160
    batch_size: BatchSize = 64
    learning_rate: LearningRate = 1e-3
    schedule: Schedule = "constant"
    milestones: Milestones = ()
    axes: AxisChoice = "scaled"
    axis_reach: AxisReach = 10.0


class CosSimLVM(Method):
    r"""Embeddings aligned by cosine, through a bottleneck z.

    Model, on embeddings v_i = e_i(x_i) of unit length:

        z = g(v_1),   v_1' = f(z),   score(z, v_2) = cos(v_1', v_2)

    Loss, with L_Retr (eq. retr_loss) on cosines instead of log densities:

        L = \lambda_emb  L_Retr(cos(v_1, v_2))
          + \lambda_lat  L_Retr(cos(v_1', v_2))
          + \lambda_auto |v_1' - v_1|^2

    In settings the weights are ``lambda_embedding``, ``lambda_latent`` and ``lambda_auto``, d is
    ``n_components``; ``both_ways`` halves the first term and adds the other half from v_2 to v_1.
    The paper gives no form of the alignment: ``loss_form`` is a hinge with ``margin``, or a softmax
    with ``temperature``.

    It is the initialiser of every other method as well: their embedders start from this one's.

    Reference: the paper, Sec. 4.1, and its supplement, "Embedding networks".

    Example:
        >>> import torch
        >>> from rivae.models.stages import Batch, Noise
        >>> from rivae.models.registry import build_method
        >>> x1, x2 = torch.randn(16, 5), torch.randn(16, 4)
        >>> noise = Noise([torch.Generator()], stacked=False)
        >>> method = build_method("cos-sim-lvm", {"n_components": 2}, (5,), (4,))
        >>> sorted(method.loss(Batch("cos-sim", 0.0, noise, x1, x2)))
        ['auto', 'embedding', 'latent', 'objective']
    """

    name = "cos-sim-lvm"
    title = "Cos-Sim-LVM"
    blurb = "Embeddings aligned by cosine, with z between them"
    paper = True
    presets = {"paper": {"loss_form": "hinge", "n_mismatches": 1}}
    smallest = {"epochs": 4, "batch_size": 16}
    config_class = CosSimLVMConfig
    config: CosSimLVMConfig
    trains_in_shares = True

    def __init__(
        self,
        config: CosSimLVMConfig,
        shape1: tuple[int, ...],
        shape2: tuple[int, ...],
        n_models: int | None = None,
        embedders: tuple[nn.Module, nn.Module] | None = None,
        words: WordReader | None = None,
    ) -> None:
        super().__init__()
        self.config = config
        self.n_components, self.dim_v = config.n_components, config.dim_v
        if embedders is None:
            self.embedder1, self.embedder2 = build_embedders(
                shape1, shape2, config.dim_v, config, n_models
            )
            embedders = (self.embedder1, self.embedder2)
        # What is borrowed stays out of the module tree: its owner saves and moves it.
        self._embedders = embedders
        hidden = config.head_hidden
        self.encoder = MLP(config.dim_v, hidden, config.n_components, n_models=n_models)
        self.decoder = MLP(config.n_components, hidden, config.dim_v, n_models=n_models)
        if words is None and config.lambda_words:
            words = self.words = WordReader(config.dim_v, config.lambda_words, n_models)
        self._words = () if words is None else (words,)

    def stages(self) -> tuple[Stage, ...]:
        c = self.config
        return (
            Stage(
                "cos-sim",
                c.epochs,
                c.learning_rate,
                c.batch_size,
                c.milestones,
                schedule=c.schedule,
                needs_words=bool(self._words),
            ),
        )

    def param_groups(self, stage: str) -> list[ParamGroup]:
        modules = (*self._embedders, self.encoder, self.decoder, *self._words)
        return [ParamGroup(parameters_of(*modules))]

    def loss(self, batch: Batch) -> dict[str, Tensor]:
        assert batch.x1 is not None and batch.x2 is not None
        c = self.config
        v1 = batch.share.whole(self.embed_query(batch.x1))
        v2 = batch.share.whole(self.embed_target(batch.x2))
        reconstruction = self.decode(self.encoder(v1))
        direction = nn.functional.normalize(reconstruction, dim=-1)
        terms = {
            "embedding": alignment_loss(v1, v2, c, batch),
            "latent": alignment_loss(direction, v2, c, batch),
            "auto": ((reconstruction - v1) ** 2).sum(-1).mean(-1),
        }
        if c.both_ways:
            back = alignment_loss(v2, v1, c, batch)
            terms["embedding"] = 0.5 * (terms["embedding"] + back)
        objective = (
            c.lambda_embedding * terms["embedding"]
            + c.lambda_latent * terms["latent"]
            + c.lambda_auto * terms["auto"]
        )
        for words in self._words:
            objective = objective + words.term(v2, batch, terms)
        return {"objective": objective, **terms}

    def embed_query(self, x1: Tensor) -> Tensor:
        v: Tensor = self._embedders[0](x1)
        return v

    def embed_target(self, x2: Tensor) -> Tensor:
        v: Tensor = self._embedders[1](x2)
        return v

    def encode_v(self, v1: Tensor) -> tuple[Tensor, Tensor]:
        """The encoder is deterministic; its variance is reported as e^-12."""
        mu = self.encoder(v1)
        return mu, torch.full_like(mu, -12.0)

    def hidden(self, z: Tensor) -> Tensor:
        return self.decoder.hidden_layer(z)

    def output_layer(self) -> tuple[Tensor, Tensor]:
        return self.decoder.out.weight, self.decoder.out.bias

    def score(self, z: Tensor, squared_distance: Tensor) -> Tensor:
        """cos(f(z), v2)."""
        return cosine_at(self.decode(z), squared_distance)

    @torch.no_grad()
    def apply_affine(self, matrix: Tensor, offset: Tensor) -> None:
        self.encoder.out.weight.copy_(self.encoder.out.weight @ matrix)
        self.encoder.out.bias.copy_(self.encoder.out.bias @ matrix + offset)
        first = self.decoder.layers[0]
        fold_affine_into_input(first, matrix, offset)  # type: ignore[arg-type]
