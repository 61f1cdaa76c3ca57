"""The actions of docs/security.md, done as the app does them, for ``test_rights.py``."""

from __future__ import annotations

import io
import json
import uuid
from contextlib import suppress
from dataclasses import replace
from types import SimpleNamespace

import streamlit as st

from rivae.app.data import page_keys as data_keys
from rivae.app.label import page_keys as label_keys
from rivae.app.shell import access, cache
from rivae.app.steer import page_keys as steer_keys
from rivae.base.errors import RivaeError
from rivae.runs.added_axes import AddedAxis, AxisSpec, added_axes
from rivae.runs.selections import keep_selection, selections

# Each function does one action and returns whether it was done.


class World:
    """An app with one run of its own, labels, a tour and names."""

    def __init__(self, folder, label_plan, monkeypatch):
        self.folder, self.labels, self.patch = folder, label_plan, monkeypatch
        self.plan = label_plan.plan.id

    @property
    def run(self):
        from rivae.runs import Run

        return Run(self.folder / "own")

    def names(self):
        from rivae.exploring.words.axis_names import given_names

        return given_names(self.run, 3)

    def give(self, *names):
        from rivae.exploring.words.axis_names import change_names
        from rivae.runs.axis_names import AxisName

        change_names(
            self.run, 3, {j: AxisName(j, name, 1) if name else None for j, name in enumerate(names)}
        )


def label(world):
    from rivae.app.label.desk import _receipt

    event = {
        "id": str(uuid.uuid4()), "time": "2026-03-01T12:00:00Z", "at": 0, "level": 3,
        "factor": world.labels.guideline.ids[0], "action": "label", "seconds": 1,
        "suggested": False, "undoes": "", "guideline": "",
    }  # fmt: skip
    return bool(_receipt({"plan": world.plan, "by": "Ana", "events": [event]}).get("stored"))


def verdict(world):
    from rivae.app.label import adjudicate

    st.session_state[label_keys.BY] = "Ana"
    key = world.labels.keys[world.labels.rows[0]]
    adjudicate._decide(world.plan, "", key, world.labels.guideline.ids[0], "", 4)
    return bool(world.labels.store.current("adjudication"))


def labels_from_a_file(world):
    from rivae.app.label import exchange
    from rivae.app.shared import labels

    item = world.labels.keys[world.labels.rows[1]]
    factor = world.labels.guideline.ids[0]
    content = f"annotator,item,factor,level\nEve,{item},{factor},2\n".encode()
    st.session_state[label_keys.FILE] = SimpleNamespace(name="a.csv", getvalue=lambda: content)
    exchange._look(True, labels.open_plan(world.plan))
    return "Eve" in world.labels.store.annotators()


def new_name(world):
    from rivae.app.words import names
    from rivae.runs.axis_names import AxisName

    names._change("own", 3, {0: AxisName(0, "kale", 1)}, {})
    return world.names()[0] == "kale"


def name(world):
    from rivae.app.words import names
    from rivae.runs.axis_names import AxisName

    world.give("kale", "fruit", "")
    names._change("own", 3, {0: None, 1: None}, {})
    removed = world.names()[:2] == ["", ""]
    names._change("own", 3, {0: AxisName(0, "other", 1)}, {})
    assert (world.names()[0] == "other") == removed
    return removed


def names_back(world):
    from rivae.app.shared import trash
    from rivae.exploring.words.names_trash import trash_of_names

    world.give("kale", "", "")
    world.give(None, "", "")
    trash._restore(trash_of_names().entries()[0])
    return world.names()[0] == "kale"


AXIS = AddedAxis(
    "", "round", ("", "round"), (1.0, 0, 0), 0.0, (1.0, 0, 0), AxisSpec("words", "round")
)


def new_axis(world):
    from rivae.app.explore import adding

    world.patch.setattr(adding.PAGE, "renew", lambda: None)
    adding._keep("own", AXIS, "axis_name_draft")
    return [axis.id for axis in added_axes(world.run)] == ["a1"]


