from dataclasses import replace

import numpy as np
import pytest

from rivae.base.errors import ConfigError
from rivae.exploring.axes.placed import PlacedAxis
from rivae.exploring.explorer import Explorer
from rivae.exploring.placing import axis_names
from rivae.exploring.steering import (
    MAX_ROWS,
    SteerRow,
    base_point,
    cloud_counts,
    moved,
    row_relations,
    steer,
    steer_rows,
    steer_texts,
)
from rivae.jobs.launch import make_config
from rivae.models.registry import build_method
from rivae.runs import Run
from rivae.runs.added_axes import AddedAxis, AxisSpec


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


def added(number, reads, moves, offset=0.5):
    axis = AddedAxis(
        f"a{number}", f"name {number}", ("low", "high"), tuple(reads), offset, tuple(moves),
        AxisSpec("words", high="word"),
    )  # fmt: skip
    return PlacedAxis(axis, 0.3, 2.0, -5.0, 5.0, 0.2, ())


@pytest.fixture
def with_added(bars, monkeypatch):
    """Of ``bars``: a1 reads z1 + z2, a2 reads z1 and moves along it, and a3 says what a1 does."""
    eye = np.eye(bars.n_components)
    axes = [
        added(1, eye[0] + eye[1], 0.5 * (eye[0] + eye[1])),
        added(2, eye[0], eye[0]),
        added(3, 2 * (eye[0] + eye[1]), 0.25 * (eye[0] + eye[1]), 1.0),
    ]
    monkeypatch.setattr(type(bars), "added_axes", axes)
    return bars


def at(placed, z):
    """Where z lies on an added axis, in s.d. from the mean."""
    return (placed.axis.at(z) - placed.mean) / placed.std


def test_an_added_axis_alone_moves_along_its_own_direction(with_added):
    z = np.array([with_added.encode(i) for i in (3, 7)])
    out = moved(with_added, z, SteerRow(("a1",), ("on",)), 1.5)
    np.testing.assert_allclose(at(with_added.added_axes[0], out), 1.5)
    steps = out - z
    np.testing.assert_allclose(steps[:, 0], steps[:, 1])
    np.testing.assert_allclose(steps[:, 2:], 0, atol=1e-12)


def test_axes_of_z_and_added_ones_are_set_together_in_any_order(with_added):
    z = np.array([with_added.encode(3)])
    row = SteerRow((2, "a1", "a2"), ("off", 1.0, "on"))
    out = moved(with_added, z, row, 2.0)
    assert out[0, 2] == with_added.mean[2] - 2 * with_added.std[2], "z itself to the last bit"
    first, second, _ = with_added.added_axes
    np.testing.assert_allclose(at(first, out), 1.0)
    np.testing.assert_allclose(at(second, out), 2.0)
    np.testing.assert_allclose(out[0, 3:], z[0, 3:])
    turned = SteerRow(("a2", 2, "a1"), ("on", "off", 1.0))
    np.testing.assert_allclose(moved(with_added, z, turned, 2.0), out)
    stays = SteerRow((2, "a1", "a2"), ("query", "query", "query"))
    assert np.array_equal(moved(with_added, z, stays, 2.0), z)


def test_two_axes_that_say_the_same_meet_half_way_and_do_not_fly_off(with_added):
    z = np.array([with_added.encode(3)])
    out = moved(with_added, z, SteerRow(("a1", "a3"), (2.0, -2.0)), 1.0)
    # On a1 one wants to be at 0.3 + 2 * 2, the other, which reads twice that, at -1.85.
    assert -1.85 < with_added.added_axes[0].axis.at(out)[0] < 4.3


def test_words_of_an_added_axis_follow_its_reading(with_added):
    texts = steer_texts(with_added)
    own = row_relations(texts, SteerRow((0,), ("on",)), 2.0)
    assert own and row_relations(texts, SteerRow(("a2",), ("on",)), 2.0, with_added) == own
    with pytest.raises(ConfigError, match="explorer"):
        row_relations(texts, SteerRow(("a2",), ("on",)), 2.0)


def test_added_axes_have_names_in_titles_and_a_missing_one_is_a_sentence(with_added):
    names = axis_names(with_added)
    row = SteerRow((0, "a2"), ("query", "on"))
    assert row.turned(with_added.signs.tolist()).title(names) == "a2 · name 2 on"
    with pytest.raises(ConfigError, match="no added axis a9"):
        moved(with_added, with_added.mean[None], SteerRow(("a9",), ("on",)), 2.0)
    for wrong in ("b1", "a0", "a", True, -1):
        with pytest.raises(ConfigError, match="an axis of a row"):
            SteerRow((wrong,), ("on",))
