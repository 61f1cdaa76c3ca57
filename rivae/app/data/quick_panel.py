"""The button "Train and explore" of an import, and what it leads to."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from rivae.app.data import quick
from rivae.app.shell import access, keys, pages, report
from rivae.app.shell.fragments import fragment
from rivae.app.shell.text import markdown
from rivae.base.errors import RivaeError

if TYPE_CHECKING:
    from rivae.app.work.tasks import Task


def button(folder: Path, place: str) -> None:
    """The button that trains a model on this import and opens it; ``place`` sets two apart."""
    st.button(
        "Train and explore",
        icon=":material/rocket_launch:",
        type="primary",
        key=f"{keys.DATA_QUICK}_{place}_{folder.name}",
        on_click=_start,
        args=(folder,),
        disabled=bool(quick.tasks.running()) or not access.may_change(),
        help="Chooses settings by the data, says how long it takes, trains in the queue and opens "
        "Explore with the first checkpoint.",
    )


def _start(folder: Path) -> None:
    def start() -> Task:
        access.require()
        task = quick.start(folder)
        st.session_state[keys.DATA_QUICK_TASK] = task.key
        return task

    report.begin(keys.DATA_QUICK, start)


def progress() -> None:
    """What "Train and explore" does now; goes to Explore once there is a model to open."""
    report.show(keys.DATA_QUICK)
    if run := st.session_state.pop(keys.DATA_AWAY, ""):
        st.switch_page(pages.path("explore"), query_params={"run": run})
    task = quick.tasks.get(st.session_state.get(keys.DATA_QUICK_TASK, ""))
    if task is None:
        return
    if task.running:
        report.watch([task], keys.DATA_QUICK, may_stop=access.may_change())
    elif task.result is None:
        del st.session_state[keys.DATA_QUICK_TASK]
        if task.error:
            report.warning(task.error)
    else:
        _until_it_opens(str(task.result["run"]), str(task.result["words"]))


@fragment(run_every=1)
def _until_it_opens(name: str, words: str) -> None:
    """How long the run takes, until its first checkpoint or its early end."""
    from rivae.app.forms.quick import first_model
    from rivae.jobs.ledger import Ledger
    from rivae.runs import runs_root

    try:
        opens, doing = first_model(name, Ledger(runs_root()))
    except RivaeError as error:
        report.warning(str(error))
        return
    if opens:
        st.session_state.pop(keys.DATA_QUICK_TASK, None)
        st.session_state[keys.DATA_AWAY] = name
        st.rerun()
    st.info(
        f"{markdown(words)}. Now: {doing}. Explore opens by itself then; training continues when "
        "you leave this page.",
        icon=":material/model_training:",
    )
