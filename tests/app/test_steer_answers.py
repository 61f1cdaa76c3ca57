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
    assert row["query"][0] == digits.title(12)


def test_the_average_query(ask, digits):
    (row,) = ask(part(query="mean", levels=["query", "query"]), card=True)["parts"]
    assert [i[0] for i in row["items"]] == digits.topk(digits.mean, 5).ids.tolist()
    assert row["query"][0] == "Average query"


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
