"""Whatever is asked of the app's own routes: an answer, or a refusal in one sentence."""

import json
import os
import tempfile
from pathlib import Path
from unittest.mock import patch
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.app.asgi import HOST, JSON, ask

LABELS = tempfile.TemporaryDirectory()
# Quick to ask, so more of them; a busy machine is slow to draw them.
MANY = settings(
    max_examples=2 * settings().max_examples, suppress_health_check=[HealthCheck.too_slow]
)
TEXTS = st.one_of(
    st.text(max_size=20),
    st.sampled_from(["\ud800", "a\udfffb", "x" * 3000]),
    st.sampled_from(["demo-sprites", "demo-kitchen", "mean", "on", "..", "", "demo-sprites\n"]),
)
NUMBERS = st.one_of(
    st.integers(-2, 12),
    st.integers(),
    st.sampled_from([2**53, 10**9, 10**400, -(10**400)]),
    st.floats(),
)
JUNK = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
POINT = {
    "run": "demo-sprites",
    "z": [0, 0.5, -1],
    "k": 4,
    "side": 2,
    "seq": 7,
    "rows": "test",
    "have": [1, 2],
}
PART = {
    "key": "a",
    "run": "demo-sprites",
    "query": 3,
    "axes": [1, 0],
    "levels": ["on", -1],
    "n_sigma": 3,
}


@st.composite
def spoilt(draw, usual):
    """A question that is right, but for up to two of its fields."""
    names = draw(st.lists(st.sampled_from([*usual, "runs", "parts", "cloud"]), max_size=2))
    return {**usual, **{name: draw(JUNK) for name in names}}


QUESTIONS = st.one_of(
    JUNK,
    spoilt(POINT),
    st.builds(lambda parts: {**POINT, "runs": parts}, st.lists(spoilt(POINT), max_size=7)),
    st.builds(
        lambda parts, more: {"seq": 1, "parts": parts, **more},
        st.lists(spoilt(PART), max_size=3),
        st.fixed_dictionaries({}, optional={"card": JUNK}),
    ),
)
PIECES = st.one_of(
    TEXTS.map(lambda text: quote(text, safe="", errors="replace")),
    NUMBERS.map(str),
    st.sampled_from(["0", "7", "9" * 350, "9" * 5000, "demo-sprites", "%00"]),
)
PATHS = st.one_of(
    st.sampled_from(["topk", "steer", "strip/demo-sprites", "picture/demo-sprites/2/5", ""]),
    st.builds("strip/{}".format, PIECES),
    st.builds("picture/{}/{}/{}".format, PIECES, PIECES, PIECES),
    st.builds("label/{}/picture/{}".format, PIECES, PIECES),
    st.builds("label/{}/texts/{}/{}".format, PIECES, PIECES, PIECES),
    st.builds("label/{}/examples".format, PIECES),
    st.builds("topk?run={}&z={}&k={}&seq={}".format, PIECES, PIECES, PIECES, PIECES),
    PIECES,
)
HEADERS = st.one_of(
    st.just([("host", HOST), ("content-type", JSON)]),
    st.lists(
        st.tuples(
            st.sampled_from(
                [
                    "host",
                    "origin",
                    "content-type",
                    "content-length",
                    "cookie",
                    "sec-fetch-site",
                    "x-forwarded-for",
                    "range",
                    "if-none-match",
                ]
            ),
            st.sampled_from(
                [
                    HOST,
                    JSON,
                    "",
                    "evil.example",
                    "http://evil.example",
                    "null",
                    "[",
                    "9" * 400,
                    "-1",
                    "cross-site",
                    "bytes=0-9999999999999",
                    "\xff",
                ]
            ),
        ),
        max_size=5,
    ).map(lambda drawn: [("host", HOST), ("content-type", JSON), *drawn]),
)


def is_fine(reply):
    """An answer, or one sentence of JSON without anything of the server."""
    assert reply.status < 500, reply
    if reply.status >= 400:
        sentence = reply.json["error"]
        assert isinstance(sentence, str) and 0 < len(sentence) < 400
        assert not set("\n\r") & set(sentence) and "Traceback" not in sentence
        assert str(Path.cwd()) not in sentence


@pytest.mark.slow
@MANY
@given(QUESTIONS, st.sampled_from(["topk", "steer"]))
@example({"seq": 1, "parts": [{**PART, "axes": [30_000_000, 0]}]}, "steer")
@example({"seq": 1, "parts": [{**PART, "axes": [[0], 0]}]}, "steer")
@example({"seq": 1, "parts": [{**PART, "n_sigma": 10**400}]}, "steer")
@example({"seq": 1, "parts": [{**PART, "key": "\ud800"}]}, "steer")
def test_any_question_is_answered_or_refused(question, path):
    body = json.dumps(question).encode()
    is_fine(ask(f"/rivae/api/run/{path}", "POST", [body[:100], body[100:]]))


@MANY
@given(
    PATHS,
    st.sampled_from(["GET", "HEAD", "POST", "PUT", "OPTIONS", ""]),
    HEADERS,
    st.binary(max_size=100),
)
@example("picture/demo-sprites/0/" + "9" * 5000, "GET", [("host", HOST)], b"")
def test_any_request_is_answered_or_refused(path, method, headers, body):
    with patch.dict(os.environ, RIVAE_LABELS=f"{LABELS.name}/labels.db"):
        reply = ask(f"/rivae/api/run/{path}", method, body, headers)
    if method != "HEAD":
        is_fine(reply)
    assert reply.status < 500 and "content-security-policy" in reply.headers
