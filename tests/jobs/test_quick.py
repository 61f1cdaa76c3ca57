"""From an import to a queued run without a question: which settings, which run, and when again."""

import io
import random
import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from rivae.app.forms import quick
from rivae.app.forms.quick import first_model, quick_config, quick_run, state_of
from rivae.base.errors import RunError
from rivae.base.files import locked
from rivae.data.features.contract import FeatureSource
from rivae.data.importing import run_import
from rivae.data.importing.plan import Plan
from rivae.data.importing.session import same_as
from rivae.data.store import Manifest
from rivae.data.store.features import feature_names
from rivae.jobs.ledger import Ledger
from rivae.jobs.records import USUAL_PRIORITY, jobs_folder, make_private
from rivae.runs import Run
from rivae.runs.records import now


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


@pytest.fixture
def solved(monkeypatch):
    """Models of these tests take no time, and have no weights."""

    def train(configs, root, watch):
        for config in configs:
            run = Run.create(config, root)
            run.set_status(state="finished", started=now())

    monkeypatch.setattr(quick, "train", train)
    monkeypatch.setattr(quick, "make_missing", lambda folder, features, tell: None)


@pytest.fixture(params=[True, False])
def extra(request, monkeypatch):
    """Whether the extra of richer features is installed."""
    monkeypatch.setattr(FeatureSource, "is_installed", property(lambda self: request.param))
    return request.param


@pytest.mark.slow
def test_an_import_has_a_model_at_once_with_features_of_its_pictures(mine, tmp_path):
    root, said = tmp_path / "runs", []
    made = quick_run(mine, root, progress=lambda stage, share: said.append(stage))
    assert feature_names(mine) == ["efficientnet-lite0", "statistics"]
    assert any("EfficientNet-Lite0" in stage for stage in said)
    run = Run(root / "mine")
    assert run.ready and run.status.state == "finished" and run.config == made.config
    features = "efficientnet-lite0+statistics"
    assert made.config.dataset.settings == {"store": "mine", "features": features}
    settings = made.config.method.settings
    assert settings["init"] == "ridge-cca" and settings["joint_epochs"] == 0
    assert made.sentence.startswith("mine is solved; ")
    assert first_model("mine", Ledger(root)) == (True, "")


def test_what_may_become_better_comes_behind_all_others_and_once(mine, tmp_path, solved, extra):
    root = tmp_path / "runs"
    first = quick_run(mine, root)
    jobs = Ledger(root).jobs("queued")
    names = ["mine-refined", "mine-richer"] if extra else ["mine-refined"]
    assert [job.run for job in jobs] == names and first.later == len(names)
    for job in jobs:
        assert job.config.refines == "mine" and job.priority < USUAL_PRIORITY
        assert job.config.method.settings["joint_epochs"]
        assert job.config.method.settings["init"] == "ridge-cca"
    assert jobs[0].config.dataset == first.config.dataset
    if extra:
        every = "efficientnet-lite0+efficientnet-lite2+minilm+statistics"
        assert jobs[1].config.dataset.settings["features"] == every
        assert jobs[1].priority < jobs[0].priority, "those that take longest come last"
    again = quick_run(mine, root)
    assert again.known and again.config == first.config
    assert len(Ledger(root).jobs()) == len(names)
    other = quick_run(mine, root, "other")
    assert other.name == "other" and len(Ledger(root).jobs()) == 2 * len(names)


def test_an_extra_that_is_installed_later_is_used(mine, tmp_path, solved, monkeypatch):
    root = tmp_path / "runs"
    for there, n in ((False, 1), (True, 2)):
        monkeypatch.setattr(FeatureSource, "is_installed", property(lambda self, t=there: t))
        quick_run(mine, root)
        assert len(Ledger(root).jobs()) == n


def test_what_is_not_solved_is_queued_for_a_time_that_is_said(mine, tmp_path, monkeypatch):
    """Without features there is no closed form."""
    monkeypatch.setattr(quick, "probe", lambda config, tell: None)
    monkeypatch.setattr(quick, "time_words", lambda measured, config: "9 s to 1 min")
    monkeypatch.setattr(quick, "_features", lambda folder: "")
    started = quick_run(mine, tmp_path / "runs")
    assert started.sentence == "mine trains for 9 s to 1 min in the queue"
    (job,) = Ledger(tmp_path / "runs").jobs()
    assert job.config == started.config and job.config.refines is None
    opens, doing = first_model("mine", Ledger(tmp_path / "runs"))
    assert not opens and "queue" in doing
    Ledger(tmp_path / "runs").cancel(job.id)
    with pytest.raises(RunError, match="mine is cancelled"):
        first_model("mine", Ledger(tmp_path / "runs"))


def test_a_run_that_was_stopped_is_queued_again_and_a_failed_one_is_not_opened(
    mine, tmp_path, solved
):
    root = tmp_path / "runs"
    run = Run.create(quick_config(mine, "mine"), root)
    run.set_status(state="interrupted")
    assert quick_run(mine, root).known
    assert state_of("mine", Ledger(root))[0] == "queued"
    Ledger(root).cancel(Ledger(root).of_run("mine").id)
    assert quick_run(mine, root).known and state_of("mine", Ledger(root))[0] == "queued"
    run.set_status(state="failed", message="the loss became nan")
    fresh = quick_run(mine, root)
    assert not fresh.known and fresh.name == "mine-2"
    with pytest.raises(RunError, match="named mine"):
        quick_run(mine, root, "mine")


def test_a_run_on_other_data_of_the_same_name_is_not_taken(mine, tmp_path, solved):
    root = tmp_path / "runs"
    run = Run.create(quick_config(mine, "mine"), root)
    run.set_status(state="finished", started="2020-01-01T00:00:00+00:00")
    assert Manifest.read(mine).created > "2020-01-01"
    assert quick_run(mine, root).name == "mine-2"


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
