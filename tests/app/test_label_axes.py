"""Axes from labels, on the Label page: found by themselves, kept beside z or as a run."""

import json
import shutil

import numpy as np
import pytest

from rivae.app.label import axes, axes_work
from rivae.exploring.words.axis_names import given_names
from rivae.labels.align import MIN_LABELS
from rivae.runs import Run
from rivae.runs.added_axes import added_axes, remove_added
from tests.app.labels_fixture import make_label_plan
from tests.waiting import over

TWO = ("wateriness", "greenness")
KEY = "label_axes"


@pytest.fixture
def folder(run_folder, runs, tmp_path, monkeypatch):
    """A copy of two runs, which a test may add to; the app sees it and no other."""
    for name in ("digits", "digits-4"):
        shutil.copytree(run_folder / name, tmp_path / "own-runs" / name)
    monkeypatch.setenv("RIVAE_RUNS", str(tmp_path / "own-runs"))
    axes_work.known.known.clear()
    return tmp_path / "own-runs"


@pytest.fixture
def made(folder, tmp_path):
    plan = make_label_plan(folder, tmp_path / "labels.db", n=60)
    yield plan
    plan.store.close()


@pytest.fixture
def shown(app, made):
    """The view, once everything that it began has ended."""

    def show(page=None):
        page = page or app("label", view="Axes", plan=made.plan.id)
        for task in axes_work.known.known.values():
            over(task)
        page.at.run()
        return page.calm()

    return show


def planted(made, folder, n=60, seed=0):
    """Levels of two factors: directions of z in which it varies least, as no axis does."""
    run = Run(folder / "digits")
    data, rows = run.load_dataset(), np.array(made.rows[:n])
    from rivae.retrieval.retriever import Retriever

    z = Retriever(run.load_method(data), data, data.splits["test"]).encode(rows)[0]
    z = (z - z.mean(axis=0)) / z.std(axis=0)
    small = z @ np.linalg.eigh(np.cov(z.T))[1]
    for k, factor in enumerate(TWO):
        levels = np.clip(np.round(3 + 1.2 * small[:, k] / small[:, k].std()), 1, 5).astype(int)
        made.label("ann", levels.tolist(), factor)


def html(page):
    return "\n".join(block.value for block in page.at.get("html") if hasattr(block, "value"))


def words(page):
    return page.words.replace("\\", "")


@pytest.mark.slow
def test_the_gain_is_said_and_the_axes_are_kept_with_both_poles(shown, folder, made):
    planted(made, folder)
    page = shown()
    found = axes_work.task_of("find", made.plan.id, "digits").result["found"]
    assert found.given.is_gain and found.given.factors == TWO
    names = dict(zip(("first", "second"), found.explorer.data.view_names, strict=True))
    assert found.given.verdict(names) in words(page)
    page.at.button(key=f"{KEY}_add").click().run()
    kept = added_axes(Run(folder / "digits"))
    factors = [made.guideline.factor(name) for name in TWO]
    assert [axis.name for axis in kept] == [factor.name for factor in factors]
    assert [axis.poles for axis in kept] == [(f.levels[0], f.levels[-1]) for f in factors]
    page = shown(page)
    assert page.at.button(key=f"{KEY}_add").disabled, "not twice"
    assert ("explore", "run=digits") in page.links
    axes._add(made.plan.id, "digits", TWO)
    assert added_axes(Run(folder / "digits")) == kept
    # One that was removed, and the other is left off.
    remove_added(Run(folder / "digits"), kept[0].id)
    page.at.pills[0].set_value([TWO[1]]).run()
    assert page.at.button(key=f"{KEY}_add").disabled
    page.at.pills[0].set_value(list(TWO)).run()
    page.at.button(key=f"{KEY}_add").click().run()
    assert [axis.name for axis in added_axes(Run(folder / "digits"))] == [
        factor.name for factor in reversed(factors)
    ]


@pytest.mark.slow
def test_a_run_of_its_own_has_the_factors_as_its_first_axes(shown, folder, made):
    planted(made, folder)
    page = shown()
    before = {p.name: p.read_bytes() for p in (folder / "digits").iterdir() if p.is_file()}
    name = page.at.text_input(key=f"{KEY}_name_digits-aligned")
    assert name.value == "digits-aligned"
    name.input("digits-4").run()
    page.at.button(key=f"{KEY}_save").click().run()
    page = shown(page)
    assert any("digits-4" in warning for warning in page.warnings)
    page.at.text_input(key=f"{KEY}_name_digits-aligned").input("named").run()
    page.at.button(key=f"{KEY}_save").click().run()
    page = shown(page)
    run = Run(folder / "named")
    factors = [made.guideline.factor(factor) for factor in TWO]
    assert run.config.parent == "digits"
    assert given_names(run, 3)[:2] == [factor.name for factor in factors]
    told = json.loads((run.path / "axis_names.json").read_text())
    assert factors[0].levels[0] in json.dumps(told) and factors[0].levels[-1] in json.dumps(told)
    said = json.loads((run.path / "alignment.json").read_text())
    assert said["factors"] == list(TWO) and said["guideline"] == made.guideline.version
    assert ("explore", "run=named") in page.links
    assert ("compare", "runs=digits%2Cnamed") in page.links
    after = {p.name: p.read_bytes() for p in (folder / "digits").iterdir() if p.is_file()}
    assert after == before


@pytest.mark.slow
def test_too_few_labels_are_told_and_more_are_used(shown, folder, made):
    page = shown()
    assert str(MIN_LABELS) in words(page) and axes_work.TOO_FEW[1:20] in words(page)
    planted(made, folder, n=8)
    page = shown()
    assert axes.STALE not in words(page)
    found = axes_work.task_of("find", made.plan.id, "digits").result["found"]
    assert found.given.n_items == 8 and not found.given.is_gain
    made.label("bob", [1 + i % 5 for i in range(12)], TWO[0])
    page.at.run()
    page.at.button(key=f"{KEY}_again").click().run()
    page = shown(page)
    found = axes_work.task_of("find", made.plan.id, "digits").result["found"]
    assert found.given.n_items == 12 and found.n_annotators == 2


def test_strips_have_both_poles_of_every_factor_that_is_left_on(shown, folder, made):
    planted(made, folder, n=20)
    page = shown()
    blocks = [one.proto.body for one in page.at.get("html") if "<section" in one.proto.body]
    assert len(blocks) == 2
    for block, factor in zip(blocks, TWO, strict=True):
        levels = made.guideline.factor(factor).levels
        assert block.count(f">{levels[0]}<") == block.count(f">{levels[-1]}<") == 2
        assert block.count("<img") == 10
    before = words(page)
    page.at.button(key=f"{KEY}_other").click().run()
    assert words(page.calm()) != before, "its title"
    page.at.pills[0].set_value([TWO[1]]).run()
    assert len([o for o in page.calm().at.get("html") if "<section" in o.proto.body]) == 1


def test_a_plan_whose_runs_are_gone(shown, folder, made):
    shutil.rmtree(folder / "digits")
    assert axes.NO_RUN in words(shown())
