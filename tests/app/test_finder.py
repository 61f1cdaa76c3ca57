"""One search for everything: what it finds and where it leads."""

import pytest

from rivae.app.shared import finder
from rivae.app.shell import pages
from rivae.base.errors import ConfigError
from rivae.exploring.explorer import Explorer
from rivae.runs import DEMO_ROOT, find_run

KITCHEN = "demo-kitchen"


@pytest.fixture(scope="module")
def kitchen():
    return Explorer.open(find_run(KITCHEN, [DEMO_ROOT]))


@pytest.fixture
def found(kitchen):
    def ask(text, run=KITCHEN):
        answer = finder.hits({"text": text, "run": run, "seq": 7}, lambda *_: kitchen)
        assert answer["seq"] == 7
        return answer["hits"]

    return ask


def of(hits, group):
    return [hit for hit in hits if hit["group"] == group]


def test_every_hit_leads_to_a_page(found):
    for text in ("", "sweet", "kitchen", "a", "evidence", "z1"):
        for hit in found(text):
            assert hit["page"] in pages.pages(), hit
            assert all(isinstance(value, str) for value in hit["params"].values()), hit


def test_an_axis_is_found_by_its_evidence_not_by_its_name_alone(found, kitchen):
    name = kitchen.known_names[0]
    word = name.evidence[0].term.split()[0]
    (first, *_others) = of(found(word), "Axes")
    assert any(hit["params"].get("axis") == "z1" for hit in of(found(word), "Axes")), first


def test_items_are_the_best_of_the_search_and_can_be_a_filter(found, kitchen):
    word = kitchen.title(int(kitchen.search_rows[0])).split()[0].strip(",")
    hits, rows = found(word), [hit.row for hit in kitchen.best(word, finder.N_ITEMS)]
    assert rows
    assert [hit["params"]["q"] for hit in of(hits, "Items")] == [str(row) for row in rows]
    assert of(hits, "Filter")[0]["params"] == {"run": KITCHEN, "only": word}


def test_views_are_found_by_name_and_all_without_a_text(found):
    assert [hit["title"] for hit in of(found("strips"), "Go to")] == ["Explore: Strips"]
    n_views = sum(len(page.views) for page in pages.pages().values())
    assert len(of(found(""), "Go to")) == n_views


def test_without_a_run_it_finds_views_still(found):
    assert of(found("label", run=""), "Go to")


@pytest.mark.parametrize("wrong", [{"text": "a" * 201}, {"run": "../x"}, {"seq": -1}, {"text": 3}])
def test_a_strangers_question_is_refused_in_one_sentence(wrong):
    with pytest.raises(ConfigError):
        finder.hits({"text": "a", "run": "", "seq": 0, **wrong}, lambda *_: None)
