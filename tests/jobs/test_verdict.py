"""What validation scores say of a training, for curves that one draws."""

import numpy as np
import pytest

from rivae.jobs.history import Curve, History
from rivae.jobs.verdict import STILL, verdict


def log(scores, stages=(("joint", 1, 100),)):
    y = np.asarray(scores, float)
    x = np.arange(1, len(y) + 1, dtype=float)
    return History(epoch=len(y), stages=stages, scores={"score": Curve(x, y, y, y)})


RISES, FLAT = np.linspace(0.1, 0.6, 30), 0.6 - 0.5 * np.exp(-np.arange(60) / 5)
FALLS = np.concatenate([np.linspace(0.1, 0.6, 10), np.linspace(0.59, 0.3, 20)])


@pytest.mark.parametrize(
    ("scores", "training", "ended"),
    [
        (RISES, "still improving", STILL),
        (FLAT, "no better since epoch 60", "levelled off at epoch 60"),
        (FALLS, "validation got worse after epoch 10", "validation got worse after epoch 10"),
        (RISES[:2], "", ""),
        (np.full(9, np.nan), "", ""),
    ],
)
def test_what_the_scores_say(scores, training, ended):
    assert verdict(log(scores), True) == training and verdict(log(scores), False) == ended


def test_only_the_last_stage_counts():
    scores = [*RISES, *np.full(9, 0.65)]
    assert verdict(log(scores, (("start", 1, 30), ("joint", 31, 39))), False) == (
        "levelled off at epoch 31"
    )
    assert verdict(History(), True) == ""
