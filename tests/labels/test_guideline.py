"""Guidelines: what they accept, what they refuse in one sentence, and what a version means."""

import json

import pytest

from rivae.base.errors import LabelError
from rivae.data.food_factors import FACTOR_LABELS, FOOD_FACTORS
from rivae.data.registry import load_dataset
from rivae.labels.events import item_key_of
from rivae.labels.guideline import (
    guideline,
    guideline_json,
    label_factor,
    parse_guideline,
    read_guideline,
)

LEVELS = ("none", "a little", "some", "much", "only")


def spicy(**parts):
    return label_factor(
        **{
            "id": "spicy",
            "name": "Spicy",
            "definition": "How hot it is.",
            "levels": LEVELS,
            **parts,
        }
    )


def test_the_shipped_guideline_is_the_papers_eight_factors():
    shipped = read_guideline()
    assert tuple(f.spec for f in shipped.factors) == FOOD_FACTORS
    assert {f.id: f.name for f in shipped.factors} == FACTOR_LABELS
    assert all(len(f.definition) > 80 and len(f.examples) == 5 for f in shipped.factors)


def test_the_shipped_examples_are_items_of_the_kitchen_at_that_level():
    data = load_dataset("kitchen")
    assert data.factors is not None
    rows = {item_key_of(data, i): i for i in range(len(data))}
    assert len(rows) == len(data)
    for k, factor in enumerate(read_guideline().factors):
        for level, key in factor.examples.items():
            assert data.factors[rows[key], k] == level - 1


def test_writing_and_reading_again_changes_nothing(tmp_path):
    shipped = read_guideline()
    (tmp_path / "mine.json").write_text(guideline_json(shipped))
    assert read_guideline(tmp_path / "mine.json") == shipped
    again = parse_guideline(guideline_json(shipped))
    assert again == shipped and again.version == shipped.version


def test_every_change_of_a_word_is_another_version():
    shipped = read_guideline()
    more = shipped.with_factor(spicy())
    reworded = more.with_factor(spicy(definition="How much chili there is."))
    assert more.ids == (*shipped.ids, "spicy") == reworded.ids
    assert len({shipped.version, more.version, reworded.version}) == 3
    assert more.with_factor(spicy()).version == more.version
    assert reworded.factor("spicy").definition == "How much chili there is."
    with pytest.raises(LabelError, match="no factor 'sour'"):
        more.factor("sour")


@pytest.mark.parametrize(
    ("parts", "word"),
    [
        ({"id": "Spicy!"}, "id"),
        ({"id": "level"}, "column"),
        ({"levels": LEVELS[:4]}, "levels"),
        ({"levels": (*LEVELS[:4], "NONE")}, "same name"),
        ({"definition": "x" * 1001}, "definition"),
        ({"name": "two\nlines"}, "line break"),
        ({"examples": {6: "kitchen:1"}}, "examples"),
        ({"examples": {1: "../../etc/passwd"}}, "leaves"),
        ({"examples": {1: "/etc/passwd"}}, "leaves"),
        ({"examples": {1: "C:\\x.png"}}, "leaves"),
        ({"color": "red"}, "color"),
    ],
)
def test_a_wrong_factor_is_refused_in_one_sentence(parts, word):
    with pytest.raises(LabelError, match=word) as caught:
        spicy(**parts)
    assert "\n" not in str(caught.value)


def test_wrong_files_are_refused_in_one_sentence(tmp_path):
    valid = json.loads(guideline_json(read_guideline()))
    for change, word in [
        ({"format": 2}, "format"),
        ({"factors": []}, "factors"),
        ({"factors": valid["factors"] * 2}, "two factors have the id 'wateriness'"),
        ({"factors": valid["factors"] * 6}, "factors"),
    ]:
        with pytest.raises(LabelError, match=word):
            parse_guideline(json.dumps({**valid, **change}))
    for text in (b"", b"\xff\xfe", b"[]", b"[" * 100_000):
        with pytest.raises(LabelError, match="is not a guideline"):
            parse_guideline(text)
    with pytest.raises(LabelError, match="too large"):
        parse_guideline(" " * (2**20 + 1))
    with pytest.raises(LabelError, match=r"missing.json .*No such file"):
        read_guideline(tmp_path / "missing.json")
    with pytest.raises(LabelError, match="two factors"):
        guideline("mine", [spicy(), spicy()])


def test_a_guideline_that_is_read_again_is_not_changed_by_who_read_it_first():
    text = guideline_json(read_guideline())
    first = parse_guideline(text)
    first.factors[0].examples.clear()
    again = parse_guideline(text)
    assert again == read_guideline() and len(again.factors[0].examples) == 5
    assert again.version == first.version
