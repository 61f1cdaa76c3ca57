"""The sentence above Explore's pictures: what one axis changes."""

import pytest

from rivae.app.explore import changes
from rivae.base.errors import ConfigError
from rivae.exploring.effects import EffectMeasure, shown_effects
from rivae.exploring.explorer import Explorer
from rivae.exploring.sliders import reliability, sliders_of
from rivae.runs import find_run

RUN = "demo-kitchen"


@pytest.fixture(scope="module")
def kitchen():
    return Explorer.open(find_run(RUN))


def ask(kitchen, **question):
    return changes.told({"run": RUN, "seq": 3, **question}, lambda *_: kitchen)


def test_it_is_what_the_one_measure_of_effects_says(kitchen):
    axis = next(axis for axis in sliders_of(kitchen) if axis["right"])
    answer = ask(kitchen, axis=axis["short"])
    effects = shown_effects(EffectMeasure(kitchen.retriever), kitchen, axis["short"])
    assert answer["seq"] == 3
    assert answer["sentence"].startswith(f"More {axis['right']}: {round(effects.new)} of 10")
    up = [
        effects.names[c]
        for c in effects.order
        if effects.is_measurable[c] and effects.change[c] > 0
    ]
    assert ", ".join(up[: changes.N_NAMES]) in answer["sentence"]


@pytest.mark.parametrize("axis", ["z99", "a1", "1", "z1; x", "", None, 3])
def test_an_axis_that_is_none_is_one_sentence(kitchen, axis):
    with pytest.raises(ConfigError):
        ask(kitchen, axis=axis)


@pytest.mark.parametrize(
    ("score", "chance", "verdict", "text"),
    [
        (0.91, 0.07, "sure", "Reliable: .91, chance .07"),
        (0.31, 0.18, "plane", "Weak: .31, chance .18"),
        (0.21, 0.18, "unsure", "Unclear: .21, chance .18"),
        (-0.05, 0.1, "unsure", "Unclear: −.05, chance .10"),
        (1.0, 0.04, "sure", "Reliable: 1.00, chance .04"),
    ],
)
def test_a_score_is_reliable_by_how_far_it_lies_above_chance(score, chance, verdict, text):
    found = reliability(score, chance)
    assert (found["verdict"], found["text"]) == (verdict, text)
