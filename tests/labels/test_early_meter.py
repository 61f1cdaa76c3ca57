"""The meter of labelling, and slips from hidden repeats."""

import math

import numpy as np
import pandas as pd
import pytest

from rivae.base.errors import ConfigError
from rivae.data.food_factors import FACTOR_NAMES
from rivae.labels.early.estimates import estimate
from rivae.labels.early.meter import WITHIN, Meter
from rivae.labels.early.reading import partial_labels
from rivae.labels.early.slips import MIN_REPEATS, SlipRate, slip_rate, slipped
from tests.labels.early import labels_of_none, of_first, table_of

# Slips


@pytest.mark.parametrize("rate", [0.0, 0.1, 0.3])
def test_slips_are_measured_from_hidden_repeats(rate):
    rng = np.random.default_rng(1)
    truth = rng.integers(2, 5, (4000, 1)).astype(np.float64)
    first, again = (
        pd.DataFrame(
            {
                "annotator": "ann",
                "item": np.arange(len(truth)),
                "factor": "fruit",
                "level": slipped(truth, rate, rng)[:, 0],
            }
        )
        for _ in range(2)
    )
    found = slip_rate(first, again)
    assert found.rate == pytest.approx(rate, abs=0.015)
    assert found.low <= found.rate <= found.high and found.n == len(truth)


def test_few_repeats_give_no_rate():
    one = pd.DataFrame({"annotator": "a", "item": range(5), "factor": "fruit", "level": 2.0})
    found = slip_rate(one, one)
    assert math.isnan(found.rate) and found.n == 5 < MIN_REPEATS


def test_slips_stay_among_the_levels():
    levels = np.array([1.0, 5.0, 1.5, 4.5, np.nan] * 200)[:, None]
    moved = slipped(levels, 0.5, np.random.default_rng(0))
    assert (np.isnan(moved) == np.isnan(levels)).all()
    assert np.nanmin(moved) >= 1 and np.nanmax(moved) <= 5
    assert 0.35 < np.mean(np.nan_to_num(moved) != np.nan_to_num(levels)) < 0.45


@pytest.mark.slow
def test_scores_are_corrected_for_slips(kitchen):
    """With true slips the estimate falls short; corrected it is nearer, and its range wider."""
    _, traversal, ground, levels = kitchen
    truth = estimate(ground, levels, FACTOR_NAMES).scores
    given = of_first(ground, levels, traversal, 140)
    gained = []
    for seed in range(3):
        seen = slipped(given, 0.15, np.random.default_rng(seed))
        rate = SlipRate(0.15, 0.12, 0.18, 300)
        plain = estimate(ground, seen, FACTOR_NAMES)
        found = estimate(ground, seen, FACTOR_NAMES, slips=rate)
        assert plain.slips is None and found.slips == rate
        for name in ("disentanglement", "completeness"):
            before, after = plain.scores[name], found.scores[name]
            assert before.value < truth[name].value
            assert after.width > before.width
            gained.append(
                abs(before.value - truth[name].value) - abs(after.value - truth[name].value)
            )
        cells = np.abs(found.table - plain.table)
        assert cells.mean() < 0.2, "each cell moves by what slips cost it"
    assert np.mean(gained) > 0.02


@pytest.mark.parametrize("rate", [0.0, float("nan")])
def test_without_slips_nothing_is_corrected(kitchen, rate):
    _, traversal, ground, levels = kitchen
    given = of_first(ground, levels, traversal, 30)
    plain = estimate(ground, given, FACTOR_NAMES)
    found = estimate(ground, given, FACTOR_NAMES, slips=SlipRate(rate, 0.0, 0.1, 20))
    assert found.scores == plain.scores and found.slips is None


# The meter


def test_a_meter_corrects_for_the_slips_of_hidden_repeats(kitchen, early_plan):
    run, _, ground, levels = kitchen
    meter = Meter(early_plan, {run.id: ground}, FACTOR_NAMES)
    rows = np.array(list(dict.fromkeys(early_plan.order))[:140])
    seen = slipped(levels, 0.15, np.random.default_rng(0))
    labels = table_of(ground, seen, rows)
    again = table_of(ground, slipped(levels, 0.15, np.random.default_rng(1)), rows[:40])
    reading = meter.read(labels, again)
    known = partial_labels(labels, early_plan, ground.items, FACTOR_NAMES)
    rate = slip_rate(labels, again)
    assert reading.slips == rate and 0.08 < rate.rate < 0.22
    alone = estimate(ground, known.levels, FACTOR_NAMES, known.apart, slips=rate)
    assert reading.runs[run.id].scores == alone.scores
    same = meter.read(labels, table_of(ground, seen, rows[:40])).runs[run.id]
    assert same.slips is None, "answers that are the same twice say nothing of slips"
    assert same.scores == estimate(ground, known.levels, FACTOR_NAMES, known.apart).scores


