"""From an import to a queued run without a question: which settings, which run, and when again."""

import io
import random
import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from rivae.app.forms.quick import first_model, quick_config, quick_run, state_of
from rivae.base.errors import RunError
from rivae.base.files import locked
from rivae.data.importing import run_import
from rivae.data.importing.plan import Plan
from rivae.data.importing.session import same_as
from rivae.data.store import Manifest
from rivae.data.store.features import feature_names
from rivae.jobs.ledger import Ledger
from rivae.jobs.records import jobs_folder, make_private
from rivae.runs import Run


def table_of(folder, n=40):
    """A table of ``n`` dishes and their pictures, of colours that the words tell."""
    (folder / "photos").mkdir()
    draw, lines = random.Random(0), ["photo,name,steps"]
    for i in range(n):
        colour = ("red", "green", "blue")[i % 3]
        shade = tuple(200 if k == i % 3 else draw.randrange(90) for k in range(3))
        picture = Image.new("RGB", (24, 24), shade)
        for _ in range(40):
            picture.putpixel((draw.randrange(24), draw.randrange(24)), (255, 255, 255))
        buffer = io.BytesIO()
        picture.save(buffer, "PNG")
        (folder / "photos" / f"{i}.png").write_bytes(buffer.getvalue())
        lines.append(f"{i}.png,{colour} plate {i},stir and serve {colour}")
    (folder / "dishes.csv").write_text("\n".join(lines))
    return folder / "dishes.csv"


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """An import, and a folder of runs whose dispatcher seems to be at work."""
    monkeypatch.setenv("RIVAE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("RIVAE_RUNS", str(tmp_path / "runs"))
    plan = Plan(table=table_of(tmp_path), images=(tmp_path / "photos",), name="mine")
    run_import(plan.source(), plan.settings())
    folder = make_private(jobs_folder(tmp_path / "runs"))
    with locked(folder / "dispatcher.lock", private=True):
        yield tmp_path / "data" / "mine"


def test_an_import_is_queued_once_with_features_of_its_pictures(mine, tmp_path):
    root, said = tmp_path / "runs", []
    quick = quick_run(mine, root, progress=lambda stage, share: said.append(stage))
    assert feature_names(mine) == ["efficientnet-lite0", "statistics"]
    assert any("EfficientNet-Lite0" in stage for stage in said)
    first, later = Ledger(root).jobs()
    assert first.config == quick.config and first.state == "queued" and quick.name == "mine"
    features = "efficientnet-lite0+statistics"
    assert quick.config.dataset.settings == {"store": "mine", "features": features}
    settings = quick.config.method.settings
    assert settings["init"] == "ridge-cca" and settings["joint_epochs"] == 0
    assert quick.words and quick.words in quick.sentence and not quick.ahead
    # Another run goes on from there, after all others.
    assert later.config.refines == "mine" and later.config.name == "mine-refined"
    assert later.config.method.settings["joint_epochs"] and later.priority < first.priority
    again = quick_run(mine, root)
    assert again.known and again.config == quick.config and len(Ledger(root).jobs()) == 2
    other = quick_run(mine, root, "other")
    assert other.name == "other" and other.ahead == 1 and "after 1 other run" in other.sentence
    opens, doing = first_model("mine", Ledger(root))
    assert not opens and "queue" in doing


def test_a_run_that_was_stopped_is_queued_again_and_a_failed_one_is_not_opened(mine, tmp_path):
    root = tmp_path / "runs"
    run = Run.create(quick_config(mine, "mine"), root)
    run.set_status(state="interrupted")
    assert quick_run(mine, root).known
    assert state_of("mine", Ledger(root))[0] == "queued"
    Ledger(root).cancel(Ledger(root).jobs()[0].id)
    assert quick_run(mine, root).known and state_of("mine", Ledger(root))[0] == "queued"
    run.set_status(state="failed", message="the loss became nan")
    fresh = quick_run(mine, root)
    assert not fresh.known and fresh.name == "mine-2"
    with pytest.raises(RunError, match="named mine"):
        quick_run(mine, root, "mine")


def test_a_run_on_other_data_of_the_same_name_is_not_taken(mine, tmp_path):
    root = tmp_path / "runs"
    run = Run.create(quick_config(mine, "mine"), root)
    run.set_status(state="finished", started="2020-01-01T00:00:00+00:00")
    assert Manifest.read(mine).created > "2020-01-01"
    assert quick_run(mine, root).name == "mine-2"


def test_one_that_ended_without_a_model_says_why(mine, tmp_path):
    ledger = Ledger(tmp_path / "runs")
    quick_run(mine, ledger.root)
    ledger.cancel(ledger.jobs()[0].id)
    with pytest.raises(RunError, match="mine is cancelled"):
        first_model("mine", ledger)


def test_the_same_files_are_recognised_whatever_their_time_and_name_of_import(mine, tmp_path):
    plan = Plan(table=tmp_path / "dishes.csv", images=(tmp_path / "photos",), name="again")
    plan.table.touch()
    assert same_as(plan.source(), plan.settings()) == mine
    for other in ({"side": 64}, {"roles": {"title": "steps", "instructions": ""}}):
        changed = plan.model_copy(update=other)
        assert same_as(changed.source(), changed.settings()) is None
    with plan.table.open("a") as stream:
        stream.write("\n0.png,one more,stir")
    assert same_as(plan.source(), plan.settings()) is None


def test_files_are_compared_by_what_they_hold(mine, tmp_path):
    plan = Plan(table=tmp_path / "dishes.csv", images=(tmp_path / "photos",), name="again")
    moved = tmp_path / "elsewhere" / "renamed"
    shutil.copytree(tmp_path / "photos", moved)
    there = plan.model_copy(update={"images": (moved,)})
    assert same_as(there.source(), there.settings()) == mine, "the same files elsewhere"
    archive = shutil.make_archive(str(tmp_path / "photos"), "zip", tmp_path / "photos")
    packed = plan.model_copy(update={"images": (Path(archive),)})
    assert same_as(packed.source(), packed.settings()) == mine
    (tmp_path / "photos" / "unused.png").write_bytes(b"x")
    assert same_as(plan.source(), plan.settings()) == mine, "the table does not name it"
    other = tmp_path / "other" / "photos"
    shutil.copytree(tmp_path / "photos", other)
    (other / "7.png").write_bytes((other / "8.png").read_bytes())
    elsewhere = plan.model_copy(update={"images": (other,)})
    assert same_as(elsewhere.source(), elsewhere.settings()) is None, "another folder of that name"
    (other / "7.png").unlink()
    assert same_as(elsewhere.source(), elsewhere.settings()) is None


def test_embeddings_are_compared_by_what_they_hold(tmp_path, monkeypatch):
    monkeypatch.setenv("RIVAE_DATA", str(tmp_path / "data"))
    table = table_of(tmp_path)
    draw = np.random.default_rng(0)
    paths = (tmp_path / "a.npy", tmp_path / "b.npy")
    for path in paths:
        np.save(path, draw.normal(size=(40, 4)).astype(np.float32))
    plan = Plan(table=table, embeddings=paths, name="vectors")
    run_import(plan.source(), plan.settings())
    again = plan.model_copy(update={"name": "again"})
    assert same_as(again.source(), again.settings()) == tmp_path / "data" / "vectors"
    np.save(paths[1], np.load(paths[1]) + 1)
    assert same_as(again.source(), again.settings()) is None
