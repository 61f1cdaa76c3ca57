"""What a cell means, by the way it is written, and what the report says about it."""

from __future__ import annotations

import json

import pytest

from rivae.data.importing import lines as shape
from rivae.data.importing import objects, texts
from rivae.data.importing.html_text import without_html
from rivae.data.importing.texts import ListColumn, TextColumn
from rivae.data.store import PairStore
from tests.importing.conftest import rows
from tests.importing.test_pairs import take


def read(cells, role="ingredients"):
    """The lines of each cell of a column, and the remarks on each."""
    column = ListColumn("x", role)
    for cell in cells:
        column.look(cell)
    found = []
    for cell in cells:
        remarks = []
        lines = column.read(cell, remarks)
        found.append((lines, [remark.removeprefix("column 'x': ") for remark, _ in remarks]))
    return found


def lines(cell, role="ingredients"):
    ((found, _),) = read([cell], role)
    return found


def remarks(cell, role="ingredients"):
    ((_, said),) = read([cell], role)
    return said


def title(cell):
    said = []
    return *TextColumn("x").read(cell, said), [remark for remark, _ in said]


SALTED = ("2 cups flour", "1 tsp salt")


@pytest.mark.parametrize(
    "cell",
    [
        [
            {"ingredient": "flour", "quantity": "2 cups"},
            {"ingredient": "salt", "quantity": "1 tsp"},
        ],
        {"flour": "2 cups", "salt": "1 tsp"},
        [{"flour": "2 cups"}, {"salt": "1 tsp"}],
        [{"flour": "2 cups", "salt": "1 tsp"}],
        {"2 cups": "flour", "1 tsp": "salt"},
        {"flour": "2 cups", "salt": "1 tsp", "water": None, "milk": None, "oil": None},
        {"flour": {"amount": 2, "unit": "cups"}, "salt": {"amount": 1.0, "unit": "tsp"}},
        [
            {"name": "flour", "amount": {"value": 2.0, "unit": {"name": "cups"}}},
            {"Name": "salt", "Qty": 1, "Unit": "tsp"},
        ],
        [{"text": "2 cups flour", "quantity": 2.0, "food": "flour"}, {"original": "1 tsp salt"}],
        {"ingredient": ["flour", "salt"], "amount": ["2 cups", "1 tsp"]},
        [("flour", "2 cups"), ("salt", "1 tsp")],  # a map of Parquet
        [["flour", "2 cups"], ["salt", "1 tsp"]],
        [["2", "cups", "flour"], ["1", "tsp", "salt"]],
        {"Dough": ["2 cups flour"], "Water": ["1 tsp salt"]},
        {"0": "2 cups flour", "1": "1 tsp salt"},
        ["{'ingredient': 'flour', 'quantity': '2 cups'}", '{"flour": null, "text": "1 tsp salt"}'],
        {"@type": "ItemList", "itemListElement": [{"name": SALTED[0]}, {"name": SALTED[1]}]},
    ],
    ids=str,
)
def test_objects_are_lines_with_their_amounts(cell):
    for written in (cell, json.dumps(cell), repr(cell)):
        assert lines(written) == SALTED
        assert remarks(written)


def test_a_map_may_name_a_thing_twice():
    assert lines([("salt", "1 tsp"), ("salt", "a pinch")]) == ("1 tsp salt", "a pinch salt")


def test_objects_that_are_not_known_keep_their_words():
    cell = [{"foo": "flour", "bar": "2 cups", "id": 7}, {"foo": "salt", "bar": "1 tsp", "id": 8}]
    assert lines(cell) == ("flour 2 cups", "salt 1 tsp")
    assert objects.UNKNOWN in remarks(cell)


STEPS = [{"@type": "HowToStep", "text": "Mix."}, {"@type": "HowToStep", "text": "Bake."}]


@pytest.mark.parametrize(
    ("cell", "wanted"),
    [
        (STEPS, ("Mix.", "Bake.")),
        (
            [{"step": 1, "description": "Mix."}, {"step": 2, "description": "Bake."}],
            ("Mix.", "Bake."),
        ),
        ({"10": "Bake.", "9": "Mix."}, ("Mix.", "Bake.")),
        (
            [{"@type": "HowToSection", "name": "Dough", "itemListElement": STEPS}],
            ("Dough", "Mix.", "Bake."),
        ),
        ([["Mix."], ["Bake."]], ("Mix.", "Bake.")),
        ([{"text": "Mix."}, {"text": "Bake."}], ("Mix.", "Bake.")),
        (["<p>Mix.</p><p>Bake.</p>"], ("Mix.", "Bake.")),
        ("<ol><li>Mix; stir, well.</li><li>Bake.</li></ol>", ("Mix; stir, well.", "Bake.")),
        ("Mix; stir, well. Bake.", ("Mix; stir, well. Bake.",)),
        (r"Mix.\nBake.", ("Mix.", "Bake.")),
        ("• Mix. • Bake.", ("Mix.", "Bake.")),
        ('("Mix.") and then bake', ('("Mix.") and then bake',)),
    ],
    ids=str,
)
def test_steps(cell, wanted):
    assert lines(cell, "instructions") == wanted


