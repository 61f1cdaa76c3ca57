"""The view in a real JupyterLab: Python and the hand move the same sliders."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.hands import press_thumb

pytestmark = pytest.mark.slow

TOLD = (
    "rows = view.selection.index.tolist()\n"
    "print(view.z.tolist(), view.ids.tolist(), view.query, rows, sep='\\n')"
)
HOSTILE = "<img src=x onerror=alert(1)></script><style>*{display:none}</style>"


def told(lines: list[str]) -> tuple[list[float], list[int], int, list[int]]:
    """z, ids, query and the selected rows, as Python printed them."""
    z, ids, query, rows = map(json.loads, lines)
    return z, ids, query, rows


def ids_of(view: Any) -> list[int]:
    return view.get_by_test_id("tile").evaluate_all(
        "tiles => tiles.map(tile => Number(tile.dataset.id))"
    )


def value(view: Any, axis: int) -> float:
    return float(view.get_by_test_id(f"number-{axis}").input_value())


def test_a_run_is_moved_from_both_sides(notebook: Any, until: Any) -> None:
    book = notebook(
        "import rivae\nview = rivae.explore('demo-digits', progress=False)\nview",
        TOLD,
        "view.z = [*view.z[:2], 3.5, *view.z[3:]]",
        "view.selection = view.items[view.items['digit'] == '3']",
        "view.selection = None\nview.query = 4",
    )
    book.run(0)
    view, page = book.view(), book.page
    view.get_by_test_id("fold").click()
    assert view.get_by_test_id("slider-10").is_visible()
    z, ids, query, rows = told(book.run(1))
    assert ids == ids_of(view) and query == rows[0] and len(rows) == 359

    # A drag, as a hand does it.
    move = press_thumb(page, view.get_by_test_id("slider-1"))
    move(0.05, 8)
    until(lambda: ids_of(view) != ids, "the grid follows the drag")
    page.mouse.up()
    z, ids, _, _ = until(
        lambda: abs((now := told(book.run(1)))[0][0] - value(view, 1)) < 0.01 and now,
        "z reaches Python",
    )
    assert ids == ids_of(view)

    book.run(2)
    until(lambda: value(view, 3) == 3.5, "the slider follows Python")
    z, ids, _, _ = told(book.run(1))
    assert z[2] == 3.5
    until(lambda: ids == ids_of(view), "the grid follows Python")

    # Letters are shortcuts of the notebook ("dd" deletes a cell), but not in the view's fields.
    n = book.cells.count()
    view.get_by_test_id("search").click()
    page.keyboard.type("ddab")
    view.get_by_test_id("slider-2").press("a")
    assert view.get_by_test_id("search").input_value() == "ddab" and book.cells.count() == n
    view.get_by_test_id("search").fill("")

    book.run(3)
    view.get_by_test_id("given").wait_for()
    z, ids, _, rows = told(book.run(1))
    assert 10 < len(rows) < 60 and set(ids) <= set(rows)
    until(lambda: ids == ids_of(view), "the search is among the selection")
    view.get_by_test_id("search-all").click()
    assert until(lambda: len(told(book.run(1))[3]) == 359, "all are searched again")

    book.run(4)
    view.locator(".query .muted:has-text('item 4')").wait_for()
    view.get_by_test_id("tile").nth(2).click()
    chosen = ids_of(view)[2]
    view.get_by_test_id("use-as-query").click()
    assert until(lambda: told(book.run(1))[2] == chosen, "the new query reaches Python")
    assert book.foreign == []


def test_arrays_with_hostile_words_stay_words(notebook: Any, until: Any) -> None:
    book = notebook(
        "import numpy as np, pandas as pd, rivae\n"
        f"words = {HOSTILE!r}\n"
        "A = np.random.default_rng(0).normal(size=(60, 5))\n"
        "items = pd.DataFrame({'title': [f'{i} ' + words for i in range(60)], words: A[:, 0],\n"
        "    'kind': [words, 'plain'] * 30,\n"
        "    'shot': [np.full((8, 8, 3), 4 * i, np.uint8) for i in range(60)]})\n"
        "view = rivae.explore(embeddings=(A, A[:, :3]), items=items, images='shot',\n"
        "    n_components=3, epochs=4, random_state=0)\n"
        "view",
        TOLD,
    )
    asked: list[str] = []
    book.page.on("dialog", lambda dialog: asked.append(dialog.message))
    book.run(0)
    view = book.view()
    _, ids, _, rows = told(book.run(1))
    assert ids == ids_of(view) and rows == list(range(60))
    assert view.locator(".tile .title").first.text_content() == f"{ids[0]} {HOSTILE}"
    view.get_by_test_id("about-1").click()
    view.get_by_test_id("dialog").wait_for()
    assert view.get_by_test_id("dialog").locator("img[src=x]").count() == 0
    book.page.keyboard.press("Escape")
    view.get_by_test_id("map-open").click()
    view.get_by_test_id("map-colour").select_option(label="kind")
    view.get_by_test_id("map-legend").get_by_text(HOSTILE).wait_for()
    assert view.locator("img[src=x]").count() == 0 and asked == book.foreign == []