def test_verdicts_decide_for_the_meter_as_for_the_run(kitchen, early_plan):
    run, _, ground, levels = kitchen
    meter = Meter(early_plan, {run.id: ground}, FACTOR_NAMES)
    rows = np.array(list(dict.fromkeys(early_plan.order))[:40])
    right = table_of(ground, levels, rows)
    wrong = table_of(ground, 6.0 - levels, rows)
    decided = meter.read(wrong, verdicts=right)
    right_runs, wrong_runs = meter.read(right).runs, meter.read(wrong).runs
    assert decided.runs[run.id].scores == right_runs[run.id].scores
    assert decided.runs[run.id].scores != wrong_runs[run.id].scores
    assert decided.agreement == meter.read(wrong).agreement


def test_a_meter_draws_only_what_changed(kitchen, early_plan, monkeypatch):
    run, _, ground, levels = kitchen
    from rivae.labels.early import meter as module

    drawn = []
    usual = module.factor_draws

    def counted(*args, **settings):
        drawn.append(settings["random_state"])
        return usual(*args, **settings)

    monkeypatch.setattr(module, "factor_draws", counted)
    meter = Meter(early_plan, {run.id: ground}, FACTOR_NAMES)
    order = list(dict.fromkeys(early_plan.order))
    labels = table_of(ground, levels, np.array(order[:24]))
    reading = meter.read(labels)
    assert sorted(drawn) == list(range(len(FACTOR_NAMES)))
    known = partial_labels(labels, early_plan, ground.items, FACTOR_NAMES)
    alone = estimate(ground, known.levels, FACTOR_NAMES, known.apart)
    assert reading.runs[run.id].scores == alone.scores
    drawn.clear()
    sheet = table_of(ground, levels, np.array(order[24:48]))
    labels = pd.concat([labels, sheet[sheet["factor"] == FACTOR_NAMES[5]]], ignore_index=True)
    later = meter.read(labels)
    assert drawn == [5]
    assert later.factors[5].steps > reading.factors[5].steps
    assert later.factors[4] == reading.factors[4]


def test_minutes_to_go_fall_to_none(kitchen, early_plan):
    run, _, ground, levels = kitchen
    meter = Meter(early_plan, {run.id: ground}, FACTOR_NAMES)
    order = np.array(list(dict.fromkeys(early_plan.order)))
    minutes = [
        meter.read(table_of(ground, levels, order[:n]), seconds=4.0).minutes for n in (0, 30, 140)
    ]
    assert minutes[0] > minutes[1] > minutes[2] == 0
    reading = meter.read(table_of(ground, levels, order[:140]))
    assert reading.runs[run.id].scores["disentanglement"].width / 2 <= WITHIN
    twice = meter.read(table_of(ground, levels, order[:30]), seconds=8.0).minutes
    assert twice == pytest.approx(2 * minutes[1])
    short = early_plan.model_copy(
        update={"order": early_plan.order[:25], "repeats": [], "chances": []}
    )
    assert Meter(short, {run.id: ground}, FACTOR_NAMES).read(labels_of_none()).minutes is None


def test_a_meter_shows_agreement_as_soon_as_items_overlap(kitchen, early_plan):
    run, _, ground, levels = kitchen
    meter = Meter(early_plan, {run.id: ground}, FACTOR_NAMES[:2])
    mine = table_of(ground, levels, early_plan.items[:20], factors=FACTOR_NAMES[:2])
    assert meter.read(mine).agreement == ()
    both = pd.concat(
        [mine, table_of(ground, levels, early_plan.items[15:30], "bob", FACTOR_NAMES[:1])],
        ignore_index=True,
    )
    (shared,) = meter.read(both).agreement
    assert (shared.factor, shared.n_items, shared.alpha) == (FACTOR_NAMES[0], 5, 1.0)


def test_a_meter_needs_something_to_measure(early_plan):
    with pytest.raises(ConfigError):
        Meter(early_plan, {}, FACTOR_NAMES)
