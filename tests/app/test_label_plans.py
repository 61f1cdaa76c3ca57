"""The Plans view without a browser: the list, new plans from runs and files, own factors."""

import json
import shutil

import pytest

from rivae.app.label import plan_making
from rivae.app.label.plan_form import NO_GUIDELINE, WAYS
from rivae.app.label.plan_runs import NONE_EVALUATED
from rivae.app.label.plan_upload import NO_RUN
from rivae.app.label.plans import WHAT_A_PLAN_IS
from rivae.base.errors import LabelError
from rivae.evaluation.of_run import evaluate
from rivae.labels.guideline import guideline_json, read_guideline
from rivae.labels.kept_plans import TAKEN, kept_plan, plan_guideline, plan_names, revise
from rivae.labels.store import LabelStore
from rivae.runs import Run
from rivae.runs.evaluation_file import AGAIN, DAMAGED
from tests.app.conftest import train
from tests.app.label_forms import EVIL, fill, planned, press, spice, written
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.xdist_group("app label plans")  # its runs are trained once


@pytest.fixture(scope="module")
def evaluated(run_folder, tmp_path_factory):
    """Copies of two runs on one data set and one on another, evaluated; "digits-4" is not."""
    folder = tmp_path_factory.mktemp("label-plan-runs")
    for name in ("digits", "digits-turned", "digits-4"):
        shutil.copytree(run_folder / name, folder / name)
    train(folder, "synth", "synth", 2, 1, n_pairs=240)
    for name in ("digits", "digits-turned", "synth"):
        run = Run(folder / name)
        data = run.load_dataset()
        run.write_evaluation(
            evaluate(
                run.load_method(data),
                data,
                n_queries=20,
                n_search_sets=1,
                null_permutations=0,
                null_permutations_slow=0,
            )
        )
    return folder


@pytest.fixture
def plans(evaluated, app, monkeypatch):
    """Opens the view with these runs."""
    monkeypatch.setenv("RIVAE_RUNS", str(evaluated))
    return lambda **params: app("label", view="Plans", **params)


@pytest.fixture
def store(runs, tmp_path):
    """A second store on the app's file."""
    with LabelStore(tmp_path / "labels.db") as opened:
        yield opened


def choose(shown, *runs):
    shown.at.multiselect(key="label_new_runs").set_value(list(runs)).run()
    return shown.calm()


def count(shown):
    """Press the button and wait for the process; another visitor may have done it before."""
    if "label_new_make" in {b.key for b in shown.at.button}:
        return shown
    return planned(press(shown, "label_new_count"))


def make(shown, name):
    fill(shown, "label_new_name", name)
    return press(shown, "label_new_make")


# The list


def test_an_empty_store_explains_what_a_plan_is(plans):
    shown = plans()
    assert WHAT_A_PLAN_IS in written(shown)
    assert [h.value for h in shown.at.subheader] == ["New plan"]


def test_without_an_evaluated_run_it_says_what_to_do(app):
    shown = app("label", view="Plans")
    assert NONE_EVALUATED in written(shown)
    assert ("metrics", "show=run&run=digits-4") in shown.links
    assert not shown.at.multiselect and not shown.at.button


# A new plan from runs


def test_the_first_run_fixes_the_data_set(plans):
    shown = plans()
    field = shown.at.multiselect(key="label_new_runs")
    assert len(field.options) == 3
    assert ("metrics", "show=run&run=digits-4") in shown.links
    choose(shown, "synth")
    options = shown.at.multiselect(key="label_new_runs").options
    assert len(options) == 1 and options[0].endswith("synth")
    choose(shown)
    choose(shown, "digits")
    options = shown.at.multiselect(key="label_new_runs").options
    assert len(options) == 2 and not any(o.endswith("synth") for o in options)


