"""The Plans view without a browser: the list, new plans from runs and files, own factors."""

import json
import shutil
import time

import pytest

from rivae.errors import LabelError
from rivae.evaluation import evaluate
from rivae.labels.kept_plans import keep_plan, kept_plan, plan_guideline, plan_names, revise
from rivae.labels.schema import guideline_json, label_factor, read_guideline
from rivae.labels.store import LabelStore
from rivae.runs import Run
from rivae.ui import label_plan_making
from tests.ui.conftest import train

EVIL = "<b>Eve</b> [x](http://x) *y*"
LEVELS = ["none", "mild", "medium", "hot", "fire"]


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
        run.write_evaluation(evaluate(
            run.load_method(data), data, n_queries=20, n_search_sets=1, null_permutations=0,
            null_permutations_slow=0,
        ))  # fmt: skip
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


def written(shown):
    return shown.words.replace("\\", "")


def warnings(shown):
    return [w.value.replace("\\", "") for w in shown.at.warning]


def press(shown, key):
    shown.at.button(key=key).click().run()
    return shown.calm()


def fill(shown, key, value):
    shown.at.text_input(key=key).set_value(value).run()
    return shown.calm()


def choose(shown, *runs):
    shown.at.multiselect(key="label_new_runs").set_value(list(runs)).run()
    return shown.calm()


def count(shown):
    """Press the button and wait for the process; another visitor may have done it before."""
    if "label_new_make" in {b.key for b in shown.at.button}:
        return shown
    press(shown, "label_new_count")
    deadline = time.monotonic() + 60
    while any(job.running for job in label_plan_making._jobs.values()):
        assert time.monotonic() < deadline, "the plan is not made"
        time.sleep(0.05)
    shown.at.run()
    return shown.calm()


def make(shown, name):
    fill(shown, "label_new_name", name)
    return press(shown, "label_new_make")


def spice(**changes):
    parts = {"id": "spice", "name": "spiciness", "definition": "How hot it is.", "levels": LEVELS}
    return label_factor(**{**parts, **changes})


# The list


def test_an_empty_store_explains_what_a_plan_is(plans):
    shown = plans()
    assert "which items are labelled" in written(shown)
    assert [h.value for h in shown.at.subheader] == ["New plan"]


def test_without_an_evaluated_run_it_says_what_to_do(app):
    shown = app("label")
    assert "No run is evaluated yet" in written(shown)
    assert "python -m rivae evaluate digits-4" in written(shown)
    assert not shown.at.multiselect and not shown.at.button


def test_a_plan_is_shown_with_what_everybody_did(label_plan, app):
    label_plan.label("ben", [1, 2, None])
    label_plan.label(EVIL, [3] * 10)
    label_plan.label(EVIL, [3] * 4, factor="fruit")
    label_plan.label("ben", [3] * 4, factor="no-longer-asked")
    shown = app("label", view="Plans")
    text = written(shown)
    assert "**first**" in text and "40 items · 3 hidden repeats · made 1 Mar 2026" in text
    assert "For D, C and I of digits." in text
    said = [p.proto.text for p in shown.at.get("progress")]
    assert said == ["14 of 320 answers by at least one person (4%)"]
    assert f"{EVIL}: 14 answers (4%), 0 of them cannot tell, 0 repeats, 2.0 s each" in text
    assert "ben: 3 answers (1%), 1 of them cannot tell" in text
    assert "\\<b\\>Eve\\</b\\>" in shown.words and "\\[x\\]" in shown.words
    assert "/label?plan=first" in text and "by=" not in text


def test_its_buttons_open_the_other_views(label_plan, app):
    for which, view in (("label", "Label"), ("review", "Review")):
        shown = press(app("label", view="Plans"), f"label_card_first_{which}")
        assert shown.at.session_state["view"] == view
        assert shown.at.session_state["plan"] == "first"


def test_a_run_that_is_gone_or_new_is_told(label_plan, app, tmp_path, monkeypatch):
    plan = label_plan.plan
    old = plan.runs[0].model_copy(update={"model": "0" * 16})
    gone = plan.runs[0].model_copy(update={"id": "gone"})
    keep_plan(
        label_plan.store, plan.model_copy(update={"id": "second", "runs": [old, gone]}),
        label_plan.guideline,
    )  # fmt: skip
    text = written(app("label", view="Plans"))
    assert "digits (trained anew since), gone (not here)" in text


