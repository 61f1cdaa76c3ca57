"""Rendered dishes beside the drawn ones: which data set is which, and what old runs open."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest
from PIL import Image

from rivae.cli.demo import make_kitchen
from rivae.data import dataset_names, kitchens, load_dataset
from rivae.data.kitchen import draw, make_dish
from rivae.data.kitchen.layout import rendered_path
from rivae.data.kitchens import DRAWN, DRAWN_CONTENT, KITCHEN, KITCHEN_DRAWN
from rivae.data.names import DATASETS
from rivae.data.registry import dataset_content
from rivae.data.sets import kitchen_drawn
from rivae.data.store import PairStore
from rivae.data.store.manifest import MANIFEST
from rivae.runs import DEMO_ROOT, Run
from rivae.runs.data_record import DATA

N = 40


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A small store of "rendered" dishes, each of one random colour."""
    folder, rng = tmp_path_factory.mktemp("rendered"), np.random.default_rng(1)
    for i in range(N):
        tone = tuple(int(v) for v in rng.integers(0, 255, 3))
        Image.new("RGB", (192, 192), tone).save(rendered_path(folder, i), "WEBP")
    return make_kitchen(folder / "made", N, folder)


@pytest.fixture
def rendered(made, monkeypatch):
    monkeypatch.setattr(kitchens, "RENDERED", made)
    return made


@pytest.fixture
def without(tmp_path, monkeypatch):
    monkeypatch.setattr(kitchens, "RENDERED", tmp_path / "none")


@pytest.fixture
def bare(tmp_path, monkeypatch):
    """The drawn kitchen's folder without its pictures."""
    folder = tmp_path / "bare"
    folder.mkdir()
    for path in (*DRAWN.glob("items-*"), DRAWN / MANIFEST):
        shutil.copyfile(path, folder / path.name)
    for module in (kitchens, kitchen_drawn):
        monkeypatch.setattr(module, "DRAWN", folder)
    return folder


def test_without_rendered_dishes_the_kitchen_is_drawn_and_its_other_name_unlisted(without):
    assert KITCHEN in dataset_names() and KITCHEN_DRAWN not in dataset_names()
    assert KITCHEN_DRAWN in DATASETS, "old and new runs may name it"
    one, other = load_dataset(KITCHEN), load_dataset(KITCHEN_DRAWN)
    assert (one.name, other.name) == (KITCHEN, KITCHEN_DRAWN)
    assert one.content == other.content == DRAWN_CONTENT and len(one) == len(other)
    assert one.fingerprint == other.fingerprint, "what was computed from one is that of the other"
    assert Run(DEMO_ROOT / "demo-kitchen").config.dataset.name == KITCHEN


def test_rendered_dishes_become_the_kitchen_and_the_drawn_ones_stay(rendered):
    assert list(dataset_names()).index(KITCHEN_DRAWN) == 1 + list(dataset_names()).index(KITCHEN)
    data, drawn = load_dataset(KITCHEN), load_dataset(KITCHEN_DRAWN)
    assert len(data) == N and data.content != DRAWN_CONTENT == drawn.content
    assert data.item_ids() == drawn.item_ids()[:N], "the same dishes"
    np.testing.assert_array_equal(data.factors, drawn.factors[:N])
    assert data.picture(3).size == (192, 192) and drawn.picture(3).size == (128, 128)
    assert data.key_name == drawn.key_name, "labels of a dish are found from both"
    assert data.fingerprint != drawn.fingerprint


def copy_of_demo(tmp_path, content=None, model=True):
    folder = tmp_path / "demo-kitchen"
    shutil.copytree(DEMO_ROOT / "demo-kitchen", folder, ignore=shutil.ignore_patterns("cache"))
    config = json.loads((folder / "config.json").read_text())
    config["dataset"]["name"] = KITCHEN
    (folder / "config.json").write_text(json.dumps(config))
    (folder / DATA).unlink(missing_ok=True)
    if content:
        record = {"dataset": KITCHEN, "content": content, "n_items": N}
        (folder / DATA).write_text(json.dumps(record))
    if not model:
        (folder / "model.safetensors").unlink()
    return Run(folder)


@pytest.mark.parametrize("content", [None, DRAWN_CONTENT])
def test_a_run_on_drawn_dishes_opens_them(content, rendered, tmp_path):
    run = copy_of_demo(tmp_path, content)
    assert run.config.dataset.name == KITCHEN_DRAWN and not run.data_change
    assert len(run.load_dataset()) == 6000
    stored = json.loads((run.path / "config.json").read_text())
    assert stored["dataset"]["name"] == KITCHEN, "nothing is written"


def test_a_run_on_rendered_dishes_opens_those(rendered, tmp_path):
    run = copy_of_demo(tmp_path, dataset_content(KITCHEN, {}))
    assert run.config.dataset.name == KITCHEN and not run.data_change
    assert len(run.load_dataset()) == N


def test_a_run_without_model_or_with_a_damaged_record_keeps_its_name(rendered, tmp_path):
    assert copy_of_demo(tmp_path / "a", model=False).config.dataset.name == KITCHEN
    run = copy_of_demo(tmp_path / "b", DRAWN_CONTENT)
    (run.path / DATA).write_text("{")
    assert Run(run.path).config.dataset.name == KITCHEN


@pytest.mark.slow
def test_pictures_that_are_not_there_are_drawn_as_they_were(bare, rendered):
    drawn = load_dataset(KITCHEN_DRAWN)
    assert drawn.content == DRAWN_CONTENT
    for i in np.random.default_rng(2).integers(0, 40, 3):
        now = np.asarray(drawn.picture(int(i)), int)
        gaps = [np.abs(now - draw(make_dish(0, int(i) + k))).mean() for k in range(3)]
        assert now.shape == (128, 128, 3) and gaps[0] < 8 and gaps[0] < min(gaps[1:]) / 2
    pixels = drawn.x1.batch(np.array([5, 5, 7]))
    assert pixels.shape == (3, 3, 64, 64) and bool((pixels[0] == pixels[1]).all())


def test_the_manifest_of_the_drawn_kitchen_says_what_the_switch_goes_by():
    assert PairStore(DRAWN).manifest.content == DRAWN_CONTENT
