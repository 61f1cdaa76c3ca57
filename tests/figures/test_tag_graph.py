import numpy as np

from rivae.exploring.words.tags import TagNode, read_tag_map, tag_nodes
from rivae.figures.tag_graph import tag_graph
from rivae.figures.theme import alt_text

TAGS = [("soups-stews", "vegetables")] * 40 + [("stews",)] * 10 + [("breads", "oven")] * 20


def nodes():
    return tag_nodes(read_tag_map(), TAGS)


def tags_of(figure):
    """Node data by (tag, factor): side, x, y, size."""
    found = {}
    for trace in figure.data:
        if trace.mode == "markers+text":
            sizes = trace.marker.size or []
            for (tag, factor, side), x, y, size in zip(
                trace.customdata if trace.customdata is not None else [],
                trace.x,
                trace.y,
                sizes,
                strict=True,
            ):
                found[tag, factor] = (side, x, y, size)
    return found


def test_a_click_yields_the_tag_and_its_factor():
    found = tags_of(tag_graph(nodes()))
    assert {(n.tag, n.factor) for n in nodes()} == set(found)
    assert found["soups-stews", "wateriness"][0] == "high"
    assert found["breads", "wateriness"][0] == "low"


def test_the_area_of_a_node_is_its_frequency():
    found = tags_of(tag_graph(nodes()))
    large, small = found["soups-stews", "wateriness"][3], found["stews", "wateriness"][3]
    assert np.isclose((large / small) ** 2, 4)


def test_high_tags_stand_to_the_right_of_low_ones_and_nothing_falls_together():
    found = tags_of(tag_graph(nodes()))
    assert found["soups-stews", "wateriness"][1] > found["breads", "wateriness"][1]
    places = [place[1:3] for place in found.values()]
    assert len(set(places)) == len(places)


def test_the_same_nodes_give_the_same_picture():
    assert tag_graph(nodes()).to_json() == tag_graph(nodes()).to_json()


def test_the_commonest_tags_are_kept_when_there_are_many():
    many = [TagNode("fruit", f"t{k}", "high", 100 - k) for k in range(50)]
    assert {tag for tag, _ in tags_of(tag_graph(many, n_tags=5))} == {f"t{k}" for k in range(5)}


def test_tags_are_escaped_but_clicked_as_they_are():
    figure = tag_graph([TagNode("fruit", "<b>x", "high", 3)])
    trace = next(t for t in figure.data if t.mode == "markers+text" and len(t.x))
    assert "&lt;b&gt;x" in trace.text[0]
    assert "<b>x" not in trace.hovertext[0].replace("<b>&lt;", "")
    assert list(trace.customdata[0]) == ["<b>x", "fruit", "high"]


def test_the_graph_is_described_also_when_it_is_empty():
    assert "wateriness: soups-stews (40) and stews (10)" in alt_text(tag_graph(nodes()))
    assert "no item" in alt_text(tag_graph([]))
