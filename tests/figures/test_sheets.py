import base64
import io
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import numpy as np
import pytest
from PIL import Image

from rivae.figures.fonts import drawable, shortened, text_width, wrapped
from rivae.figures.palette import DARK, LIGHT, rgb
from rivae.figures.sheet import Picture, Text, stacked, to_fragment, to_html, to_image, to_svg
from rivae.figures.traversals import pictures_of, plane_sheet, strips_of, strips_sheet, value_texts
from rivae.retrieval.traversal import Traversal
from tests.figures.drawn_fonts import forgotten_fonts

SVG = "{http://www.w3.org/2000/svg}"
VALUES = np.linspace(-2, 2, 5)


def picture(i):
    """Every item has its own colour."""
    return Image.new("RGB", (8, 8), ((i * 40) % 256, (i * 90) % 256, 200))


def traversal():
    """One query, two dimensions: z1 changes its best item at points 0, 2, 3; z4 never."""
    top = np.array([[1, 1, 2, 3, 3], [5, 5, 5, 5, 5]])
    ids = np.stack([top, top + 10], axis=-1)[None]
    values = np.tile(VALUES, (2, 1))
    return Traversal(np.zeros((1, 4)), np.array([0, 3]), values, ids, np.zeros(ids.shape))


def sheet_of(layout="rows", **options):
    return strips_sheet(
        strips_of(traversal()),
        picture,
        query=picture(0),
        query_title="seven",
        title=lambda i: f"item <{i}>",
        layout=layout,
        **options,
    )


def test_only_change_points_are_shown_each_with_its_top_k():
    first, second = strips_of(traversal())
    assert first.ids.tolist() == [[1, 11], [2, 12], [3, 13]]
    assert first.values.tolist() == [-2, 0, 1]
    assert (first.name, second.name) == ("z1", "z4")
    assert second.ids.tolist() == [[5, 15]]
    assert len(strips_of(traversal(), changes_only=False)[1].values) == 5
    assert strips_of(traversal(), names=["a", "b", "c", "d"])[1].name == "d"


def test_what_is_left_out_is_said():
    strips = strips_of(traversal(), max_points=2)
    assert strips[0].values.tolist() == [-2, 1]
    texts = [m.text for m in strips_sheet(strips, picture).marks if isinstance(m, Text)]
    assert texts.count("2 of 3 points shown") == 1


@pytest.mark.parametrize("layout", ["rows", "columns"])
def test_strips_run_across_or_down_and_nothing_overlaps(layout):
    sheet = sheet_of(layout)
    query, *items = pictures_of(sheet)
    assert query.alt == "Query: seven"
    assert query.width == 2 * items[0].width
    assert [p.alt for p in items[:2]] == [
        "item <1>, rank 1 at z1 = −2.0",
        "item <11>, rank 2 at z1 = −2.0",
    ]
    first, below, then = items[0], items[1], items[2]
    if layout == "rows":
        assert first.x == below.x < then.x
        assert first.y == then.y < below.y
    else:
        assert first.y == below.y < then.y
        assert first.x == then.x < below.x
    boxes = [(p.x, p.y, p.x + p.width, p.y + p.height) for p in pictures_of(sheet)]
    for n, a in enumerate(boxes):
        assert min(a) >= 0 and a[2] <= sheet.width and a[3] <= sheet.height
        for b in boxes[:n]:
            assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]


def test_each_picture_is_made_once():
    asked = []
    strips = strips_of(traversal(), changes_only=False)
    strips_sheet(strips, lambda i: asked.append(i) or picture(i))
    assert len(asked) == len(set(asked)) == 8


