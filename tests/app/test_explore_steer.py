import numpy as np
import pytest

from rivae.app.explore import state as explore
from rivae.app.explore.panels import to_steer
from rivae.app.panels.links import ExploreLink
from rivae.app.panels.steer_link import SteerLink
from rivae.exploring.explorer import Explorer
from rivae.exploring.steering import MAX_LEVEL
from rivae.runs import DEMO_ROOT, find_run


@pytest.fixture(scope="module")
def digits():
    """The demo of digits: more axes than Steer takes at once."""
    return Explorer.open(find_run("demo-digits", [DEMO_ROOT]))


@pytest.fixture
def start(digits):
    row = int(digits.search_rows[3])
    return explore.from_link(digits, "digits", ExploreLink(query=row, k=7), rev=0)[0]


def moved(digits, state, **by):
    """``state`` with the named axes at so many s.d. from the mean."""
    z = np.array(state.z)
    for name, level in by.items():
        j = int(name[1:]) - 1
        z[j] = digits.mean[j] + level * digits.std[j]
    return explore.with_z(state, z)


def test_moved_axes_become_a_row_beside_the_query(digits, start):
    link = to_steer(digits, moved(digits, start, z4=2.5, z2=-8.0))
    assert (link.run, link.query, link.axes) == ("digits", start.query, (1, 3))
    assert link.rows[0] == ("query", "query")
    assert link.rows[1] == pytest.approx((-8.0, 2.5), abs=0.02)


def test_nothing_moved_leaves_the_axes_to_steer(digits, start):
    link = to_steer(digits, start)
    assert link.axes == () and link.rows == () and link.query == start.query


def test_of_many_moved_axes_the_five_that_went_furthest(digits, start):
    far = {f"z{j}": 9.0 + 0.1 * j for j in (1, 3, 4, 6, 8)}
    near = {
        name: (start.z[j] - digits.mean[j]) / digits.std[j] + 0.3
        for j, name in ((1, "z2"), (4, "z5"))
    }
    assert to_steer(digits, moved(digits, start, **far, **near)).axes == (0, 2, 3, 5, 7)


def test_beyond_what_steer_takes_a_level_stops_at_its_end(digits, start):
    link = to_steer(digits, moved(digits, start, z1=30.0, z2=-30.0))
    assert link.rows[1] == (MAX_LEVEL, -MAX_LEVEL)
    assert SteerLink.read(link.write()) == (link, [])
