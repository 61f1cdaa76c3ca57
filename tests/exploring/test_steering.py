from dataclasses import replace

import numpy as np
import pytest

from rivae.base.errors import ConfigError
from rivae.exploring.explorer import Explorer
from rivae.exploring.steering import (
    MAX_ROWS,
    SteerRow,
    base_point,
    cloud_counts,
    row_relations,
    steer,
    steer_rows,
    steer_texts,
)
from rivae.jobs.launch import make_config
from rivae.models.registry import build_method
from rivae.runs import Run


def opened(root, dataset, name, **settings):
    config = make_config(dataset, "rivae", name=name, dataset_settings=settings)
    run = Run.create(config, root)
    data, choice = run.load_dataset(), config.method
    run.write_model(build_method(choice.name, choice.settings, data.x1.shape, data.x2.shape))
    return Explorer.open(run)


@pytest.fixture(scope="module")
def synth(tmp_path_factory):
    return opened(tmp_path_factory.mktemp("steer"), "synth", "synth", n_pairs=300)


@pytest.fixture(scope="module")
def bars(tmp_path_factory, small_store):
    """Untrained, but with texts."""
    root = tmp_path_factory.mktemp("steer-bars")
    return opened(root, "pairs", "bars", store=str(small_store), image_size=16, max_words=50)


def test_all_combinations_of_two_and_three_axes():
    assert [row.levels for row in steer_rows([4, 1])] == [
        ("off", "off"),
        ("off", "on"),
        ("on", "off"),
        ("on", "on"),
    ]
    three = steer_rows([0, 1, 2])
    assert len({row.levels for row in three}) == 8 and {row.axes for row in three} == {(0, 1, 2)}
    assert len(steer_rows(range(5))) == MAX_ROWS


def test_a_free_matrix_and_how_it_reads():
    rows = steer_rows([2, 0], [["on", -1.5], ["query", "query"], [np.float32(0.1), "off"]])
    names = ["z1", "z2", "z3 · greenness"]
    assert rows[0].title(names) == "z3 · greenness on, z1 at −1.5 s.d."
    assert rows[1].title(names) == "the query itself"
    assert rows[2].levels == (0.1, "off")


@pytest.mark.parametrize(
    ("axes", "levels", "reason"),
    [
        ([], [[]], "1 to 5"),
        (range(6), None, "At most 5|at most 5"),
        ([1, 1], None, "different"),
        ([-1], [["on"]], "whole number"),
        ([0], [["on", "off"]], "as many levels"),
        ([0], [["maybe"]], "a level is"),
        ([0], [[11]], "a level"),
        ([0], [[float("nan")]], "level"),
        ([0], [[True]], "level"),
        ([0], [[None]], "level"),
        ([0], [], "1 to 32"),
        ([0], [["on"]] * 33, "1 to 32"),
        ([0.5], [["on"]], "whole number"),
    ],
)
def test_what_is_no_matrix_is_refused(axes, levels, reason):
    with pytest.raises(ConfigError, match=reason):
        steer_rows(axes, levels)


def test_rows_set_their_axes_and_nothing_else(synth):
    base = base_point(synth, 7)
    assert np.array_equal(base, synth.encode(7))
    assert np.array_equal(base_point(synth, "mean"), synth.mean)
    rows = steer_rows([1], [["on"], ["off"], ["query"], [0.5]])
    found = steer(synth, base, rows, 10.0, k=4)
    assert found.shape == (4, 4)
    for ids, value in zip(found, (10, -10, None, 0.5), strict=True):
        z = base.copy()
        if value is not None:
            z[1] = synth.mean[1] + value * synth.std[1]
        assert ids.tolist() == synth.topk(z, 4).ids.tolist()
    assert len({tuple(ids) for ids in found.tolist()}) > 1


def test_steering_is_bounded(synth):
    base = synth.mean
    with pytest.raises(ConfigError, match="no z9"):
        steer(synth, base, [SteerRow((8,), ("on",))], 2.0)
    for n_sigma in (0, -1, 10.5, float("nan")):
        with pytest.raises(ConfigError, match="n sigma"):
            steer(synth, base, steer_rows([0]), n_sigma)
    with pytest.raises(ConfigError, match="1 to 32"):
        steer(synth, base, [], 2.0)
    with pytest.raises(ConfigError, match="k must"):
        steer(synth, base, steer_rows([0]), 2.0, k=31)


def test_data_without_texts_has_no_clouds(synth):
    assert steer_texts(synth) is None


def test_a_cloud_counts_what_twenty_moved_queries_retrieve(bars):
    texts = steer_texts(bars)
    assert len(texts.sets) == len(bars.data) and len(texts.queries) == 20
    texts = replace(texts, everyday=frozenset({"dark paint"}))
    rows = steer_rows([0, 1])
    counts = cloud_counts(bars, texts, rows, 3.0, k=10)
    assert counts.states == ("row 1", "row 2", "row 3", "row 4")
    z = texts.queries.copy()
    z[:, 0], z[:, 1] = bars.mean[0] - 3 * bars.std[0], bars.mean[1] + 3 * bars.std[1]
    ids = {int(i) for point in z for i in bars.topk(point, 10).ids}
    assert counts.n_items[1] == len(ids)
    expected = [sum(w in texts.sets[i] for i in ids) for w in counts.words]
    assert counts.counts[1].tolist() == expected and max(expected) > 0
    assert "dark paint" not in counts.words


def test_words_relate_to_where_the_row_goes(bars):
    texts = steer_texts(bars)
    on, off = SteerRow((0, 1), ("on", "query")), SteerRow((0, 1), ("off", "query"))
    kinds, turned = row_relations(texts, on, 2.0), row_relations(texts, off, 2.0)
    swap = {"related": "opposite", "opposite": "related", "none": "none"}
    assert kinds and {w: swap[k] for w, k in kinds.items()} == turned
    assert row_relations(texts, SteerRow((0, 1), ("query", 0)), 2.0) == {}
