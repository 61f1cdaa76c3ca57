import pytest
from PIL import Image

from rivae.figures.results import results_sheet
from rivae.figures.sheet import Picture, Text, to_image


def sheet(n=7, **options):
    return results_sheet(
        list(range(10, 10 + n)),
        lambda i: Image.new("L", (8, 8), i),
        title=lambda i: f"item <{i}>",
        **{"query": Image.new("L", (8, 8)), "query_title": "the query", **options},
    )


def pictures(drawn):
    return [mark for mark in drawn.marks if isinstance(mark, Picture)]


def test_every_item_stands_once_in_order_of_rank():
    query, *items = pictures(sheet())
    assert query.alt == "Query: the query"
    assert [p.alt for p in items] == [f"{r + 1}: item <{10 + r}>" for r in range(7)]
    places = [(p.y, p.x) for p in items]
    assert places == sorted(places) and len(set(places)) == 7
    assert items[5].y > items[4].y and items[5].x == items[0].x


@pytest.mark.parametrize("n", [0, 1, 5, 30])
@pytest.mark.parametrize("query", [None, Image.new("L", (8, 8))])
def test_nothing_stands_outside_the_sheet(n, query):
    drawn = sheet(n, query=query)
    for mark in drawn.marks:
        assert mark.x >= 0 and mark.y >= 0
        if isinstance(mark, Picture):
            assert mark.x + mark.width <= drawn.width and mark.y + mark.height <= drawn.height
        if isinstance(mark, Text):
            assert mark.y <= drawn.height
    assert to_image(drawn).size[0] > 0


def test_the_table_names_rank_item_and_score():
    rows = sheet(2, scores=[-0.5, -1.5]).rows
    assert rows[1] == {"rank": 2, "item": 11, "title": "item <11>", "score": -1.5}
    assert "score" not in sheet(2).rows[0]