def test_the_png_shows_the_right_item_at_its_place():
    sheet = sheet_of(marked=[2])
    image = to_image(sheet, scale=2)
    assert image.size == (round(sheet.width * 2), round(sheet.height * 2))
    for mark, item in zip(pictures_of(sheet), [0, 1, 11, 2, 12, 3, 13, 5, 15], strict=True):
        middle = round((mark.x + mark.width / 2) * 2), round((mark.y + mark.height / 2) * 2)
        assert image.getpixel(middle)[:3] == picture(item).getpixel((0, 0))
    marked = next(p for p in pictures_of(sheet) if p.marked)
    edge = round(marked.x * 2) - 1, round((marked.y + marked.height / 2) * 2)
    assert image.getpixel(edge)[:3] == rgb(LIGHT.frame)
    assert image.getpixel((0, 0))[:3] == rgb(LIGHT.surface)
    assert to_image(sheet, dark=True).getpixel((0, 0))[:3] == rgb(DARK.surface)
    assert to_image(sheet, transparent=True).getpixel((0, 0))[3] == 0


def test_small_pictures_are_enlarged_without_blur():
    checker = Image.fromarray((np.indices((3, 3)).sum(0) % 2 * 255).astype(np.uint8))
    mark = pictures_of(strips_sheet(strips_of(traversal()), lambda i: checker, side=60))[0]
    sheet = strips_sheet(strips_of(traversal()), lambda i: checker, side=60)
    image = to_image(sheet, scale=1)
    inside = image.crop((int(mark.x), int(mark.y), int(mark.x) + 60, int(mark.y) + 60))
    for row in range(3):
        for column in range(3):
            cell = np.asarray(
                inside.convert("L").crop(
                    (20 * column + 2, 20 * row + 2, 20 * column + 18, 20 * row + 18)
                )
            )
            assert (cell == (row + column) % 2 * 255).all()


def test_pictures_keep_their_proportions():
    wide = Image.new("L", (40, 10))
    mark = pictures_of(strips_sheet(strips_of(traversal()), lambda i: wide, side=60))[0]
    assert (mark.width, mark.height) == (60, 15)


def test_svg_is_well_formed_describes_every_picture_and_repeats_none():
    root = ET.fromstring(to_svg(sheet_of()))
    images = list(root.iter(f"{SVG}image"))
    uses = list(root.iter(f"{SVG}use"))
    assert len(uses) == 9
    assert len(images) == len({i.get("id") for i in images}) == 9
    assert {u.get("href")[1:] for u in uses} == {i.get("id") for i in images}
    content = base64.b64decode(images[1].get("href").partition(",")[2])
    assert Image.open(io.BytesIO(content)).convert("RGB").getpixel((0, 0)) == (40, 90, 200)
    labels = [g.get("aria-label") for g in root.iter(f"{SVG}g")]
    assert "item <3>, rank 1 at z1 = 1.0" in labels
    twice = ET.fromstring(to_svg(stacked([sheet_of(), sheet_of()])))
    assert len(list(twice.iter(f"{SVG}image"))) == 9


