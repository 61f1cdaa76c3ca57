"""Explore offers a run that refines the one on screen, and changes nothing by itself."""

import json
import shutil

import pytest

from rivae.app.shared import notices
from rivae.app.shell import cache
from rivae.app.shell.keys import EXPLORE
from rivae.app.shell.text import markdown
from rivae.runs import Run
from rivae.runs.refinement import refinement_of


@pytest.fixture
def pair(runs, tmp_path, monkeypatch):
    """A run, and a copy of it that refines it and found better in one epoch."""
    root = tmp_path / "runs"
    shutil.copytree(runs / "digits", root / "digits")
    shutil.copytree(runs / "digits", root / "digits-refined")
    monkeypatch.setenv("RIVAE_RUNS", str(root))
    monkeypatch.setattr(notices, "refinable", lambda config: True)
    refined = Run(root / "digits-refined")
    file = refined.path / "config.json"
    config = json.loads(file.read_text())
    file.write_text(json.dumps({**config, "name": refined.id, "refines": "digits"}))
    last = refined.metrics()[-1]
    scores = {**last.get("validation", {}), "score": 1.0, "recall_at_1": 1.0}
    refined.log.append({**last, "epoch": last["epoch"] + 1, "validation": scores})
    cache._resolved.clear()
    cache._opened.clear()
    yield Run(root / "digits"), refined
    cache.let_go("digits")


def captions(page):
    return " ".join(each.value for each in page.at.caption)


def test_a_better_run_is_offered_and_not_shown_in_place_of_this_one(app, pair):
    run, refined = pair
    offered = refinement_of(run, [refined])
    page = app("explore", run="digits")
    page.calm()
    assert markdown(offered.sentence) in captions(page)
    assert page.at.session_state[EXPLORE.state].run == "digits"


def test_nothing_is_offered_where_it_is_no_better(app, pair):
    run, refined = pair
    (refined.path / "metrics.jsonl").write_text((run.path / "metrics.jsonl").read_text())
    page = app("explore", run="digits")
    page.calm()
    assert refinement_of(run, [refined]) is None
    assert "100" not in captions(page)
