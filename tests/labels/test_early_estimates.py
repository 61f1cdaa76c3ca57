"""D, C, I and MCC from a part of the labels, and the reasons where there is no number."""

import json
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import rivae
from rivae.base.errors import ConfigError, LabelError
from rivae.cli.main import main
from rivae.data.food_factors import FACTOR_NAMES
from rivae.labels.coverage import measured_traversal
from rivae.labels.early.estimates import MIN_FIRST, MIN_ITEMS, SCORES, estimate
from rivae.labels.early.ground import Ground
from rivae.labels.early.meter import WITHIN, Meter
from rivae.labels.early.of_run import PlanMeter
from rivae.labels.early.reading import partial_labels
from rivae.labels.early.sample import REPEATS, make_early_plan, most_retrieved, sample_items
from rivae.labels.early.slips import MIN_REPEATS, slip_rate, slipped
from rivae.labels.guideline import read_guideline
from rivae.labels.kept_plans import keep_plan
from rivae.labels.scores import NAMES, label_scores
from rivae.labels.store import LabelStore
from rivae.labels.table import keys_by_row, level_table
from rivae.metrics.correlation import path_correlations
from rivae.retrieval.retriever import Retriever
from rivae.runs import find_run
from tests.labels.making import event

N_QUERIES = 20


@pytest.fixture(scope="module")
def kitchen():
    """The run, its traversal, its ground and the true levels of its items."""
    run = find_run("demo-kitchen")
    data = run.load_dataset()
    retriever = Retriever(run.load_method(data), data, data.splits["test"])
    traversal = measured_traversal(run, data, retriever, n_queries=N_QUERIES)
    ground = Ground.of(retriever, traversal)
    return run, traversal, ground, data.factors[ground.items] + 1.0


@pytest.fixture(scope="module")
def plan(kitchen):
    return make_early_plan([kitchen[0]], "early", minutes=90, guideline=read_guideline().version)


def table_of(ground, levels, rows, annotator="ann", factors=FACTOR_NAMES) -> pd.DataFrame:
    """True levels of some data rows as a table of labels."""
    local = np.searchsorted(ground.items, rows)
    return pd.DataFrame(
        {
            "annotator": annotator,
            "item": np.repeat(rows, len(factors)),
            "factor": list(factors) * len(rows),
            "level": levels[local][:, : len(factors)].ravel(),
        }
    )


def of_first(ground, levels, traversal, n) -> np.ndarray:
    """The levels of the first ``n`` items of a sample; NaN elsewhere."""
    rows = sample_items(most_retrieved([traversal]), ground.items, n).rows
    local = np.searchsorted(ground.items, rows)
    given = np.full(levels.shape, np.nan)
    given[local] = levels[local]
    return given


def test_all_labels_give_the_table_of_the_paper(kitchen):
    _, traversal, ground, levels = kitchen
    labels = table_of(ground, levels, ground.items)
    paper = label_scores(traversal, labels, FACTOR_NAMES, n_bootstrap=0)
    assert np.allclose(ground.paths.tables(levels[None])[0], paper.table.absolute)
    found = estimate(ground, levels, FACTOR_NAMES)
    for name in NAMES:
        one, value = found.scores[name], paper.every.results[name].score
        assert one.value == pytest.approx(value, abs=1e-9)
        assert one.low <= value <= one.high and one.width < 0.08
    assert found.steps == pytest.approx([1.0] * len(FACTOR_NAMES))


def test_steps_that_a_factor_does_not_apply_to_are_left_out(kitchen):
    _, traversal, ground, levels = kitchen
    rng = np.random.default_rng(0)
    apart = rng.random(levels.shape) < 0.05
    local = np.searchsorted(ground.items, traversal.ids[..., 0])
    path = np.where(apart, np.nan, levels)[local]
    expected = np.nan_to_num(np.abs(path_correlations(traversal.values, path)))
    counts = (~np.isnan(path)).mean(axis=(1, 2)) >= 0.9
    found = ground.paths.tables(levels[None], (~apart).astype(np.float64))[0]
    for k in range(levels.shape[1]):
        mean = expected[counts[:, k], :, k].mean(axis=0)
        assert np.allclose(found[:, k], mean, atol=1e-6)


