import base64
import io
import json

import numpy as np
import pytest
from PIL import Image

from rivae.app.panels.answers import answer, picture
from rivae.base.errors import ConfigError, RunError


def ask(digits, **changes):
    question = {"run": "digits", "rows": "test", "z": [0, 0.5, -1], "k": 5, "side": 2, "seq": 7}
    return answer({**question, **changes}, lambda run, rows, asks: digits)


def test_the_answer_is_the_exact_search(digits):
    got = ask(digits)
    z = np.array([[0.0, 0.5, -1.0]])
    squared = digits.retriever.all_squared_distances(z)[0]
    expected = digits.search_rows[np.argsort(squared, kind="stable")[:5]]
    assert got["ids"] == expected.tolist()
    assert got["seq"] == 7
    assert sorted(got["scores"], reverse=True) == got["scores"]
    json.dumps(got)


def test_only_pictures_that_the_browser_lacks_are_sent(digits):
    ids = ask(digits)["ids"]
    got = ask(digits, have=ids[:3])
    assert set(got["items"]) == {str(i) for i in ids[3:]}


def test_a_picture_is_the_item(digits):
    i = int(digits.search_rows[4])
    title, address, tiny = picture(digits, i, 0)
    head, _, content = address.partition(",")
    assert head == "data:image/png;base64"
    shown = Image.open(io.BytesIO(base64.b64decode(content)))
    assert np.array_equal(np.asarray(shown), np.asarray(digits.data.picture(i, 0)))
    assert (title, tiny) == (digits.data.title(i), False)


def test_far_is_said(digits):
    near = list(digits.encode(int(digits.data.splits["train"][0])))
    assert ask(digits, z=near)["far"]["where"] == "inside"
    assert ask(digits, z=[900, 900, 900])["far"]["where"] == "far"


@pytest.mark.parametrize(
    "changes",
    [
        {"run": None},
        {"run": "../x"},
        {"run": "a/b"},
        {"run": 3},
        {"z": None},
        {"z": [0, 0]},
        {"z": [0] * 4},
        {"z": [0] * 10_000},
        {"z": "0,0,0"},
        {"z": [0, 0, float("nan")]},
        {"z": [0, 0, float("inf")]},
        {"z": [0, 0, "1"]},
        {"z": [0, 0, True]},
        {"z": [0, 0, None]},
        {"z": [0, 0, 1e9]},
        {"z": [0, 0, 10**400]},
        {"k": 0},
        {"k": 31},
        {"k": 2.5},
        {"k": "5"},
        {"k": None},
        {"k": True},
        {"side": 3},
        {"side": -1},
        {"side": None},
        {"seq": -1},
        {"seq": "x"},
        {"seq": 2**60},
        {"have": "all"},
        {"have": list(range(500))},
    ],
)
def test_a_bad_question_is_refused_in_one_sentence(digits, changes):
    with pytest.raises(ConfigError) as refusal:
        ask(digits, **changes)
    assert "\n" not in str(refusal.value)


def ask_all(digits, parts, **changes):
    question = {"runs": parts, "rows": "test", "k": 4, "side": 2, "seq": 9}
    return answer({**question, **changes}, lambda run, rows, asks: digits)


def test_several_runs_are_asked_at_once(digits):
    points = [[0, 0.5, -1], [1, 1, 1]]
    got = ask_all(digits, [{"run": "digits", "z": z} for z in points])
    singly = [ask(digits, z=z, k=4) for z in points]
    assert got["seq"] == 9
    assert [one["ids"] for one in got["runs"]] == [one["ids"] for one in singly]
    assert [one["far"] for one in got["runs"]] == [one["far"] for one in singly]
    assert set(got["items"]) == {str(i) for one in got["runs"] for i in one["ids"]}
    json.dumps(got)


def test_what_is_wrong_with_one_run_does_not_silence_the_others(digits):
    got = ask_all(digits, [{"run": "digits", "z": [0, 0]}, {"run": "digits", "z": [0, 0, 0]}])
    assert "3 numbers" in got["runs"][0]["error"] and len(got["runs"][1]["ids"]) == 4


@pytest.mark.parametrize("parts", [None, [], {}, "x", [3], [None], [{"run": "a", "z": [0]}] * 7])
def test_a_bad_list_of_runs_is_refused(digits, parts):
    with pytest.raises(ConfigError, match="'runs'"):
        ask_all(digits, parts)


def test_a_missing_run_is_named():
    def none(run, rows, asks):
        raise RunError(f"no run {run}")

    with pytest.raises(RunError, match="nothing"):
        answer({"run": "nothing", "z": [0], "k": 1, "side": 2, "seq": 0}, none)
