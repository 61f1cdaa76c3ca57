"""What is kept of a run's evidence: all effects of its axes, and intervals."""

import shutil

import numpy as np
import pytest

import rivae
from rivae.evaluation.evidence import evidence_of, kept_evidence
from rivae.metrics.measures.dci_paper import METRICS
from rivae.runs import DEMO_ROOT, Run


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "demo-synth"
    shutil.copytree(
        DEMO_ROOT / "demo-synth", folder, ignore=shutil.ignore_patterns("cache", "computed")
    )
    run, told = Run(folder), []
    assert kept_evidence(run, run.evaluation) is None
    return run, evidence_of(run, run.evaluation, lambda stage, share: told.append(share)), told


def test_effects_are_those_of_the_library(measured):
    _, evidence, told = measured
    assert told == sorted(told) and told[-1] == 1.0
    opened = rivae.load_run("demo-synth")
    for j, effects in enumerate(evidence.effects):
        expected = opened.effects(j)
        sign = opened.explorer.signs[j]
        assert [(c.kind, c.name) for c in effects.changes] == [
            (c.kind, c.name) for c in expected.changes
        ]
        np.testing.assert_allclose(
            [sign * c.change for c in effects.changes],
            [c.change for c in expected.changes],
            atol=1e-4,
        )
    assert evidence.views == opened.data.view_names


def test_intervals_hold_the_stored_scores(measured):
    run, evidence, _ = measured
    scores = run.evaluation.along[0].factors
    assert set(evidence.intervals) == {metric.key for metric in METRICS}
    for name, (low, high) in evidence.intervals.items():
        assert 0 <= low <= scores[name].score <= high <= 1 and high - low < 0.2


def test_it_is_kept_for_this_evaluation_only(measured):
    run, evidence, _ = measured
    assert kept_evidence(run, run.evaluation) == evidence
    later = run.evaluation.model_copy(update={"created": "2030-01-01T00:00:00+00:00"})
    assert kept_evidence(run, later) is None
    (kept,) = (run.path / "cache").glob("evidence-*.json")
    content = kept.read_bytes()
    for junk in (b"{", b"[]", b'{"views": ["a"]}'):
        kept.write_bytes(junk)
        assert kept_evidence(run, run.evaluation) is None
    kept.write_bytes(content)


def test_an_evaluation_that_cannot_be_repeated_has_no_intervals(measured, tmp_path):
    run, evidence, _ = measured
    settings = run.evaluation.settings.model_copy(update={"n_queries": None})
    older = run.evaluation.model_copy(update={"settings": settings, "created": "older"})
    found = evidence_of(run, older)
    assert found.intervals == {} and found.effects == evidence.effects
