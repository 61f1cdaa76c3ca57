import math

import numpy as np

from rivae.plots.curves import describe_curves, stages_of, thin, training_curves
from rivae.plots.theme import alt_text


def rows_of(n, validate_every=5):
    rows = []
    for epoch in range(1, n + 1):
        stage = "stage 1" if epoch <= n // 4 else "joint"
        row = {
            "epoch": epoch,
            "stage": stage,
            "step": 10 * epoch,
            "learning_rate": 1e-3,
            "objective": float(n - epoch),
            "bound": -float(epoch),
        }
        if stage == "joint" and epoch % validate_every == 0:
            row["validation"] = {"recall_at_1": epoch / n, "median_rank": 3.0, "mcc": 0.5}
        rows.append(row)
    return rows


def by_name(figure):
    return {trace.name: trace for trace in figure.data}


def test_thinning_keeps_peaks_ends_and_order_and_invents_nothing():
    rng = np.random.default_rng(0)
    x, y = np.arange(30_000.0), rng.normal(size=30_000)
    y[12_345], y[777] = 99.0, -99.0
    kept_x, kept_y = thin(x, y, 1000)
    assert 900 < len(kept_x) <= 1000
    assert {99.0, -99.0} <= set(kept_y)
    assert (np.diff(kept_x) > 0).all()
    assert (kept_x[0], kept_x[-1]) == (x[0], x[-1])
    assert (y[kept_x.astype(int)] == kept_y).all()


def test_short_curves_are_left_alone_and_gaps_stay_gaps():
    x = np.arange(10.0)
    assert thin(x, x, 1000)[0] is x
    y = np.where((x := np.arange(5000.0)) < 2500, 1.0, np.nan)
    _, kept = thin(x, y, 100)
    assert np.isnan(kept).any()


def test_terms_have_their_own_panels_and_scores_share_one():
    figure = training_curves(rows_of(40))
    traces = by_name(figure)
    assert set(traces) == {"objective", "bound", "R@1", "MCC", "MedR"}
    assert traces["objective"].yaxis != traces["bound"].yaxis
    assert traces["R@1"].yaxis == traces["MCC"].yaxis != traces["MedR"].yaxis
    np.testing.assert_allclose(traces["objective"].y, np.arange(39.0, -1, -1))
    np.testing.assert_allclose(traces["R@1"].x, [15, 20, 25, 30, 35, 40])
    assert "thinned" not in figure.layout.title.text


def test_long_runs_are_thinned_and_say_so():
    figure = training_curves(rows_of(2400))
    assert len(by_name(figure)["objective"].x) <= 1000
    assert "thinned to at most 1,000 points" in figure.layout.title.text


def test_stages_are_bands_over_their_epochs():
    assert stages_of(rows_of(40)) == [("stage 1", 1, 10), ("joint", 11, 40)]
    figure = training_curves(rows_of(40))
    bands = [(s.x0, s.x1) for s in figure.layout.shapes if s.xref == "x"]
    assert bands == [(0.5, 10.5), (10.5, 40.5)]
    names = {a.text for a in figure.layout.annotations}
    assert {"stage 1", "joint", "<b>objective</b>"} <= names


def test_lost_values_are_gaps():
    rows = rows_of(8)
    rows[3]["objective"], rows[5]["objective"] = None, math.inf
    y = by_name(training_curves(rows))["objective"].y
    assert np.isnan(y[[3, 5]]).all()
    assert np.isfinite(np.delete(y, [3, 5])).all()


def test_a_run_that_has_just_started_can_be_drawn():
    assert "without any epoch" in alt_text(training_curves([]))
    assert len(training_curves(rows_of(1)).data) == 2


def test_the_description_ends_with_the_last_scores():
    text = describe_curves(rows_of(40))
    assert "stage 1 (epochs 1 to 10) and joint (epochs 11 to 40)" in text
    assert text.endswith("last validation R@1 1, MedR 3 and MCC 0.5.")
