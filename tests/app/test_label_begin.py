"""Label without a plan: two questions, and the desk."""

import shutil

import numpy as np
import pytest

from rivae.app.label.begin import ENOUGH, MINUTES, NO_FACTOR, NO_RUNS, SHEET, foretold
from rivae.app.label.meter import NOTHING_YET
from rivae.labels.axes_guideline import guideline_of_axes
from rivae.labels.early.sample import SECONDS, items_for
from rivae.labels.guideline import RESERVED_IDS, read_guideline
from rivae.labels.kept_plans import kept_plan, plan_guideline, plan_names
from rivae.labels.store import LabelStore
from tests.app.label_forms import planned, press, written
from tests.waiting import until

START = "label_begin_start"


@pytest.fixture
def store(runs, tmp_path):
    """A second store on the app's file."""
    with LabelStore(tmp_path / "labels.db") as opened:
        yield opened


def test_two_questions_have_answers_already(app, store):
    shown = app("label", run="digits")
    assert shown.at.multiselect(key="label_begin_runs").value
    assert shown.at.segmented_control(key="label_begin_minutes").value in MINUTES
    assert not shown.at.button(key=START).disabled and plan_names(store) == []
    field = shown.at.multiselect(key="label_begin_runs")
    field.set_value([*field.value, "digits-4", "digits"]).run()
    field = shown.calm().at.multiselect(key="label_begin_runs")
    assert field.value == ["digits-4", "digits"], "the data of the last one"
    field.set_value([]).run()
    assert START not in {button.key for button in shown.calm().at.button}


@pytest.mark.slow
def test_the_desk_opens_with_the_items_that_fit_the_time(
    app, store, run_folder, tmp_path, monkeypatch
):
    """The run "digits-4" was never evaluated: that is done on the way."""
    shutil.copytree(run_folder / "digits-4", tmp_path / "own" / "digits-4")
    monkeypatch.setenv("RIVAE_RUNS", str(tmp_path / "own"))
    shown = app("label", by="Ana")
    shown.at.multiselect(key="label_begin_runs").set_value(["digits-4"]).run()
    version = read_guideline().version
    few = list(read_guideline().ids[:2])
    shown.at.pills(key=f"label_begin_factors_{version}").set_value(few).run()
    shown.at.segmented_control(key="label_begin_minutes").set_value("10").run()
    planned(press(shown, START))
    (name,) = plan_names(store)
    plan = kept_plan(store, name)
    assert plan_guideline(store, plan).ids == tuple(few)
    assert len(plan.items) == items_for(10, 2, SECONDS)
    assert len(plan.chances) == len(plan.order) and [run.id for run in plan.runs] == ["digits-4"]
    assert shown.tab == "Label" and shown.panel()["plan"] == name
    assert [factor["id"] for factor in shown.panel()["factors"]] == few
    until(lambda: NOTHING_YET in written(shown.open("label", by="Ana")), "the meter has opened")
    shown.at.button(key="label_begin_open").click().run()
    assert shown.calm().tab == "New labels" and shown.at.multiselect(key="label_begin_runs")


def test_no_factor_and_no_run_are_one_sentence(app, monkeypatch, tmp_path):
    shown = app("label")
    pills = shown.at.pills(key=f"label_begin_factors_{read_guideline().version}")
    pills.set_value([]).run()
    assert NO_FACTOR in written(shown.calm())
    monkeypatch.setattr("rivae.app.shell.cache.ready_runs", list)
    assert NO_RUNS in written(app("label"))


def test_the_questions_can_be_what_the_axes_are_called(app, monkeypatch):
    said = [("slant", "upright", ""), ("", "", ""), ("<b>bold</b>", "", "<b>bold</b>")]
    axes = {
        j: {"given": name, "left": low, "right": high, "suggested": False}
        for j, (name, low, high) in enumerate(said)
    }
    monkeypatch.setattr("rivae.exploring.sliders.axes_by_key", lambda explorer: axes)
    shown = app("explore", run="digits")
    shown.open("label")
    shown.at.selectbox(key="label_begin_base").set_value("axes:digits").run()
    (pills,) = [pills for pills in shown.calm().at.pills if pills.key.startswith("label_begin")]
    assert pills.value == ["slant", "b-bold-b"]


def test_what_minutes_bring_is_said_and_what_is_too_few(app):
    rng = np.random.default_rng(0)
    for _ in range(50):
        minutes, n, seconds = rng.uniform(1, 60), int(rng.integers(1, 9)), rng.uniform(1, 9)
        items = items_for(minutes, n, seconds)
        text = foretold(minutes, n, seconds)
        assert f"**{items} items**" in text
        assert (f"{ENOUGH} items" in text.replace("**", "")) == (items <= ENOUGH), text
        answers, had = 0, [0] * n  # sheet by sheet, until every question has enough
        while min(had) < ENOUGH:
            k = had.index(min(had))
            while had[k] % SHEET or had[k] == min(had):
                answers, had[k] = answers + 1, had[k] + 1
                if min(had) >= ENOUGH or had[k] == max(items, ENOUGH):
                    break
        assert f"{max(1, round(answers * seconds / 60))} min" in text
        assert f"{max(1, round((SHEET * (n - 1) + ENOUGH) * seconds / 60))} min" in foretold(
            None, n, seconds
        )


def test_a_guideline_of_drawn_axes_asks_what_they_are_called():
    rng = np.random.default_rng(4)
    letters = list("abcdefgh XYZé-_<>&'\"*0123")
    for _ in range(100):

        def word(least):
            return "".join(rng.choice(letters, size=int(rng.integers(least, 70)))).strip()

        axes = [
            {"given": word(0), "left": word(0), "right": word(0), "suggested": rng.random() < 0.2}
            for _ in range(int(rng.integers(0, 9)))
        ]
        axes.append({"given": "item", "left": "item", "right": "Item", "suggested": False})
        named = [axis for axis in axes if axis["given"].strip() and not axis["suggested"]]
        made = guideline_of_axes(axes)
        assert len(made.factors) == len(named) and not RESERVED_IDS & set(made.ids)
        for axis, factor in zip(named, made.factors, strict=True):
            assert factor.name == " ".join(axis["given"].split())
            assert len(set(factor.levels)) == 5
    assert guideline_of_axes([]) is None