def axis(world):
    from rivae.app.explore import added
    from rivae.exploring.axes.adding import keep_axes

    world.patch.setattr(added.PAGE, "renew", lambda: None)
    (kept,) = keep_axes(world.run, [AXIS])
    st.session_state["a name"] = "rounder"
    added._rename("own", kept, "a name")
    renamed = added_axes(world.run)[0].name == "rounder"
    added._remove("own", kept)
    removed = added_axes(world.run) == ()
    assert removed == renamed, "both or none"
    added._restore("own", kept)
    assert added_axes(world.run) == (kept,)
    return removed


def select(world, **report):
    from rivae.app.explore import selecting

    with suppress(RivaeError):
        selecting.act(cache.explorer("own"), "own", report)


def new_selection(world):
    select(world, do="keep", within=None, only=str(1), name="one")
    return [one.name for one in selections(world.run)] == ["one"]


def selection(world):
    kept = keep_selection(world.run, [1, 2], "two")
    select(world, do="rename", id="s1", name="pair")
    renamed = selections(world.run)[0].name == "pair"
    select(world, do="remove", id="s1")
    removed = selections(world.run) == ()
    assert removed == renamed, "both or none"
    select(world, do="restore")
    assert [one.rows for one in selections(world.run)] == [kept.rows]
    return removed


def a_tour():
    from rivae.exploring.steering import SteerRow
    from rivae.exploring.tours import TourStep, add_tour

    return add_tour("One", [TourStep("Look", "here", "own", 0, SteerRow((0,), (1.0,)), 2.0)])


def new_tour(world):
    from rivae.app.steer import tours
    from rivae.exploring.tours import list_tours, to_bytes

    content = to_bytes(a_tour())
    st.session_state[f"{tours.FIELD}_file"] = SimpleNamespace(getvalue=lambda: content)
    before = len(list_tours())
    tours._take_file()
    st.session_state[steer_keys.TOUR] = None
    tours.flag(list_tours()[0].tour.steps[0], "Flagged")
    return len(list_tours()) == before + 2


def tour(world):
    from rivae.app.steer import tours
    from rivae.exploring.tours import change_tour, list_tours, read_tour

    own = a_tour()
    st.session_state["field"] = "Two"
    st.session_state[steer_keys.TOUR] = own.id
    with suppress(RivaeError):
        tours.flag(own.steps[0], "")  # its flag is up: another press takes it out
    flagged = read_tour(own.id).steps == ()
    if flagged:
        change_tour(own.id, lambda now: replace(now, steps=own.steps))
    with suppress(RivaeError):
        tours.caption(replace(own.steps[0], heading="Other"))
    assert (read_tour(own.id).steps[0].heading == "Other") == flagged
    tours._write(own.id, None, "field", "title")
    assert (read_tour(own.id).title == "Two") == flagged
    tours._move(own.id, 0, None)
    changed = read_tour(own.id).steps == ()
    assert changed == flagged
    tours._delete(own.id)
    assert (own.id not in [t.id for t in list_tours()]) == changed
    return changed


def tour_back(world):
    from rivae.app.shared import trash
    from rivae.exploring.tours import change_tour, delete_tour, read_tour, trash_of_tours

    own = a_tour()
    change_tour(own.id, lambda t: t.__class__("Other", (), t.id))
    earlier = trash_of_tours().entries()[0]
    trash._restore(earlier)
    back = read_tour(own.id) == own
    deleted = delete_tour(own.id)
    trash._restore(deleted)
    assert any(e.id == deleted.id for e in trash_of_tours().entries()) is not back
    return back


def evaluate(world, again=False):
    from rivae.app.metrics import run

    started = []
    world.patch.setattr(run.evaluating, "start_evaluation", lambda *args: started.append(args))
    run._evaluate(world.run, "first", again)
    return bool(started)


