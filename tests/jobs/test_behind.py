"""What comes behind a first model: features that are made in the queue, and axes found again."""

import shutil

import numpy as np
import pytest

import rivae
from rivae.base.errors import DataError
from rivae.data import load_dataset
from rivae.data.features import making
from rivae.data.features.sources import statistics
from rivae.data.store.features import feature_names
from rivae.jobs import process
from rivae.jobs.launch import make_config
from rivae.runs import Run, find_run
from rivae.runs.added_axes import added_axes, lacking_axes, remove_added
from rivae.runs.refinement import refinement_of


@pytest.fixture
def config(undescribed_store):
    """A run on features that its data do not have, in small batches."""
    settings = {"store": str(undescribed_store), "features": "statistics"}
    return make_config("pairs", name="behind", dataset_settings=settings)


def test_features_are_made_first_and_a_stop_loses_little(config, tmp_path, monkeypatch):
    folder, batches = tmp_path / "pairs", []
    monkeypatch.setattr(making, "SAVED_AFTER", 1)

    def pulse():
        if len(batches) >= 2:
            raise process.Cancelled

    encode = statistics.PictureStatistics.encode_pictures

    def counted(self, batch):
        batches.append(len(batch))
        return encode(self, batch)

    monkeypatch.setattr(statistics.PictureStatistics, "encode_pictures", counted)
    with pytest.raises(process.Cancelled):
        process._make_features(config, pulse)
    assert feature_names(folder) == []
    before = sum(batches)
    assert process._make_features(config, lambda: None)
    assert feature_names(folder) == ["statistics"]
    rows = np.load(folder / "features" / "statistics" / "pictures.npy")
    assert np.abs(rows.astype(np.float32)).sum(1).all()
    assert sum(batches) - before < len(rows), "what was done is not done again"
    assert not process._make_features(config, lambda: None)


def test_features_that_nothing_makes_are_refused_as_before(config, tmp_path):
    settings = {**config.dataset.settings, "features": "of-somebody"}
    choice = config.dataset.model_copy(update={"settings": settings})
    unknown = config.model_copy(update={"dataset": choice})
    assert process._make_features(unknown, lambda: None)
    with pytest.raises(DataError, match="no features 'of-somebody'"):
        load_dataset("pairs", **settings)


@pytest.fixture
def refined(tmp_path, monkeypatch):
    """A run with an added axis, and another one that refines it and is better."""
    root, demo = tmp_path / "runs", find_run("demo-digits").path
    monkeypatch.setenv("RIVAE_RUNS", str(root))
    for name, refines, score in (("base", None, 0.1), ("refined", "base", 0.2)):
        run = Run(shutil.copytree(demo, root / name))
        config = run.config.model_copy(update={"name": name, "refines": refines})
        (run.path / "config.json").write_text(config.model_dump_json())
        (run.path / "metrics.jsonl").unlink(missing_ok=True)
        scores = {"score": score, "recall_at_1": score}
        run.log.append({"epoch": 1, "stage": "joint", "validation": scores})
        run.set_status(state="finished")
    base, better = Run(root / "base"), Run(root / "refined")
    rivae.load_run("base").add_axis(factor="digit=3", name="three", poles=("a", "b"))
    return base, better


def test_axes_that_were_added_are_found_again_and_listed(refined):
    base, better = refined
    offered = refinement_of(base, [better])
    assert offered.run is better and offered.lacking_axes == ("three",)
    process._find_added_axes(better)
    (axis,) = added_axes(better)
    assert (axis.name, axis.poles) == ("three", ("a", "b")) and axis.scores
    assert axis.spec == added_axes(base)[0].spec
    offered = refinement_of(base, [better])
    assert offered.found_axes == ("three",) and offered.lacking_axes == ()
    process._find_added_axes(better)  # once
    assert len(added_axes(better)) == 1
    remove_added(better, axis.id)
    assert [one.name for one in lacking_axes(better, base)] == ["three"]


def test_the_command_asks_for_those_that_were_added_later(refined, capsys):
    from rivae.cli.main import main

    assert main(["axes", "refit", "refined"]) == 0
    assert "three" in capsys.readouterr().out
    assert main(["axes", "refit", "base"]) == 1
    assert "base refines" in capsys.readouterr().err


def test_axes_that_are_not_found_again_leave_the_training_as_it_is(refined, caplog):
    base, better = refined
    (base.path / "added_axes.json").write_text("{")
    with caplog.at_level("INFO", logger="rivae.jobs"):
        process._find_added_axes(better)
    assert "damaged" in caplog.text and added_axes(better) == ()
    assert refinement_of(base, [better]).run is better
