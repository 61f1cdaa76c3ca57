"""Traverse: what each axis does, as strips, correlations and planes."""

from rivae.app.panels.links import ExploreLink
from rivae.app.shared import address, frame, notices, runs, share
from rivae.app.shell import keys, report
from rivae.app.shell.pages import Page, View
from rivae.app.traverse import card, factors, panels, path, session
from rivae.base.errors import RivaeError

PAGE = Page(
    views=(
        View("Strips", "Explore", {"view": "Strips"}, order=1),
        View("Plane", "Explore", {"view": "Plane"}, order=3),
        View("Path", "Explore", {"view": "Path"}, order=4),
        View("Axis", "Explore", {"view": "Axis"}, order=5, has_tab=False),
        View("Correlations", "Evidence", {"view": "Correlations"}, order=2, has_tab=False),
    ),
    blurb="What each axis does: strips, planes and paths of retrieved items.",
    takes=("run", "q", "ask"),
    of_run=("dims", "a", "b", "way"),
    fresh=(("dims", "reliable"),),  # a link that names none shows those that change most
    former=(("range", "Free", "Custom"),),
    discs=True,
    help="""
A traversal moves one number of **z** and keeps the others at the query.

* **Strips** show the item retrieved at each point where it changes; a framed picture is the query's
  own pair.
* **Plane** moves two axes at once; the framed point is the query.
* **Path** leads from the query to other items, straight or where the data lie, and plays.
* **Axis** (*More about it*, in the drawer of an axis) shows all that is known about one axis.
* **Correlations** (from that fold of Evidence) compare each axis with each true factor of the
  retrieved items over any range, averaged over queries; click a cell for the plot behind it.

One s.d. is that of z over the training queries. The paper's range, −10 … 10, depends on the scale
that training happened to give z.
""",
)

PANELS = {
    "Strips": panels.strips,
    "Correlations": factors.correlations,
    "Plane": panels.plane,
    "Path": path.path,
    "Axis": card.card,
}

ready = notices.ready_runs()
anchor, explorer, remark = notices.opened(lambda: session.current(ready))

with frame.run_chip(runs.chip_title(anchor.run)):
    runs.run_picker(
        anchor.run,
        [run.id for run in ready],
        key=keys.TRAVERSE_RUN,
        on_change=session.choose_run,
    )
link = ExploreLink(run=anchor.run, asks=anchor.asks, query=anchor.query)
view = address.view()
if view != "Correlations":
    share.page(explorer, anchor.run, lambda: share.linked(explorer, link))
if view != "Path":  # from way-point to way-point, whatever the range
    with frame.details():
        session.range_picker(explorer.method.axis_letter())
notices.remarks(explorer, remark, address.instead_of_upload(anchor.query))

try:
    choice = session.chosen_range()
    PANELS[view](explorer, anchor, choice)
except RivaeError as error:
    report.warning(str(error))
