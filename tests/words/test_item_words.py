import numpy as np
import pytest

from rivae.base.errors import ConfigError, DataError
from rivae.data.sets.pairs import Settings, load
from rivae.exploring.explorer import Explorer
from rivae.exploring.words.clouds import axis_states
from rivae.exploring.words.item_words import has_texts, item_tags, item_words, items_with
from rivae.exploring.words.relations import (
    factor_table,
    factor_targets,
    related_words,
    tag_targets,
    target_values,
)
from rivae.models.registry import build_method


@pytest.fixture(scope="module")
def data(small_store):
    return load(Settings(store=str(small_store), image_size=16))


@pytest.fixture(scope="module")
def explorer(data):
    settings = {"n_components": 2, "dim_v": 8, "init": "none", "ivae_epochs": 0, "joint_epochs": 1}
    return Explorer(build_method("rivae", settings, data.x1.shape, data.x2.shape), data)


def test_words_are_read_once_and_kept(data, monkeypatch):
    first = item_words(data)
    assert first.kind == "ingredients" and len(first.sets) == 1200
    light = data.recipe(3).tags[0]
    assert f"{light} paint" in first.sets[3]
    kept = list((data.store.folder / "cache").glob("item-words-*.arrow"))
    assert len(kept) == 1
    reader = "rivae.exploring.words.item_words.names_as_written"
    monkeypatch.setattr(reader, lambda recipes, cache: 1 / 0)
    assert item_words(data) == first
    kept[0].write_bytes(kept[0].read_bytes()[:100])
    with pytest.raises(ZeroDivisionError):  # a damaged file is made anew
        item_words(data)


def test_tags_are_read_once_and_kept(data, monkeypatch):
    path = data.store.folder / "cache" / "item-tags.arrow"
    path.unlink(missing_ok=True)
    first = item_tags(data)
    assert [*first] == [tuple(data.recipe(i).tags) for i in range(len(data))]

    def never(name):
        raise LookupError

    monkeypatch.setattr(data.store, "item_sets", never)
    assert item_tags(data) == first
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(LookupError):  # a damaged file is made anew
        item_tags(data)
    path.unlink()
    monkeypatch.undo()
    assert item_tags(data) == first


def test_everyday_words(data):
    found = item_words(data)
    share = sum("grey paint" in words for words in found.sets) / 1200
    assert "grey paint" in found.everyday(share - 0.01)
    assert "grey paint" not in found.everyday(share + 0.01)


def test_items_without_texts():
    from rivae.data import load_dataset

    digits = load_dataset("split-digits")
    assert not has_texts(digits) and item_tags(digits) is None
    with pytest.raises(DataError, match="no texts"):
        item_words(digits)


def test_the_states_hold_what_the_search_finds_there(explorer):
    rows = explorer.search_rows[:5]
    states = axis_states(explorer.retriever, explorer.prior, 1, 2, rows, k=3)
    assert states.names == ("μ − 2σ", "μ", "μ + 2σ") and states.ids.shape == (5, 3, 3)
    assert states.values[2] == pytest.approx(explorer.prior.mean[1] + 2 * explorer.prior.std[1])
    z = explorer.encode(int(rows[4]))
    z[1] = states.values[0]
    assert states.ids[4, 0].tolist() == explorer.topk(z, 3).ids.tolist()
    for s, items in enumerate(states.by_name().values()):
        assert sorted(items) == np.unique(states.ids[:, s]).tolist()
        often = [int((states.ids[:, s] == i).sum()) for i in items]
        assert often == sorted(often, reverse=True)


@pytest.mark.parametrize(("dim", "n_sigma"), [(2, 1), (-1, 1), (0, 0), (0, float("nan"))])
def test_a_state_that_does_not_exist(explorer, dim, n_sigma):
    with pytest.raises(ConfigError):
        axis_states(explorer.retriever, explorer.prior, dim, n_sigma, explorer.search_rows[:2])


def test_words_relate_to_factors_and_tags(data):
    sets, tags = item_words(data).sets, item_tags(data)
    light = next(t for t in factor_targets(data) if t.key == "factor:light")
    found = related_words(sets, target_values(light, data))
    assert found["bright paint"] == "related" and found["dark paint"] == "opposite"
    assert found["top brush"] == "none"
    tag = next(t for t in tag_targets(tags) if t.label == "dim")
    found = related_words(sets, target_values(tag, data, tags))
    assert found["dim paint"] == "related" and found["dark paint"] == "opposite"
    assert "dim" not in [t.label for t in tag_targets(tags, ignored_tags=["dim"])]
    table, names = factor_table(data)
    assert table.shape == (1200, 2) and names == ("light", "place")


def test_an_unknown_relation_is_refused(data):
    from rivae.exploring.words.relations import Target

    for key in ("factor:mass", "tag:x", "axis"):
        with pytest.raises(ConfigError, match=r"has no .*: choose another relation"):
            target_values(Target(key, "mass", "factor"), data)


def test_items_that_have_a_word():
    assert items_with([("a",), ("a", "b"), ("b",)], "b", [2, 0, 1]) == [2, 1]
