"""The folder: Recipe1M's layout, whole or not there, and readable by the importer."""

import ast
import csv
import json
import re

import numpy as np
import pytest
from PIL import Image

from rivae.base.errors import ConfigError, DataError
from rivae.data.food_factors import FACTOR_NAMES
from rivae.data.kitchen import draw_factors, write_kitchen
from rivae.data.kitchen.layout import _PER_FOLDER as PER_FOLDER
from rivae.data.kitchen.layout import MAX_DISHES, image_id, picture_path, recipe_id

N = 40


@pytest.fixture(scope="module")
def kitchen(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data") / "kitchen"
    heard = []
    write_kitchen(folder, N, 1, lambda done, n: heard.append((done, n)))
    assert heard == [(k + 1, N) for k in range(N)]
    return folder


def load(folder, name):
    return json.loads((folder / name).read_text(encoding="utf-8"))


def files_of(folder):
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def test_the_texts_are_recipe1m_s(kitchen):
    recipes = load(kitchen, "layer1.json")
    assert len(recipes) == N
    for recipe in recipes:
        assert list(recipe) == ["id", "title", "ingredients", "instructions", "url", "partition"]
        assert re.fullmatch("[0-9a-f]{10}", recipe["id"])
        assert all(list(line) == ["text"] for line in recipe["ingredients"])
        assert all(list(step) == ["text"] for step in recipe["instructions"])
    parts = [recipe["partition"] for recipe in recipes]
    assert [parts.count(p) for p in ("train", "val", "test")] == [28, 6, 6]


def test_every_recipe_has_its_picture_in_the_tree(kitchen):
    part_of = {r["id"]: r["partition"] for r in load(kitchen, "layer1.json")}
    found = set()
    for record in load(kitchen, "layer2.json"):
        (image,) = record["images"]
        name = image["id"]
        path = kitchen.joinpath("images", part_of[record["id"]], *name[:4], name)
        with Image.open(path) as picture:
            picture.load()
            assert picture.format == "JPEG" and picture.size == (128, 128)
        assert path.stat().st_size < 6000
        found.add(path)
    assert found == set((kitchen / "images").rglob("*.jpg")) and len(found) == N


def test_detected_ingredients_have_no_amounts_and_heads_are_not_valid(kitchen):
    texts = {r["id"]: r for r in load(kitchen, "layer1.json")}
    invalid = 0
    for record in load(kitchen, "det_ingrs.json"):
        lines = [line["text"] for line in texts[record["id"]]["ingredients"]]
        names = [name["text"] for name in record["ingredients"]]
        assert len(lines) == len(names) == len(record["valid"])
        for line, name, valid in zip(lines, names, record["valid"], strict=True):
            if valid:
                assert line.endswith(name) and not name[0].isdigit()
            else:
                invalid += 1
                assert line.lower() == f"{name}:"
    assert invalid


def test_tags_are_a_table_as_of_food_com(kitchen):
    with (kitchen / "RAW_recipes.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert list(rows[0]) == ["id", "name", "tags"]
    assert [row["id"] for row in rows] == [r["id"] for r in load(kitchen, "layer1.json")]
    for row in rows:
        tags = ast.literal_eval(row["tags"])
        assert tags and all(re.fullmatch("[a-z0-9-]+", tag) for tag in tags)


def test_the_true_factors_are_levels_1_to_5(kitchen):
    with (kitchen / "factors.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    levels = np.array([[int(row[name]) for name in FACTOR_NAMES] for row in rows])
    assert np.array_equal(levels - 1, draw_factors(N, 1))
    about = load(kitchen, "factors.json")
    assert about["synthetic"] is True and about["n"] == N and about["seed"] == 1
    assert [factor["name"] for factor in about["factors"]] == list(FACTOR_NAMES)
    assert all(len(factor["levels"]) == 5 for factor in about["factors"])
    assert "synthetic" in (kitchen / "README.txt").read_text()


def test_no_two_dishes_are_equal(kitchen):
    recipes = load(kitchen, "layer1.json")
    assert len({r["id"] for r in recipes}) == N
    assert len({json.dumps([r["ingredients"], r["instructions"]]) for r in recipes}) == N
    assert len({path.read_bytes() for path in kitchen.rglob("*.jpg")}) == N


def test_a_smaller_kitchen_is_the_beginning_of_a_larger_one(kitchen, tmp_path):
    write_kitchen(tmp_path / "small", 5, 1)
    for name in ("layer1.json", "layer2.json", "det_ingrs.json"):
        assert load(tmp_path / "small", name) == load(kitchen, name)[:5]
    large = files_of(kitchen)
    for name, data in files_of(tmp_path / "small").items():
        if name.endswith(".jpg"):
            assert large[name] == data


def test_ids_never_repeat():
    for make in (recipe_id, image_id):
        assert len({make(0, i) for i in range(3000)}) == 3000
    names = [image_id(0, i) for i in range(3 * PER_FOLDER)]
    assert len({name[:4] for name in names}) == 3
    assert picture_path("val", "00a1xyz.jpg").as_posix() == "images/val/0/0/a/1/00a1xyz.jpg"


def test_a_killed_run_leaves_no_data_set_and_can_be_repeated(tmp_path):
    def kill(done, n):
        if done == 3:
            raise KeyboardInterrupt

    folder = tmp_path / "killed"
    with pytest.raises(KeyboardInterrupt):
        write_kitchen(folder, 6, 0, kill)
    assert not (folder / "layer1.json").exists() and list(folder.rglob("*.jpg"))
    with pytest.raises(ConfigError, match="unfinished kitchen of 6 dishes, seed 0"):
        write_kitchen(folder, 7, 0)
    write_kitchen(folder, 6, 0)
    write_kitchen(tmp_path / "whole", 6, 0)
    assert files_of(folder) == files_of(tmp_path / "whole")
    with pytest.raises(ConfigError, match="not empty"):
        write_kitchen(folder, 6, 0)


@pytest.mark.parametrize("n", [0, -1, MAX_DISHES + 1])
def test_a_number_out_of_range_is_refused(n, tmp_path):
    with pytest.raises(ConfigError, match="from 1 to"):
        write_kitchen(tmp_path / "k", n)
    assert not (tmp_path / "k").exists()


def test_other_folders_are_left_alone(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(ConfigError, match="not empty"):
        write_kitchen(tmp_path, 3)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
    with pytest.raises(ConfigError, match="is a file"):
        write_kitchen(tmp_path / "mine.txt", 3)
    with pytest.raises(DataError, match="cannot write the kitchen"):
        write_kitchen(tmp_path / "mine.txt" / "inner", 3)


def test_the_importer_reads_it(kitchen, tmp_path):
    from rivae.data.importing import ImportSettings, Recipe1MImport, run_import
    from rivae.data.store import PairStore

    settings = ImportSettings("kitchen", root=tmp_path, side=128, paper_filter=True)
    report = run_import(Recipe1MImport(kitchen, tags=kitchen / "RAW_recipes.csv"), settings)
    assert report.taken == N
    store = PairStore(settings.folder)
    assert len(store) == N
