"""The app on Qdrant's own engine over HTTP: it is dragged against, and goes away in the middle."""

import json
import subprocess
import sys
import urllib.request
from contextlib import closing

import numpy as np
import pytest

from rivae.cli.main import main
from rivae.exploring.explorer import Explorer
from rivae.retrieval.engine import URL, EngineGoneError
from rivae.retrieval.fallback import Engine
from rivae.runs import Run
from tests.conftest import ROOT, free_port
from tests.e2e.conftest import ExplorePage
from tests.e2e.test_explore_drag import SWEEP

pytestmark = pytest.mark.slow
pytest.importorskip("qdrant_edge", reason="qdrant-edge-py is missing")


@pytest.fixture
def qdrant(tmp_path, until):
    """The address of an engine in a process of its own, and that process."""
    port = free_port()
    command = [sys.executable, "-m", "tests.retrieval.edge_server", str(port)]
    server = subprocess.Popen([*command, str(tmp_path / "points")], cwd=ROOT)
    address = f"http://127.0.0.1:{port}"

    def answers():
        try:
            urllib.request.urlopen(f"{address}/collections/none/exists", timeout=5).close()
        except OSError:
            return False
        return True

    until(answers, "the engine answers")
    yield address, server
    server.kill()
    server.wait()


def test_an_engine_that_goes_away_in_a_drag_changes_who_searches_and_no_item(
    qdrant, app_runs, trained_run, browser, start_app, tmp_path, monkeypatch, until, capsys
):
    address, server = qdrant
    monkeypatch.setenv("RIVAE_RUNS", str(app_runs))
    push = ["index", "push", trained_run, "--to", address, "--json"]
    assert main([*push, "--rows", "test"]) == 0
    capsys.readouterr()
    assert main([*push, "--rows", "all"]) == 0
    own = Explorer.open(Run(app_runs / trained_run), "all")  # before the engine is named
    assert json.loads(capsys.readouterr().out)["items"] == len(own.search_rows)
    monkeypatch.setenv(URL, address)
    there, here = said_by(is_gone=False), said_by(is_gone=True)
    with (
        start_app(app_runs, tmp_path / "server.log") as app,
        closing(browser.new_context(viewport={"width": 1360, "height": 900})) as context,
    ):
        page, answers = context.new_page(), []
        page.on("response", lambda one: answers.append(one) if "/run/topk" in one.url else None)
        explore, who = ExplorePage(page, app), page.get_by_test_id("engine")

        def is_named():
            explore.open(trained_run, q="mean", rows="all")
            return who.inner_text() == there

        # Where it did not answer in time on a slow machine it is asked again after a minute.
        until(is_named, "the engine is named", every=10)
        answers.clear()
        seen = [explore.ids()]
        for n, _ in enumerate(explore.drag(1, [0.05, *SWEEP])):
            until(lambda: explore.ids() != seen[-1], "other items, the button still down")
            seen.append(explore.ids())
            assert who.inner_text() == (there if n <= 4 else here)
            if n == 4:
                server.kill()
                server.wait()
        assert page.get_by_test_id("explore-error").inner_text() == ""
        assert len(answers) > len(SWEEP)
        for answer in answers:
            z, found = answer.request.post_data_json["z"], answer.json()
            assert found["ids"] == own.topk(np.array(z), len(found["ids"])).ids.tolist()
        for path in (f"steer?run={trained_run}", f"compare?runs={trained_run},demo-digits"):
            page.goto(f"{app}/{path}")
            who.get_by_text(here).first.wait_for()


def said_by(is_gone):
    """Who searches, as visitors read it."""

    def ask():
        if is_gone:
            raise EngineGoneError
        return True

    engine = Engine()
    engine.answer(ask)
    return engine.sentence