class Reader(HTMLParser):
    def __init__(self):
        super().__init__()
        self.pictures, self.tags = [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag == "img":
            self.pictures.append(dict(attrs))


def test_html_is_self_contained_and_escapes_text_from_data():
    evil = '"><script>alert(1)</script>'
    sheet = strips_sheet(
        strips_of(traversal(), names=[evil] * 4),
        picture,
        query=picture(0),
        query_title=evil,
        title=lambda i: evil,
    )
    for text in (to_html(sheet, title=evil), to_fragment(sheet, dark=True)):
        reader = Reader()
        reader.feed(text)
        assert "script" not in reader.tags
        assert len(reader.pictures) == 9
        assert all(p["alt"] and p["src"].startswith("data:image/") for p in reader.pictures)
        assert reader.pictures[1]["alt"].startswith(evil)
        assert "http" not in text
    assert "<script" not in to_svg(sheet)
    ET.fromstring(to_svg(sheet))


def test_the_pictures_in_html_are_the_items():
    reader = Reader()
    reader.feed(to_html(sheet_of()))
    for shown, item in zip(reader.pictures[1:4], [1, 11, 2], strict=True):
        image = Image.open(io.BytesIO(base64.b64decode(shown["src"].partition(",")[2])))
        assert image.size == (8, 8)
        assert image.convert("RGB").getpixel((3, 3)) == picture(item).getpixel((0, 0))
    grey = Image.fromarray(np.linspace(0, 255, 96 * 96).reshape(96, 96).astype(np.uint8))
    reader = Reader()
    reader.feed(to_html(strips_sheet(strips_of(traversal()), lambda i: grey, side=24)))
    content = base64.b64decode(reader.pictures[0]["src"].partition(",")[2])
    back = Image.open(io.BytesIO(content))
    assert back.size == (48, 48)  # twice its place on the page, no more
    expected = np.asarray(grey.resize((48, 48), Image.Resampling.LANCZOS), dtype=float)
    assert np.abs(np.asarray(back.convert("L")) - expected).mean() < 3


def test_html_follows_the_reader_unless_told():
    assert "prefers-color-scheme: dark" in to_html(sheet_of())
    dark = to_html(sheet_of(), dark=True)
    assert "prefers-color-scheme" not in dark
    assert DARK.surface in dark
    assert LIGHT.surface not in dark


def test_panels_of_several_queries_stand_below_each_other():
    one = sheet_of()
    both = stacked([one, one])
    assert both.height > 2 * one.height
    assert len(pictures_of(both)) == 18
    assert pictures_of(both)[9].y == pictures_of(both)[0].y + one.height + 24
    assert {row["panel"] for row in both.rows} == {0, 1}


def test_a_sheet_says_its_content_in_rows():
    assert sheet_of().rows[2] == {
        "dimension": "z1",
        "z": 0.0,
        "rank": 1,
        "item": 2,
        "title": "item <2>",
    }


def test_the_plane_runs_right_and_up_and_frames_the_reference():
    ids = np.arange(12).reshape(4, 3)
    a, b = np.array([-1.0, 0, 1, 2]), np.array([0.0, 0.5, 1])
    sheet = plane_sheet(ids, a, b, picture, names=("z1", "z2"), reference=(0.9, 0.1), title=str)
    found = {p.alt: p for p in pictures_of(sheet)}
    corner, right, up = (
        found[t]
        for t in ("0 at z1 = −1.0, z2 = 0.0", "3 at z1 = 0.0, z2 = 0.0", "1 at z1 = −1.0, z2 = 0.5")
    )
    assert right.x > corner.x and right.y == corner.y
    assert up.y < corner.y and up.x == corner.x
    assert [p.alt for p in found.values() if p.marked] == ["6 at z1 = 1.0, z2 = 0.0"]
    with pytest.raises(ValueError):
        plane_sheet(ids.T, a, b, picture, names=("z1", "z2"))


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([-10.0, -9.9, 10.0], ["−10.0", "−9.9", "10.0"]),
        ([0.0, 0.25], ["0.00", "0.25"]),
        ([-0.0, 3.0], ["0.0", "3.0"]),
        ([1.5], ["1.5"]),
        ([-3.0, -2.727, -2.4545], ["−3.0", "−2.7", "−2.5"]),
        ([0.0, 1e-9], ["0.000", "0.000"]),
    ],
)
def test_values_are_printed_as_finely_as_they_differ(values, texts):
    assert value_texts(np.array(values)) == texts


def test_marks_are_in_reading_order():
    marks = sheet_of().marks
    assert isinstance(marks[0], Text) and isinstance(marks[1], Picture)
    assert [m.text for m in marks if isinstance(m, Text)][:3] == ["Query", "seven", "z1"]


def test_without_the_usual_font_labels_stay_readable(monkeypatch):
    monkeypatch.setattr("rivae.base.fonts._bundled_folder", lambda: None)
    monkeypatch.setattr("rivae.base.fonts.installed_fonts", lambda: ())
    with forgotten_fonts():
        assert drawable("z1 → ● ∑") == "z1 > X "
        assert to_image(sheet_of()).size[0] > 100


def test_long_titles_are_wrapped_then_cut():
    text = "scale 0.5, X 0.45, Y 0.71"
    lines = wrapped(text, 80, 11)
    assert len(lines) > 1
    assert " ".join(lines) == text
    assert all(text_width(line, 11) <= 80 for line in lines)
    many = wrapped("word " * 50, 80, 11, max_lines=3)
    assert len(many) == 3
    assert many[-1].endswith("…")
    assert text_width(shortened("x" * 99, 80, 11), 11) <= 80