def test_damaged_plans_and_guidelines_leave_the_others_alone(label_plan, app):
    store, plan = label_plan.store, label_plan.plan
    store.keep("plan", "bad-plan", '{"id": 3}')
    store.keep("guideline", "0" * 12, "{not json")
    bad = plan.model_copy(update={"id": "bad-guideline", "guideline": "0" * 12})
    store.keep("plan", bad.id, json.dumps(bad.model_dump(mode="json")))
    elsewhere = plan.model_copy(update={"id": "elsewhere", "dataset": EVIL, "runs": [
        plan.runs[0].model_copy(update={"id": "gone"})]})  # fmt: skip
    keep_plan(store, elsewhere, label_plan.guideline)
    shown = app("label", view="Plans")
    said = warnings(shown)
    assert any("no labelling plan (id" in w for w in said)
    assert any("is no guideline" in w for w in said)
    assert any("the data of plan elsewhere cannot be opened" in w for w in said)
    keys = {b.key for b in shown.at.button}
    assert "label_card_first_label" in keys and "label_card_bad-guideline_factors" not in keys
    assert "\\<b\\>Eve" in shown.words and "<b>Eve" not in shown.words


# A new plan from runs


def test_the_first_run_fixes_the_data_set(plans):
    shown = plans()
    field = shown.at.multiselect(key="label_new_runs")
    assert len(field.options) == 3
    assert "python -m rivae evaluate digits-4" in written(shown)
    choose(shown, "synth")
    options = shown.at.multiselect(key="label_new_runs").options
    assert len(options) == 1 and options[0].endswith("synth")
    choose(shown)
    choose(shown, "digits")
    options = shown.at.multiselect(key="label_new_runs").options
    assert len(options) == 2 and not any(o.endswith("synth") for o in options)


def test_a_plan_is_counted_and_made(plans, store, evaluated):
    shown = choose(plans(), "digits", "digits-turned")
    shown.at.number_input(key="label_new_queries").set_value(10)
    shown.at.slider(key="label_new_repeats").set_value(10)
    shown.at.number_input(key="label_new_seed").set_value(7).run()
    count(shown)
    preview = next(m.value for m in shown.at.markdown if "for one person" in m.value)
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
    assert shown.at.session_state["view"] == "Plans", "the first plan does not change the view"


def test_a_name_that_is_taken_or_none_is_one_sentence(plans, store):
    shown = count(choose(plans(), "digits"))
    press(shown, "label_new_make")
    assert any("give the plan a name" in w for w in warnings(shown))
    for name in ("With Blanks", "a" * 79 + "ß", EVIL):
        fill(shown, "label_new_name", name)
        assert sum("cannot name a plan" in w for w in warnings(shown)) == 1
        assert shown.at.button(key="label_new_make").disabled
    make(shown, "one")
    fill(shown, "label_new_name", "one")
    assert sum("there is a plan 'one' already" in w for w in warnings(shown)) == 1
    assert shown.at.multiselect(key="label_new_runs").value == ["digits"], "nothing is lost"
    assert plan_names(store) == ["one"]


def test_what_the_process_says_is_shown_and_the_entries_stay(plans, evaluated, store):
    path = evaluated / "digits-turned" / "evaluation.json"
    before = path.read_bytes()
    try:
        report = json.loads(before)
        report["settings"]["traversal"] = {"range": "nonsense"}
        report["correlation"] = {}
        path.write_text(json.dumps(report))
        shown = count(choose(plans(), "digits-turned"))
        assert any("does not fit this model" in w for w in warnings(shown))
        assert shown.at.multiselect(key="label_new_runs").value == ["digits-turned"]
        path.write_text("{}")
        shown.at.run()
        assert any("does not say how many queries" in w for w in warnings(shown.calm()))
        path.write_text("{not json")
        shown.at.run()
        assert any("evaluation.json is damaged" in w for w in warnings(shown.calm()))
    finally:
        path.write_bytes(before)


