"""Recipe1M's published layout, on a small folder written here."""

from __future__ import annotations

import json
import zipfile

import numpy as np
import pytest

from rivae.base.errors import DataError
from rivae.data.importing import ImportSettings, Recipe1MImport, is_recipe1m, run_import
from rivae.data.importing.lines import LONG_LINES
from rivae.data.store import PairStore
from tests.importing.conftest import jpeg

N = 60


@pytest.fixture
def folder(tmp_path):
    """60 recipes in the layout; recipe 5 has no picture, 6 too many ingredients."""
    root = tmp_path / "recipe1m"
    texts, pictures, detected, factors = [], [], [], ["id,sweet"]
    for i in range(N):
        partition = ("train", "val", "test")[i % 3]
        n = 21 if i == 6 else 2
        texts.append(
            {
                "id": f"{i:010x}",
                "title": f"Dish {i}",
                "partition": partition,
                "ingredients": [{"text": f"{k} cups thing {k}"} for k in range(n)],
                "instructions": [{"text": "Mix."}, {"text": "Bake."}],
                "url": f"http://www.food.com/recipe/some-dish-{1000 + i}",
            }
        )
        detected.append(
            {
                "id": f"{i:010x}",
                "ingredients": [{"text": "salt"}, {"text": "???"}],
                "valid": [True, False],
            }
        )
        factors.append(f"{i:010x},{i % 5 + 1}")
        if i != 5:
            image = f"a{i:03d}bc.jpg"
            pictures.append({"id": f"{i:010x}", "images": [{"id": image, "url": "x"}]})
            place = root / "images" / partition / "/".join(image[:4])
            place.mkdir(parents=True, exist_ok=True)
            (place / image).write_bytes(jpeg(i))
    (root / "layer1.json").write_text(json.dumps(texts))
    (root / "layer2.json").write_text(json.dumps(pictures[::-1]))
    (root / "det_ingrs.json").write_text(json.dumps(detected))
    (root / "factors.csv").write_text("\n".join(factors))
    (root / "RAW_recipes.csv").write_text(
        "name,id,tags\n" + "\n".join(f"dish,{1000 + i},\"['soups', 'easy']\"" for i in range(N))
    )
    return root


def take(folder, root, tags=None, **options):
    settings = ImportSettings("r", root=root, paper_filter=True)
    return run_import(Recipe1MImport(folder, tags=tags), settings, **options)


def test_the_layout_is_read(folder, tmp_path):
    assert is_recipe1m(folder) and not is_recipe1m(tmp_path)
    report = take(folder, tmp_path / "data", folder / "RAW_recipes.csv")
    assert report.left_out == {
        "no picture listed": 1,
        "more than 20 ingredients (the paper's filter)": 1,
    }
    store = PairStore(tmp_path / "data" / "r")
    assert len(store) == N - 2
    recipe = store.recipe(0)
    assert recipe.ingredients == ("0 cups thing 0", "1 cups thing 1")
    assert recipe.instructions == ("Mix.", "Bake.") and recipe.tags == ("soups", "easy")
    assert store.ingredient_names(0) == ("salt",)
    assert store.column("partition")[:3] == ["train", "validation", "test"]
    assert store.manifest.factors[0].levels == ("1", "2", "3", "4", "5")
    np.testing.assert_array_equal(store.factors[:4, 0], [0, 1, 2, 3])


def test_pictures_are_tried_until_one_can_be_read(folder, tmp_path):
    pictures = json.loads((folder / "layer2.json").read_text())
    pictures[0]["images"] = [{"id": "../../x.jpg"}, {"id": "zzzzno.jpg"}, *pictures[0]["images"]]
    (folder / "layer2.json").write_text(json.dumps(pictures))
    report = take(folder, tmp_path / "data")
    assert report.taken == N - 2 and report.notes == {"a picture was passed over": 1}
    pictures[0]["images"] = pictures[0]["images"][:2]
    (folder / "layer2.json").write_text(json.dumps(pictures))
    report = take(folder, tmp_path / "other")
    assert report.left_out["picture file is missing"] == 1


@pytest.mark.parametrize("text", ['[{"id": "1", "title"', "no json", '{"id": 1}'])
def test_damaged_json_is_named_and_leaves_nothing(folder, tmp_path, text):
    (folder / "layer1.json").write_text(text)
    with pytest.raises(DataError, match=r"layer1\.json is not a sound JSON list|only 0 usable"):
        take(folder, tmp_path / "data")
    assert not (tmp_path / "data" / "r").exists()


def test_odd_records_are_left_out(folder, tmp_path):
    texts = json.loads((folder / "layer1.json").read_text())
    texts[0] = "no record"
    texts[1]["partition"] = "holdout"
    texts[2] |= {"title": None, "ingredients": None, "instructions": "?"}
    texts[3]["ingredients"] = [{"text": "x" * 6000}]
    (folder / "layer1.json").write_text(json.dumps(texts))
    report = take(folder, tmp_path / "data")
    assert report.left_out == {
        "recipe without an id": 1,
        "partition is none of train, val, test": 1,
        "text is empty": 1,
        "no picture listed": 1,
        "more than 20 ingredients (the paper's filter)": 1,
    }
    (split,) = report.notes.items()
    assert split == (f"column 'ingredients': {LONG_LINES}", 1)


def test_a_folder_of_another_kind_is_refused(tmp_path):
    with pytest.raises(DataError, match=r"needs layer1\.json and layer2\.json"):
        Recipe1MImport(tmp_path)


def test_pictures_are_told_by_their_whole_place(folder, tmp_path, monkeypatch):
    """In a folder at the published place only, which is not searched; in a zip below any folder."""
    from rivae.data.importing.picture_places import Folder

    monkeypatch.setattr(Folder, "paths", None)
    usual = take(folder, tmp_path / "data")
    with zipfile.ZipFile(tmp_path / "images.zip", "w") as packed:
        for path in (folder / "images").rglob("*.jpg"):
            packed.write(path, f"Recipe1M/{path.relative_to(folder)}")
    source = Recipe1MImport(folder, tmp_path / "images.zip")
    settings = ImportSettings("z", root=tmp_path / "data", paper_filter=True)
    assert run_import(source, settings).taken == usual.taken == N - 2
    stores = [PairStore(tmp_path / "data" / name) for name in "rz"]
    assert len({tuple(map(s.picture_bytes, range(N - 2))) for s in stores}) == 1


def test_tags_are_those_of_food_com_alone(folder, tmp_path):
    texts = json.loads((folder / "layer1.json").read_text())
    for i, site in enumerate(("http://seafood.com", "https://food.com", "http://www.food.com")):
        texts[i]["url"] = f"{site}/recipe/some-dish-{1000 + i}"
    (folder / "layer1.json").write_text(json.dumps(texts))
    take(folder, tmp_path / "data", folder / "RAW_recipes.csv")
    store = PairStore(tmp_path / "data" / "r")
    assert [bool(store.recipe(i).tags) for i in range(3)] == [False, True, True]
