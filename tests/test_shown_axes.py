"""An axis whose name falls as z grows is shown as −z, everywhere: right, on and high are more."""

import numpy as np
import pytest

from rivae.app.panels.steer_link import SteerLink
from rivae.app.steer.state import from_link
from rivae.exploring.axis_card import examples, factor_links
from rivae.exploring.comparison import axis_range, compare, strip_name
from rivae.exploring.explorer import Explorer
from rivae.exploring.sliders import axes_of
from rivae.exploring.steering import SteerRow, steer
from rivae.exploring.words.axis_names import change_names
from rivae.exploring.words.clouds import axis_states
from rivae.figures.comparison import factor_strips
from rivae.figures.steering import steering_sheet
from rivae.figures.traversals import plane_sheet, strips_of
from rivae.jobs.launch import make_config
from rivae.metrics.correlation import correlation_table
from rivae.models.registry import build_method
from rivae.retrieval.ranges import traversal_values
from rivae.retrieval.traversal import traverse, traverse_plane
from rivae.runs import Run
from rivae.runs.axis_names import AxisName

FALLS = AxisName(0, "light", -1, low="dark", high="bright")


@pytest.fixture(scope="module")
def bars(tmp_path_factory, small_store):
    """A run whose first axis is called light, which falls as z1 grows."""
    config = make_config(
        "pairs",
        "rivae",
        name="bars",
        dataset_settings={"store": str(small_store), "image_size": 16, "max_words": 50},
        method_settings={"n_components": 3},
    )
    run = Run.create(config, tmp_path_factory.mktemp("shown"))
    data, choice = run.load_dataset(), config.method
    run.write_model(build_method(choice.name, choice.settings, data.x1.shape, data.x2.shape))
    change_names(run, 3, {0: FALLS})
    return Explorer.open(run)


@pytest.fixture
def moved(bars):
    values, _ = traversal_values("data", bars.prior)
    return traverse(bars.retriever, bars.retriever.encode(bars.search_rows[:5])[0], values)


def test_names_signs_and_poles_agree(bars):
    assert bars.axis_names[:2] == ["−z1 · light", "z2"] and bars.signs.tolist() == [-1, 1, 1]
    first, second, _ = axes_of(bars)
    assert first["flipped"] and (first["left"], first["right"]) == ("dark", "bright")
    assert bars.known_names[0].poles == ("dark", "bright") and not second["flipped"]


def test_a_traversal_is_turned_on_that_axis_alone(bars, moved):
    shown = moved.turned(bars.signs)
    assert (shown.values[0] == -moved.values[0, ::-1]).all() and (np.diff(shown.values) > 0).all()
    assert (shown.ids[:, 0] == moved.ids[:, 0, ::-1]).all()
    assert (shown.ids[:, 1:] == moved.ids[:, 1:]).all() and shown.z_ref[0, 0] == -moved.z_ref[0, 0]
    assert moved.turned([1, 1, 1]) is moved
    strip = strips_of(shown, names=bars.axis_names, changes_only=False, max_points=None)[0]
    assert strip.name.startswith("−z1") and strip.ids[0, 0] == moved.ids[0, 0, -1, 0]
    data = bars.data
    raw, turned = (correlation_table(t, data.factors, data.factor_specs) for t in (moved, shown))
    assert np.allclose(turned.signed[0], -raw.signed[0]) and np.allclose(
        turned.signed[1], raw.signed[1]
    )


def test_a_plane_runs_from_little_to_much(bars):
    z, low, high = bars.mean, bars.mean - bars.std, bars.mean + bars.std
    a, b = (np.linspace(low[j], high[j], 3) for j in (0, 1))
    ids = traverse_plane(bars.retriever, z, 0, a, 1, b)
    sheet = plane_sheet(
        ids,
        a,
        b,
        lambda i: bars.data.picture(i, 2),
        names=("−z1", "z2"),
        reference=(float(a[2]), float(b[0])),
        signs=(-1, 1),
    )
    found = {(round(r["−z1"], 6), round(r["z2"], 6)): r["item"] for r in sheet.rows}
    assert found[round(-a[2], 6), round(b[0], 6)] == ids[2, 0, 0]
    assert sheet.rows[0]["−z1"] == -a[2], "the first column is the least"


def test_the_card_of_an_axis(bars):
    places = bars.positions[:, 0]
    assert (bars.shown_positions(0) == -places).all()
    lowest = examples(bars, 0, n=1)[0][0]
    assert places[bars.search_rows.tolist().index(lowest)] > np.median(places)
    for link in factor_links(bars, 0):
        k = [spec.name for spec in bars.data.factor_specs].index(link.name)
        raw = np.corrcoef(bars.data.factors[bars.search_rows, k], places)[0, 1]
        assert link.r == pytest.approx(-raw, abs=1e-6)


def test_clouds_run_from_little_to_much(bars):
    rows = bars.search_rows[:4]
    raw = axis_states(bars.retriever, bars.prior, 0, 2, rows)
    shown = axis_states(bars.retriever, bars.prior, 0, 2, rows, sign=-1)
    assert (shown.ids == raw.ids[:, ::-1]).all() and np.allclose(shown.values, -raw.values[::-1])


def test_steering_on_is_more(bars):
    row = SteerRow((1, 0), ("on", "on"))
    shown = row.turned(bars.signs.tolist())
    assert shown.levels == ("on", "off") and shown.turned(bars.signs.tolist()) == row
    assert SteerRow((0,), (1.5,)).turned([-1]).levels == (-1.5,)
    assert SteerRow((0,), ("query",)).turned([-1]).levels == ("query",)
    assert shown.title(bars.axis_names) == "z2 on, −z1 · light off"
    sheet = steering_sheet(
        [row],
        steer(bars, bars.mean, [row], 3.0),
        bars.axis_names,
        lambda i: bars.data.picture(i, 2),
        signs=bars.signs.tolist(),
    )
    assert sheet.rows[0]["−z1 · light"] == "off"
    state, _ = from_link(bars, "bars", SteerLink(axes=(0, 1)), 0)
    assert state.rows[0] == ("on", "off"), "the first row is off on both, as it is shown"


def test_a_run_compared_with_itself_moves_the_same_way(bars):
    both = compare([bars, bars])
    assert both.shown_sign(1, 0) == 1 and "(−)" not in strip_name(both, 1, 0, "again")
    strip, again = factor_strips(both, int(bars.search_rows[0]), 0)
    assert (strip.ids == again.ids).all()
    z, (low, high) = bars.encode(int(bars.search_rows[0])), axis_range(bars, 0)
    assert strip.values[0] == pytest.approx((z[0] - high) / (high - low)), "it begins dark"
    z[0] = high
    assert strip.ids[0, 0] == bars.topk(z, 1).ids[0]
