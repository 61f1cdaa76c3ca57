import random

import pytest

from rivae.app.panels.codec import MAX_LENGTH
from rivae.app.panels.links import SPANS, ExploreLink, format_number


def random_link(rng: random.Random) -> ExploreLink:
    dims = rng.sample(range(30), rng.randint(0, 30))
    return ExploreLink(
        run=rng.choice([None, "demo-sprites", "a.b_c-1"]),
        rows=rng.choice(["test", "all"]),
        query=rng.choice([None, "mean", 0, 12345, "upload_" + "0a" * 16]),
        changes={j: round(rng.uniform(-20, 20), 4) for j in dims},
        k=rng.randint(1, 30),
        whole=rng.choice([None, True, False]),
        locked=tuple(sorted(rng.sample(range(30), rng.randint(0, 5)))),
        by_effect=rng.random() < 0.5,
        span=rng.choice(SPANS),
    )


@pytest.mark.parametrize("seed", range(50))
def test_a_link_is_read_back_as_it_was_written(seed):
    link = random_link(random.Random(seed))
    assert ExploreLink.read(link.write()) == (link, [])


def test_a_default_link_is_empty():
    assert ExploreLink().write() == {}


def test_only_what_differs_is_written():
    assert ExploreLink(run="r", changes={0: 0.5, 2: -1.25}).write() == {
        "run": "r",
        "z": "1_0.5~3_-1.25",
    }


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("run", "../../etc/passwd"),
        ("run", "A B"),
        ("run", "x" * 200),
        ("q", "-1"),
        ("q", "1e9"),
        ("q", "9" * 40),
        ("q", "upload_" + "A" * 32),
        ("q", "upload_../../x"),
        ("z", "1_nan"),
        ("z", "1_inf"),
        ("z", "1_1e400"),
        ("z", "0_1"),
        ("z", "999_1"),
        ("z", "1_5000"),
        ("z", "garbage"),
        ("z", "1_1~" * MAX_LENGTH),
        ("k", "0"),
        ("k", "31"),
        ("k", "ten"),
        ("k", "١"),  # an Arabic digit one, which int() would take
        ("rows", "train"),
        ("span", "3"),
        ("lock", "0"),
        ("lock", "a~b"),
        ("whole", "yes"),
        ("sort", "name"),
    ],
)
def test_what_cannot_be_read_is_dropped_and_named(name, text):
    assert ExploreLink.read({name: text}) == (ExploreLink(), [name])


def test_the_good_part_of_a_link_is_kept():
    link, dropped = ExploreLink.read({"run": "r", "z": "1_0.5~oops~3_2", "k": "99", "q": "7"})
    assert (link.run, link.query, link.changes, link.k) == ("r", 7, {0: 0.5, 2: 2.0}, 10)
    assert dropped == ["z", "k"]


def test_foreign_parameters_are_not_ours():
    assert ExploreLink.read({"embed": "true", "utm": "x"}) == (ExploreLink(), [])


@pytest.mark.parametrize(
    ("value", "text"), [(0.0, "0"), (-0.0, "0"), (-0.00001, "0"), (1.5, "1.5"), (10.0, "10")]
)
def test_numbers_are_short(value, text):
    assert format_number(value) == text
