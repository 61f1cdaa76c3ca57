"""Other data under a run's name: the run says so, and nothing of the data before is shown."""

import json
import warnings

import numpy as np
import pytest

from rivae.base.errors import ConfigError, DataReplacedWarning, RunError
from rivae.cli import main
from rivae.data import load_dataset
from rivae.data.features.making import make_features
from rivae.data.features.sources.statistics import PictureStatistics
from rivae.data.store import PairStore
from rivae.data.store.manifest import Manifest
from rivae.exploring.explorer import Explorer
from rivae.exploring.words.axis_names import axis_names, change_names, names_of_axes
from rivae.jobs.archive_import import import_run
from rivae.jobs.launch import make_config, resume, train
from rivae.runs import DEMO_ROOT, Run, find_run, list_runs
from rivae.runs.archive import export_run
from rivae.runs.axis_names import AxisName
from rivae.runs.data_record import DATA, VOCABULARY, recorded_data
from tests.identity.conftest import dated
from tests.waiting import PATIENCE_S

TINY = {
    "n_components": 2,
    "dim_v": 8,
    "head_hidden": [8],
    "embedder": {"kind": "mlp", "hidden": [8]},
    "embedder2": {"kind": "mlp", "hidden": []},
    "init_epochs": 1,
    "ivae_epochs": 1,
    "joint_epochs": 1,
    "batch_size": 16,
}


def trained(root, name, **data):
    """A run of this version on an import."""
    settings = {"store": "old", "image_size": 16, "max_words": 50, **data}
    method = TINY
    if "features" in data:
        method = {**TINY, "embedder": {"kind": "mlp", "hidden": []}}
    config = make_config("pairs", name=name, dataset_settings=settings, method_settings=method)
    (run,) = train([config], root / "runs")
    return run


def resorted(rows):
    return rows[::-1]


@pytest.fixture
def run(before):
    return trained(before, "mine")


def warned(run):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run.load_dataset()
    return [str(w.message) for w in caught if w.category is DataReplacedWarning]


def test_a_run_writes_down_what_it_was_trained_on(run, before):
    record = recorded_data(run.path)
    assert record.dataset == "pairs" and record.n_items == 48
    assert record.content == run.load_dataset().content != ""
    assert not run.data_change and not warned(run)


def test_replaced_data_are_told_everywhere_and_nothing_old_is_shown(
    run, before, import_again, capsys
):
    assert main(["evaluate", "mine", "--queries", "4", "--nulls", "0"]) == 0
    change_names(run, 2, {0: AxisName(0, "redness", 1, (), True)})
    explorer = Explorer.open(run)
    ids, title = explorer.topk(explorer.mean, 5).ids, explorer.title(0)
    assert run.evaluation is not None and axis_names(run, 2)
    import_again(resorted)

    assert "old" in run.data_change and Manifest.read(before / "data/old").created[:10] in (
        run.data_change
    )
    assert run.evaluation is None, "it was measured on other items"
    assert axis_names(run, 2) == {} and not any("redness" in n for n in names_of_axes(run, 2))
    with pytest.raises(RunError, match="old"):
        change_names(run, 2, {1: AxisName(1, "heat", 1, (), True)})
    assert [run.data_change in sentence for sentence in warned(run)] == [True]
    capsys.readouterr()
    assert main(["runs"]) == 0
    assert run.data_change in capsys.readouterr().out
    assert main(["evaluate", "mine", "--queries", "4", "--nulls", "0"]) == 0
    assert capsys.readouterr().err.count(run.data_change) == 1
    assert run.evaluation is not None, "measured on the data that are here now"

    with pytest.warns(DataReplacedWarning):
        other = Explorer.open(Run(run.path))
    assert other.title(0) != title
    anew = Explorer(other.method, other.data)  # keeps nothing, so it finds no index
    nearest = anew.topk(other.mean, 5).ids
    assert other.topk(other.mean, 5).ids.tolist() == nearest.tolist(), "no index of the data before"

    import_again()
    assert not run.data_change and run.evaluation is None
    assert axis_names(run, 2)[0].name == "redness", "hidden, not removed"
    again = Explorer.open(Run(run.path))
    assert again.topk(again.mean, 5).ids.tolist() == ids.tolist()


@pytest.mark.parametrize("what", ["title", "ingredients", "picture"])
def test_a_single_changed_cell_is_another_content(run, before, import_again, what):
    def change(rows):
        if what == "picture":
            rows[0]["picture"], rows[1]["picture"] = rows[1]["picture"], rows[0]["picture"]
        else:
            rows[5][what] = "7"
        return rows

    import_again(change)
    assert run.data_change


def test_an_interrupted_training_does_not_resume_on_other_data(run, before, import_again):
    run.set_status(state="interrupted")
    import_again(resorted)
    with pytest.raises(RunError, match="old"):
        resume([run])
    assert run.status.state == "interrupted"
    assert main(["resume", "mine"]) == 1
    import_again()
    run.set_status(state="finished")


def test_another_vocabulary_is_not_called_a_damaged_model(run, before, import_again):
    def fewer(rows):
        return [{**row, "ingredients": "water", "title": "red"} for row in rows]

    import_again(fewer)
    with pytest.warns(DataReplacedWarning):
        assert run.load_method() is not None, "other texts are read by the run's own words"
    (run.path / VOCABULARY).unlink()  # as a version before 2026-11-28 left it
    with pytest.raises(RunError) as refused, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run.load_method()
    assert run.data_change in str(refused.value) and "model.safetensors" not in str(refused.value)


