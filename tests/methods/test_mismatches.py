"""Hardest mismatches: really the hardest, from the step they are asked for, for every method."""

import pytest
import torch

from rivae.base.errors import ConfigError
from rivae.data import load_dataset
from rivae.models.losses import (
    MismatchTerms,
    embedder_regulariser,
    mismatch_scores,
    retrieval_loss,
)
from rivae.models.registry import build_method
from rivae.models.stages import Batch, Noise

DATA = load_dataset("synth", n_pairs=150)
HARD = {
    "mismatches": "hardest",
    "n_mismatches": 1,
    "loss_form": "hinge",
    "embedder": {"dropout": 0},  # whose noise each call draws anew
}


def noise_of(*seeds, stacked=False):
    return Noise([torch.Generator().manual_seed(seed) for seed in seeds], stacked)


def test_the_hardest_are_the_highest_scores_beside_the_match():
    scores = torch.randn(2, 7, 7, generator=torch.Generator().manual_seed(0))
    scores += 10 * torch.eye(7)  # the match scores highest and must not be taken
    picked = mismatch_scores(scores, 3, noise_of(0), hardest=True)
    for model, got in zip(scores, picked, strict=True):
        for i, row in enumerate(model):
            others = torch.cat([row[:i], row[i + 1 :]]).sort(descending=True).values[:3]
            assert torch.equal(got[i], others)
    every = mismatch_scores(scores, None, noise_of(0), hardest=True)
    assert every.shape == (2, 7, 6)


def test_the_hinge_of_the_hardest():
    scores = torch.tensor([[2.0, 1.5, -3.0], [0.0, 0.0, 0.4], [9.0, 0.0, 1.0]])
    loss = retrieval_loss(scores, 1, "hinge", 1.0, noise_of(0), hardest=True)
    torch.testing.assert_close(loss, torch.tensor((0.5 + 1.4 + 9) / 3))


def test_they_begin_at_their_share_of_the_stage():
    terms = MismatchTerms(n_mismatches=1, mismatches="hardest", hardest_from=0.25)
    assert [terms.takes_hardest(p) for p in (0.0, 0.24, 0.25, 1.0)] == [False, False, True, True]
    assert not MismatchTerms(n_mismatches=1).takes_hardest(1.0)


@pytest.mark.parametrize("name", ["rivae", "rbi-vae", "cos-sim-lvm", "cos-sim"])
def test_every_method_with_mismatches_takes_them(name):
    """The last stage draws the same noise; only the loss of the mismatches may grow."""
    rows = DATA.splits["train"][:32]
    x = DATA.x1.batch(rows), DATA.x2.batch(rows)

    def term(progress, **changes):
        settings = {**HARD, **changes}
        if name in ("rivae", "rbi-vae"):
            settings |= {"init": "none", "expectation": "mean", "lambda_reg": 0}
        method = build_method(name, settings, (50,), (50,))
        stage = method.stages()[-1].name
        terms = method.loss(Batch(stage, progress, noise_of(0), *x))
        for key in ("retrieval", "embedding"):
            if key in terms:
                return float(terms[key].detach())
        return float(terms["objective"].detach())

    easy, every = term(0.5, mismatches="random"), term(0.5, hardest_from=0.6)
    assert easy == every < term(0.6, hardest_from=0.6)


def test_all_mismatches_cannot_be_the_hardest():
    with pytest.raises(ConfigError, match="set n_mismatches, e"):
        build_method("rivae", {"mismatches": "hardest", "n_mismatches": None}, (5,), (5,))
    with pytest.raises(ConfigError, match="mismatches=hardest needs a number of them"):
        build_method("cos-sim", {"mismatches": "hardest"}, (5,), (5,))


@pytest.mark.parametrize("form", ["literal", "ratio", "jvp"])
def test_a_masked_perturbation_moves_only_what_it_may(form):
    """A row's eps has its full length in the numbers that are left."""
    mask = torch.tensor([[1.0, 0, 0], [1.0, 1, 0], [1.0, 1, 1]])
    x = torch.zeros(3, 3)
    magnitude = 0.01
    embed = {"kept": lambda x: x * mask, "lost": lambda x: x * (1 - mask)}
    c = torch.zeros(())
    values = {
        key: embedder_regulariser(f, x, c, form, magnitude, noise_of(0), 1, mask)
        for key, f in embed.items()
    }
    torch.testing.assert_close(values["lost"], torch.zeros(()), atol=1e-9, rtol=0)
    expected = magnitude**2 if form == "literal" else 1.0
    torch.testing.assert_close(values["kept"], torch.tensor(expected), rtol=1e-4, atol=1e-9)
    empty = embedder_regulariser(embed["kept"], x, c, form, magnitude, noise_of(0), 1, 0 * mask)
    assert torch.isfinite(empty)
