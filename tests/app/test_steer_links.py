import pytest

from rivae.app.panels.steer_link import SteerLink

FULL = SteerLink("a-run", 17, (2, 0), 4.5, (("off", "on"), ("query", -1.5), (0.0, 2.25)))


def test_a_link_comes_back():
    params = FULL.write()
    assert params == {
        "run": "a-run",
        "q": "17",
        "axes": "3~1",
        "n": "4.5",
        "m": "o_i~q_-1.5~0_2.25",
    }
    assert SteerLink.read(params) == (FULL, [])
    assert SteerLink("a").write() == {"run": "a"}
    assert SteerLink.read({}) == (SteerLink(), [])


@pytest.mark.parametrize(
    ("params", "dropped"),
    [
        ({"run": "../x"}, ["run"]),
        ({"q": "-1"}, ["q"]),
        ({"n": "0"}, ["n"]),
        ({"n": "11"}, ["n"]),
        ({"n": "1e1"}, ["n"]),
        ({"n": "nan"}, ["n"]),
        ({"axes": "0"}, ["axes"]),
        ({"axes": "1~1"}, ["axes"]),
        ({"axes": "1~2~3~4~5~6"}, ["axes"]),
        ({"axes": "1", "m": "x"}, ["m"]),
        ({"axes": "1", "m": "o_o"}, ["m"]),
        ({"axes": "1", "m": "10.5"}, ["m"]),
        ({"m": "o"}, ["m"]),
        ({"axes": "1", "m": "~".join("o" * 33)}, ["m"]),
        ({"m": "o" * 7000}, ["m"]),
    ],
)
def test_what_cannot_be_read_is_dropped_and_named(params, dropped):
    link, named = SteerLink.read(params)
    assert named == dropped
    assert link.n_sigma == SteerLink().n_sigma and len(link.axes) <= 5 and len(link.rows) <= 32


def test_rows_do_not_outlive_their_axes():
    link, dropped = SteerLink.read({"axes": "1~x", "m": "o~i"})
    assert link.axes == (0,) and link.rows == () and dropped == ["axes", "m"]


def test_added_axes_are_named_by_their_ids():
    link = SteerLink("a", 3, (0, "a2"), 2.0, (("on", "off"),))
    assert link.write() == {"run": "a", "q": "3", "axes": "1~a2", "m": "i_o"}
    assert SteerLink.read(link.write()) == (link, [])
    assert SteerLink.read({"axes": "a1~a1~a0~1"}) == (SteerLink(axes=("a1", 0)), ["axes"])
