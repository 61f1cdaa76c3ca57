import numpy as np
import pytest

from rivae.base.errors import DataError
from rivae.exploring.explorer import Explorer
from rivae.exploring.words.naming import axis_evidence, propose_name
from rivae.runs import DEMO_ROOT, find_run
from rivae.runs.axis_names import MAX_NAME, Evidence


def made_up(n=600, seed=0):
    """Axis 0: kale up, white sugar and sugar down; axis 1: tag soup down; axis 2: nothing."""
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(n, 3))
    noise = rng.normal(0, 0.4, (n, 4))
    words, tags = [], []
    for (a, b, _), e in zip(z, noise, strict=True):
        chosen = [
            ("salt", True),
            ("kale", a + e[0] > 0.4),
            ("white sugar", a + e[1] < -0.4),
            ("sugar", a + e[1] < -1.0),
        ]
        words.append([w for w, has in chosen if has])
        tags.append([t for t, has in (("soup", b + e[2] < -0.3), ("60-minutes", a > 0)) if has])
    factors = np.column_stack([z[:, 0] + noise[:, 3], rng.normal(size=n)])
    return z, words, tags, factors


def test_each_axis_gets_what_changes_along_it():
    z, words, tags, factors = made_up()
    first, second, third = axis_evidence(
        z, words, tags, factors, ("greenness", "fruit"), ignored_tags={"60-minutes"}
    )
    assert {e.term: np.sign(e.strength) for e in first} == {
        "greenness": 1,
        "kale": 1,
        "white sugar": -1,
        "sugar": -1,
    }
    strengths = [abs(e.strength) for e in first]
    assert strengths == sorted(strengths, reverse=True)
    assert [(e.term, e.kind) for e in second] == [("soup", "tag")]
    assert second[0].strength < -0.5
    assert third == ()


def test_strength_of_a_factor_is_its_correlation_also_with_gaps():
    z, words, _, factors = made_up()
    factors[100:, 0] = np.nan
    found = axis_evidence(z, words, None, factors, ("greenness", "fruit"))[0]
    strength = next(e.strength for e in found if e.kind == "factor")
    assert strength == pytest.approx(np.corrcoef(factors[:100, 0], z[:100, 0])[0, 1])


def test_noise_is_not_evidence_however_many_words_are_tried():
    rng = np.random.default_rng(3)
    words = [[f"w{k}" for k in np.flatnonzero(rng.random(300) < 0.1)] for _ in range(500)]
    assert axis_evidence(rng.normal(size=(500, 10)), words) == [()] * 10


POLES = {"greenness": ("no green", "very green")}


def test_a_strong_factor_is_the_name_and_its_levels_the_poles():
    z, words, tags, factors = made_up()
    evidence = axis_evidence(z, words, tags, factors, ("greenness", "fruit"))
    name = propose_name(0, evidence[0], POLES)
    assert (name.dim, name.name, name.direction, name.edited) == (0, "greenness", 1, False)
    assert name.poles == POLES["greenness"]
    assert propose_name(0, evidence[0]).poles == ("", "greenness")
    assert propose_name(2, evidence[2]) is None


def test_the_direction_is_the_one_in_which_the_factor_grows():
    z, words, tags, factors = made_up()
    evidence = axis_evidence(-z, words, tags, factors, ("greenness", "fruit"))
    name = propose_name(0, evidence[0], POLES)
    assert (name.name, name.direction, name.low) == ("greenness", -1, "no green")
    assert name.poles == POLES["greenness"], "the axis is shown turned"


def test_without_a_factor_the_words_of_both_ends_are_the_poles():
    z, words, tags, _ = made_up()
    name = propose_name(0, axis_evidence(z, words, tags)[0])
    assert {name.name, name.low} == {"kale", "white sugar"}  # "sugar" would say it twice
    assert name.poles == (name.low, name.name)


def test_tags_speak_where_no_word_does():
    z, words, tags, _ = made_up()
    name = propose_name(1, axis_evidence(z, words, tags)[1])
    assert (name.name, name.direction, name.low) == ("soup", -1, "")


def test_a_name_is_short():
    long = [
        Evidence(f"{letter * 35} x{letter}", "word", s, s, 0.0)
        for letter, s in zip("abcdef", (0.9, 0.8, 0.7, -0.6, -0.5, -0.4), strict=True)
    ]
    name = propose_name(0, long)
    assert name.name == "a" * 35 + " xa"
    assert len(name.low) <= MAX_NAME
    assert len(propose_name(0, [Evidence("y" * 80, "word", 0.9, 1.0, 0.0)]).name) <= MAX_NAME


def test_rows_of_factors_have_to_match():
    with pytest.raises(DataError, match="one per item"):
        axis_evidence(np.zeros((3, 1)), [["a"]] * 3, None, np.zeros((2, 1)), ("fruit",))


def test_a_name_on_a_turned_axis_is_the_one_that_the_turned_axis_gets():
    z, words, tags, factors = made_up()
    names = ("greenness", "fruit")
    for j, one in enumerate(axis_evidence(z, words, tags, factors, names)):
        other = axis_evidence(-z, words, tags, factors, names)[j]
        name, turned = propose_name(j, one), propose_name(j, other)
        assert (name and name.on_turned_axis()) == turned


@pytest.mark.parametrize("run", [path.name for path in sorted(DEMO_ROOT.iterdir())])
def test_the_evidence_of_a_demo_run_says_what_its_own_axes_do(run):
    explorer = Explorer.open(find_run(run, [DEMO_ROOT]))
    columns = {spec.name: k for k, spec in enumerate(explorer.data.factor_specs)}
    rows = explorer.data.factors[explorer.search_rows]
    for name in filter(None, explorer.known_names):
        for e in name.evidence:
            if e.kind != "factor":
                continue
            factor, _, level = e.term.partition(": ")
            values = rows[:, columns[factor]]
            values = values == float(level) if level else values
            r = np.corrcoef(explorer.positions[:, name.dim], values)[0, 1]
            assert np.sign(r) == np.sign(e.strength), (name.dim, e.term)
