import math

import numpy as np
import pytest

from rivae.app.steer.answers import NO_WORDS, answer
from rivae.base.errors import ConfigError, RunError
from rivae.exploring.steering import SteerRow, base_point, steer


def part(**changes):
    usual = {
        "key": "a",
        "run": "digits",
        "query": 12,
        "axes": [1, 0],
        "levels": ["on", -1],
        "n_sigma": 3,
    }
    return {**usual, **changes}


@pytest.fixture
def ask(digits):
    def opened(run, rows, asks):
        if run != "digits":
            raise RunError(f"no run {run}")
        return digits

    return lambda *parts, **rest: answer({"seq": 4, "parts": list(parts), **rest}, opened)


def test_a_row_is_answered_like_the_library_does(ask, digits):
    found = ask(part(), card=True)
    assert found["seq"] == 4
    (row,) = found["parts"]
    expected = steer(digits, base_point(digits, 12), [SteerRow((1, 0), ("on", -1))], 3.0)[0]
    assert [item[0] for item in row["items"]] == expected.tolist()
    assert row["items"][0][2].startswith("data:image/") and row["items"][0][1]
    assert [axis["name"] for axis in row["axes"]] == ["z2", "z1"] and row["side"] == 0
    z = digits.encode(12)
    z[1], z[0] = digits.mean[1] + 3 * digits.std[1], digits.mean[0] - digits.std[0]
    assert row["where"] == digits.far(np.asarray(z)).where
    assert row["engine"] == ""
    assert row["query"][0] == digits.title(12)


def test_the_average_query(ask, digits):
    (row,) = ask(part(query="mean", levels=["query", "query"]), card=True)["parts"]
    assert [i[0] for i in row["items"]] == digits.topk(digits.mean, 5).ids.tolist()
    assert row["query"][0] == "Average query"


def place(**changes):
    return {name: part(**changes)[name] for name in ("query", "axes", "levels", "n_sigma")}


def test_the_way_between_two_places_is_straight_in_z(ask, digits):
    """Other axes, another distance and another query: all of z goes from one to the other."""
    start = place(query=3, axes=[2], levels=[1.5], n_sigma=2)
    (row,) = ask(part(since=start))["parts"]
    ends = []
    for query, axes, levels in ((3, (2,), (1.5,)), (12, (1, 0), (3.0, -1.0))):
        z = np.array(digits.encode(query))
        for axis, level in zip(axes, levels, strict=True):
            z[axis] = digits.mean[axis] + level * digits.std[axis]
        ends.append(z)
    ids, n = row["way"]["ids"], len(row["way"]["ids"])
    for at, found in enumerate(ids, 1):
        z = ends[0] + at / (n + 1) * (ends[1] - ends[0])
        assert found == digits.topk(z, 5).ids.tolist()
    assert {str(i) for each in ids for i in each} == row["way"]["items"].keys()
    said = (np.array(ends) - digits.mean) / digits.std
    assert row["way"]["from"] == pytest.approx(said[0, [1, 0]], abs=0.01)
    assert row["way"]["back"] == pytest.approx(said[1, [2]], abs=0.01)
    (plain,) = ask(part())["parts"]
    assert {**plain, "way": row["way"]} == row


def test_a_broken_step_before_takes_the_way_and_nothing_else(ask):
    (row,) = ask(part(since=place(axes=[9, 0])))["parts"]
    assert row["items"] and "way" not in row
    (row,) = ask(part(since={"query": 3}))["parts"]
    assert set(row) == {"key", "error"}
    with pytest.raises(ConfigError, match="since"):
        ask(*(part(key=str(n), since=place()) for n in range(5)))


def test_one_bad_row_does_not_silence_the_others(ask):
    good, bad, gone = ask(part(), part(key="b", axes=[9, 0]), part(key="c", run="gone"))["parts"]
    assert good["items"] and bad.keys() == {"key", "error"} and bad["key"] == "b"
    assert "3 axes" in bad["error"] and "z10" in bad["error"]
    assert gone["error"] == "no run gone"


@pytest.mark.parametrize(
    "wrong",
    [
        {"run": None},
        {"run": "../x"},
        {"query": -1},
        {"query": 10**9},
        {"query": "all"},
        {"query": True},
        {"axes": "1"},
        {"axes": [1, 1]},
        {"axes": [0.5, 1]},
        {"axes": [True, 0]},
        {"levels": None},
        {"levels": ["on"]},
        {"levels": ["on", 99]},
        {"levels": ["on", None]},
        {"levels": ["on", math.nan]},
        {"n_sigma": 0},
        {"n_sigma": "3"},
        {"n_sigma": math.inf},
    ],
)
def test_a_wrong_row_is_one_sentence(ask, wrong):
    (row,) = ask(part(**wrong))["parts"]
    assert set(row) == {"key", "error"} and "\n" not in row["error"]


@pytest.mark.parametrize(
    "question",
    [
        {},
        {"seq": 1},
        {"seq": 1, "parts": []},
        {"seq": -1, "parts": [part()]},
        {"seq": True, "parts": [part()]},
        {"seq": 1, "parts": [part()] * 33},
        {"seq": 1, "parts": [part()] * 5, "cloud": True},
        {"seq": 1, "parts": ["a"]},
        {"seq": 1, "parts": [part(key="k" * 201)]},
        {"seq": 1, "parts": [part(key=1)]},
    ],
)
def test_a_wrong_question_is_refused(question, digits):
    with pytest.raises(ConfigError):
        answer(question, lambda run, rows, asks: digits)


def test_data_without_texts_say_so(ask, runs):
    (row,) = ask(part(), cloud=True)["parts"]
    assert row["cloud"] is None and row["note"] == NO_WORDS
