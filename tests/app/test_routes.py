"""The web routes of the real server."""

import json
import urllib.error
import urllib.request
from urllib.parse import quote

import numpy as np
import pytest

from tests.waiting import PATIENCE_S


def get(address, body=None):
    """Status, content type and body."""
    data = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
    asked = urllib.request.Request(address, data, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(asked, timeout=PATIENCE_S) as reply:
            return reply.status, reply.headers["content-type"], reply.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers["content-type"], error.read()


def test_topk_over_the_wire_is_the_librarys(server, digits):
    question = {"run": "digits", "z": [0, 1, -1], "k": 4, "side": 2, "seq": 3}
    status, kind, body = get(f"{server}/rivae/api/run/topk", question)
    answer = json.loads(body)
    assert (status, kind.split(";")[0]) == (200, "application/json")
    import numpy as np

    assert answer["ids"] == [int(i) for i in digits.topk(np.array([0.0, 1.0, -1.0]), 4).ids]
    assert answer["seq"] == 3


def test_a_person_can_ask_by_address(server):
    asked = get(
        f"{server}/rivae/api/run/topk",
        {"run": "digits", "z": [0, 1, 2], "k": 3, "side": 2, "seq": 0},
    )
    typed = get(f"{server}/rivae/api/run/topk?run=digits&z=0,1,2&k=3")
    assert json.loads(asked[2])["ids"] == json.loads(typed[2])["ids"]
    status, _, reply = get(f"{server}/rivae/api/run/topk?run=digits&z=0,1,2&k=3&asks=second")
    assert status == 400 and "ask_both_ways" in json.loads(reply)["error"]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"not json",
        b"[]",
        b"3",
        b"[" * 60_000,
        b'{"run": "digits"}',
        b"\xff\xfe",
        b'{"run":"digits","z":[1e999,0,0],"k":1,"side":2,"seq":0}',
        b'{"run":"digits","z":[NaN,0,0],"k":1,"side":2,"seq":0}',
        b'{"run":"digits","z":[1' + b"0" * 400 + b',0,0],"k":1,"side":2,"seq":0}',
        b'{"run":"digits","z":[0,0,0],"k":1000000,"side":2,"seq":0}',
        b'{"x":"' + b"y" * 70_000 + b'"}',
    ],
    ids=range(12),
)
def test_a_bad_question_is_answered_with_400(server, body):
    status, kind, reply = get(f"{server}/rivae/api/run/topk", body)
    assert status == (413 if len(body) > 65_536 else 400) and "json" in kind
    assert "\n" not in json.loads(reply)["error"]


@pytest.mark.parametrize("run", ["nowhere", "training", "broken", "damaged"])
def test_a_run_that_cannot_be_opened_is_404_with_a_sentence(server, run):
    status, _, reply = get(f"{server}/rivae/api/run/topk?run={run}&z=0,0,0")
    assert status == 404 and json.loads(reply)["error"]


@pytest.mark.parametrize("run", ["../digits", "..%2fdigits", "/etc/passwd", "a b", "digits\n"])
def test_a_run_is_never_a_path(server, run):
    for address in (f"topk?run={quote(run, safe='')}&z=0,0,0", f"strip/{quote(run, safe='')}"):
        status, _, reply = get(f"{server}/rivae/api/run/{address}")
        # The server's own guard may refuse the address before the route sees it.
        assert status in (400, 404) or b"<!DOCTYPE html>" in reply
        assert b"root:" not in reply


def test_pictures_and_strips_are_pictures(server):
    for address in ("picture/0/digits/0/5", "picture/0/digits/2/5", "strip/digits"):
        status, kind, body = get(f"{server}/rivae/api/run/{address}")
        assert (status, kind) == (200, "image/png")
        assert body.startswith(b"\x89PNG")


@pytest.mark.parametrize(
    "address",
    [
        "picture/0/digits/0/99999999",
        "picture/0/digits/7/5",
        "picture/0/nowhere/0/5",
        "strip/nowhere",
    ],
)
def test_a_picture_that_does_not_exist_is_refused(server, address):
    status, _, body = get(f"{server}/rivae/api/run/{address}")
    assert status in (400, 404) and json.loads(body)["error"]


def test_the_columns_of_a_map(server, digits):
    base = f"{server}/rivae/api/run/map/digits/test/first"
    about = json.loads(get(f"{base}/columns")[2])
    assert [one["key"] for one in about][:3] == ["axis-0", "axis-1", "axis-2"]
    n = len(digits.search_rows)
    assert len(get(f"{base}/axis-0")[2]) == 2 * n and len(get(f"{base}/items")[2]) == 4 * n


@pytest.mark.parametrize(("name", "part"), [("map", b"KDBush"), ("video", b"CanvasSource")])
def test_scripts_of_others_are_fetched_by_name(server, name, part):
    status, kind, library = get(f"{server}/rivae/api/run/library/{name}")
    assert status == 200 and kind.startswith("text/javascript") and part in library
    status, _, reply = get(f"{server}/rivae/api/run/library/{name}.js")
    assert status in (400, 404) and json.loads(reply)["error"]


