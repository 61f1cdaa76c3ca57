"""Traversals over added axes as well: values, items and numbers against a search of one's own."""

import shutil

import numpy as np
import pytest

from rivae.base.errors import ConfigError
from rivae.exploring.explorer import Explorer
from rivae.exploring.traversing import (
    axis_numbers,
    axis_values,
    place_on,
    traverse_axes,
    traverse_plane_of_axes,
)
from rivae.figures.traversals import strips_of
from rivae.runs import DEMO_ROOT, Run
from rivae.runs.added_axes import AddedAxis, AxisSpec, change_added, remove_added


def axis(number, rng, d):
    """An axis that is read along one direction and moves along another."""
    reads, moves = rng.normal(size=(2, d))
    return AddedAxis(
        f"a{number}", f"axis {number}", ("low", "high"), tuple(reads), float(rng.normal()),
        tuple(moves / (reads @ moves)), AxisSpec("words", high="high"),
    )  # fmt: skip


@pytest.fixture(scope="module")
def explorer(tmp_path_factory):
    """The digits with three drawn axes, the second of which was removed again."""
    folder = tmp_path_factory.mktemp("own") / "demo-digits"
    shutil.copytree(DEMO_ROOT / "demo-digits", folder)
    rng, run = np.random.default_rng(3), Run(folder)
    d = Explorer.open(run).n_components
    for number in (1, 2, 3):
        change_added(run, lambda known, new_id, n=number: new_id() and [*known, axis(n, rng, d)])
    remove_added(run, "a2")
    return Explorer.open(run)


def test_every_point_finds_what_a_search_at_its_place_finds(explorer):
    d, rng = explorer.n_components, np.random.default_rng(5)
    z = explorer.retriever.encode(explorer.search_rows[:3])[0]
    axes = ["a3", 4, "a1", 0]
    moved = traverse_axes(explorer, z, "prior", axes, k=3)
    assert moved.dims.tolist() == [d + 1, 4, d, 0] and moved.z_ref.shape == z.shape
    records = {place.axis.id: place.axis for place in explorer.added_axes}
    for _ in range(40):
        q, j, t = rng.integers(3), rng.integers(4), rng.integers(moved.values.shape[1])
        key, to, there = axes[j], moved.values[j, t], z[q].copy()
        if isinstance(key, int):
            there[key] = to
        else:
            record = records[key]
            there += (to - (np.dot(record.reads, there) + record.offset)) * np.array(record.moves)
            assert record.at(there[None])[0] == pytest.approx(to)
        assert explorer.topk(there, 3).ids.tolist() == moved.ids[q, j, t].tolist(), (key, to)


@pytest.mark.parametrize("axes", [("a3", 4), (2, "a1"), ("a1", "a3"), (1, 0)])
def test_every_point_of_a_plane_finds_what_a_search_there_finds(explorer, axes):
    rng, d = np.random.default_rng(11), explorer.n_components
    z = explorer.encode(int(explorer.search_rows[7])).astype(np.float64)
    values = rng.normal(size=4), rng.normal(size=3)
    ids = traverse_plane_of_axes(explorer, z, axes, *values, k=3)
    records = {place.axis.id: place.axis for place in explorer.added_axes}
    eye = np.eye(d)
    reads, moves, offsets = [], [], []
    for key in axes:
        record = records.get(key)
        reads.append(record.reads if record else eye[key])
        moves.append(record.moves if record else eye[key])
        offsets.append(record.offset if record else 0.0)
    for s, t in np.ndindex(4, 3):
        wanted = np.array([values[0][s], values[1][t]]) - offsets
        by = np.linalg.solve(np.array(reads) @ np.array(moves).T, wanted - np.array(reads) @ z)
        there = z + by @ np.array(moves)
        assert explorer.topk(there, 3).ids.tolist() == ids[s, t].tolist()
        read = [place_on(explorer, there, key) for key in axes]
        assert read == pytest.approx([values[0][s], values[1][t]])


@pytest.mark.parametrize("axes", [("a1", "a1"), ("a2", 0), (0, 99), (0,), (0, 1, 2)])
def test_what_is_no_plane_is_refused(explorer, axes):
    with pytest.raises(ConfigError):
        traverse_plane_of_axes(explorer, explorer.mean, axes, [0.0], [1.0])


def test_values_of_added_axes_lie_where_their_data_lie(explorer):
    places, d = explorer.added_axes, explorer.n_components
    for n, place in enumerate(places):
        data = axis_values(explorer, "data")[d + n]
        assert (data[0], data[-1]) == pytest.approx((place.low, place.high))
        wide = axis_values(explorer, "sigma")[d + n]
        assert (wide[-1] - wide[0]) / 20 == pytest.approx(place.std)
        assert axis_values(explorer, (-1.0, 2.0))[d + n][[0, -1]].tolist() == [-1.0, 2.0]
    latents = traverse_axes(explorer, explorer.mean)
    assert latents.dims.tolist() == list(range(d)), "those of z where none is named"


def test_strips_are_turned_where_an_axis_of_z_is_and_never_where_one_was_added(explorer):
    d = explorer.n_components
    moved = traverse_axes(explorer, explorer.mean, axes=[1, "a3"])
    signs = -np.ones(d, dtype=int)
    turned = moved.turned(signs)
    assert turned.values[0].tolist() == (-moved.values[0][::-1]).tolist()
    assert turned.values[1].tolist() == moved.values[1].tolist()
    assert turned.ids[:, 1].tolist() == moved.ids[:, 1].tolist()
    names = [f"z{j}" for j in range(d)] + ["first", "third"]
    assert [strip.name for strip in strips_of(turned, names=names)] == ["z1", "third"]


def test_an_axis_that_is_gone_is_named(explorer):
    with pytest.raises(ConfigError, match="no added axis a2: choose other axes"):
        axis_numbers(explorer, [0, "a2"])