def evaluate_again(world):
    return evaluate(world, again=True)


def stop(world):
    from rivae.app.shell import report

    stopped = []
    report._stop(SimpleNamespace(can_stop=True, cancel=lambda: stopped.append(1)), True)
    assert stopped
    report._stop(SimpleNamespace(can_stop=True, cancel=lambda: stopped.append(2)), False)
    return stopped == [1]


def upload(world):
    from rivae.app.data import sources

    file = io.BytesIO(b"a,b\n")
    file.name = "pairs.csv"
    st.session_state["sent"] = [file]
    sources._keep("sent")
    return bool(list((world.folder.parent / "data").rglob("pairs.csv")))


def imported(world):
    from rivae.app.shared import trash
    from rivae.jobs.deletion import trash_of_imports

    called = []
    for what in ("delete_import", "restore"):
        world.patch.setattr(
            f"rivae.jobs.deletion.{what}", lambda found: called.append(found) or done
        )
    done = SimpleNamespace(kind="import", id="x", name="mine")
    trash._delete_import("mine")
    trash._restore(done)
    assert trash_of_imports().entries() == []
    return len(called) == 2


def train(world):
    from rivae.app.train import session

    world.patch.setattr("rivae.jobs.dispatcher.ensure_dispatcher", lambda root: None)
    world.patch.setattr("rivae.app.data.quick.start", lambda folder: SimpleNamespace(key="x"))
    from rivae.app.data import quick_panel

    done = session.change(lambda queue: "queued")
    quick_panel._start(world.folder)
    assert (data_keys.QUICK_TASK in st.session_state) == done
    return done


def estimate(world):
    from rivae.app.train import form_queue

    started = []
    world.patch.setattr(form_queue, "measure", started.append)
    form_queue._start(world.run.config)
    return bool(started)


def manage(world):
    from rivae.app.train import manage

    done = []
    manage._tried(world.run, lambda: done.append(1) or "done")
    manage._archive(world.run, True)
    assert json.loads((world.run.path / "about.json").read_text())["archived"] if done else True
    return bool(done)


def run(world):
    from rivae.app.shared import trash
    from rivae.app.train import manage
    from rivae.jobs.deletion import trash_of_runs

    manage._deleted(world.run)
    gone = not world.run.path.exists()
    if not gone:
        from rivae.jobs.deletion import delete_run

        delete_run(world.run)
    trash._restore(trash_of_runs().entries()[0])
    assert world.run.path.exists() == gone
    return gone


def archive(world):
    from rivae.app.train import archive

    taken = []
    world.patch.setattr(
        "rivae.jobs.archive_import.import_run",
        lambda *args, **more: taken.append(args) or SimpleNamespace(run=world.run, remarks=()),
    )
    st.session_state[archive._FILE] = io.BytesIO(b"x")
    archive._import()
    return bool(taken)


def files(world):
    world.patch.setattr(access, "is_local", lambda address: True)
    return access.files_locked() == ""


def purge(world):
    """Something old is in the trash; the visitor looks at all trashes, and deletes something."""
    from datetime import UTC, datetime, timedelta

    from rivae.app.shared import trash
    from rivae.app.steer import tours
    from rivae.exploring.tours import delete_tour, trash_of_tours
    from rivae.runs.trash import KEPT_DATES

    old = delete_tour(a_tour().id)
    for n in range(1, KEPT_DATES + 1):
        trash_of_tours().note_date(datetime.now(UTC) - timedelta(days=n))
    fresh = a_tour()
    for kind in ("run", "import", "tour", "names"):
        trash.panel(kind)
        trash.undo(kind)
    assert old.id in [entry.id for entry in trash_of_tours().entries()], "looking removes nothing"
    tours._delete(fresh.id)
    return old.id not in [entry.id for entry in trash_of_tours().entries()]
