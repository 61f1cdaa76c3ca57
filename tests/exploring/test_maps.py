"""The columns of the map: where items lie, and which of them a lasso holds."""

import numpy as np
import pytest

from rivae.base.errors import ConfigError
from rivae.exploring import maps
from rivae.exploring.catalogue import N_TAGS
from rivae.exploring.explorer import Explorer
from rivae.exploring.maps import (
    ITEMS,
    MAX_CORNERS,
    STEPS,
    UNKNOWN,
    Lasso,
    among,
    codes,
    columns,
    in_polygon,
)
from rivae.jobs.launch import train
from rivae.runs import DEMO_ROOT, Run
from rivae.runs.added_axes import AddedAxis, AxisSpec, change_added, remove_added
from tests.training.tiny import tiny_config

pytestmark = pytest.mark.xdist_group("exploring maps")  # its runs are trained once

ALL = ((-0.1, -0.1), (1.1, -0.1), (1.1, 1.1), (-0.1, 1.1))


@pytest.fixture(scope="module")
def explorer(tmp_path_factory):
    root = tmp_path_factory.mktemp("runs")
    return Explorer.open(train([tiny_config("map", dataset="split-digits")], root)[0])


def test_a_column_of_an_axis_holds_every_items_own_z(explorer):
    about = {column.key: column for column in columns(explorer)}
    for j in range(explorer.n_components):
        column = about[f"axis-{j}"]
        z = np.array([explorer.encode(int(row))[j] for row in explorer.search_rows[:5]])
        found = column.low + codes(explorer, column.key)[:5] / STEPS * (column.high - column.low)
        assert found == pytest.approx(z, abs=(column.high - column.low) / STEPS + 1e-4)
    assert codes(explorer, ITEMS).tolist() == explorer.search_rows.tolist()


def test_added_axes_are_columns_as_long_as_they_are_there(explorer):
    rng, before = np.random.default_rng(2), columns(explorer)
    reads = rng.normal(size=explorer.n_components)
    axis = AddedAxis(
        "a1", "drawn", ("low", "high"), tuple(reads), 0.7,
        tuple(reads / (reads @ reads)), AxisSpec("words", high="high"),
    )  # fmt: skip
    change_added(explorer.run, lambda known, new_id: new_id() and [*known, axis])
    column = next(column for column in columns(explorer) if column.key == "axis-a1")
    places = explorer.positions.astype(np.float64) @ reads + 0.7
    assert (column.low, column.high) == pytest.approx((places.min(), places.max()), abs=1e-4)
    found = column.low + codes(explorer, "axis-a1") / STEPS * (column.high - column.low)
    assert found == pytest.approx(places, abs=(column.high - column.low) / STEPS + 1e-4)
    middle = float(np.median(places) - column.low) / (column.high - column.low)
    half = ((-0.1, -0.1), (middle, -0.1), (middle, 1.1), (-0.1, 1.1))
    inside = Lasso("axis-a1", "axis-0", half).inside(explorer)
    wanted = explorer.search_rows[places < np.median(places)]
    assert len(np.setxor1d(inside, wanted)) <= 1, "but for the one on the line"
    remove_added(explorer.run, "a1")
    assert columns(explorer) == before
    with pytest.raises(ConfigError, match="axis-0"):
        Lasso("axis-a1", "axis-2", ALL).inside(explorer)


def test_classes_keep_their_codes_and_what_is_unknown_is_marked(explorer, monkeypatch):
    column = next(c for c in columns(explorer) if c.kind == "class")
    assert column.levels == tuple("0123456789")
    truth = explorer.data.factors[explorer.search_rows, 0]
    assert codes(explorer, column.key).tolist() == truth.tolist()
    gaps = explorer.data.factors.copy()
    gaps[explorer.search_rows[0], 0] = np.nan
    monkeypatch.setattr(explorer.data, "factors", gaps)
    maps._codes.cache_clear()  # data never change while they are open
    assert codes(explorer, column.key)[0] == UNKNOWN


