"""What versions before 2026-11-27 wrote opens as before: imports, runs, plans, labels, caches."""

import json

import pytest

from rivae.cli import main
from rivae.data.importing.plan import Plan
from rivae.data.importing.session import same_as
from rivae.data.store.manifest import MANIFEST
from rivae.exploring.explorer import Explorer
from rivae.exploring.words.axis_names import axis_names
from rivae.jobs.launch import resume
from rivae.labels.kept_plans import kept_plans, plan_data
from rivae.labels.opening import open_labels
from rivae.labels.run_scores import current_levels, planned_rows
from rivae.runs import find_run
from rivae.runs.data_record import DATA, recorded_data

# What that version answered from this run: the five items nearest to the mean of the queries.
IDS = [29, 14, 31, 15, 41]


def test_a_trained_run_answers_as_before_with_its_evaluation_and_names(before, recwarn):
    run = find_run("old-run")
    explorer = Explorer.open(run)
    assert explorer.topk(explorer.mean, 5).ids.tolist() == IDS
    assert run.evaluation is not None and run.evaluation.score("recall_at_1") is not None
    assert axis_names(run, 3)[1].name == "redness"
    assert not run.data_change and not [w for w in recwarn if "old" in str(w.message)]
    assert main(["runs"]) == 0
    assert main(["evaluate", "old-run", "--queries", "4", "--nulls", "0"]) == 0
    assert not (run.path / DATA).exists(), "looking at a run does not change it"


def test_an_interrupted_run_resumes_and_then_knows_its_data(before):
    run = find_run("old-stopped")
    path = run.path / "config.json"
    document = json.loads(path.read_text())
    document["method"]["settings"]["ivae_epochs"] = 4
    path.write_text(json.dumps(document))
    (done,) = resume([find_run("old-stopped")])
    assert done.status.state == "finished" and done.ready
    assert recorded_data(done.path).content == done.load_dataset().content


def test_a_plan_and_its_labels_belong_to_the_same_items(before):
    with open_labels() as store:
        (plan,) = kept_plans(store)
        data = plan_data(plan)
        plan.check(data)
        assert planned_rows(store, data).tolist() == sorted(plan.order)
        levels = current_levels(store, data, plan.items)
        assert sorted(levels["level"]) == [1, 2, 3]


def test_a_plan_is_made_beside_an_old_one_and_both_serve(before):
    assert main(["labels", "plan", "new", "old-run", "--queries", "5"]) == 0
    with open_labels() as store:
        plans = {plan.id: plan for plan in kept_plans(store)}
        data = plan_data(plans["old-plan"])
        assert plans["new"].fingerprint == data.items_key != plans["old-plan"].fingerprint
        for plan in plans.values():
            plan.check(data)


@pytest.mark.parametrize("left_out", [(), ("store_id",), ("store_id", "made_of")])
def test_an_import_of_any_earlier_version_is_recognised_and_opens(before, left_out):
    path = before / "data" / "old" / MANIFEST
    document = {k: v for k, v in json.loads(path.read_text()).items() if k not in left_out}
    path.write_text(json.dumps(document))
    run = find_run("old-run")
    explorer = Explorer.open(run)
    assert explorer.topk(explorer.mean, 5).ids.tolist() == IDS
    plan = Plan(table=before / "table.csv", images=(before / "photos",), name="again", side=32)
    same = same_as(plan.source(), plan.settings())
    assert (same is None) == ("made_of" in left_out)
    assert document.get("made_of") is None or same == before / "data" / "old"


def test_an_import_of_an_older_version_says_that_its_pictures_were_not_compared(
    before, capsys, monkeypatch
):
    class StopError(Exception):
        pass

    def stop(*args):
        raise StopError

    monkeypatch.setattr("rivae.app.forms.quick.quick_run", stop)
    with pytest.raises(StopError):
        main(
            ["open", str(before / "table.csv"), "--images", str(before / "photos"), "--side", "32"]
        )
    said = capsys.readouterr().err
    assert "old" in said and "older version" in said
