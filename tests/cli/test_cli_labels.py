"""``rivae labels``: a plan, its labels in and out, agreement, scores."""

from __future__ import annotations

import json
import re
import uuid
from datetime import UTC, datetime

import pytest

from rivae.cli import main
from rivae.cli.common import OPENING_DATA
from rivae.cli.label_reports import NO_SCORE
from rivae.labels.align import MIN_LABELS
from rivae.labels.events import LabelEvent
from rivae.labels.guideline import guideline_json, read_guideline
from rivae.labels.kept_plans import TAKEN, kept_plan, newest_plan_of, plan_data
from rivae.labels.plan import label_order
from rivae.labels.scores import OVER_QUERIES
from rivae.labels.store import LabelStore
from rivae.labels.table import keys_by_row
from rivae.runs import find_run

RUN = "demo-synth"
START = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
def labels(tmp_path, monkeypatch):
    """The file of labels that the commands use when they are not told another."""
    monkeypatch.setenv("RIVAE_RUNS", str(tmp_path / "runs"))
    monkeypatch.setenv("RIVAE_LABELS", str(tmp_path / "labels.db"))
    return tmp_path / "labels.db"


@pytest.fixture
def two_factors(tmp_path):
    """A guideline as short as the synthetic data need."""
    food = read_guideline()
    short = food.model_copy(update={"factors": food.factors[:2]})
    (tmp_path / "two.json").write_text(guideline_json(short))
    return tmp_path / "two.json"


@pytest.fixture
def planned(labels, two_factors, capsys):
    """The plan "first" is kept."""
    words = ["labels", "plan", "first", RUN, "--queries", "6", "--guideline", str(two_factors)]
    assert main(words) == 0
    capsys.readouterr()
    return labels


def label(path, who, levels_of, repeat=False, share=1.0):
    """Label the first items of the plan; ``levels_of`` makes a level of a true factor value."""
    with LabelStore(path) as store:
        plan = kept_plan(store, "first")
        data = plan_data(plan)
        keys, factors = keys_by_row(data, plan.items), read_guideline().ids[:2]
        rows = plan.items[: round(share * len(plan.items))]
        store.append(
            [
                LabelEvent(
                    str(uuid.uuid4()),
                    START,
                    who,
                    keys[int(row)],
                    factor,
                    levels_of(float(data.factors[int(row), k])),
                    repeat=repeat,
                    plan="first",
                )
                for row in rows
                for k, factor in enumerate(factors)
            ]
        )


def level(value):
    return max(1, min(5, 3 + round(2 * value)))


def printed(capsys):
    return json.loads(capsys.readouterr().out)


def test_a_plan_is_made_kept_and_listed(labels, two_factors, capsys):
    words = ["labels", "plan", "first", RUN, "--queries", "4", "--guideline", str(two_factors)]
    assert main([*words, "--seed", "3", "--repeats", ".1", "--json"]) == 0
    made = printed(capsys)
    assert made["runs"] == {RUN: made["items"]} and made["factors"] == ["wateriness", "greenness"]
    with LabelStore(labels) as store:
        plan = kept_plan(store, "first")
    assert (plan.n_queries, plan.random_state, len(plan.items)) == (4, 3, made["items"])
    assert len(plan.repeats) == made["repeats"] == round(0.1 * made["items"])
    label(labels, "ann", level, share=0.5)
    assert main(["labels", "plans", "--json"]) == 0
    (row,) = printed(capsys)
    assert row["needed"] == 2 * made["items"] and row["annotators"] == {"ann": row["answered"]}
    assert main(["labels", "plans"]) == 0
    out = capsys.readouterr().out
    assert "first" in out and "(50%)" in out and "ann" in out
    assert main(words) == 1
    assert TAKEN.format("first") in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["plan", "Bad name", RUN], "'Bad name'"),
        (["plan", "x", "nowhere"], "run 'nowhere'"),
        (["plan", "x", RUN, "--repeats", ".5"], "5 to 10 %"),
        (["plan", "x", RUN, "--guideline", "nowhere.json"], "nowhere.json"),
        (["agreement", "nothing"], "no labelling plan 'nothing'"),
        (["scores", RUN, "--plan", "nothing"], "no labelling plan 'nothing'"),
        (["scores", RUN], "that demo-synth retrieves"),
        (["export", "labels.txt"], ".jsonl"),
        (["export", "labels.csv", "--form", "events"], ".jsonl"),
        (["import", "nowhere.csv"], "nowhere.csv"),
        (["plans", "--store", "mysql://x/y"], "in 'mysql'"),
    ],
)
def test_what_is_refused_is_one_sentence(labels, tmp_path, monkeypatch, capsys, words, reason):
    monkeypatch.chdir(tmp_path)
    assert main(["labels", *words]) == 1
    assert reason in capsys.readouterr().err


