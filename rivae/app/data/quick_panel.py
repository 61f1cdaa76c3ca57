"""The button "Train and explore" of an import, and what it leads to."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from rivae.app.data import importing, page_keys, quick
from rivae.app.shared.runs import dataset_title
from rivae.app.shell import access, cache, keys, pages, report, troubles
from rivae.base.errors import RivaeError

if TYPE_CHECKING:
    from rivae.app.work.tasks import Task
    from rivae.runs import Run

HELP = (
    "Describes the pictures and texts, solves for a model, names its axes and opens Explore; what "
    "may become better trains on in the queue."
)


def buttons(folder: Path, place: str) -> None:
    """What can be done with an import: explore its newest run or make one, and train on it."""
    with st.container(horizontal=True, gap="small"):
        if not _explore(folder.name, place):
            _quick(folder, place)
        _train_on(folder.name, place)


def _quick(folder: Path, place: str) -> None:
    """The button that trains a model on this import and opens it; ``place`` sets two apart."""
    st.button(
        "Train and explore",
        icon=":material/rocket_launch:",
        type="primary",
        key=f"{page_keys.QUICK}_{place}_{folder.name}",
        on_click=_start,
        args=(folder,),
        disabled=bool(quick.tasks.running()) or not access.may_change(),
        help=HELP,
    )


def _explore(name: str, place: str) -> bool:
    """The button that opens the newest run on this import; False without a run that opens."""
    ours = [run for run in cache.runs() if run.opens and _is_on(run, name)]
    healthy = [run for run in ours if not troubles.trouble(run)]
    if not healthy:
        return False
    newest = max(healthy, key=_started)
    if st.button("Explore", icon=":material/tune:", key=f"{page_keys.EXPLORE}_{place}_{name}"):
        st.switch_page(pages.path("explore"), query_params={"run": newest.id})
    return True


def _started(run: Run) -> str:
    try:
        return run.status.started or ""
    except RivaeError:  # its model opens all the same
        return ""


def _is_on(run: Run, name: str) -> bool:
    try:
        return dataset_title(run.config.dataset) == name
    except RivaeError:
        return False


def _train_on(name: str, place: str) -> None:
    """The button that opens the form of a new run on this import; ``place`` sets two apart."""
    if st.button(
        "Train on this",
        icon=":material/model_training:",
        key=f"{page_keys.TRAIN}_{place}_{name}",
    ):
        st.switch_page(pages.path("train"), query_params={keys.TRAIN_ON: name})


def _start(folder: Path) -> None:
    def start() -> Task:
        access.require()
        task = quick.start(folder)
        st.session_state[page_keys.QUICK_TASK] = task.key
        return task

    report.begin(page_keys.QUICK, start)


def task() -> Task | None:
    """What this visitor's "Train and explore" does now."""
    key = str(st.session_state.get(page_keys.QUICK_TASK) or "")
    return quick.tasks.get(key) or importing.tasks.get(key)


def follow() -> None:
    """What "Train and explore" does now; goes to Explore once there is a model to open."""
    report.show(page_keys.QUICK)
    if (begun := task()) is None:
        return
    is_training = begun.key in quick.tasks.known
    if begun.running:
        if is_training:  # that of an import has its bar beside the form
            report.watch([begun], page_keys.QUICK, may_stop=access.may_change())
        return
    del st.session_state[page_keys.QUICK_TASK]
    if run := str((begun.result or {}).get("run") or ""):
        st.switch_page(pages.path("explore"), query_params={"run": run})
    if begun.error and is_training:
        report.warning(begun.error)
