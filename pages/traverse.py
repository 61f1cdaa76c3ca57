"""Traverse: what each axis does, as strips, correlations and planes."""

import streamlit as st

from rivae.app.shared import address, notices, runs
from rivae.app.shell import keys, pages, report
from rivae.app.traverse import card, factors, panels, path, session
from rivae.base.errors import RivaeError

PANELS = {
    "Strips": panels.strips,
    "Correlations": factors.correlations,
    "Plane": panels.plane,
    "Path": path.path,
    "Axis": card.card,
}

ready = notices.ready_runs()
anchor, explorer, remark = notices.opened(lambda: session.current(ready))

with st.container(horizontal=True, vertical_alignment="bottom"):
    runs.run_picker(
        anchor.run,
        [run.id for run in ready],
        key=keys.TRAVERSE_RUN,
        on_change=session.choose_run,
    )
    view = session.view_and_range(explorer.method.axis_letter())
    pages.traverse()
notices.remarks(explorer, remark, address.instead_of_upload(anchor.query))

try:
    choice = session.chosen_range()
    PANELS[view](explorer, anchor, choice)
except RivaeError as error:
    report.warning(str(error))