@pytest.mark.parametrize("n", [30, 80])
def test_the_interval_holds_what_all_labels_say(kitchen, n):
    _, traversal, ground, levels = kitchen
    whole = estimate(ground, levels, FACTOR_NAMES)
    found = estimate(ground, of_first(ground, levels, traversal, n), FACTOR_NAMES)
    for name in SCORES:
        assert found.scores[name].low <= whole.scores[name].value <= found.scores[name].high
    held = (found.low <= whole.table) & (whole.table <= found.high)
    assert held.mean() > 0.8


def test_more_labels_narrow_the_intervals(kitchen):
    _, traversal, ground, levels = kitchen
    widths = [
        estimate(ground, of_first(ground, levels, traversal, n), FACTOR_NAMES)
        .scores["disentanglement"]
        .width
        for n in (25, 80, 250)
    ]
    assert widths == sorted(widths, reverse=True)


def test_correlations_come_first_and_scores_from_twenty_items_on(kitchen):
    _, traversal, ground, levels = kitchen
    none = estimate(ground, of_first(ground, levels, traversal, MIN_FIRST - 1), FACTOR_NAMES)
    assert np.isnan(none.table).all()
    some = estimate(ground, of_first(ground, levels, traversal, MIN_ITEMS - 1), FACTOR_NAMES)
    assert not np.isnan(some.table).any()
    for name in SCORES:
        one = some.scores[name]
        assert math.isnan(one.value) and not one.known
        assert str(MIN_ITEMS) in one.reason and str(MIN_ITEMS - 1) in one.reason
    given = of_first(ground, levels, traversal, MIN_ITEMS)
    assert all(one.known for one in estimate(ground, given, FACTOR_NAMES).scores.values())
    behind = given.copy()
    behind[np.flatnonzero(~np.isnan(given[:, 3]))[0], 3] = np.nan
    assert FACTOR_NAMES[3] in estimate(ground, behind, FACTOR_NAMES).scores["mcc"].reason


def test_equal_levels_give_a_reason_and_no_number(kitchen):
    _, traversal, ground, levels = kitchen
    given = of_first(ground, levels, traversal, 40)
    given[:, 2] = np.where(np.isnan(given[:, 2]), np.nan, 3.0)
    found = estimate(ground, given, FACTOR_NAMES)
    assert all(FACTOR_NAMES[2] in one.reason for one in found.scores.values())
    assert np.isnan(found.table[:, 2]).all() and not np.isnan(found.table[:, 0]).any()


def test_one_factor_has_no_disentanglement(kitchen):
    _, traversal, ground, levels = kitchen
    found = estimate(ground, of_first(ground, levels, traversal, 40)[:, :1], FACTOR_NAMES[:1])
    assert not found.scores["disentanglement"].known
    assert found.scores["informativeness"].known


def test_the_same_labels_read_the_same(kitchen):
    _, traversal, ground, levels = kitchen
    given = of_first(ground, levels, traversal, 30)
    first, second = (estimate(ground, given, FACTOR_NAMES) for _ in range(2))
    assert first.scores == second.scores and (first.table == second.table).all()


def test_drawn_levels_keep_the_answers(kitchen):
    _, traversal, ground, levels = kitchen
    given = of_first(ground, levels, traversal, 60)[:, 0]
    known = np.flatnonzero(~np.isnan(given))
    given[known[:20]] = np.clip(np.floor(given[known[:20]]), 1, 4) + 0.5
    drawn = ground.spreader.draws(given, 50, np.random.default_rng(0))
    assert (drawn[:, known[20:]] == given[known[20:]]).all()
    ranges = drawn[:, known[:20]] - given[known[:20]]
    assert set(np.unique(ranges)) == {-0.5, 0.5}
    assert set(np.unique(drawn)) <= {1, 2, 3, 4, 5}


def test_shapes_have_to_fit(kitchen):
    _, _, ground, levels = kitchen
    with pytest.raises(ConfigError):
        estimate(ground, levels[:-1], FACTOR_NAMES)


