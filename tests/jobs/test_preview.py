"""Pictures while training: of the right epoch, bounded, and without a trace in the numbers."""

import io
import logging
import time

import numpy as np
import pytest
import torch
from PIL import Image

from rivae.jobs import preview
from rivae.jobs.launch import resume, train
from rivae.jobs.preview import KEEP, MAX_FAILURES, Previews, draw, file_name, previews_of, thin_out
from rivae.models.registry import build_method
from rivae.runs import Run
from tests.training.tiny import StopAfter, files_of, tiny_config, untrained_run


def eager(run):
    """One that draws whenever there is a new model."""
    return Previews(run, every_s=0, share=1e9)


@pytest.fixture(autouse=True)
def models_of_every_epoch(monkeypatch):
    monkeypatch.setattr("rivae.training.trainer.PREVIEW_S", 0.0)


@pytest.mark.slow
def test_a_run_with_pictures_ends_with_the_same_bytes(tmp_path):
    whole = files_of(train([tiny_config("run")], tmp_path / "without")[0])
    previews = eager(Run(tmp_path / "run"))
    run = train([tiny_config("run")], tmp_path, previews)[0]
    previews.finish()
    assert files_of(run) == whole
    drawn = previews_of(run.path)
    assert len(drawn) >= 4 and drawn[-1].epoch == 9 and drawn[0].epoch >= 1
    for one in drawn:
        for dark in (False, True):
            image = Image.open(io.BytesIO(one.content(dark)))
            assert 300 < image.width < 1500 and 50 < image.height < 1500


def test_pictures_change_no_random_state_and_no_mode(tmp_path):
    run = untrained_run(tmp_path)
    torch.manual_seed(5)
    before, threads = torch.get_rng_state(), torch.get_num_threads()
    state = np.random.get_state()[1].copy()
    draw(run, 3)
    assert torch.equal(torch.get_rng_state(), before)
    assert (np.random.get_state()[1] == state).all()
    assert torch.is_grad_enabled() and not torch.is_inference_mode_enabled()
    assert torch.get_num_threads() == threads


def test_a_picture_is_named_after_the_epoch_of_its_model(tmp_path, monkeypatch):
    seen = []
    run = untrained_run(tmp_path)
    (run.path / "model.safetensors").rename(run.path / "preview.safetensors")
    previews = eager(run)
    monkeypatch.setattr(preview, "draw", lambda run, epoch, data: seen.append(epoch))
    previews({"epoch": 7})
    assert not seen, "a model from before this process is of an unknown epoch"
    choice = run.config.method
    run.write_preview(build_method(choice.name, choice.settings, (50,), (50,)).state_dict())
    previews({"epoch": 12})
    previews({"epoch": 13})
    previews({"note": "no epoch"})
    assert seen == [11], "the trainer saves after it has told of an epoch"


def test_pictures_cost_a_small_share_of_the_time(tmp_path, monkeypatch):
    run = untrained_run(tmp_path)
    previews = Previews(run, every_s=0.0, share=0.01)
    monkeypatch.setattr(preview, "draw", lambda run, epoch, data: time.sleep(0.05))
    for epoch in range(1, 6):
        run.write_preview(run.load_method().state_dict())
        previews({"epoch": epoch + 1})
    assert previews._epoch_shown == 1 and previews._next - time.monotonic() > 3


def test_what_cannot_be_drawn_stops_nothing_and_is_not_tried_for_ever(tmp_path, caplog):
    run = Run(tmp_path / "run")
    previews = eager(run)

    def spoil(row):
        if "epoch" in row and run.opens:
            (run.path / "preview.safetensors").write_bytes(b"half a model")
        previews(row)

    with caplog.at_level(logging.ERROR, "rivae.jobs"):
        train([tiny_config("run")], tmp_path, spoil)
        previews.finish()
    assert run.status.state == "finished" and not previews_of(run.path)
    assert sum("no pictures" in r.message for r in caplog.records) == MAX_FAILURES


def test_an_interruption_passes_through(tmp_path, monkeypatch):
    def interrupted(run, epoch, data):
        raise KeyboardInterrupt

    monkeypatch.setattr(preview, "draw", interrupted)
    run = Run(tmp_path / "run")
    with pytest.raises(KeyboardInterrupt):
        train([tiny_config("run")], tmp_path, eager(run))
    assert run.status.state == "interrupted"


@pytest.mark.slow
def test_pictures_go_on_after_a_resumption(tmp_path):
    run = Run(tmp_path / "run")
    previews, stop = eager(run), StopAfter(5)

    def both(row):
        previews(row)
        stop(row)

    with pytest.raises(KeyboardInterrupt):
        train([tiny_config("run")], tmp_path, both)
    before = previews_of(run.path)[-1].epoch
    resume([run], eager(run))
    epochs = [one.epoch for one in previews_of(run.path)]
    assert epochs == sorted(set(epochs)) and epochs[-1] > before


def test_few_pictures_are_kept_evenly(tmp_path):
    folder = tmp_path / "previews"
    folder.mkdir()
    for epoch in [*range(1, 101), 1000]:
        for dark in (False, True):
            (folder / file_name(epoch, dark, "png")).write_bytes(b"\x89PNG")
        thin_out(tmp_path)
    kept = [one.epoch for one in previews_of(tmp_path)]
    assert len(kept) == KEEP and (kept[0], kept[-1]) == (1, 1000)
    assert max(np.diff(kept[:-1])) <= 5 * min(np.diff(kept[:-1]))
    assert len(list(folder.iterdir())) == 2 * KEEP


def test_foreign_files_are_no_pictures(tmp_path):
    folder = tmp_path / "previews"
    folder.mkdir()
    for name in ("epoch-1.png", "epoch-00002.svg", "notes.txt", "epoch-00003.png"):
        (folder / name).write_text("<svg onload=alert(1)>")
    (found,) = previews_of(tmp_path)
    assert found.epoch == 3 and found.content(False) is None and found.dark == found.light
    assert previews_of(tmp_path / "none") == []