@pytest.mark.slow
def test_labels_go_out_and_into_another_store(planned, tmp_path, capsys):
    label(planned, "ann", level)
    with LabelStore(planned) as store:
        n = store.last()
    for name, form in (("a.jsonl", []), ("b.csv", []), ("c.csv", ["--form", "wide"])):
        path, other = tmp_path / name, f"sqlite:///{tmp_path / name}.db"
        assert main(["labels", "export", str(path), *form, "--json"]) == 0
        assert printed(capsys)["events_in_store"] == n
        words = ["labels", "import", str(path), "--store", other]
        assert main([*words, "--dry-run"]) == 0
        assert f"{n} would be added, 0 already known" in capsys.readouterr().out
        assert main([*words, "--json"]) == 0
        assert printed(capsys)["added"] == n
        assert main(words) == 0
        assert f"0 added, {n} already known, 0 conflicts" in capsys.readouterr().out


def test_conflicts_alone_are_an_error_beside_new_labels_they_are_not(planned, tmp_path, capsys):
    label(planned, "ann", lambda value: 1)
    with LabelStore(planned) as store:
        taken = store.current("label")[0].event.item
    head = "annotator,item,factor,level\n"
    (tmp_path / "c.csv").write_text(f"{head}ann,{taken},wateriness,5\n")
    assert main(["labels", "import", str(tmp_path / "c.csv")]) == 1
    told = capsys.readouterr()
    assert "0 added, 0 already known, 1 conflicts" in told.out and "(store: 1, file: 5)" in told.err
    (tmp_path / "d.csv").write_text(f"{head}ann,{taken},wateriness,5\nbob,{taken},wateriness,5\n")
    assert main(["labels", "import", str(tmp_path / "d.csv"), "--json"]) == 0
    report = printed(capsys)
    assert (report["added"], report["conflicts"]) == (1, 1)
    assert report["details"][0]["stored"] == "1"


def test_a_factor_that_no_plan_has_is_refused(planned, tmp_path, capsys):
    (tmp_path / "e.csv").write_text("annotator,item,factor,level\nann,x:1,saltiness,5\n")
    assert main(["labels", "import", str(tmp_path / "e.csv")]) == 1
    said = capsys.readouterr().err
    assert "e.csv, row 1: 'saltiness' " in said and "choose from greenness, wateriness" in said


def test_agreement_of_two_annotators(planned, capsys):
    label(planned, "ann", level)
    assert main(["labels", "agreement", "first"]) == 0
    assert "Only ann has labelled" in capsys.readouterr().out
    label(planned, "bob", level)
    label(planned, "bob", level, repeat=True, share=0.2)
    assert main(["labels", "agreement", "first"]) == 0
    out = capsys.readouterr().out
    assert "wateriness  1.00" in out and "reliable" in out and "hidden repeats" in out
    assert "\n0 items" in out
    assert main(["labels", "agreement", "first", "--json"]) == 0
    found = printed(capsys)
    assert found["alpha"][0]["alpha"] == 1.0 and found["annotators"] == ["ann", "bob"]
    assert found["pairs"][0]["weighted kappa"] == 1.0


def test_scores_of_a_run_from_its_newest_plan(planned, capsys):
    assert main(["labels", "scores", RUN]) == 1
    assert " first " in capsys.readouterr().err
    label(planned, "ann", level, share=0.3)
    assert main(["labels", "scores", RUN]) == 0
    assert NO_SCORE in capsys.readouterr().out
    label(planned, "ann", level)
    assert main(["labels", "scores", RUN]) == 0
    out = capsys.readouterr().out
    assert "plan first" in out and OVER_QUERIES in out
    assert "over wateriness, greenness" in out
    assert main(["labels", "scores", RUN, "--plan", "first", "--json"]) == 0
    found = printed(capsys)
    assert [row["score"] for row in found["scores"]] == ["D", "C", "I"]
    assert all(0 <= row["low"] <= row["value"] <= row["high"] <= 1 for row in found["scores"])
    assert [f["labelled"] for f in found["factors"]] == [found["needed"]] * 2


