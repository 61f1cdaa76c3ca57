"""Servers that come and go: one that is killed and started again, and two on one store, the runs in
one folder and the labels in one PostgreSQL database.
"""

import shutil
from contextlib import closing
from urllib.parse import parse_qs, urlsplit

import pytest

from rivae.app.explore.state import UPLOAD_GONE
from rivae.labels.kept_plans import name_people
from rivae.runs import Run
from tests.app.labels_fixture import make_label_plan
from tests.conftest import free_port
from tests.e2e.conftest import ExplorePage
from tests.e2e.label_desk import burst, marks, open_desk, saved, who
from tests.hands import drop, png
from tests.labels.postgres import PostgresServer

pytestmark = pytest.mark.slow


@pytest.fixture
def runs(app_runs, trained_run, tmp_path):
    """A folder of its own, as an axis gets a name."""
    shutil.copytree(app_runs / trained_run, tmp_path / "runs" / trained_run)
    return tmp_path / "runs"


@pytest.fixture
def plan(runs, trained_run):
    """A plan that two share, in a PostgreSQL database of its own, whose URL comes first."""
    server = PostgresServer()
    try:
        url = f"{server.url}/postgres"
        made = make_label_plan(runs, url, name="together", run_id=trained_run)
        name_people(made.store, made.plan.id, [who(made, "Ana"), who(made, "Bea")])
        yield url, made
        made.store.close()
    finally:
        server.remove()


def given(made, name):
    """All levels that somebody gave, in their order."""
    return [seen.event.level for seen in made.store.events(annotator=who(made, name))]


def test_what_one_app_is_told_the_other_knows_and_it_outlives_it(
    browser, start_app, runs, trained_run, plan, tmp_path, until
):
    (url, made), servers = plan, []
    with (
        closing(browser.new_context()) as context,
        start_app(runs, tmp_path / "first.log", url, None, servers) as first,
        start_app(runs, tmp_path / "second.log", url) as second,
    ):
        ana = open_desk(context.new_page(), first, made)
        bea = open_desk(context.new_page(), second, made, by="Bea")
        for page, keys in ((ana, "123"), (bea, "54")):
            burst(page, keys)
            saved(page, until)
        elsewhere = open_desk(context.new_page(), second, made)
        assert marks(elsewhere).startswith("123")
        burst(elsewhere, "4")
        saved(elsewhere, until)
        open_desk(ana, first, made)
        assert marks(ana).startswith("1234")
        assert given(made, "Ana") == [1, 2, 3, 4] and given(made, "Bea") == [5, 4]

        here = ExplorePage(context.new_page(), first).open(trained_run, q="mean")
        there = ExplorePage(context.new_page(), second).open(trained_run, q="mean")
        here.page.get_by_test_id("about-1").click()
        here.page.get_by_label("Name", exact=True).fill("how slanted")
        here.page.get_by_role("button", name="Save").click()
        said = "how slanted"
        until(lambda: said in here.page.get_by_test_id("sliders").inner_text(), "its name")
        there.page.reload()
        there.settled()
        until(lambda: said in there.page.get_by_test_id("sliders").inner_text(), "there, too")

        # An upload stays in the memory of one process, and the other says so.
        data = Run(runs / trained_run).load_dataset()
        picture = data.picture(int(data.splits["test"][0]), 1)
        drop(here.page.get_by_test_id("search"), "mine.png", png(picture))
        until(lambda: "upload_" in here.page.evaluate("location.href"), "the upload is the query")
        query = parse_qs(urlsplit(here.page.evaluate("location.href")).query)["q"][0]
        there.open(trained_run, q=query)
        there.page.get_by_text(UPLOAD_GONE[:40]).wait_for()

        servers[0].kill()
        there.open(trained_run, q="mean")
        before = there.ids()
        for _ in there.drag(1, [0.9]):
            until(lambda: there.ids() != before, "other pictures")
        burst(elsewhere, "5")
        saved(elsewhere, until)
        assert given(made, "Ana") == [1, 2, 3, 4, 5]


def test_what_is_moved_while_the_server_is_away_is_not_lost(
    page, start_app, app_runs, trained_run, tmp_path, until
):
    port, servers = free_port(), []

    def shown():
        return explore.value(1), explore.value(2), explore.ids()

    with start_app(app_runs, tmp_path / "before.log", None, port, servers) as address:
        explore = ExplorePage(page, address).open(trained_run, q="mean")
        start = shown()
        servers[0].kill()
        explore.slider(1).focus()
        page.keyboard.press("PageUp")
        until(lambda: explore.value(1) > start[0], "the slider moves")
    with start_app(app_runs, tmp_path / "after.log", None, port):

        def moved_on():  # what is moved before the page has noticed the new server is not sent
            explore.slider(2).focus()
            page.keyboard.press("PageUp")
            page.wait_for_timeout(1000)
            return "2_" in page.evaluate("location.href")

        until(moved_on, "the address follows")
        last = shown()
        until(lambda: "1_" in page.evaluate("location.href"), "the first one, too")
        page.reload()
        explore.settled()
        assert last[0] > start[0] and last[1] > start[1] and shown() == last
