"""Paths through z: straight or along the data, evenly spread, exactly over their way-points."""

import io

import numpy as np
import pytest
from PIL import Image

from rivae.base.errors import ConfigError
from rivae.exploring import paths
from rivae.exploring.explorer import Explorer
from rivae.exploring.paths import MAX_STEPS, MAX_STOPS, MIN_STEPS, _spread, _through, find_path
from rivae.figures.paths import FRAME_MS, SIDE, STOP_MS, path_strip, to_gif
from rivae.runs import DEMO_ROOT, Run


@pytest.fixture(scope="module")
def explorer():
    return Explorer.open(Run(DEMO_ROOT / "demo-kitchen"))


def stops_of(explorer, *places):
    return np.array([explorer.encode(int(explorer.search_rows[place])) for place in places])


@pytest.mark.parametrize("kind", ["straight", "along"])
@pytest.mark.parametrize("n", [MIN_STEPS, 24, MAX_STEPS])
def test_a_path_leads_exactly_over_its_way_points(explorer, kind, n):
    stops = stops_of(explorer, 0, 50, 51, 7)
    path = find_path(explorer, stops, n, kind)
    assert path.z.shape == (n, explorer.n_components) and path.ids.shape == (n,)
    assert path.stops[0] == 0 and path.stops[-1] == n - 1 and len(path.stops) == len(stops)
    assert np.diff(path.stops).min() >= 1 and not path.jumps
    assert np.array_equal(path.z[list(path.stops)], stops)
    for z, row in zip(path.z[::5], path.ids[::5], strict=True):
        assert explorer.topk(z, 1).ids[0] == row


def test_a_straight_path_is_even(explorer):
    a, b = stops_of(explorer, 0, 9)
    path = find_path(explorer, [a, b], 11)
    assert path.z == pytest.approx(a + np.linspace(0, 1, 11)[:, None] * (b - a))


def arc(n, start, end):
    turn = np.linspace(start, end, n)
    return np.column_stack([np.cos(turn), np.sin(turn)])


def test_along_the_data_a_path_keeps_to_the_sheet():
    ring = arc(400, 0, np.pi)
    legs, jumps = _through(ring[[0, -1]], ring.astype(np.float32), np.ones(2))
    z, at = _spread(legs, np.ones(2), 40)
    assert not jumps and at == (0, 39)
    assert np.abs(np.linalg.norm(z, axis=1) - 1).max() < 0.01, "not across the middle"
    gaps = np.linalg.norm(np.diff(z, axis=0), axis=1)
    assert gaps.max() < 1.3 * gaps.min()


def test_along_the_data_points_lie_nearer_to_items_than_on_a_line(explorer):
    stops, items = stops_of(explorer, 0, 50, 7), explorer.positions / explorer.std
    far = {}
    for kind in ("straight", "along"):
        z = find_path(explorer, stops, kind=kind).z / explorer.std
        far[kind] = np.linalg.norm(z[:, None] - items[None], axis=2).min(axis=1).mean()
    assert far["along"] < 0.7 * far["straight"]


def test_of_many_items_an_even_part_is_walked_on(explorer, monkeypatch):
    walked, through = [], paths._through
    n, stops = len(explorer.positions) // 3, stops_of(explorer, 0, 50)
    monkeypatch.setattr(paths, "MAX_ITEMS", n)
    monkeypatch.setattr(paths, "_through", lambda *args: walked.append(args[1]) or through(*args))
    path = find_path(explorer, stops, kind="along")
    places = [int((explorer.positions == z).all(axis=1).argmax()) for z in walked[0]]
    assert n / 2 < len(places) <= n and len(set(np.diff(places))) == 1
    assert places[0] < 5 and places[-1] > len(explorer.positions) - 5
    assert np.array_equal(path.z[[0, -1]], stops)


def test_where_no_items_lead_along_a_leg_is_straight():
    apart = np.concatenate([arc(60, 0, 1), arc(60, 0, 1) + 50]).astype(np.float32)
    stops = np.array([apart[0], apart[59], apart[60]], dtype=np.float64)
    legs, jumps = _through(stops, apart, np.ones(2))
    assert jumps == [1] and np.array_equal(legs[1], stops[1:]) and len(legs[0]) > 3


def test_equal_way_points_are_a_path_that_stays(explorer):
    stop = stops_of(explorer, 3, 3)
    for kind in ("straight", "along"):
        path = find_path(explorer, stop, MIN_STEPS, kind)
        assert (path.ids == path.ids[0]).all() and np.isfinite(path.z).all()


def test_bad_paths_are_refused(explorer):
    d = explorer.n_components
    for points in (np.zeros((1, d)), np.zeros((MAX_STOPS + 1, d)), np.zeros((2, d + 1)), [0.0]):
        with pytest.raises(ConfigError):
            find_path(explorer, points)
    with pytest.raises(ConfigError):
        find_path(explorer, np.full((2, d), np.nan))
    for n in (MIN_STEPS - 1, MAX_STEPS + 1):
        with pytest.raises(ConfigError):
            find_path(explorer, np.zeros((2, d)), n)


def test_a_strip_has_each_change_and_each_way_point(explorer):
    path = find_path(explorer, stops_of(explorer, 0, 50, 7), 48)
    strip = path_strip(path)
    points = (strip.values - 1).astype(int)
    assert set(path.stops) <= set(points.tolist())
    assert strip.ids[:, 0].tolist() == path.ids[points].tolist()
    kept = np.interp(np.arange(48), points, np.arange(len(points))).astype(int)
    assert (strip.ids[kept, 0] == path.ids).all(), "nothing between two points is another item"


def test_an_animation_stays_longer_at_way_points():
    colours = ["red", "green", "blue"]
    pictures = [Image.new("RGB", (40, 20), colour) for colour in colours]
    gif = Image.open(io.BytesIO(to_gif(pictures, (0, 2))))
    assert (gif.n_frames, gif.size, gif.info["loop"]) == (3, (SIDE, SIDE), 0)
    times, middles = [], []
    for frame in range(3):
        gif.seek(frame)
        times.append(gif.info["duration"])
        shown = gif.convert("RGB")
        middles.append(shown.getpixel((SIDE // 2, SIDE // 2)))
        assert shown.getpixel((2, 2)) == (255, 255, 255)
    assert times == [STOP_MS, FRAME_MS, STOP_MS] or times == [STOP_MS, FRAME_MS // 10 * 10, STOP_MS]
    assert middles == [(255, 0, 0), (0, 128, 0), (0, 0, 255)]
    with pytest.raises(ValueError, match="pictures"):
        to_gif([])