def test_a_run_knows_the_newest_plan_that_serves_it(planned):
    from rivae.labels.kept_plans import keep_plan, plan_guideline

    run = find_run(RUN)
    with LabelStore(planned) as store:
        first = kept_plan(store, "first")
        food = plan_guideline(store, first)
        order, again = label_order([[first.items]], 1)
        changes = {"order": order.tolist(), "repeats": again.tolist()}
        later = {"created": "2200-01-01T00:00:00+00:00"}
        axes = {"id": "axes", "purpose": "axes", "created": "2201-01-01T00:00:00+00:00"}
        for more in ({"id": "later", **later}, axes):
            keep_plan(store, first.model_copy(update={**changes, **more}), food)
        assert newest_plan_of(store, run).id == "later"
        assert newest_plan_of(store, find_run("demo-sprites")) is None


def test_scores_say_what_they_do_before_they_do_it(planned, capsys, monkeypatch):
    from rivae.labels import coverage

    said = []
    search = coverage.measured_traversal

    def watched(*args, **rest):
        said.append(capsys.readouterr().err)
        return search(*args, **rest)

    monkeypatch.setattr(coverage, "measured_traversal", watched)
    label(planned, "ann", level)
    assert main(["labels", "scores", RUN]) == 0
    assert said[0].splitlines() == [
        "scores: starting",
        f"scores: {OPENING_DATA}",
        f"scores: searching with {RUN}",
    ]
    assert "scores: scoring" in capsys.readouterr().err


def test_a_plan_says_what_it_does_before_it_does_it(labels, two_factors, capsys, monkeypatch):
    from rivae.runs import Run

    def opened(run):
        said.append(capsys.readouterr().err)
        return load(run)

    said, load = [], Run.load_dataset
    monkeypatch.setattr(Run, "load_dataset", opened)
    words = ["labels", "plan", "p", RUN, "--queries", "2", "--guideline", str(two_factors)]
    assert main(words) == 0
    assert len(said) == 1 and re.fullmatch("plan: starting\nplan: .+\n", said[0])
    assert f"plan: searching with {RUN}" in capsys.readouterr().err


@pytest.mark.slow
def test_axes_are_aligned_as_in_the_app(planned, tmp_path, capsys):
    label(planned, "ann", level)
    label(planned, "eve", lambda value: 3)
    words = ["labels", "align", RUN, "--annotator", "ann"]
    assert main([*words, "--dry-run", "--json"]) == 0
    said = capsys.readouterr()
    dry = json.loads(said.out)
    assert said.err.splitlines()[:2] == ["align: starting", f"align: {OPENING_DATA}"]
    assert dry["made"] is None and not (tmp_path / "runs").exists()
    assert dry["factors"] == ["wateriness", "greenness"] and dry["annotators"] == 1
    assert all(gain["after"] > 0.6 for gain in dry["held_out"])
    assert main([*words, "--plan", "first", "--factor", "greenness", "--name", "turned"]) == 0
    out = capsys.readouterr().out
    assert all(said in out for said in ("greenness", "held out", "70 %", "evaluate turned"))
    made = find_run("turned")
    assert made.config.parent == RUN and made.load_method(made.load_dataset()).n_components > 1
    # the same function as the app's: everybody's labels, of which eve's are all alike
    from rivae.labels.derive import align_run
    from rivae.labels.run_scores import labelled

    with LabelStore(planned) as store:
        data = find_run(RUN).load_dataset()
        known = labelled(store, data, read_guideline().ids[:2], ["ann"])
    own = align_run(find_run(RUN), known.rows, known.levels, known.factors, data=data)[0]
    assert own.cv_r2 == pytest.approx(dry["cv_r2"])
    assert main(["labels", "align", RUN, "--annotator", "eve"]) == 1
    assert f"at least {MIN_LABELS} items" in capsys.readouterr().err
    assert main(["labels", "align", RUN, "--annotator", "eve", "--factor", "greenness"]) == 1
    assert "greenness has" in capsys.readouterr().err
    assert main([*words, "--name", "turned"]) == 1
    assert "turned" in capsys.readouterr().err
