"""z is checked once, where it comes in: each door refuses a bad one in its one sentence."""

import re
from types import SimpleNamespace

import numpy as np
import pytest

from rivae.app.panels.answers import answer
from rivae.app.panels.questions import Z_LIMIT, read_z
from rivae.base.arrays import checked_z
from rivae.base.errors import ConfigError, DataError
from rivae.exploring.explorer import Explorer
from rivae.retrieval.exact_path import exact_paths
from rivae.retrieval.traversal import traverse, traverse_plane

D = 10
# what a library is given, and what it says
BAD = {
    "short": ([0.0] * 3, "z must hold 10 numbers, got an array of shape (3,)"),
    "NaN": ([np.nan] + [0.0] * 9, "z must hold finite numbers only"),
    "infinite": ([0.0] * 9 + [np.inf], "z must hold finite numbers only"),
    "text": (["1"] * D, "z must hold numbers only"),
    "truth": ([True] * D, "z must hold numbers only"),
    "masked": (np.ma.masked_array(np.zeros(D), [True] + [False] * 9), "z is a masked array"),
    "huge": ([1e13] + [0.0] * 9, "z must hold numbers of at most 1e+12 in size"),
}
# what a browser sends, and what it is told
SENT = {
    "missing": (None, f"'z' must be {Z_LIMIT}"),
    "short": ([0] * 3, "'z' must hold 10 numbers, got 3"),
    "long": ([0] * 10_000, f"'z' must be {Z_LIMIT}"),
    "NaN": ([float("nan")] + [0] * 9, f"'z' must be {Z_LIMIT}"),
    "infinite": ([float("inf")] + [0] * 9, f"'z' must be {Z_LIMIT}"),
    "text": (["1"] * D, f"'z' must be {Z_LIMIT}"),
    "truth": ([True] * D, f"'z' must be {Z_LIMIT}"),
    "huge": ([10**400] + [0] * 9, f"'z' must be {Z_LIMIT}"),
}


@pytest.fixture(scope="module")
def run():
    import rivae

    return rivae.load_run("demo-digits")


@pytest.mark.parametrize("bad", BAD)
def test_a_library_call_refuses_a_bad_z(run, bad):
    z, said = BAD[bad]
    explorer, retriever = run.explorer, run.explorer.retriever
    doors = {
        "run.topk": (DataError, lambda: run.topk(z, 3)),
        "run.traverse": (DataError, lambda: run.traverse(z, over=(-1, 1), dims=[0])),
        "topk": (ConfigError, lambda: explorer.topk(z, 3)),
        "far": (ConfigError, lambda: explorer.far(z)),
        "traverse": (DataError, lambda: traverse(retriever, z, [0.0, 1.0])),
        "plane": (DataError, lambda: traverse_plane(retriever, z, 0, [0.0], 1, [0.0])),
        "paths": (DataError, lambda: exact_paths(retriever, z, [0], -1.0, 1.0)),
    }
    for name, (kind, call) in doors.items():
        with pytest.raises(kind, match=f"^{re.escape(said)}") as refusal:
            call()
        assert "\n" not in str(refusal.value), name


@pytest.mark.parametrize("bad", SENT)
def test_the_web_refuses_a_bad_z(run, bad):
    z, said = SENT[bad]
    question = {"run": "demo-digits", "z": z, "k": 3, "side": 2, "seq": 0}
    explorer = SimpleNamespace(n_components=D)  # nothing behind the door is asked
    for call in (lambda: answer(question, lambda *_: explorer), lambda: read_z(z, D)):
        with pytest.raises(ConfigError, match=f"^{re.escape(said)}$"):
            call()


def test_several_points_pass_where_several_are_searched_and_one_where_one_is(run):
    z = np.zeros((2, D))
    assert run.topk(z, 3).ids.shape == (2, 3)
    with pytest.raises(ConfigError, match="must hold 10 numbers"):
        run.explorer.topk(z, 3)
    assert checked_z(z[0], D).shape == (1, D)


def test_a_model_whose_weights_are_not_finite_is_not_searched(run):
    method = run.explorer.method
    weight = next(method.decoder.parameters())
    held = weight.detach().clone()
    try:
        weight.data[0] = float("nan")
        with pytest.raises(DataError, match="diverged, retrain it"):
            Explorer(method, run.data)
    finally:
        weight.data.copy_(held)
