import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from rivae.exploring.words.clouds import count_words
from rivae.figures.clouds import (
    SMALLEST,
    describe,
    lay_out,
    make_clouds,
    relation_color,
    to_image,
    to_json,
    to_svg,
)
from rivae.figures.fonts import text_box
from rivae.figures.palette import contrast, theme

SVG = "{http://www.w3.org/2000/svg}"
WORDS = [f"word {k} {'ab' * (k % 5)}".strip() for k in range(30)]


def counts():
    rng = np.random.default_rng(0)
    share = np.linspace(0.9, 0.05, 30)
    sets = [[w for w, p in zip(WORDS, share, strict=True) if rng.random() < p] for _ in range(200)]
    sets += [
        [w for w, p in zip(WORDS, share[::-1], strict=True) if rng.random() < p] for _ in range(200)
    ]
    return count_words({"low": range(200), "high": range(200, 400)}, sets)


def clouds(**settings):
    return make_clouds(
        counts(), {WORDS[0]: "related", WORDS[29]: "opposite"}, factor="greenness", **settings
    )


def texts(svg):
    found = ET.fromstring(svg).iter(f"{SVG}text")
    return {t.findtext(f"{SVG}title").split(":")[0]: t for t in found}


def test_a_word_stands_at_the_same_place_in_every_state():
    made = clouds()
    low, high = texts(to_svg(made, 0)), texts(to_svg(made, 1))
    both = low.keys() & high.keys()
    assert len(both) > 20
    assert all(low[w].get("x") == high[w].get("x") for w in both)
    assert any(low[w].get("font-size") != high[w].get("font-size") for w in both)


def test_the_area_follows_the_frequency():
    made = clouds()
    sizes, frequency = made.size(0), made.counts.frequency[0]
    shown = frequency > 0
    assert sizes[shown] ** 2 / frequency[shown] == pytest.approx(made.layout.scale**2)


def test_words_do_not_overlap_and_stay_on_the_canvas():
    made = clouds()
    layout, size = made.layout, np.maximum(made.size(0), made.size(1))
    boxes = []
    for w, word in enumerate(made.counts.words):
        left, top, right, bottom = text_box(word, 100, True)
        half = (right - left) / 200 * size[w], (bottom - top) / 200 * size[w]
        boxes.append(
            (
                layout.x[w] - half[0],
                layout.y[w] - half[1],
                layout.x[w] + half[0],
                layout.y[w] + half[1],
            )
        )
    for i, (left, top, right, bottom) in enumerate(boxes):
        assert left > -2 and top > -2 and right < layout.width + 2 and bottom < layout.height + 2
        for other in boxes[:i]:
            apart = (
                right < other[0] + 2
                or other[2] < left + 2
                or bottom < other[1] + 2
                or other[3] < top + 2
            )
            assert apart


def test_the_same_seed_gives_the_same_picture():
    assert to_svg(clouds(), 1) == to_svg(clouds(), 1)
    assert to_svg(clouds(), 1) != to_svg(clouds(random_state=1), 1)


def test_relation_has_a_cue_besides_colour():
    found = texts(to_svg(clouds(), 0)) | texts(to_svg(clouds(), 1))
    related, opposite, none = found[WORDS[0]], found[WORDS[29]], found[WORDS[5]]
    assert related.get("text-decoration") == "underline"
    assert (opposite.get("font-style"), opposite.get("text-decoration")) == ("italic", None)
    assert none.get("font-weight") is None
    assert len({t.get("fill") for t in (related, opposite, none)}) == 3


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("relation", ["related", "opposite", "none"])
def test_colours_can_be_read_on_the_page(dark, relation):
    colors = theme(dark)
    assert contrast(relation_color(relation, colors), colors.surface) >= 3


def test_words_from_data_stay_text():
    evil = "<script>alert('&\")</script>"
    made = make_clouds(
        count_words({'<b a="1">': [0]}, [[evil, "two\nlines\x00", "x" * 500]]), {}, factor="<i>"
    )
    svg = to_svg(made, 0)
    assert "<script" not in svg and "<b " not in svg
    shown = ["".join(t.itertext()) for t in ET.fromstring(svg).iter(f"{SVG}text")]
    assert any("<script>" in text for text in shown)
    assert not any("\n" in text for text in shown)
    assert to_image(made).size[0] > 0


def test_counts_and_description_are_there_for_everyone():
    made = clouds()
    svg = to_svg(made, 0)
    root = ET.fromstring(svg)
    assert root.get("role") == "img"
    assert root.get("aria-label") == root.findtext(f"{SVG}title") == describe(made, 0)
    assert "low, 200 items: most often word 0 (" in describe(made, 0)
    assert "related to greenness: word 0" in describe(made, 0)
    assert re.search(r"word 0: \d+ of 200 items \(\d+ %\), related to greenness", svg)


def test_words_too_small_to_read_are_left_out():
    made = clouds(width=160, height=120)
    sizes = made.size(0)
    assert (sizes < SMALLEST).any()
    assert len(texts(to_svg(made, 0))) == (sizes >= SMALLEST).sum()


def test_an_empty_state_beside_a_full_one():
    made = make_clouds(count_words({"none": [], "some": [0]}, [["rice"]]))
    assert texts(to_svg(made, 0)) == {}
    assert describe(made, 0) == "Word cloud of none: no words."
    assert make_clouds(count_words({"none": []}, [["rice"]])) is None


def test_the_picture_shows_every_state_in_both_themes():
    made = clouds()
    light, dark = to_image(made, scale=1), to_image(made, scale=1, dark=True)
    assert light.size == dark.size
    assert light.size[0] > 2 * made.layout.width
    assert light.getpixel((1, 1))[0] > 200 > 60 > dark.getpixel((1, 1))[0]
    related = tuple(int(theme(False).series[5][k : k + 2], 16) for k in (1, 3, 5))
    colors = {color[:3] for _, color in light.getcolors(1_000_000)}
    assert related in colors


def test_words_that_look_alike_have_places_of_their_own():
    layout = lay_out(["a\nb", "a b", "c"], np.array([[0.5, 0.5, 0.2]]))
    assert (layout.x[0], layout.y[0]) != (layout.x[1], layout.y[1])


def test_a_layout_needs_words():
    with pytest.raises(ValueError, match="frequency above zero"):
        lay_out([], np.zeros((1, 0)))
    with pytest.raises(ValueError, match="frequency above zero"):
        lay_out(["a"], np.zeros((1, 1)))


def test_the_words_in_the_browser_stand_where_those_of_the_pictures_do():
    made = clouds()
    sent = {word: (x, y) for word, x, y, *_ in to_json(made, 0)["words"]}
    shown = texts(to_svg(made, 0))
    assert sent and sent.keys() == shown.keys()
    for word, (x, y) in sent.items():
        at = float(shown[word].get("x")), float(shown[word].get("y"))
        assert (x, y) == pytest.approx(at, abs=0.06)