def test_plans_are_counted_one_at_a_time_and_together_with_who_asks_for_the_same(evaluated):
    runs = [Run(evaluated / "digits")]
    one, other = (label_plan_making.request(runs, None, 0.08, seed) for seed in (901, 902))
    job = label_plan_making.start(one)
    try:
        assert label_plan_making.start(one) is job and label_plan_making.counted(one) is None
        with pytest.raises(LabelError, match="another plan is being counted"):
            label_plan_making.start(other)
    finally:
        job.cancel()
        job.process.wait(timeout=30)


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
    assert any("give the file of a guideline" in w for w in warnings(shown))
    upload = shown.at.file_uploader(key="label_new_guideline")
    upload.upload("a*b*.json", b"{not json", "application/json").run()
    assert any("a*b*.json is no guideline" in w for w in warnings(shown.calm()))
    own = read_guideline().model_copy(update={"factors": (spice(name=EVIL),)})
    shown.at.file_uploader(key="label_new_guideline").upload(
        "own.json", guideline_json(own).encode(), "application/json"
    ).run()
    assert "\\<b\\>Eve" in shown.calm().words and "<b>Eve" not in shown.words
    shown.at.file_uploader(key="label_new_guideline").upload(
        "big.json", b" " * (2**20 + 1), "application/json"
    ).run()
    assert any("too large to be a guideline" in w for w in warnings(shown.calm()))
    make(count(shown), "own")  # the one that could be read is still chosen
    assert plan_guideline(store, kept_plan(store, "own")) == own


# A plan from a file


def from_file(plans, content, name="", guideline=None):
    shown = plans()
    shown.at.segmented_control(key="label_new_way").set_value("From a file").run()
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


def test_a_plan_from_a_file_is_kept(plans, exported, store):
    shown = from_file(plans, exported(id="mine"))
    assert not warnings(shown) and plan_names(store) == ["first", "mine"]
    from_file(plans, exported(), "under-another-name")
    assert kept_plan(store, "under-another-name").order == kept_plan(store, "first").order
    assert not warnings(from_file(plans, exported())), "the same once more is harmless"
    from_file(plans, exported(id="free", guideline=""))  # made before a guideline was fixed
    assert plan_guideline(store, kept_plan(store, "free")) == read_guideline()
    assert len(plan_names(store)) == 4


def test_a_plan_whose_runs_are_not_here_is_kept_too(plans, exported, store, label_plan):
    gone = [label_plan.plan.runs[0].model_copy(update={"id": "gone"})]
    shown = from_file(plans, exported(id="far", runs=gone, dataset="far", fingerprint="0" * 16))
    assert "far" in plan_names(store)
    assert any("None of its runs is here" in t.value for t in shown.at.toast)


def test_a_plan_brings_a_guideline_that_is_not_here(plans, exported, store):
    own = read_guideline().with_factor(spice())
    content = exported(id="mine", guideline=own.version)
    shown = from_file(plans, content)
    assert any(f"the guideline {own.version} of this plan is not here" in w
               for w in warnings(shown))  # fmt: skip
    shown = from_file(plans, content, guideline=guideline_json(read_guideline()).encode())
    assert any("the one that came with the plan" in w for w in warnings(shown))
    shown = from_file(plans, content, guideline=b"{")
    assert any("g.json is no guideline" in w for w in warnings(shown))
    assert plan_names(store) == ["first"]
    from_file(plans, content, guideline=guideline_json(own).encode())
    assert plan_guideline(store, kept_plan(store, "mine")) == own


@pytest.mark.parametrize(("changes", "sentence"), [
    ({"order": [10**6], "repeats": []}, "made for other data"),
    ({"fingerprint": "0" * 16}, "made for other data"),
    ({"order": [1, 1], "repeats": []}, "wrongly marked as a repeat"),
    ({"id": "../x"}, "no labelling plan (id"),
    ({"random_state": 5}, "there is a plan 'first' already"),
])  # fmt: skip
def test_a_wrong_plan_is_one_sentence_and_nothing_is_kept(
    plans, exported, store, changes, sentence
):
    shown = from_file(plans, exported(**changes))
    assert [sentence in w for w in warnings(shown)] == [True]
    assert plan_names(store) == ["first"]


@pytest.mark.parametrize("content", [b"", b"{", b"[" * 10**5, b"\xff\xfe", b" " * (2**22 + 1)])
def test_what_is_no_plan_at_all(plans, label_plan, store, content):
    shown = from_file(plans, content)
    assert len(warnings(shown)) == 1
    assert "labelling plan" in warnings(shown)[0]
    assert plan_names(store) == ["first"]


# Factors of a plan in use


@pytest.fixture
def editor(label_plan, app):
    """The view with the factors of the plan open."""
    return press(app("label", view="Plans"), "label_card_first_factors")


def now(plan):
    return plan_guideline(plan.store, plan.plan)


def form(shown, place, chosen):
    """The key that the fields of a factor begin with."""
    start = f"label_factors_{place}_{chosen}_"
    return next(t.key for t in shown.at.text_input if t.key.startswith(start))[: -len("_id")]