@pytest.mark.parametrize(
    "cell",
    [
        "easy, quick, vegan",
        "easy,quick,vegan",
        "easy; quick; vegan",
        "#easy #quick #vegan",
        "['easy' 'quick' 'vegan']",
        '"easy", "quick", "vegan"',
        [{"name": "easy", "slug": "a"}, {"name": "quick"}, {"label": "vegan"}],
        {"easy": True, "quick": True, "vegan": True, "slow": False},
        {"choices": ["easy", "quick", "vegan"]},
        "{easy,quick,vegan}",
        "[easy, quick, vegan]",
        "WrappedArray(easy, quick, vegan)",
        "0     easy\n1    quick\n2    vegan\nName: tags, dtype: object",
        "easy|nan|quick|vegan",
        ["easy, quick, vegan"],
        "Array\n(\n    [0] => easy\n    [1] => quick\n    [2] => vegan\n)\n",
        'a:3:{i:0;s:4:"easy";i:1;s:5:"quick";i:2;s:5:"vegan";}',
        "array (\n  0 => 'easy',\n  1 => 'quick',\n  2 => 'vegan',\n)",
        "{'easy'; 'quick'; 'vegan'}",
        "easy\x0bquick\x0bvegan",
        ["['easy', 'quick', 'vegan']"],
        ["easy\nquick\nvegan"],
        "easy<br/ >quick</br>vegan",
    ],
    ids=str,
)
def test_tags(cell):
    assert lines(cell, "tags") == ("easy", "quick", "vegan")


