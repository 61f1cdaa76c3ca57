"""Links that people have kept open what they always opened, and are written back as they were.

``stored_links.json`` holds for each link the state it opened to and the link of that state, as the
app said them before its links were read by one codec. It is not to be made anew.
"""

import dataclasses
import json
from pathlib import Path

import pytest

from rivae.app.compare import state as compare
from rivae.app.explore import state as explore
from rivae.app.panels.codec import unread
from rivae.app.panels.links import CompareLink, ExploreLink
from rivae.app.panels.steer_link import SteerLink
from rivae.app.steer import state as steer
from rivae.exploring.explorer import Explorer
from rivae.runs import DEMO_ROOT, find_run

STORED = json.loads(Path(__file__).with_suffix(".json").with_stem("stored_links").read_text())
RUN = "demo-digits"


@pytest.fixture(scope="module")
def digits():
    return Explorer.open(find_run(RUN, [DEMO_ROOT]))


def opened(digits, page, params):
    """What a link says on the page, its state, and the link written back."""
    # An overlong text is stored as what is repeated, and how often.
    params = {name: t if isinstance(t, str) else t[0] * t[1] for name, t in params.items()}
    if page == "explore":
        link, dropped = ExploreLink.read(params)
        state, notes = explore.from_link(digits, link.run or RUN, link, rev=0)
        back = explore.to_link(digits, state).write()
    elif page == "steer":
        link, dropped = SteerLink.read(params)
        state, notes = steer.from_link(digits, link.run or RUN, link, rev=0)
        back = steer.to_link(state).write()
    else:
        link, dropped = CompareLink.read(params)
        state, notes = compare.from_link(digits, link.runs, link, rev=0)
        back = compare.to_link(digits, state).write()
    shown = json.loads(json.dumps(dataclasses.asdict(state)))
    del shown["rev"]
    said = [*unread(sorted(dropped)), *notes]  # in which order the names stand is left open
    return {"said": said, "state": shown, "back": back}


def near(values):
    """Numbers that a model computed, as another machine may round them."""
    return pytest.approx(values, abs=2e-4) if values and None not in values else values


@pytest.mark.parametrize("stored", STORED, ids=lambda s: f"{s['page']}-{s['what']}")
def test_a_stored_link_opens_as_it_always_did(digits, stored):
    found = opened(digits, stored["page"], stored["params"])
    expected = stored["opens"]
    for name in ("z", "base"):
        if name in expected["state"]:
            expected["state"][name] = near(expected["state"][name])
    if expected["state"].get("upload"):
        expected["state"]["upload"]["z"] = near(expected["state"]["upload"]["z"])
        expected["state"]["upload"].setdefault("unlike", 0.0)
        expected["state"]["upload"].setdefault("unknown", "")
    later: dict[str, object] = {"asks": "first"}  # than these links
    if stored["page"] == "explore":
        later |= {"only": "", "added": {}, "only_this": False}
    said = {name: t for name, t in stored["params"].items() if isinstance(t, str)}
    if stored["page"] == "steer" and not SteerLink.read(said)[0].axes:
        # Without a matrix its rows begin where the data lie, and the link says how far that is.
        assert 1 <= found["state"].pop("n_sigma") <= expected["state"].pop("n_sigma")
        found["back"].pop("n", None)
    assert found["state"] == {**later, **expected["state"]}
    assert found["said"] == expected["said"]
    assert list(found["back"].items()) == list(expected["back"].items()), "in this order"
