import json

import numpy as np
import pytest

from rivae.base.errors import DataError
from rivae.data.food_factors import FACTOR_NAMES
from rivae.exploring.words.tags import FOODCOM_TAGS, read_tag_map, tag_nodes, tag_scores, unmapped

TAGS = [
    ("soups-stews", "vegetables"),
    ("soups-stews",),
    ("desserts", "oven"),
    ("never-heard",),
    ("60-minutes-or-less", "italian"),
]


def test_the_shipped_mapping_covers_all_factors():
    tag_map = read_tag_map()
    assert tuple(tag_map.factors) == FACTOR_NAMES
    assert all(group.high and group.low for group in tag_map.factors.values())
    listed = {t for g in tag_map.factors.values() for t in (*g.high, *g.low)}
    assert "soups-stews" in tag_map.factors["wateriness"].high
    assert not listed & {*tag_map.ignored, *tag_map.unrelated}
    assert {"60-minutes-or-less", "time-to-make", "course", "preparation"} <= {*tag_map.ignored}


def test_nodes_hold_counts_the_commonest_first():
    nodes = tag_nodes(read_tag_map(), TAGS)
    wet = [n for n in nodes if n.factor == "wateriness"]
    assert [(n.tag, n.side, n.count) for n in wet] == [("soups-stews", "high", 2)]
    sweet = [(n.tag, n.side) for n in nodes if n.factor == "dessert"]
    assert sweet == [("desserts", "high"), ("soups-stews", "low"), ("vegetables", "low")]
    assert {n.factor for n in tag_nodes(read_tag_map(), TAGS, factors=["baked"])} == {"baked"}


def test_unmapped_tags_are_named():
    assert unmapped(read_tag_map(), TAGS) == (("never-heard", 1),)


def test_scores_run_from_the_low_to_the_high_end():
    scores = tag_scores(read_tag_map(), TAGS)
    dessert = scores[:, FACTOR_NAMES.index("dessert")]
    assert dessert[:3].tolist() == [-1, -1, 1]
    assert np.isnan(scores[3:]).all()
    greenness = scores[0, FACTOR_NAMES.index("greenness")]
    assert greenness == 1


def changed(tmp_path, edit):
    content = json.loads(FOODCOM_TAGS.read_text())
    edit(content)
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(content))
    return path


def test_an_edited_mapping_is_used(tmp_path):
    path = changed(tmp_path, lambda c: c["factors"]["fruit"]["high"].append("never-heard"))
    assert unmapped(read_tag_map(path), TAGS) == ()


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda c: c["factors"].update(saltiness={"high": []}), "saltiness"),
        (lambda c: c["factors"]["fruit"]["low"].append("berries"), "both ends of fruit"),
        (lambda c: c["factors"].update(fruit=["berries"]), "not a tag file"),
        (lambda c: c.update(version=9), "not a tag file"),
        (lambda c: c["factors"]["fruit"]["high"].append(3), "not a tag file"),
        (lambda c: c["factors"]["fruit"]["high"].append("x" * 1000), "not a tag file"),
        (lambda c: c.update(ignored=["a" * 70] * 20_000), "at most"),
        (lambda c: c.update(more=1), "not a tag file"),
    ],
)
def test_a_broken_mapping_is_refused_in_one_sentence(tmp_path, edit, message):
    with pytest.raises(DataError, match=message) as error:
        read_tag_map(changed(tmp_path, edit))
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 400


def test_a_missing_mapping(tmp_path):
    with pytest.raises(DataError, match=r"missing.json"):
        read_tag_map(tmp_path / "missing.json")