@pytest.mark.parametrize(
    "address",
    [
        "digits/test/first/axis-9",
        "digits/some/first/items",
        "digits/test/third/items",
        "nothing/test/first/items",
    ],
)
def test_a_column_that_is_not_there_is_told_in_one_sentence(server, address):
    status, _, reply = get(f"{server}/rivae/api/run/map/{address}")
    assert status in (400, 404) and json.loads(reply)["error"]


def test_a_search_among_the_items_in_a_lasso(server, digits):
    from rivae.exploring.maps import Lasso

    corners = [[-0.5, -0.5], [0.5, -0.5], [0.5, 1.5], [-0.5, 1.5]]
    question = {"run": "digits", "z": [0, 0, 0], "k": 5, "side": 2, "seq": 1}
    within = {"x": "axis-0", "y": "axis-1", "corners": corners}
    answer = json.loads(get(f"{server}/rivae/api/run/topk", {**question, "within": within})[2])
    rows = Lasso("axis-0", "axis-1", tuple(map(tuple, corners))).inside(digits)
    assert answer["among"] == len(rows) and set(answer["ids"]) <= set(rows.tolist())
    nowhere = {**within, "corners": [[1.5, 1.5], [1.6, 1.5], [1.6, 1.6]]}
    empty = json.loads(get(f"{server}/rivae/api/run/topk", {**question, "within": nowhere})[2])
    assert empty["ids"] == [] and empty["among"] == 0
    word = digits.title(int(digits.search_rows[0]))
    named = json.loads(get(f"{server}/rivae/api/run/topk", {**question, "only": word})[2])
    assert named["among"] == len(digits.find(word)) and set(named["ids"]) <= set(digits.find(word))
    status, _, reply = get(f"{server}/rivae/api/run/topk", {**question, "only": "x" * 101})
    assert status == 400 and json.loads(reply)["error"]
    about = {"run": "digits", "seq": 7, "within": within}
    found = json.loads(get(f"{server}/rivae/api/run/chosen", about)[2])
    assert (found["n"], found["of"], found["seq"]) == (len(rows), len(digits.search_rows), 7)
    assert found["factors"][0]["name"] == digits.data.factor_specs[0].name and not found["more"]
    both = json.loads(get(f"{server}/rivae/api/run/chosen", {**about, "only": word})[2])
    assert both["n"] == len(set(rows.tolist()) & set(digits.find(word).tolist()))
    bits = get(f"{server}/rivae/api/run/found", {"run": "digits", "only": word})[2]
    has = np.unpackbits(np.frombuffer(bits, np.uint8), bitorder="little")
    assert digits.search_rows[has[: len(digits.search_rows)] == 1].tolist() == sorted(
        digits.find(word).tolist()
    )
    none = json.loads(get(f"{server}/rivae/api/run/chosen", {**about, "within": nowhere})[2])
    assert none["n"] == 0 and none["factors"] == []


def test_items_that_fit_a_text_best(server, digits):
    def hits(**question):
        found = get(f"{server}/rivae/api/run/hits", {"run": "digits", "seq": 3, **question})
        return found[0], json.loads(found[2])

    row = int(digits.search_rows[4])
    status, found = hits(text=digits.title(row))
    assert status == 200 and found["seq"] == 3
    best = found["hits"][0]
    assert "".join(text for text, _ in best["title"]) == digits.title(best["id"])
    assert any(matched for _, matched in best["title"])
    assert best["picture"].startswith("data:image/")
    assert hits(text=str(row))[1]["hits"][0]["id"] == row
    assert hits(text="nothing has this")[1]["hits"] == []
    for bad in ({}, {"text": 3}, {"text": "x" * 201}, {"text": "a", "run": "nowhere"}):
        status, found = hits(**bad)
        assert status in (400, 404) and found["error"]


@pytest.mark.parametrize(
    "within",
    [
        3,
        {},
        {"x": "axis-0", "y": "axis-9", "corners": [[0, 0], [1, 0], [1, 1]]},
        {"x": "axis-0", "y": "axis-1", "corners": [[0, 0], [1, 0]]},
        {"x": "axis-0", "y": "axis-1", "corners": [[0, 0], [1, 0], [1, 1e9]]},
        {"x": "axis-0", "y": "axis-1", "corners": [[0, 0]] * 65},
        {"x": "axis-0", "y": "axis-1", "corners": [[0, 0], [1], [1, 1]]},
        {"x": "layout-0", "y": "layout-1", "corners": [[0, 0], [1, 0], [1, 1]]},  # not computed
        {"x": "factor-0", "y": "axis-1", "corners": [[0, 0], [1, 0], [1, 1]]},
    ],
)
@pytest.mark.parametrize("route", ["topk", "chosen"])
def test_a_lasso_that_is_none_is_refused(server, within, route):
    question = {"run": "digits", "z": [0, 0, 0], "k": 5, "side": 2, "seq": 1, "within": within}
    status, _, reply = get(f"{server}/rivae/api/run/{route}", question)
    assert status == 400 and json.loads(reply)["error"]
