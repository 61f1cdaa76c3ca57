import random

import pytest

from rivae.app.panels.codec import MAX_LENGTH
from rivae.app.panels.links import SPANS, CompareLink


def random_link(rng):
    dims = rng.sample(range(30), rng.randint(0, 30))
    return CompareLink(
        runs=tuple(rng.sample(["demo-sprites", "a.b_c-1", "x", "y-2"], rng.randint(0, 4))),
        query=rng.choice([None, "mean", 0, 12345]),
        shifts={j: round(rng.uniform(-2, 2), 4) or 0.5 for j in dims},
        factor=rng.choice([0, 1, 29]),
        k=rng.randint(1, 30),
        whole=rng.choice([None, True, False]),
        span=rng.choice(SPANS),
        locked=tuple(sorted(rng.sample(range(30), rng.randint(0, 5)))),
        by_effect=rng.random() < 0.5,
    )


@pytest.mark.parametrize("seed", range(50))
def test_a_link_is_read_back_as_it_was_written(seed):
    link = random_link(random.Random(seed))
    assert CompareLink.read(link.write()) == (link, [])


def test_only_what_differs_is_written():
    assert CompareLink().write() == {}
    assert CompareLink(runs=("a", "b"), shifts={0: 0.25}, factor=2).write() == {
        "runs": "a,b",
        "f": "1_0.25",
        "factor": "3",
    }


@pytest.mark.parametrize(
    ("params", "dropped"),
    [
        ({"runs": "a,../b"}, "runs"),
        ({"runs": "a,<b>"}, "runs"),
        ({"q": "x"}, "q"),
        ({"f": "1_nan"}, "f"),
        ({"f": "0_1"}, "f"),
        ({"factor": "0"}, "factor"),
        ({"factor": "x"}, "factor"),
        ({"k": "31"}, "k"),
        ({"whole": "2"}, "whole"),
        ({"span": "3"}, "span"),
        ({"sort": "up"}, "sort"),
        ({"lock": "1~x"}, "lock"),
        ({"runs": "a" * (MAX_LENGTH + 1)}, "runs"),
        ({"f": "~" * 50}, "f"),
    ],
)
def test_what_cannot_be_read_is_named_and_the_rest_is_used(params, dropped):
    link, named = CompareLink.read({"q": "7", **params})
    assert named == [dropped]
    assert link.query == (None if dropped == "q" else 7)


def test_runs_are_listed_once_and_in_order():
    assert CompareLink.read({"runs": "b, a,b,,c"})[0].runs == ("b", "a", "c")
    many = ",".join(f"r{i}" for i in range(500))
    assert 6 < len(CompareLink.read({"runs": many})[0].runs) <= 20
