"""Links of every page that people have kept: they open the same view of the same run.

``page_links.json`` holds for each link the settings, the items and the remarks that its page
showed before the pages became five places. It is not to be made anew: a link that leads elsewhere
now still shows what it always did. A bare address names a place and no state: Metrics opened
with the tables of all methods, and opens now with the run that one looked at. The charts of a
run and of the tables lie in parts of Metrics that are folded at first. The kitchen's runs were
trained anew when its dishes were rendered (28 November 2026): their items are those of these runs.
"""

import json
from pathlib import Path

import pytest

from tests.app.conftest import App

FOLDS = ("open_paper", "open_dots_retrieval", "open_dots_factors", "open_dots_standard")
STORED = json.loads(Path(__file__).with_name("page_links.json").read_text())


def items_in(value):
    """The numbers of items in what a component was sent, in order."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if name in ("id", "item", "ids"):
                yield from (
                    i for i in (inner if isinstance(inner, list) else [inner]) if type(i) is int
                )
            else:
                yield from items_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from items_in(inner)


def opened(link):
    """What a link shows: its address once it is filled, remarks, items and charts."""
    folded = dict.fromkeys(FOLDS, "true") if link["page"] == "metrics" else {}
    page = App().open(link["page"], **link["params"], **folded)
    sent = [page.panel(n) for n in range(len(page.components))]
    items = items_in(sent)
    return {
        "address": {name: text for name, text in page.params.items() if name not in FOLDS},
        "says": page.warnings,
        "items": list(dict.fromkeys(items))[:12],
        "charts": len(page.at.get("plotly_chart")),
    }


@pytest.fixture
def bundled(monkeypatch, tmp_path):
    """The runs that come with the app, and no others."""
    monkeypatch.setenv("RIVAE_RUNS", str(tmp_path / "runs"))
    monkeypatch.setenv("RIVAE_LABELS", str(tmp_path / "labels.db"))


@pytest.mark.parametrize("link", STORED, ids=lambda link: f"{link['page']}-{link['what']}")
def test_a_link_of_every_page_opens_what_it_always_did(bundled, link):
    assert opened(link) == link["opens"]
