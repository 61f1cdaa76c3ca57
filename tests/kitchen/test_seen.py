"""Texts of rendered dishes name the kinds in their pictures, and no others."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from rivae.base.errors import ConfigError
from rivae.data.food_factors import FACTOR_NAMES
from rivae.data.kitchen import make_dish, seen, write, write_kitchen
from rivae.data.kitchen.layout import rendered_path
from rivae.data.kitchen.pantry import COUNTED, SHELVES, SPARING, STAPLES
from rivae.data.kitchen.serving import WATER, Serving, serve

N = 30  # the fewest that can be imported
KIND_OF = {name: kind for kind, names in seen.NAMES.items() for name in names}


def dishes(n: int, seed: int) -> list:
    rng = np.random.default_rng(seed)
    return [make_dish(int(rng.integers(1000)), int(rng.integers(10_000))) for _ in range(n)]


def kinds_shown(dish, serving: Serving) -> dict[str, set[str]]:
    """By factor, the kinds that its level shows."""
    kinds = {
        "wateriness": {serving.liquid, WATER},
        "greenness": {serving.leaf},
        "stickiness": {serving.syrup},
        "baked": set(serving.baked),
        "grains": {serving.grain},
        "fruit": set(serving.fruits),
    }
    shown = {name: those for name, those in kinds.items() if dish.code(name)}
    base = {serving.base} if dish.code("wateriness") < 4 else set()
    return {**shown, "dessert": base | set(serving.toppings)}


def test_a_name_is_of_one_kind_only() -> None:
    names = [name for each in seen.NAMES.values() for name in each]
    assert len(names) == len(set(names)) and not set(names) & set(STAPLES)
    usual = {each[0] for each in seen.NAMES.values()}
    assert usual >= seen.BY_NUMBER and usual & SPARING and usual & COUNTED


def test_what_is_named_is_what_is_seen() -> None:
    for dish in dishes(300, 1):
        serving = serve(dish)
        shown = kinds_shown(dish, serving)
        named = {
            KIND_OF[name]
            for name in write(dish, serving=serving).names
            if name and name not in STAPLES
        }
        assert named <= set().union(*shown.values())
        for factor in SHELVES:
            assert bool(named & shown.get(factor, set())) == bool(dish.code(factor)), factor


def test_every_kind_is_named_in_some_dish() -> None:
    found: set[str] = set()
    for dish in dishes(600, 2):
        found |= set(write(dish, serving=serve(dish)).names)
    assert found >= set(KIND_OF)


@pytest.mark.slow
def test_more_of_a_factor_is_more_lines_of_it() -> None:
    for factor in SHELVES:
        lines = np.zeros(5)
        for dish in dishes(40, 3):
            for level in range(5):
                other = dish.with_codes(**{factor: level})
                serving = serve(other)
                names = write(other, serving=serving).names
                kinds = kinds_shown(other, serving).get(factor, set())
                lines[level] += sum(KIND_OF.get(name) in kinds for name in names)
        assert lines[0] == 0 and np.all(np.diff(lines) >= 0) and lines[4] > lines[1], factor


def test_recipes_keep_their_size_and_have_no_gaps() -> None:
    for dish in dishes(300, 4):
        recipe = write(dish, serving=serve(dish)).recipe
        assert 1 <= len(recipe.ingredients) <= 20 and 1 <= len(recipe.instructions) <= 20
        for part in (recipe.title, *recipe.ingredients, *recipe.instructions):
            assert part == part.strip() and "  " not in part and "{" not in part


def test_a_text_without_a_picture_s_kinds_stays_as_it_was() -> None:
    names = {name for shelf in SHELVES.values() for name in shelf.all}
    told = {name for dish in dishes(60, 5) for name in write(dish).names}
    assert len(told & names) > 100


@pytest.fixture
def pictures(tmp_path):
    rng = np.random.default_rng(6)
    folder = tmp_path / "rendered"
    folder.mkdir()
    for i in range(N):
        pixels = rng.integers(0, 255, (192, 192, 3), dtype=np.uint8)
        Image.fromarray(pixels).save(rendered_path(folder, i), "WEBP")
    return folder


def test_a_kitchen_takes_rendered_pictures_as_they_are(pictures, tmp_path) -> None:
    from rivae.cli.demo import make_kitchen
    from rivae.data.store import PairStore

    store = PairStore(make_kitchen(tmp_path / "made", N, pictures))
    assert store.manifest.picture_side == 192 and store.manifest.synthetic
    for i in range(N):
        dish = make_dish(0, i)
        assert store.picture_bytes(i) == rendered_path(pictures, i).read_bytes()
        served = write(dish, store.recipe(i).id, store.recipe(i).url, serve(dish))
        assert store.recipe(i) == served.recipe
        assert tuple(int(v) for v in store.factors[i]) == dish.codes
    assert [f.name for f in store.manifest.factors] == list(FACTOR_NAMES)


def test_pictures_that_are_missing_are_counted(pictures, tmp_path) -> None:
    rendered_path(pictures, 2).unlink()
    rendered_path(pictures, 4).unlink()
    with pytest.raises(ConfigError, match=r"2 of 30 .*00002\.webp"):
        write_kitchen(tmp_path / "k", N, pictures=pictures)
    assert not (tmp_path / "k").exists()