def test_labels_that_the_plan_did_not_choose_do_not_count(kitchen, plan):
    _, _, ground, levels = kitchen
    others = np.setdiff1d(ground.items, plan.items)[:50]
    mine = plan.items[:30]
    labels = table_of(ground, levels, mine)
    known = partial_labels(labels, plan, ground.items, FACTOR_NAMES)
    more = pd.concat([labels, table_of(ground, 6 - levels, others)], ignore_index=True)
    both = partial_labels(more, plan, ground.items, FACTOR_NAMES)
    assert np.array_equal(known.levels, both.levels, equal_nan=True)
    assert (known.left_out, both.left_out) == (0, len(others))


def test_several_annotators_are_a_median_and_no_answer_stands_apart(kitchen, plan):
    _, _, ground, _ = kitchen
    item = int(plan.items[0])
    at = int(np.searchsorted(ground.items, item))
    answers = {"fruit": (2, 3), "baked": (2, 5), "grains": (None, 4), "dessert": (None, None)}
    rows = [
        (who, item, factor, level)
        for factor, levels in answers.items()
        for who, level in zip(("ann", "bob"), levels, strict=True)
    ]
    labels = pd.DataFrame(rows, columns=["annotator", "item", "factor", "level"])
    known = partial_labels(labels, plan, ground.items, tuple(answers))
    assert known.levels[at].tolist()[:3] == [2.5, 3.5, 4.0] and math.isnan(known.levels[at, 3])
    assert known.apart[at].tolist() == [False, False, False, True]


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


# The meter


def test_a_meter_draws_only_what_changed(kitchen, plan, monkeypatch):
    run, _, ground, levels = kitchen
    from rivae.labels.early import meter as module

    drawn = []
    usual = module.factor_draws

    def counted(*args, **settings):
        drawn.append(settings["random_state"])
        return usual(*args, **settings)

    monkeypatch.setattr(module, "factor_draws", counted)
    meter = Meter(plan, {run.id: ground}, FACTOR_NAMES)
    order = list(dict.fromkeys(plan.order))
    labels = table_of(ground, levels, np.array(order[:24]))
    reading = meter.read(labels)
    assert sorted(drawn) == list(range(len(FACTOR_NAMES)))
    known = partial_labels(labels, plan, ground.items, FACTOR_NAMES)
    alone = estimate(ground, known.levels, FACTOR_NAMES, known.apart)
    assert reading.runs[run.id].scores == alone.scores
    drawn.clear()
    sheet = table_of(ground, levels, np.array(order[24:48]))
    labels = pd.concat([labels, sheet[sheet["factor"] == FACTOR_NAMES[5]]], ignore_index=True)
    later = meter.read(labels)
    assert drawn == [5]
    assert later.factors[5].steps > reading.factors[5].steps
    assert later.factors[4] == reading.factors[4]


def test_minutes_to_go_fall_to_none(kitchen, plan):
    run, _, ground, levels = kitchen
    meter = Meter(plan, {run.id: ground}, FACTOR_NAMES)
    order = np.array(list(dict.fromkeys(plan.order)))
    minutes = [
        meter.read(table_of(ground, levels, order[:n]), seconds=4.0).minutes for n in (0, 30, 140)
    ]
    assert minutes[0] > minutes[1] > minutes[2] == 0
    reading = meter.read(table_of(ground, levels, order[:140]))
    assert reading.runs[run.id].scores["disentanglement"].width / 2 <= WITHIN
    twice = meter.read(table_of(ground, levels, order[:30]), seconds=8.0).minutes
    assert twice == pytest.approx(2 * minutes[1])
    short = plan.model_copy(update={"order": plan.order[:25], "repeats": [], "chances": []})
    assert Meter(short, {run.id: ground}, FACTOR_NAMES).read(labels_of_none()).minutes is None


def labels_of_none() -> pd.DataFrame:
    return level_table([], {})


def test_a_meter_shows_agreement_as_soon_as_items_overlap(kitchen, plan):
    run, _, ground, levels = kitchen
    meter = Meter(plan, {run.id: ground}, FACTOR_NAMES[:2])
    mine = table_of(ground, levels, plan.items[:20], factors=FACTOR_NAMES[:2])
    assert meter.read(mine).agreement == ()
    both = pd.concat(
        [mine, table_of(ground, levels, plan.items[15:30], "bob", FACTOR_NAMES[:1])],
        ignore_index=True,
    )
    (shared,) = meter.read(both).agreement
    assert (shared.factor, shared.n_items, shared.alpha) == (FACTOR_NAMES[0], 5, 1.0)