@pytest.mark.slow
def test_a_plan_is_counted_and_made(plans, store, evaluated):
    shown = choose(plans(), "digits", "digits-turned")
    shown.at.number_input(key="label_new_queries").set_value(10)
    shown.at.slider(key="label_new_repeats").set_value(10)
    shown.at.number_input(key="label_new_seed").set_value(7).run()
    count(shown)
    preview = next(m.value for m in shown.at.markdown if "**8 factors**" in m.value)
    assert plan_names(store) == [], "nothing is kept before it has a name"
    make(shown, "both")
    assert plan_names(store) == ["both"]
    plan = kept_plan(store, "both")
    assert [run.id for run in plan.runs] == ["digits", "digits-turned"]
    assert (plan.n_queries, plan.random_state) == (10, 7)
    assert len(plan.repeats) == round(0.1 * len(plan.items))
    plan.check(Run(evaluated / "digits").load_dataset())
    assert plan_guideline(store, plan) == read_guideline()
    assert f"**{len(plan.items)} items**" in preview and "**8 factors**" in preview
    assert f"{len(plan.order) * 8:,} answers" in preview
    hours = len(plan.order) * 8 * 3 / 3600
    said = f"{hours:.1f} h" if hours >= 1 else f"{60 * hours:.0f} min"
    assert f"**{said}**" in preview
    assert "**both**" in written(shown), "it stands in the list"
    assert shown.tab == "Plans", "the first plan does not change the view"


@pytest.mark.slow
def test_a_name_that_is_wrong_or_taken_is_one_sentence(plans, store):
    shown = count(choose(plans(), "digits"))
    for name in ("With Blanks", "a" * 79 + "ß", EVIL):
        make(shown, name)
        assert sum(f"'{name}'" in w for w in shown.warnings) == 1
        # No rerun has to tell the form that another name was typed: the click is always taken.
        assert not shown.at.button(key="label_new_make").disabled
    make(shown, "one")
    make(shown, "one")
    assert sum(TAKEN.format("one") in w for w in shown.warnings) == 1
    assert shown.at.multiselect(key="label_new_runs").value == ["digits"], "nothing is lost"
    assert plan_names(store) == ["one"]


@pytest.mark.slow
def test_the_grey_name_is_the_one_that_is_used(plans, store):
    shown = count(choose(plans(), "digits"))
    grey = shown.at.text_input(key="label_new_name").placeholder
    press(shown, "label_new_make")
    assert plan_names(store) == [grey] and grey.endswith("-1") and not shown.warnings


@pytest.mark.slow
def test_what_the_process_says_is_shown_and_the_entries_stay(plans, evaluated, store):
    path = evaluated / "digits-turned" / "evaluation.json"
    before = path.read_bytes()
    try:
        report = json.loads(before)
        report["settings"]["traversal"] = {"range": "nonsense"}
        report["correlation"] = {}
        path.write_text(json.dumps(report))
        shown = count(choose(plans(), "digits-turned"))
        assert any("model" in w and AGAIN in w for w in shown.warnings)
        assert shown.at.multiselect(key="label_new_runs").value == ["digits-turned"]
        path.write_text("{}")
        shown.at.run()
        said = shown.calm().warnings
        assert any("digits-turned" in w and "queries" in w for w in said)
        path.write_text("{not json")
        shown.at.run()
        assert any(DAMAGED.format("evaluation.json") in w for w in shown.calm().warnings)
    finally:
        path.write_bytes(before)


def test_plans_are_counted_one_at_a_time_and_together_with_who_asks_for_the_same(evaluated):
    runs = [Run(evaluated / "digits")]
    one, other = (plan_making.plan_request(runs, None, 0.08, seed) for seed in (901, 902))
    job = plan_making.start(one)
    try:
        assert plan_making.start(one) is job and plan_making.counted(one) is None
        with pytest.raises(LabelError, match=plan_making.BUSY):
            plan_making.start(other)
    finally:
        job.cancel()
        job.process.wait(timeout=PATIENCE_S)


@pytest.mark.slow
def test_the_factors_of_a_new_plan_can_be_another_plans_or_changed(plans, store):
    shown = count(choose(plans(), "digits"))
    make(shown, "one")
    revise(store, kept_plan(store, "one"), read_guideline().with_factor(spice()))
    shown.at.selectbox(key="label_new_base").set_value("plan:one").run()
    place = "label_factors_new-plan:one"
    shown.at.selectbox(key=f"{place}_chosen").set_value("fruit").run()
    press(shown, f"{place}_remove")
    make(shown, "two")
    ids = plan_guideline(store, kept_plan(store, "two")).ids
    assert ids == (*read_guideline().ids[:-1], "spice")
    assert "fruit" in plan_guideline(store, kept_plan(store, "one")).ids


