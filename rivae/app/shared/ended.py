"""A message on whatever page one looks at, once a run of the queue has ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from rivae.app.shell import keys
from rivae.app.shell.fragments import fragment
from rivae.app.shell.text import markdown
from rivae.base.errors import RivaeError

if TYPE_CHECKING:
    from rivae.jobs.records import Job, State

LOOK_S = 5  # between two looks, while something is queued or trains
ICONS = {"finished": ":material/check:"}


def tell() -> None:
    """Say which runs ended since this visitor's last page, and look again while one lives."""
    live_jobs: dict[str, str] = st.session_state.setdefault(keys.LIVE_JOBS, {})
    live_jobs.update({job.id: job.run for job in _jobs("queued", "starting", "running")})
    if live_jobs:
        fragment(run_every=LOOK_S)(_tell)()


def _tell() -> None:
    live_jobs: dict[str, str] = st.session_state.setdefault(keys.LIVE_JOBS, {})
    if not live_jobs:
        return
    jobs = {job.id: job for job in _jobs()}
    for job_id in list(live_jobs):
        job = jobs.get(job_id)
        if job is None or not (job.alive or job.state == "queued"):
            del live_jobs[job_id]
            if job is not None and job.state != "cancelled":  # who has cancelled it knows
                st.toast(said(job), icon=ICONS.get(job.state, ":material/error:"))


def said(job: Job) -> str:
    """What a job has come to, as Markdown."""
    if job.state == "finished":
        return f"**{markdown(job.run)}** is trained."
    why = f": {markdown(job.message)}" if job.message else ""
    return f"**{markdown(job.run)}** {job.state}{why}"


def _jobs(*states: State) -> list[Job]:
    from rivae.jobs.ledger import Ledger
    from rivae.runs import runs_root

    try:
        return Ledger(runs_root()).jobs(*states)
    except RivaeError:  # Train says what is wrong with the queue
        return []
