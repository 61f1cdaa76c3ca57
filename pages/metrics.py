"""Metrics: the paper's tables next to ours, the scores of one run, and scores from labels."""

import streamlit as st

from rivae.app.metrics import benchmark, labels, session
from rivae.app.metrics import run as metrics_run_panels
from rivae.app.shared import address, frame, notices, runs
from rivae.app.shell import cache, keys
from rivae.app.shell.pages import EndOfPage, Page, View

PAGE = Page(
    views=(
        View("This run", "Evidence", {"show": "run"}),
        View("From labels", "Evidence", {"show": "labels"}, order=3),
        View("All methods", "Evidence", {"show": "tables"}, order=4),
    ),
    blurb="What one run finds and separates, and how sure that is; the tables of all methods.",
    takes=("run", "ask"),
    of_run=("cell",),
    help="""
* **This run** begins with its verdict: what it finds, what its axes separate, how sure that is,
  each beside its level of chance and with its 95 % interval. The map shows what each axis changes
  among the retrieved items, in standard deviations over the middle 80 % of the axis, reliable axes
  first; what is no more than chance is blank. Click a cell, or press Enter on it, to see what is
  behind it. The paper's *Correlations* of axes with true factors are folded below, from where they
  are computed over any range of z, too; so are all metrics.
* **From labels** shows D, C and I from the labels of a plan, updated as labels arrive, leads to the
  axes that the labels give back, and suggests items to label next.
* **All methods** shows the benchmark's numbers next to the paper's. *Failed* is a run that
  diverged, *not run* a row of the paper that we have not measured; the small number leads to the
  reason.

D, C and I are computed from the table of correlations. A table of 0.9 and 0.45 has D = 0.91 at
alpha 10 and 0.08 with |corr| itself as the weight, so look at the table too.
""",
)

view = address.view()
if view == "All methods":
    benchmark.tables()
elif view == "From labels":
    labels.from_labels()
else:
    ready = [run.id for run in cache.ready_runs()]
    run_id, asks, remark = session.current_run(ready)
    if not run_id:
        notices.no_runs()
        raise EndOfPage
    with frame.run_chip(runs.chip_title(run_id)):
        runs.run_picker(run_id, ready, key=keys.METRICS_RUN, on_change=session.choose_run)
    if remark:
        st.warning(remark, icon=":material/info:")
    metrics_run_panels.this_run(run_id, asks)
