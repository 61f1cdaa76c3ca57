"""Early numbers from a store: in Python and on the command line."""

import json

import numpy as np
import pytest

import rivae
from rivae.base.errors import LabelError
from rivae.cli.main import main
from rivae.data.food_factors import FACTOR_NAMES
from rivae.labels.early.estimates import SCORES
from rivae.labels.early.of_run import PlanMeter
from rivae.labels.early.sample import REPEATS
from rivae.labels.early.slips import MIN_REPEATS
from rivae.labels.guideline import read_guideline
from rivae.labels.kept_plans import keep_plan
from rivae.labels.store import LabelStore
from rivae.labels.table import keys_by_row
from tests.labels.making import event

# From the store


@pytest.fixture
def stored(kitchen, early_plan, tmp_path):
    """The file of a store with the early_plan and labels of its first items and repeats."""
    run, _, ground, levels = kitchen
    path = tmp_path / "labels.db"
    keys = keys_by_row(run.load_dataset(), early_plan.items)
    with LabelStore(path) as store:
        keep_plan(store, early_plan, read_guideline())
        seen: set[int] = set()
        events = []
        for row in early_plan.order[:60]:
            local = int(np.searchsorted(ground.items, row))
            events += [
                event(
                    "ann",
                    keys[row],
                    int(levels[local, k]),
                    factor=factor,
                    plan=early_plan.id,
                    repeat=row in seen,
                    seconds_shown=3.0,
                )
                for k, factor in enumerate(FACTOR_NAMES)
            ]
            seen.add(row)
        store.append(events)
        store.append(
            [event("ann", keys[early_plan.order[0]], None, factor="fruit", action="inapplicable")]
        )
    return path


@pytest.mark.slow
def test_a_run_tells_what_a_store_knows(stored, early_plan):
    found = rivae.load_run("demo-kitchen").label_estimates(store=stored)
    assert found.factors == FACTOR_NAMES and all(one.known for one in found.scores.values())
    again = rivae.load_run("demo-kitchen").label_estimates("early", ["fruit", "grains"], stored)
    assert again.factors == ("fruit", "grains")
    assert again.labelled[0] == again.labelled[1] - 1, "where it does not apply, it has no level"
    assert again.steps[0] == pytest.approx(again.steps[1]), "but an answer"
    with LabelStore(stored) as store:
        reading = PlanMeter(store, "early").read("ann")
        assert reading.runs["demo-kitchen"].scores == found.scores
        assert reading.slips.n == len([at for at in early_plan.repeats if at < 60]) * len(
            FACTOR_NAMES
        )
        assert reading.slips.n < MIN_REPEATS or reading.slips.rate == 0


@pytest.mark.slow
def test_the_command_line_says_the_same(stored, capsys):
    found = rivae.load_run("demo-kitchen").label_estimates(store=stored)
    assert main(["labels", "estimates", "demo-kitchen", "--store", str(stored), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    for name in SCORES:
        assert said["scores"][name]["low"] == pytest.approx(found.scores[name].low)
    assert main(["labels", "estimates", "demo-kitchen", "--store", str(stored)]) == 0
    text = capsys.readouterr().out
    assert all(factor in text for factor in FACTOR_NAMES) and str(found.scores["mcc"]) in text


@pytest.mark.slow
def test_a_plan_for_minutes_is_made_on_the_command_line(tmp_path, capsys):
    store = str(tmp_path / "labels.db")
    command = ["labels", "plan", "quick", "demo-kitchen", "--minutes", "30", "--store", store]
    assert main([*command, "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert abs(made["repeats"] / made["items"] - REPEATS) < 0.03
    assert main(["labels", "estimates", "demo-kitchen", "--store", store]) == 0
    assert main([*command[:3], "demo-kitchen", "--minutes", "30", "--repeats", ".1"]) != 0


def test_what_is_not_there_is_named(stored, early_plan):
    run = rivae.load_run("demo-kitchen")
    with pytest.raises(LabelError, match="sourness"):
        run.label_estimates("early", ["sourness"], stored)
    with pytest.raises(LabelError, match="nowhere"):
        run.label_estimates("nowhere", store=stored)
    with LabelStore(stored) as store:
        old = early_plan.model_copy(update={"id": "old", "chances": [], "drawn": []})
        keep_plan(store, old, read_guideline())
    with pytest.raises(LabelError, match="--minutes"):
        run.label_estimates("old", store=stored)