def test_features_that_are_made_again_are_other_data(before):
    store = PairStore(before / "data" / "old")
    make_features(store.folder, PictureStatistics.fit(store), "statistics")
    run = trained(before, "described", features="statistics")
    assert not run.data_change
    path = store.folder / "features" / "statistics" / "pictures.npy"
    matrix = np.load(path)
    np.save(path, matrix[::-1])
    assert run.data_change
    np.save(path, matrix)
    assert not run.data_change


@pytest.mark.slow
def test_runs_that_read_the_same_pictures_in_two_ways_are_compared(before):
    from rivae.app.compare.session import open_runs
    from rivae.exploring.comparison import compare

    store = PairStore(before / "data" / "old")
    make_features(store.folder, PictureStatistics.fit(store), "statistics")
    parts = {"fractions": (0.5, 0.2, 0.3)}
    one = trained(before, "pixels", **parts)
    other = trained(before, "described", features="statistics", **parts)
    assert one.config.dataset.same_items(other.config.dataset)
    comparison = compare([Explorer.open(one), Explorer.open(other)])
    assert len(comparison.matching) == 2
    assert len(open_runs(["pixels", "described"]).explorers) == 2
    redrawn = trained(before, "redrawn", split_seed=1, **parts)
    assert not one.config.dataset.same_items(redrawn.config.dataset)
    with pytest.raises(ConfigError, match="split"):
        compare([Explorer.open(one), Explorer.open(redrawn)])


def test_a_new_run_on_an_import_takes_the_features_of_those_before(before):
    from rivae.app.forms.draft import Draft

    assert not Draft().on("old").entries.get("dataset.features")
    store = PairStore(before / "data" / "old")
    make_features(store.folder, PictureStatistics.fit(store), "statistics")
    draft = Draft().on("old")
    assert draft.entries["dataset.features"] == "statistics"
    cleared = draft.enter("dataset.features", "").on("old")
    assert cleared.entries["dataset.features"] == "", "what somebody chose stays"


@pytest.mark.slow
def test_seeds_are_not_ranked_on_other_data(before, import_again):
    from rivae.evaluation.choice import rank_runs

    runs = [trained(before, name) for name in ("one", "two", "three")]
    import_again(resorted)
    with pytest.raises(RunError, match="old"):
        rank_runs(runs)


def test_an_archive_takes_along_which_data_it_is_of(run, before, import_again):
    archive = before / "mine.zip"
    export_run(run, archive)
    import_again(resorted)
    done = import_run(archive, before / "runs", name="arrived")
    arrived = find_run("arrived")
    assert arrived.data_change and any(arrived.data_change in text for text in done.remarks)


def test_a_record_of_a_stranger_is_read_with_bounds(run):
    (run.path / DATA).write_text(json.dumps({"version": 1, "dataset": "x", "content": "y" * 10**5}))
    with pytest.raises(Exception, match=DATA):
        _ = run.data_change


def test_demos_say_nothing():
    demos = list_runs([DEMO_ROOT])
    assert len(demos) == 6
    for demo in demos:
        assert not demo.data_change, demo.id
        assert demo.evaluation is not None
        assert (demo.path / DATA).exists() == (demo.config.dataset.name == "kitchen"), "stored"


def test_derived_runs_are_of_the_same_data(run, before, import_again):
    from rivae.labels.derive import derive_run

    made = derive_run(run, np.eye(2), np.zeros(2), "turned")
    assert recorded_data(made.path) == recorded_data(run.path)
    import_again(resorted)
    with pytest.raises(RunError, match="old"):
        derive_run(run, np.eye(2), np.zeros(2), "again")
    assert not (before / "runs" / "again").exists()


def test_a_running_server_notices(run, before, import_again):
    from rivae.app.shell import cache

    cache._resolved.clear()
    key, version = cache.model_key("mine"), cache.data_version("mine")
    title = cache.explorer("mine").title(0)
    picture = cache.explorer("mine").thumbnail(0).content
    import_again(resorted)
    cache._resolved.clear()  # it looks again every two seconds
    assert cache.model_key("mine") != key and cache.data_version("mine") != version
    assert cache.explorer("mine").title(0) != title
    assert cache.explorer("mine").thumbnail(0).content != picture
    assert cache.explorer("mine").data.title(0) == load_dataset("pairs", store="old").title(0)


def test_old_data_that_were_imported_before_a_run_of_an_older_version_are_its_own(before):
    run = find_run("old-run")
    assert not (run.path / DATA).exists() and not run.data_change
    dated(before / "data" / "old", "2030-01-01T00:00:00+00:00")
    assert "2030-01-01" in run.data_change


def test_the_list_of_runs_marks_a_run_of_other_data(run, before, import_again):
    from streamlit.testing.v1 import AppTest

    from rivae.base.installed import APP_FILES

    import_again(resorted)
    page = AppTest.from_file(
        str(APP_FILES / "rivae" / "app" / "main.py"), default_timeout=PATIENCE_S
    )
    page.switch_page(str(APP_FILES / "pages" / "train.py")).run()
    assert not page.exception
    name = run.data_change.partition("'")[2].partition("'")[0]
    assert [c.value for c in page.caption if f"'{name}'" in c.value]


def test_a_tour_says_so_for_each_of_its_runs(run, before, import_again, monkeypatch):
    from types import SimpleNamespace

    from rivae.app.shell import report
    from rivae.app.steer import presenter

    told = []
    monkeypatch.setattr(report, "warning", told.append)
    steps = [SimpleNamespace(run=name) for name in ("mine", "gone", "demo-synth", "mine")]
    presenter._replaced(SimpleNamespace(steps=steps))
    assert told == []
    import_again(resorted)
    presenter._replaced(SimpleNamespace(steps=steps))
    assert len(told) == 1 and run.data_change in told[0]
