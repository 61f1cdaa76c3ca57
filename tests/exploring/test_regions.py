"""What lies where on a map: planted words are found, chance has no name."""

import numpy as np
import pytest

from rivae.base.errors import ConfigError, DataError
from rivae.exploring import layouts, regions
from rivae.exploring.explorer import Explorer
from rivae.exploring.regions import for_map, named_regions
from rivae.jobs.launch import train
from rivae.runs import DEMO_ROOT, Run
from tests.training.tiny import tiny_config

SEEDS = range(6)
HOSTILE = "<img src=x onerror=alert(1)>"


def world(rng, n_groups=6, n_each=150, planted="planted {}"):
    """Groups of points far apart, each with a word of its own among words of everybody."""
    middles = np.array([[np.cos(a), np.sin(a)] for a in 2 * np.pi * np.arange(n_groups) / n_groups])
    group = rng.permutation(np.repeat(np.arange(n_groups), n_each))
    places = 0.5 + 0.4 * middles[group] + 0.02 * rng.standard_normal((len(group), 2))
    common = [f"word {w}" for w in range(60)]
    often = rng.dirichlet(np.ones(len(common)))
    sets = []
    for g in group:
        some = rng.choice(common, 8, replace=False, p=often)
        own = [planted.format(g)] if rng.random() < 0.6 else []
        sets.append((*some, *own))
    return places.clip(0, 1), sets, group, middles


@pytest.mark.parametrize("seed", SEEDS)
def test_planted_words_name_the_places_where_they_were_planted(seed):
    rng = np.random.default_rng(seed)
    places, sets, _, middles = world(rng)
    found = [one for one in regions.regions(places, sets) if one.level == 0]
    assert len(found) == len(middles)
    for region in found:
        near = ((0.5 + 0.4 * middles - [region.x, region.y]) ** 2).sum(axis=1).argmin()
        term = region.terms[0]
        assert term.term == f"planted {near}"
        inside = [s for p, s in zip(places, sets, strict=True) if _is_near(p, middles[near])]
        assert term.here == sum(term.term in s for s in inside) and term.elsewhere == 0
        assert region.n == len(inside) and region.n + region.others == len(sets)
    order = regions.regions(places, sets)
    assert order == regions.regions(places.copy(), [list(one) for one in sets])


def _is_near(place, middle):
    return ((place - 0.5 - 0.4 * middle) ** 2).sum() < 0.04


@pytest.mark.slow
def test_words_that_lie_anywhere_name_nothing():
    named = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        places, sets, _, _ = world(rng)
        mixed = [sets[i] for i in rng.permutation(len(sets))]
        named += any(one.terms for one in regions.regions(places, mixed))
    assert named <= 1, "chance names a map once in a hundred"


def test_an_everyday_word_and_a_rare_one_name_nothing():
    rng = np.random.default_rng(0)
    places, sets, group, _ = world(rng)
    first = np.flatnonzero(group == 0)
    sets = [("salt", *one) for one in sets]
    for i in first[: regions.MIN_WITH - 1]:
        sets[i] = (*sets[i], "saffron")
    found = regions.regions(places, sets)
    assert not {term.term for one in found for term in one.terms} & {"salt", "saffron"}


def test_near_regions_say_more_than_those_around_them():
    rng = np.random.default_rng(1)
    places, sets, group, middles = world(rng, n_each=400)
    offsets = places - (0.5 + 0.4 * middles[group])
    sets = [
        (*one, *(["inner"] if g == 0 and off[0] > 0 else []))
        for one, g, off in zip(sets, group, offsets, strict=True)
    ]
    inner = [one for one in regions.regions(places, sets) if one.level and one.terms]
    firsts = {one.terms[0].term for one in inner}
    assert "inner" in firsts, "what is new comes before what the region around is named after"


def test_a_name_is_plain_text_whatever_the_word():
    rng = np.random.default_rng(2)
    places, sets, _, _ = world(rng, planted=HOSTILE + " {}")
    names = [one["name"] for one in for_map(regions.regions(places, sets))]
    assert names and any(HOSTILE in name for name in names)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 19, 45])
def test_few_or_equal_points_are_no_trouble(n):
    sets = [("salt", f"w{i % 3}") for i in range(n)]
    rng = np.random.default_rng(n)
    for places in (np.zeros((n, 2)), rng.uniform(size=(n, 2))):
        for one in regions.regions(places, sets):
            assert 0 <= one.x <= 1 and 0 <= one.y <= 1 and not one.terms
    assert not any(one.terms for one in regions.regions(np.zeros((n, 2)), [()] * n))
    with pytest.raises(DataError):
        regions.regions(np.zeros((n + 1, 2)), sets)


def test_of_many_items_an_even_part_is_read(monkeypatch):
    monkeypatch.setattr(regions, "MAX_READ", 500)
    rng = np.random.default_rng(3)
    places, sets, _, _ = world(rng, n_each=400)
    found = [one for one in regions.regions(places, sets) if one.level == 0]
    assert all(one.n + one.others <= 500 for one in found)
    assert {one.terms[0].term for one in found} == {f"planted {g}" for g in range(6)}


def test_the_kitchen_is_named_by_tags_and_words_that_are_there_more_often():
    explorer = Explorer.open(Run(DEMO_ROOT / "demo-kitchen"))
    found = named_regions(explorer, "axis-0", "axis-1")
    named = [one for one in found if one.terms]
    assert named
    for term in (term for one in named for term in one.terms):
        assert term.z > 3 and term.here >= regions.MIN_WITH
    with pytest.raises(ConfigError):
        named_regions(explorer, "axis-0", "axis-99")


@pytest.mark.slow
def test_digits_without_texts_are_named_by_their_classes_and_kept_with_the_layout(tmp_path):
    pytest.importorskip("pacmap", reason="the extra 'app' is missing")
    config = tiny_config("named", dataset="split-digits")
    explorer = Explorer.open(train([config], tmp_path)[0])
    with pytest.raises(ConfigError):
        named_regions(explorer, "layout-0", "layout-1")
    layouts.make_layout(explorer, lambda stage, share: None)
    made = named_regions(explorer, "layout-0", "layout-1")
    assert {term.term for one in made for term in one.terms} <= set("0123456789")
    (file,) = explorer.run.path.glob("cache/layout-*.names.json")
    content = file.read_bytes()
    for damage in (b"", b"junk", content[:50], b'{"regions": [{"level": "0"}]}'):
        file.write_bytes(damage)
        assert named_regions(explorer, "layout-0", "layout-1") == made
        assert file.read_bytes() == content
    assert named_regions(Explorer.open(explorer.run), "layout-0", "layout-1") == made