@pytest.mark.parametrize("key", ["axis-99", "factor-7", "axis-", "axis--1", "", "../x", "axis-0 "])
def test_other_columns_are_refused(explorer, key):
    with pytest.raises(ConfigError, match="axis-0"):
        codes(explorer, key)


@pytest.mark.slow
def test_colours_of_splits_ranks_and_tags(explorer):
    found = Explorer(explorer.method, explorer.data, rows="all")
    about = {column.key: column for column in columns(found)}
    parts = np.array(about["split"].levels)[codes(found, "split")]
    for name, rows in explorer.data.splits.items():
        assert (parts[np.isin(found.search_rows, rows)] == name).all()
    assert "split" not in {column.key for column in columns(explorer)}
    n = len(explorer.search_rows)
    ranks = np.exp(codes(explorer, "rank") / STEPS * np.log(n))
    assert ranks == pytest.approx(explorer.retriever.true_ranks(explorer.search_rows), rel=1e-3)
    assert not explorer.common_tags
    kitchen = Explorer.open(Run(DEMO_ROOT / "demo-kitchen"))
    tags = [column for column in columns(kitchen) if column.group == "tag"]
    assert len(tags) == N_TAGS
    for t, column in enumerate(tags):
        has = [column.label in kitchen.data.recipe(int(i)).tags for i in kitchen.search_rows]
        assert 0 < sum(has) < len(has) and codes(kitchen, f"tag-{t}").tolist() == has


def test_a_polygon_may_be_bent_inwards():
    arrow = np.array([(0, 0), (1, 1), (2, 0), (1, 3)], dtype=np.float32)
    x, y = np.array([[1, 1], [1, 0.5], [0.2, 0.25], [5, 1]], dtype=np.float32).T
    assert in_polygon(x + 0.001, y + 0.001, arrow).tolist() == [True, False, True, False]


def test_words_narrow_the_search_exactly_and_with_a_lasso(explorer):
    words = explorer.title(int(explorer.search_rows[0])).lower().split()
    word = min(words, key=lambda each: len(explorer.find(each)))
    rows = explorer.find(word)
    assert 0 < len(rows) < len(explorer.search_rows)
    z = explorer.encode(int(explorer.search_rows[5]))
    whole = explorer.topk(z, 30).ids
    found = explorer.topk(z, 5, among(explorer, None, word)).ids
    first = [i for i in whole if i in rows]
    assert found.tolist()[: len(first)] == first[:5] and set(found) <= set(rows.tolist())
    both = among(explorer, Lasso("axis-0", "axis-1", ALL), word)
    assert sorted(both.ids) == sorted(rows)
    assert among(explorer, None, "no item has this word") is None


def test_a_lasso_searches_among_its_items_exactly(explorer):
    half = ((-0.1, -0.1), (0.5, -0.1), (0.5, 1.1), (-0.1, 1.1))
    lasso = Lasso("axis-0", "axis-1", half)
    rows = lasso.inside(explorer)
    left = codes(explorer, "axis-0") / STEPS < 0.5
    assert rows.tolist() == explorer.search_rows[left].tolist()
    z = explorer.encode(int(explorer.search_rows[0]))
    found = explorer.topk(z, 5, among(explorer, lasso)).ids
    everything = explorer.topk(z, 30).ids
    assert found.tolist()[:2] == [i for i in everything if i in set(rows)][:2]
    assert set(found) <= set(rows)
    assert (
        explorer.topk(z, 5, among(explorer, Lasso("axis-0", "axis-1", ALL))).ids.tolist()
        == everything[:5].tolist()
    )


def test_an_empty_lasso_finds_nothing_and_a_bad_one_is_told(explorer):
    nowhere = ((1.2, 1.2), (1.3, 1.2), (1.3, 1.3))
    assert among(explorer, Lasso("axis-0", "axis-1", nowhere)) is None
    for corners in ((), ALL[:2], ALL * MAX_CORNERS):
        with pytest.raises(ConfigError, match=str(MAX_CORNERS)):
            Lasso("axis-0", "axis-1", corners).inside(explorer)
    with pytest.raises(ConfigError):
        Lasso("axis-0", "axis-99", ALL).inside(explorer)
