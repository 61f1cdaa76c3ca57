"""Which numbers of an evaluation become rows, each of them once."""

from __future__ import annotations

from collections import Counter

from rivae.benchmark.scores import scores
from rivae.runs.evaluation_file import Evaluation

EVALUATION = Evaluation.model_validate(
    {
        "retrieval": {"recall_at_1": {"score": 0.5, "n": 10}},
        "retrieval_sampled": {"20": {"recall_at_1": {"score": 0.4, "n": 10}}},
        "factors": None,
        "digits": {"overlap": {"score": 0.02}, "transitions": {"table": [[0.5] * 45]}},
        "digits_other": {"overlap": {"score": 0.019}},
        "digits_ranges": [
            {"n_std": 3.0, "overlap": 0.018, "coverage": 0.95},
            {"n_std": 300.0, "overlap": 0.011, "coverage": 0.96},
        ],
    }
)


def test_every_number_is_one_row():
    rows = scores(EVALUATION)
    keys = Counter((row["metric"], row.get("range", "")) for row in rows)
    assert set(keys.values()) == {1}
    assert keys.keys() == {
        ("recall_at_1", ""),
        ("recall_at_1", "20 samples"),
        ("overlap", "paper"),
        ("overlap", "prior"),
        ("overlap", "3 s.d."),
        ("coverage", "3 s.d."),
        ("overlap", "300 s.d."),
        ("coverage", "300 s.d."),
    }


def test_a_method_without_a_latent_has_retrieval_only():
    assert [row["metric"] for row in scores(EVALUATION, latent=False)] == ["recall_at_1"]
