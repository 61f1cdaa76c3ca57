import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from PIL import Image

from rivae.exploring.steering import steer_rows
from rivae.exploring.words.clouds import count_words
from rivae.figures.clouds import make_clouds, relation_color
from rivae.figures.palette import contrast, theme
from rivae.figures.sheet import Picture, Text, to_html, to_image, to_svg, tone_color
from rivae.figures.steering import mark_text, steering_sheet

NAMES = ["z1", "z2 · <b>green</b>", "z3"]
ROWS = steer_rows([1, 0], [["on", "off"], ["query", -1.5]])
IDS = np.array([[3, 4, 5], [6, 7, 8]])


def picture(i):
    return Image.new("RGB", (20, 20), (i * 20, 0, 0))


def clouds():
    sets = [["kale", "salt"], ["kale"], ["sugar", "<i>"]]
    counts = count_words({"row 1": [0, 1, 2]}, sets)
    relation = {"kale": "related", "sugar": "opposite"}
    return [make_clouds(counts, relation, factor="green on", width=340, height=150), None]


def sheet(**changes):
    return steering_sheet(ROWS, IDS, NAMES, picture, clouds=clouds(), n_sigma=3.0, **changes)


def texts(made):
    return [mark.text for mark in made.marks if isinstance(mark, Text)]


def test_the_matrix_is_readable_without_colour():
    assert [mark_text(level) for level in ("on", "off", "query", -1.5, 0.0, 2)] == [
        "●",
        "○",
        "–",
        "−1.5",
        "0",
        "+2",
    ]
    said = texts(sheet())
    assert said.index("●") < said.index("○") < said.index("–") < said.index("−1.5")
    legend = next(text for text in said if "mean + 3 s.d." in text)
    assert "○ off (mean − 3 s.d.)" in legend and "– at the query" in legend


def test_every_row_has_its_pictures_from_left_to_right():
    made = sheet()
    pictures = [mark for mark in made.marks if isinstance(mark, Picture)]
    assert len(pictures) == 6
    assert pictures[0].alt == "item 3, rank 1 with z2 · <b>green</b> on, z1 off"
    assert pictures[0].x < pictures[1].x and pictures[0].y == pictures[2].y < pictures[3].y
    assert [row["item"] for row in made.rows] == [3, 4, 5, 6, 7, 8]
    assert made.rows[3]["z1"] == -1.5 and made.rows[0]["z2 · <b>green</b>"] == "on"
    assert "2 settings of z2" in made.alt


def test_words_say_their_relation_twice():
    marks = {mark.text: mark for mark in sheet().marks if isinstance(mark, Text)}
    assert marks["kale"].underlined and marks["kale"].tone == "related"
    assert marks["sugar"].slanted and marks["sugar"].tone == "opposite"
    assert not marks["salt"].bold and marks["salt"].tone == "faint"
    assert marks["kale"].size > marks["salt"].size
    assert "no words" in marks and "related to the setting" in marks


@pytest.mark.parametrize("dark", [False, True])
def test_tones_are_those_of_the_clouds_and_readable(dark):
    colors = theme(dark)
    for tone, relation in (("related", "related"), ("opposite", "opposite"), ("faint", "none")):
        assert tone_color(tone, colors) == relation_color(relation, colors)
        assert contrast(tone_color(tone, colors), colors.surface) >= 3


def test_files_in_both_themes_with_text_escaped():
    made = sheet(query=picture(1), query_title="<script>")
    for dark in (False, True):
        assert to_image(made, dark=dark).size == (round(2 * made.width), round(2 * made.height))
        svg = to_svg(made, dark=dark)
        root = ET.fromstring(svg)
        kale = next(t for t in root.iter("{http://www.w3.org/2000/svg}text") if t.text == "kale")
        assert kale.get("text-decoration") == "underline"
        assert "<script>" not in svg and "<i>" not in svg
    html = to_html(made)
    assert "<script>" not in html and "<b>green" not in html
    assert re.search(r"--rv-related:#[0-9a-f]{6}", html) and "font-style:italic" in html


def test_nothing_is_placed_outside():
    made = sheet(query=picture(1))
    for mark in made.marks:
        assert 0 <= mark.x <= made.width and 0 <= mark.y <= made.height


def test_without_texts_there_is_no_place_for_clouds():
    bare = steering_sheet(ROWS, IDS, NAMES, picture)
    assert bare.width < sheet().width and "related to the setting" not in texts(bare)


def test_rows_and_items_belong_together():
    with pytest.raises(ValueError, match="2 rows with 1"):
        steering_sheet(ROWS, IDS[:1], NAMES, picture)
    with pytest.raises(ValueError, match="1 clouds"):
        steering_sheet(ROWS, IDS, NAMES, picture, clouds=clouds()[:1])
    with pytest.raises(ValueError, match="different axes"):
        steering_sheet([*ROWS[:1], *steer_rows([2], [["on"]])], IDS, NAMES, picture)
