"""Questions that take long keep no drag waiting."""

import asyncio
import threading

from rivae.app import server
from rivae.app.shell import web
from rivae.base.cores import n_cores
from tests.app.asgi import outcome
from tests.waiting import PATIENCE_S


def test_a_drag_waits_for_no_search_of_texts(monkeypatch):
    go_on = threading.Event()

    def search(question, open_run):
        go_on.wait(PATIENCE_S)
        return {}

    monkeypatch.setattr("rivae.app.explore.chosen.found", search)

    async def asked():
        searches = [
            asyncio.ensure_future(server._answered(web.FOUND_PATH, {}, None))
            for _ in range(n_cores() + 2)
        ]
        try:
            await asyncio.sleep(0.2)  # they hold all they can hold
            drag = await asyncio.wait_for(server._answered(web.TOPK_PATH, {}, None), PATIENCE_S / 4)
            return drag.status_code, any(search.done() for search in searches)
        finally:
            go_on.set()
            await asyncio.gather(*searches)

    refused = 400  # an empty question, but answered
    assert outcome(asked()) == (refused, False)
