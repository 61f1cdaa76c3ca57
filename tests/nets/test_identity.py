"""Embeddings that are taken as they are: unit length, nothing to train, clear refusals."""

from __future__ import annotations

import pytest
import torch

from rivae.base.config import MethodChoice, RunConfig
from rivae.base.errors import ConfigError
from rivae.data.base import PairedDataset, TensorView, random_split
from rivae.models.nets.embedders import build_embedders
from rivae.models.nets.settings import EmbedderConfig, EmbedderPair
from rivae.models.registry import build_method
from rivae.runs import Run
from rivae.training import Trainer, TrainingJob

IDENTITY = {"kind": "identity"}


def test_vectors_keep_their_direction():
    pair = EmbedderPair(embedder=EmbedderConfig(**IDENTITY))
    e1, e2 = build_embedders((6,), (6,), 6, pair)
    x = torch.randn(2, 5, 6)
    torch.testing.assert_close(e1(x), x / x.norm(dim=-1, keepdim=True))
    assert not list(e1.parameters()) and not list(e2.parameters())


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"dim_v": 5}, "set dim_v to 6"),
        ({"dim_v": 6, "shared": True}, "no last layer to share"),
    ],
)
def test_what_does_not_fit_is_refused(settings, reason):
    with pytest.raises(ConfigError, match=reason):
        build_method("rivae", {"embedder": IDENTITY, **settings}, (6,), (6,))
    with pytest.raises(ConfigError, match="nothing to train"):
        build_method("info-nce", {"embedder": IDENTITY, "dim_v": 6}, (6,), (6,))


def test_a_rivae_trains_on_given_embeddings(tmp_path):
    generator = torch.Generator().manual_seed(0)
    z = torch.randn(300, 2, generator=generator)
    x = torch.cat([z, torch.randn(300, 4, generator=generator) * 0.1], 1)
    data = PairedDataset(
        name="given",
        settings={},
        x1=TensorView(x),
        x2=TensorView(x.flip(1)),
        splits=random_split(300, (0.7, 0.1, 0.2), 0),
    )
    settings = {
        "embedder": IDENTITY,
        "dim_v": 6,
        "init_epochs": 2,
        "ivae_epochs": 2,
        "joint_epochs": 2,
        "lambda_reg": 0.1,
        "batch_size": 32,
    }
    config = RunConfig(
        name="given", dataset={"name": "pairs"}, method=MethodChoice(settings=settings)
    )
    run = Run.create(config, tmp_path)
    Trainer([TrainingJob(run, data)]).fit()
    assert run.status.state == "finished"