def test_a_guideline_from_a_file(plans, store):
    shown = choose(plans(), "digits")
    shown.at.selectbox(key="label_new_base").set_value("file").run()
    assert any(NO_GUIDELINE in w for w in shown.warnings)
    upload = shown.at.file_uploader(key="label_new_guideline")
    upload.upload("a*b*.json", b"{not json", "application/json").run()
    assert any("a*b*.json " in w for w in shown.calm().warnings)
    own = read_guideline().model_copy(update={"factors": (spice(name=EVIL),)})
    shown.at.file_uploader(key="label_new_guideline").upload(
        "own.json", guideline_json(own).encode(), "application/json"
    ).run()
    assert "\\<b\\>Eve" in shown.calm().words and "<b>Eve" not in shown.words
    shown.at.file_uploader(key="label_new_guideline").upload(
        "big.json", b" " * (2**20 + 1), "application/json"
    ).run()
    assert any("too large" in w for w in shown.calm().warnings)
    make(count(shown), "own")  # the one that could be read is still chosen
    assert plan_guideline(store, kept_plan(store, "own")) == own


# A plan from a file


def from_file(plans, content, name="", guideline=None):
    shown = plans()
    shown.at.segmented_control(key="label_new_way").set_value(WAYS[1]).run()
    shown.at.file_uploader(key="label_new_plan_file").upload(
        "plan.json", content, "application/json"
    ).run()
    if guideline is not None:
        shown.at.file_uploader(key="label_new_plan_guideline").upload(
            "g.json", guideline, "application/json"
        ).run()
    if name:
        fill(shown, "label_new_plan_name", name)
    return press(shown, "label_new_take")


@pytest.fixture
def exported(label_plan):
    """Changes to the plan of the fixture, as a file."""

    def export(**changes):
        plan = label_plan.plan.model_copy(update=changes)
        return json.dumps(plan.model_dump(mode="json")).encode()

    return export


@pytest.mark.slow
def test_a_plan_from_a_file_is_kept(plans, exported, store):
    shown = from_file(plans, exported(id="mine"))
    assert not shown.warnings and plan_names(store) == ["first", "mine"]
    from_file(plans, exported(), "under-another-name")
    assert kept_plan(store, "under-another-name").order == kept_plan(store, "first").order
    assert not from_file(plans, exported()).warnings, "the same once more is harmless"
    from_file(plans, exported(id="free", guideline=""))  # made before a guideline was fixed
    assert plan_guideline(store, kept_plan(store, "free")) == read_guideline()
    assert len(plan_names(store)) == 4


def test_a_plan_whose_runs_are_not_here_is_kept_too(plans, exported, store, label_plan):
    gone = [label_plan.plan.runs[0].model_copy(update={"id": "gone"})]
    shown = from_file(plans, exported(id="far", runs=gone, dataset="far", fingerprint="0" * 16))
    assert "far" in plan_names(store)
    assert any(NO_RUN in t.value.replace("\\", "") for t in shown.at.toast)


def test_a_plan_brings_a_guideline_that_is_not_here(plans, exported, store):
    own = read_guideline().with_factor(spice())
    content = exported(id="mine", guideline=own.version)
    shown = from_file(plans, content)
    assert any(f"guideline {own.version} " in w for w in shown.warnings)
    shown = from_file(plans, content, guideline=guideline_json(read_guideline()).encode())
    both = (own.version, read_guideline().version)
    assert any(all(version in w for version in both) for w in shown.warnings)
    shown = from_file(plans, content, guideline=b"{")
    assert any("g.json " in w for w in shown.warnings)
    assert plan_names(store) == ["first"]
    from_file(plans, content, guideline=guideline_json(own).encode())
    assert plan_guideline(store, kept_plan(store, "mine")) == own


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"order": [10**6], "repeats": []}, "other data"),
        ({"fingerprint": "0" * 16}, "other data"),
        ({"order": [1, 1], "repeats": []}, "(position "),
        ({"id": "../x"}, "labelling plan (id"),
        ({"random_state": 5}, TAKEN.format("first")),
    ],
)
def test_a_wrong_plan_is_one_sentence_and_nothing_is_kept(
    plans, exported, store, changes, sentence
):
    shown = from_file(plans, exported(**changes))
    assert [sentence in w for w in shown.warnings] == [True]
    assert plan_names(store) == ["first"]


@pytest.mark.parametrize("content", [b"", b"{", b"[" * 10**5, b"\xff\xfe", b" " * (2**22 + 1)])
def test_what_is_no_plan_at_all(plans, label_plan, store, content):
    shown = from_file(plans, content)
    assert len(shown.warnings) == 1
    assert "labelling plan" in shown.warnings[0]
    assert plan_names(store) == ["first"]