def test_a_meter_needs_something_to_measure(plan):
    with pytest.raises(ConfigError):
        Meter(plan, {}, FACTOR_NAMES)


# From the store


@pytest.fixture
def stored(kitchen, plan, tmp_path):
    """The file of a store with the plan and labels of its first items and repeats."""
    run, _, ground, levels = kitchen
    path = tmp_path / "labels.db"
    keys = keys_by_row(run.load_dataset(), plan.items)
    with LabelStore(path) as store:
        keep_plan(store, plan, read_guideline())
        seen: set[int] = set()
        events = []
        for row in plan.order[:60]:
            local = int(np.searchsorted(ground.items, row))
            events += [
                event(
                    "ann",
                    keys[row],
                    int(levels[local, k]),
                    factor=factor,
                    plan=plan.id,
                    repeat=row in seen,
                    seconds_shown=3.0,
                )
                for k, factor in enumerate(FACTOR_NAMES)
            ]
            seen.add(row)
        store.append(events)
        store.append(
            [event("ann", keys[plan.order[0]], None, factor="fruit", action="inapplicable")]
        )
    return path


def test_a_run_tells_what_a_store_knows(stored, plan):
    found = rivae.load_run("demo-kitchen").label_estimates(store=stored)
    assert found.factors == FACTOR_NAMES and all(one.known for one in found.scores.values())
    again = rivae.load_run("demo-kitchen").label_estimates("early", ["fruit", "grains"], stored)
    assert again.factors == ("fruit", "grains")
    assert again.labelled[0] == again.labelled[1] - 1, "where it does not apply, it has no level"
    assert again.steps[0] == pytest.approx(again.steps[1]), "but an answer"
    with LabelStore(stored) as store:
        reading = PlanMeter(store, "early").read("ann")
        assert reading.runs["demo-kitchen"].scores == found.scores
        assert reading.slips.n == len([at for at in plan.repeats if at < 60]) * len(FACTOR_NAMES)
        assert reading.slips.n < MIN_REPEATS or reading.slips.rate == 0


def test_the_command_line_says_the_same(stored, capsys):
    found = rivae.load_run("demo-kitchen").label_estimates(store=stored)
    assert main(["labels", "estimates", "demo-kitchen", "--store", str(stored), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    for name in SCORES:
        assert said["scores"][name]["low"] == pytest.approx(found.scores[name].low)
    assert main(["labels", "estimates", "demo-kitchen", "--store", str(stored)]) == 0
    text = capsys.readouterr().out
    assert all(factor in text for factor in FACTOR_NAMES) and str(found.scores["mcc"]) in text


def test_a_plan_for_minutes_is_made_on_the_command_line(tmp_path, capsys):
    store = str(tmp_path / "labels.db")
    command = ["labels", "plan", "quick", "demo-kitchen", "--minutes", "30", "--store", store]
    assert main([*command, "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert abs(made["repeats"] / made["items"] - REPEATS) < 0.03
    assert main(["labels", "estimates", "demo-kitchen", "--store", store]) == 0
    assert main([*command[:3], "demo-kitchen", "--minutes", "30", "--repeats", ".1"]) != 0


def test_what_is_not_there_is_named(stored, plan):
    run = rivae.load_run("demo-kitchen")
    with pytest.raises(LabelError, match="sourness"):
        run.label_estimates("early", ["sourness"], stored)
    with pytest.raises(LabelError, match="nowhere"):
        run.label_estimates("nowhere", store=stored)
    with LabelStore(stored) as store:
        old = plan.model_copy(update={"id": "old", "chances": [], "drawn": []})
        keep_plan(store, old, read_guideline())
    with pytest.raises(LabelError, match="--minutes"):
        run.label_estimates("old", store=stored)


def test_paths_of_other_queries_share_nothing(kitchen):
    _, traversal, ground, _ = kitchen
    half = replace(traversal, ids=traversal.ids[:5], z_ref=traversal.z_ref[:5])
    assert type(ground.paths).of(half, ground.items).step_share.sum() == pytest.approx(1.0)