@pytest.mark.parametrize(
    ("cell", "wanted", "said"),
    [
        ("['a' 'b' ... 'y' 'z']", ("a", "b", "y", "z"), texts.ABRIDGED),
        ("['baker's flour', 'salt']", ("baker's flour", "salt"), texts.LOOSE),
        ('[""flour"", ""salt""]', ("flour", "salt"), texts.LOOSE),
        ("['flour', 'sa", ("['flour', 'sa",), texts.NOT_UNDERSTOOD),
        ("['flour'] + salt", ("['flour'] + salt",), texts.NOT_UNDERSTOOD),
        (["flour", "nan", "salt"], ("flour", "salt"), shape.MISSING_WORDS),
        ("nan", (), shape.MISSING_WORDS),
        (["salt"] * 600, ("salt",) * shape.MAX_LINES, shape.TOO_MANY),
        ("1 onion, finely chopped", ("1 onion, finely chopped",), texts.UNSURE.format("commas")),
        ("flour; salt", ("flour", "salt"), texts.SPLIT_AT.format("';'")),
        ("half &amp; half", ("half & half",), shape.HTML),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_guess_and_a_loss_are_remarks(cell, wanted, said):
    assert read([cell]) == [(wanted, [said])]


@pytest.mark.parametrize(
    "cell",
    [
        "5\" pan 'a' b",
        "[Optional] salt",
        "(salt)",
        '("salt")',
        "salt (to taste)",
        "1,5 kg",
        ["1 onion, chopped"],
        "c(1",
        "",
    ],
)
def test_what_is_no_list_stays_one_text(cell):
    wanted = tuple(cell) if isinstance(cell, list) else (cell,)
    for role in ("ingredients", "instructions"):
        assert lines(cell, role) == (wanted if cell else ())


def test_a_slip_does_not_decide_for_a_column():
    cells = ["flour; salt"] * 50 + ["butter; soft\nsalt"]
    assert {found for found, _ in read(cells)[:50]} == {("flour", "salt")}
    cells = ["butter; soft\nsalt"] * 50 + ["flour; salt"]
    assert read(cells)[-1] == (("flour; salt",), [texts.UNSURE.format("';'")])


def test_long_lines_are_split_between_sentences():
    sentence = "Stir the pot, slowly and with care. "
    found = lines([sentence * 400], "instructions")
    assert len(found) == 3 and max(map(len, found)) <= shape.MAX_LINE
    assert " ".join(found) == (sentence * 400).strip() and all(x.endswith("care.") for x in found)
    assert remarks([sentence * 400], "instructions") == [shape.LONG_LINES]
    assert "".join(lines(["ก่" * 3000], "instructions")) == "ก่" * 3000
    assert all(x.startswith("ก") for x in lines(["ก่" * 3000], "instructions"))


@pytest.mark.parametrize(
    ("cell", "wanted"),
    [
        (["A dog runs.", "Two dogs."], ("A dog runs.", ("Two dogs.",))),
        ("['A dog runs.' 'Two dogs.']", ("A dog runs.", ("Two dogs.",))),
        (" ['A dog runs.', 'Two dogs.'] ", ("A dog runs.", ("Two dogs.",))),
        ("['A dog runs.', nan, 'Two dogs.']", ("A dog runs.", ("Two dogs.",))),
        ("A dog runs.\nTwo dogs.", ("A dog runs.", ("Two dogs.",))),
        (
            [{"raw": "A dog runs.", "sentid": 3}, {"raw": "Two dogs."}],
            ("A dog runs.", ("Two dogs.",)),
        ),
        ({"raw": ["A dog runs.", "Two dogs."], "sentid": [3, 4]}, ("A dog runs.", ("Two dogs.",))),
        (["", "A dog runs."], ("A dog runs.", ())),
        ({"de": "Suppe", "en": "soup"}, ("soup", ())),
        ({"de": "Suppe", "fr": "soupe"}, ("Suppe", ())),
        ({"short": "Soup", "long": "A red soup."}, ("Soup", ("A red soup.",))),
        ({"rendered": "Mac &#038; Cheese"}, ("Mac & Cheese", ())),
        ("Mac and\nCheese", ("Mac and Cheese", ())),
        ("[Vegan] Chili", ("[Vegan] Chili", ())),
        ("{curly}", ("{curly}", ())),
        ("[1, 2]", ("[1, 2]", ())),
        ('"Best" and "Worst"', ('"Best" and "Worst"', ())),
        ("Soup, salad; bread | all", ("Soup, salad; bread | all", ())),
        ("5 < 6 & <3", ("5 < 6 & <3", ())),
        ("nan", ("", ())),
        ("Nan", ("Nan", ())),
        (None, ("", ())),
        (7, ("7", ())),
    ],
    ids=str,
)
def test_titles(cell, wanted):
    assert title(cell)[:2] == wanted


def test_a_long_caption_becomes_text():
    name, beyond, said = title("A red bowl on a table. " + "It is full of soup. " * 40)
    assert name == "A red bowl on a table." and len(beyond) == 1 and len(said) == 1
    assert beyond[0].startswith("A red bowl") and beyond[0].endswith("soup.")
    name, beyond, _ = title("a dense caption " * 40)
    assert name.endswith("…") and len(name) <= shape.BEGINNING + 1
    assert beyond == (("a dense caption " * 40).strip(),)
    _, beyond, said = title("long words " * 1000)
    assert len(beyond) == 3 and len(said) == 2


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Mac &amp; Cheese", "Mac & Cheese"),
        ("Mac &amp;amp; Cheese &amp;#39;", "Mac & Cheese '"),
        ("&frac12; cup, 350&deg;F, Vidalia&reg;", "½ cup, 350°F, Vidalia®"),
        ("<b>Soup</b> of <a href='x'>rice</a>", "Soup of rice"),
        ("1<sup>1</sup>/<sub>2</sub> cups, CO<sub>2</sub>", "1 1/2 cups, CO2"),
        ("&lt;b&gt;Soup&lt;/b&gt;", "Soup"),
        ("all&shy;purpose", "allpurpose"),
        ("<![CDATA[Soup]]>", "Soup"),
        ("<style>p { }</style>Soup<script>x()</script><!-- y -->", "Soup"),
        *[(text, text) for text in ("a < b > c", "<3", "R&D", "AT&T;", "&nothing;", "salt&reg")],
        *[(text, text) for text in ("<a little salt>", "<my note>", "<script>alert(1)</script>")],
    ],
)
def test_html(text, wanted):
    assert without_html(text) == wanted


def test_the_report_counts_what_was_guessed(tmp_path, pictures, write_table):
    records = rows()
    for i, record in enumerate(records):
        record["title"] = "Mac &amp; Cheese" if i < 3 else f"Dish {i}"
        record["ingredients"] = "flour; salt" if i < 5 else "['flour' 'salt']"
    report = take(write_table(records), pictures, tmp_path / "data")
    split = f"column 'ingredients': {texts.SPLIT_AT}".format("';'")
    assert report.notes == {f"column 'title': {shape.HTML}": 3, split: 5}
    assert report.examples[split][0] == "record 1 (d0): flour; salt → flour | salt"
    store = PairStore(tmp_path / "data" / "mine")
    assert {store.recipe(i).ingredients for i in range(40)} == {("flour", "salt")}
    assert store.title(0) == "Mac & Cheese"
