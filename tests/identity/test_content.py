"""The content of an import is its identity: what is changed changes it, and nothing else does."""

import json
import random
import shutil
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rivae.data import load_dataset
from rivae.data.base import Recipe
from rivae.data.names import DATASETS
from rivae.data.registry import dataset_content
from rivae.data.store import FactorColumn, StoreItem, StoreWriter
from rivae.data.store.content import store_content
from rivae.data.store.manifest import MANIFEST, Manifest

COLUMNS = (FactorColumn(name="heat", kind="continuous"),)
WORDS = st.text(alphabet="abc é\"',[]|0", max_size=6)
ITEMS = st.lists(
    st.builds(
        lambda texts, tags, heat, picture, part: (texts, tags, heat, picture, part),
        st.tuples(WORDS, WORDS),
        st.lists(WORDS, max_size=2).map(tuple),
        st.sampled_from([0, 1, 2.5, -0.0, 1e300]),
        st.binary(min_size=1, max_size=5),
        st.sampled_from(["", "train", "test"]),
    ),
    min_size=1,
    max_size=7,
)


def item(i, drawn):
    texts, tags, heat, picture, part = drawn
    return StoreItem(
        Recipe(f"id{i}", texts[0], (texts[1],), (), tags), picture, part, {"heat": heat}
    )


def write(root, items, name="a", chunk=3, title="A"):
    """An import of such items."""
    writer = StoreWriter(root / name, {"of": name}, ("heat",), chunk_items=chunk)
    for i, one in enumerate(items):
        writer.add(item(i, one), i + 1)
    fields = {"name": name, "title": title, "created": "now", "picture_side": 32}
    return writer.finish({**fields, "factors": COLUMNS}, len(items))


def content(tmp_path_factory, *args, **kwargs):
    return Manifest.read(write(tmp_path_factory.mktemp("d"), *args, **kwargs)).content


@pytest.mark.slow
@given(items=ITEMS, chunk=st.integers(1, 8), draw=st.randoms(use_true_random=False))
def test_content_is_the_items_and_nothing_else(tmp_path_factory, items, chunk, draw):
    one = content(tmp_path_factory, items)
    assert len(one) == 32
    assert content(tmp_path_factory, items, name="b", chunk=chunk, title="other") == one
    i, part = draw.randrange(len(items)), draw.randrange(6)
    texts, tags, heat, picture, split = items[i]
    changed = list(items)
    changed[i] = (
        (texts[0] + "x" * (part == 0), texts[1] + "x" * (part == 1)),
        (*tags, "x") if part == 2 else tags,
        heat + 1 if part == 3 and heat < 1e9 else (0.5 if part == 3 else heat),
        picture + b"x" if part == 4 else picture,
        "validation" if part == 5 else split,
    )
    assert content(tmp_path_factory, changed) != one
    assert content(tmp_path_factory, [*items, items[0]]) != one
    if items[0] != items[-1]:
        assert content(tmp_path_factory, items[::-1]) != one


@pytest.mark.slow
@given(items=ITEMS)
def test_pictures_that_move_their_border_are_others(tmp_path_factory, items):
    """The same bytes in a row, cut elsewhere."""
    first, second = ((("a", "b"), (), 1, picture, "") for picture in (b"xy", b"z"))
    moved = [
        (*row[:3], picture, "") for row, picture in zip((first, second), (b"x", b"yz"), strict=True)
    ]
    assert content(tmp_path_factory, [first, second, *items]) != content(
        tmp_path_factory, [*moved, *items]
    )


def test_an_import_of_an_older_version_has_the_content_of_the_same_one_made_now(
    before, import_again
):
    old = before / "data" / "old"
    assert not Manifest.read(old).content
    computed = store_content(old)
    assert json.loads((old / "cache" / "content.json").read_text())["content"] == computed
    assert Manifest.read(import_again(name="new")).content == computed


def test_a_remembered_content_is_not_believed_of_another_import(before, import_again):
    old = before / "data" / "old"
    computed = store_content(old)
    other = import_again(lambda rows: rows[::-1], name="other")
    shutil.copytree(old / "cache", other / "cache", dirs_exist_ok=True)
    document = json.loads((other / MANIFEST).read_text())
    del document["content"]
    (other / MANIFEST).write_text(json.dumps(document))
    assert store_content(other) not in ("", computed)


def test_a_killed_import_that_resumes_has_the_content_of_one_in_one_go(tmp_path):
    draw = random.Random(0)
    items = [((f"t{i}", "x"), (), i, draw.randbytes(4), "") for i in range(9)]
    whole = Manifest.read(write(tmp_path / "whole", items)).content
    place = tmp_path / "killed" / "a"
    writer = StoreWriter(place, {"of": "a"}, ("heat",), chunk_items=3)
    for i in range(5):
        writer.add(item(i, items[i]), i + 1)
    writer.give_up(keep=True)
    writer = StoreWriter(place, {"of": "a"}, ("heat",), chunk_items=3)
    assert writer.n_items == 3
    for i in range(3, 9):
        writer.add(item(i, items[i]), i + 1)
    fields = {"name": "a", "title": "A", "created": "now", "picture_side": 32, "factors": COLUMNS}
    assert Manifest.read(writer.finish(fields, 9)).content == whole


@pytest.mark.parametrize("name", ["synth", "synth-modulated", "split-digits", "kitchen"])
def test_generated_data_know_their_version_without_being_made(name):
    data = load_dataset(name)
    assert data.content and data.content == dataset_content(name, {})
    assert load_dataset(name).fingerprint == data.fingerprint
    assert len(data.items_key) == len(data.fingerprint) == 16


def test_the_kitchen_that_comes_along_holds_what_its_manifest_says():
    from rivae.data.kitchens import kitchen_folder
    from rivae.data.store.content import read_content

    folder = kitchen_folder()
    manifest = Manifest.read(folder)
    assert manifest.content == read_content(folder, manifest.chunks, manifest.factors)


def test_a_generator_that_makes_other_items_makes_other_data(monkeypatch):
    one = load_dataset("synth", n_pairs=300)
    monkeypatch.setitem(DATASETS._parts, "synth", replace(DATASETS["synth"], version="2"))
    assert load_dataset("synth", n_pairs=300).fingerprint != one.fingerprint


def test_where_the_data_lie_does_not_count(before, import_again):
    import_again(name="second")
    one, other = (load_dataset("pairs", store=name, image_size=16) for name in ("old", "second"))
    assert one.fingerprint == other.fingerprint and one.items_key == other.items_key
    larger = load_dataset("pairs", store="old", image_size=24)
    assert larger.fingerprint != one.fingerprint and larger.items_key == one.items_key
    redrawn = load_dataset("pairs", store="old", image_size=16, split_seed=1)
    assert redrawn.items_key != one.items_key
