"""The front end where neither JupyterLab nor a worker is: as in VS Code and marimo, it meets an
anywidget model in a page that forbids more.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import rivae
from rivae.figures.page.document import as_json
from rivae.notebook.view import script

# What anywidget gives to `render`: a model with get, set, save_changes, on and off.
PAGE = """<!doctype html><html><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<style>body {{ background: #111; color: #ddd }} button {{ outline: 9px solid red }}</style></head>
<body><div id="one"></div><div id="two"></div>
<p class="still-1">alone</p><p class="still-2">alone</p>
<script type="application/json" id="content">{content}</script>
<script type="module" nonce="n">
{script}
const text = document.getElementById("content").textContent
const content = new DataView(new TextEncoder().encode(text).buffer)
const model = (start) => {{
  const values = {{ _content: content, k: 5, _chosen: null, ...start }}, hears = []
  const tell = (name) => hears.forEach(([of, call]) => of === `change:${{name}}` && call())
  return {{
    get: (name) => values[name], save_changes: () => {{}},
    set: (name, value) => {{ values[name] = value; tell(name) }},
    on: (name, call) => hears.push([name, call]), off: () => {{}},
  }}
}}
const widget = defined
window.models = [model({one}), model({two})]
const places = ["one", "two"].map((id) => document.getElementById(id))
places[1].remove()  // JupyterLab may render a cell before it is in the page
const shown = places.map((el, i) => widget.render({{ model: models[i], el }}))
setTimeout(() => document.body.append(places[1]), 500)
window.closeFirst = async () => (await shown[0])()
</script></body></html>"""


POLICY = "default-src 'none'; script-src 'nonce-n'; style-src 'unsafe-inline'; img-src data:"


@pytest.fixture
def guest(browser: Any) -> Iterator[Any]:
    """A page whose policy may stop something; an error that nobody caught fails the test."""
    context = browser.new_context(viewport={"width": 1280, "height": 1600})
    page, errors = context.new_page(), []
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    context.close()
    assert errors == []


@pytest.mark.slow
@pytest.mark.parametrize("worker", ["blob:", "'none'"])
def test_two_views_in_a_dark_page_search_as_python_does(
    worker: str, guest: Any, tmp_path: Path, until: Any
) -> None:
    page = guest
    run = rivae.load_run("demo-digits")
    view = rivae.explore(run, progress=False)
    policy = f"{POLICY}; worker-src {worker}"
    rows = [int(row) for row in run.items[[0, 9]]]
    starts = [
        json.dumps({"z": run.encode(row).tolist(), "_query": row, "_still": f"still-{at}"})
        for at, row in enumerate(rows, 1)
    ]
    path = tmp_path / "page.html"
    path.write_text(
        PAGE.format(
            policy=policy,
            content=as_json(json.loads(view._content)),
            script=script().replace("export default ", "const defined = "),
            one=starts[0],
            two=starts[1],
        )
    )
    page.goto(path.as_uri())
    views = [page.locator(f"#{name} [data-testid=rivae-view]") for name in ("one", "two")]

    def shown(at: int) -> list[int]:
        tiles = views[at].get_by_test_id("tile")
        return tiles.evaluate_all("tiles => tiles.map(tile => Number(tile.dataset.id))")

    # Each view has a run of its own, and styles neither leave nor enter.
    for at, row in enumerate(rows):
        want = run.topk(run.encode(row), 5).ids.tolist()
        until(lambda at=at, want=want: shown(at) == want, "what Python finds is shown")
        dark = views[at].and_(page.locator("[data-theme=dark]"))
        until(lambda dark=dark: dark.count() == 1, "its theme follows once it is placed")
    button = views[0].get_by_test_id("map-open")
    assert button.evaluate("node => getComputedStyle(node).outlineWidth") != "9px"

    alone = [page.locator(f".still-{at}") for at in (1, 2)]
    until(lambda: not any(each.is_visible() for each in alone), "nobody is told to open a kernel")

    # Both ways, and beyond what was computed before.
    z = run.mean + 2 * run.axes[4].std
    page.evaluate("z => models[1].set('z', z)", z.tolist())
    want = run.topk(z, 5).ids.tolist()
    until(lambda: shown(1) == want, "the second view follows its model")
    views[0].get_by_test_id("slider-2").press("PageUp")
    moved = until(
        lambda: (
            (now := page.evaluate("models[0].get('z')")) != run.encode(rows[0]).tolist() and now
        ),
        "the first model follows its view",
    )
    until(lambda: shown(0) == run.topk(moved, 5).ids.tolist(), "and its grid")
    page.evaluate("ids => models[0].set('_chosen', ids)", run.items[:3].tolist())
    until(lambda: sorted(shown(0)) == run.items[:3].tolist(), "a selection is searched alone")
    page.evaluate("document.body.style.color = '#111'")
    until(lambda: views[1].get_attribute("data-theme") == "light", "a light page is noticed")
    page.evaluate("closeFirst()")
    until(lambda: views[0].count() == 0, "a closed view is gone")
    assert [each.is_visible() for each in alone] == [True, False]
    assert shown(1) == want
