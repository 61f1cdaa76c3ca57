"""Train: start, watch, stop, resume and compare training runs."""

from rivae.app.data import own_pairs
from rivae.app.shared import address, frame, trash
from rivae.app.shell import report
from rivae.app.shell.pages import Page, View
from rivae.app.train import archive, form, login, runs, session
from rivae.base.errors import RivaeError

PAGE = Page(
    views=(
        View("Runs", "Train", {"training": "Runs"}),
        View("New run", "Train", {"training": "New run"}, order=1),
    ),
    blurb="Train on your own pictures and texts; start, watch, stop and resume runs.",
    help="""
A run is queued, starts in a separate process when a slot is free (one per graphics card, one for
the CPU) and is kept in the folder of runs. It continues when you close this page or restart the
app. If the machine was switched off, resume it: training continues from the last checkpoint and
ends with the same numbers.

* **Cancel** stops a run within seconds; **Resume** continues from there.
* **Failed** says why; **lost** means that the machine restarted.
* You can open a run in Explore while it trains, as soon as it has a checkpoint.
""",
)

form.take_address()
view = address.view()
with frame.tools():
    archive.import_panel()
    trash.panel("run")
    login.panel()
report.show(session.PLACE)
trash.undo("run")
try:
    if view == "New run":
        form.panel()
    else:
        if not session.chosen_run():
            own_pairs.panel()
        runs.panel(own_pairs.watched())
except RivaeError as error:
    report.warning(str(error))