def enter(shown, place, chosen, **fields):
    """Fill the form of a factor and save it."""
    own = form(shown, place, chosen)
    for name, value in fields.items():
        area = shown.at.text_area if name == "definition" else shown.at.text_input
        area(key=f"{own}_{name}").set_value(value)
    shown.at.run()
    return press(shown, f"{own}_save")


FIELDS = {"id": "spice", "name": "spiciness", "definition": "How hot\n it is.",
          **{f"level{k}": name for k, name in enumerate(LEVELS, 1)}}  # fmt: skip


def test_a_factor_can_be_added_to_a_plan_in_use(editor, label_plan):
    assert f"Version {label_plan.guideline.version}" in written(editor)
    enter(editor, "first", "+", **FIELDS)
    assert now(label_plan).ids == (*label_plan.guideline.ids, "spice")
    assert now(label_plan).factor("spice").definition == "How hot it is."
    new = now(label_plan).version
    assert f"Version {new}" in written(editor) and "spiciness" in written(editor)
    own = form(editor, "first", "+")
    assert editor.at.text_input(key=f"{own}_id").value == "", "empty again"
    enter(editor, "first", "+", **{**FIELDS, "name": "again"})
    assert any("there is a factor 'spice' already" in w for w in warnings(editor))
    assert now(label_plan).version == new
    press(editor, "label_card_first_factors")
    assert not any(t.key.startswith("label_factors_first") for t in editor.at.text_input)


def test_what_somebody_else_added_meanwhile_stays(editor, label_plan):
    own = form(editor, "first", "+")
    fill(editor, f"{own}_name", "half entered")
    revise(label_plan.store, label_plan.plan, now(label_plan).with_factor(spice(id="salt")))
    editor.at.run()
    assert editor.at.text_input(key=f"{own}_name").value == "half entered"
    enter(editor, "first", "+", **FIELDS)
    assert now(label_plan).ids[-2:] == ("salt", "spice")


def test_a_factor_in_use_can_be_reworded_but_not_left_out(editor, label_plan):
    version = label_plan.guideline.version
    editor.at.selectbox(key="label_factors_first_chosen").set_value("fruit").run()
    assert "label_factors_first_remove" not in {b.key for b in editor.at.button}
    assert editor.at.text_input(key=f"{form(editor, 'first', 'fruit')}_id").disabled
    label_plan.label("ann", [1, 2], factor="fruit")
    enter(editor, "first", "fruit", name=EVIL)
    assert now(label_plan).factor("fruit").name == EVIL and now(label_plan).version != version
    assert "\\<b\\>Eve" in editor.words and "<b>Eve" not in editor.words
    assert {c.event.guideline for c in label_plan.store.current()} == {version}
    enter(editor, "first", "fruit", level2="a trace")  # the form shows what is kept now
    assert now(label_plan).factor("fruit").name == EVIL
    assert now(label_plan).factor("fruit").levels[1] == "a trace"


@pytest.mark.parametrize(("fields", "sentence"), [
    ({"id": ""}, "needs a short id"), ({"name": " "}, "needs a name"),
    ({"definition": ""}, "needs a definition"), ({"level3": ""}, "level 3 has no name"),
    ({"level3": "Fire"}, "two levels have the same name"), ({"id": "Spice!"}, "cannot be used (id"),
    ({"id": "annotator"}, "a column of the exported tables"),
    ({"example2": "../secret.png"}, "leaves the guideline's folder"),
    ({"example2": "99999999"}, "there is no item 99999999"),
])  # fmt: skip
def test_a_wrong_factor_is_one_sentence_and_keeps_what_was_entered(
    editor, label_plan, fields, sentence
):
    own = form(editor, "first", "+")
    enter(editor, "first", "+", **{**FIELDS, **fields})
    assert [sentence in w for w in warnings(editor)] == [True]
    assert now(label_plan).version == label_plan.guideline.version
    for name, value in {**FIELDS, **fields}.items():
        area = editor.at.text_area if name == "definition" else editor.at.text_input
        assert area(key=f"{own}_{name}").value == value


def test_an_example_can_be_an_item_number(editor, label_plan):
    row = label_plan.rows[3]
    enter(editor, "first", "+", **FIELDS, example2=str(row))
    assert now(label_plan).factor("spice").examples == {2: label_plan.keys[row]}
    editor.at.selectbox(key="label_factors_first_chosen").set_value("spice").run()
    pictures = [h.value for h in editor.calm().at.html if "2  mild" in h.value]
    assert len(pictures) == 1 and "data:image" in pictures[0]
    assert any(f">{row}<" in h.value for h in editor.at.html), "items to choose from"
