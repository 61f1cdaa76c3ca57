"""Exported pages, made in a separate process while the app is used, and kept for a while in a
folder of this process. No streamlit here.
"""

from __future__ import annotations

import atexit
import functools
import hashlib
import json
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rivae.app.work.tasks import Task, Tasks, start_process, step_back
from rivae.base.errors import RunError
from rivae.base.progress import Progress
from rivae.base.scratch import scratch_folder

if TYPE_CHECKING:
    from rivae.exploring.explorer import Explorer

MAX_KEPT = 6  # pages
WAIT = "another page is being made: wait for it, or stop it where it was begun"

_making = Tasks(MAX_KEPT, RunError, WAIT)


@functools.cache
def _folder() -> Path:
    """Where pages are kept until this process ends."""
    stack = ExitStack()
    atexit.register(stack.close)
    return stack.enter_context(scratch_folder("rivae-pages-"))


def key_of(explorer: Explorer, name: str, version: str) -> str:
    """What changes when the page of a run would be another one; ``version`` stands for its model
    and data.
    """
    from rivae.exploring.layouts import kept_layout
    from rivae.exploring.selection import for_map
    from rivae.exploring.sliders import added_sliders, marks_of, sliders_of
    from rivae.exploring.tours import list_tours

    parts = (
        name,
        version,
        explorer.rows,
        explorer.asks,
        sliders_of(explorer),
        added_sliders(explorer),
        marks_of(explorer),
        for_map(explorer),
        kept_layout(explorer) is not None,
        [str(file.tour) for file in list_tours()],
    )
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def begin(key: str, explorer: Explorer, name: str) -> Task:
    """Make the page of a run, unless it is kept or being made.

    Raises:
        RunError: another one is being made.
    """
    assert explorer.run is not None
    spec = {
        "run": str(explorer.run.path.resolve()),
        "name": name,
        "rows": explorer.rows,
        "asks": explorer.asks,
        "file": str(_path(key)),
    }
    title, work = f"Page of {len(explorer.search_rows):,} items", f"{__name__}:make"
    task = _making.start(key, lambda: start_process(key, title, work, spec))
    for path in _folder().glob("*.html"):
        if _making.get(path.stem) is None:
            path.unlink(missing_ok=True)
    return task


def task_of(key: str) -> Task | None:
    """The task that makes a page, or has made it; None where none did."""
    return _making.get(key)


def read(key: str) -> bytes:
    """A page that is made."""
    return _path(key).read_bytes()


def _path(key: str) -> Path:
    return _folder() / f"{key}.html"


def make(spec: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """Write the page of the run in the folder ``run``, called ``name``, to ``file``."""
    step_back()
    progress("opening the run", 0.0)
    from rivae.exploring.explorer import Explorer
    from rivae.exploring.tours import list_tours
    from rivae.figures.page.document import page_bytes, write_page
    from rivae.runs import Run

    explorer = Explorer.open(Run(spec["run"]), spec["rows"], asks=spec["asks"])
    tours = [file.tour for file in list_tours() if file.tour is not None]
    page = page_bytes(
        explorer,
        spec["name"],
        tours,
        lambda share: progress("writing pictures, words and map", share),
    )
    write_page(Path(spec["file"]), page, replace=True)
    return {"bytes": len(page)}
