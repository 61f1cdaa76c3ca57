"""docs/security.md says who may do what: every row is tried, and every control has its row."""

from __future__ import annotations

import ast
import json
import re
import shutil
from contextlib import closing
from pathlib import Path

import pytest
import streamlit as st

from rivae.app.shell import access, keys
from rivae.base.errors import ConfigError
from rivae.cli.main import _parser
from tests.app import rights_world as act

ROOT = Path(__file__).resolve().parents[2]
STATES = ("no login set", "visitor", "logged in")
COMMANDS = "command line"


def table():
    """The rows of the document: key -> column -> cell."""
    text = (ROOT / "docs" / "security.md").read_text().split("## Who may do what")[1]
    lines = [line for line in text.split("\n## ")[0].splitlines() if line.startswith("|")]
    head, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert head[2:] == [*STATES, COMMANDS]
    return {row[0].strip("`"): dict(zip(head[2:], row[2:], strict=True)) for row in rows}


TABLE = table()

# The controls of each action: "module below rivae.app:what a control calls".
LABEL, VERDICT, FILE = (
    "label",
    "verdict",
    "label-file",
)
NEW_NAME, NAME, NAMES_BACK = (
    "name",
    "rename-axis",
    "names-back",
)
NEW_TOUR, TOUR, TOUR_BACK = (
    "tour",
    "tour-change",
    "tour-back",
)
EVALUATE, AGAIN = "evaluate", "evaluate-again"
PLAN = "plan"
ALIGN = "align"
STOP = "stop"
IMPORT, IMPORTED = "import", "import-delete"
TRAIN = "train"
ESTIMATE = "estimate"
MANAGE, RUN = "run-manage", "run-delete"
ARCHIVE = "run-import"
FILES = "files"
PURGE = "trash-expire"
NEW_AXIS, AXIS = "axis-add", "axis-change"
NEW_SELECTION, SELECTION = "selection", "selection-change"
LOOK = "look"

CONTROLS = {
    LABEL: {"label.desk:on_send"},
    VERDICT: {"label.adjudicate:_decide", "label.adjudicate:_take_back"},
    FILE: {"label.exchange:_look", "label.exchange:_look_anew", "label.exchange:_choose_name"},
    PLAN: {
        "label.begin:_start", "label.factors:_remove", "label.factors:_save",
        "label.plan_form:_count",
        "label.plan_form:_uploaded", "label.plan_form:make", "label.plan_upload:_take",
        "label.sharing:_join", "label.sharing:_name", "metrics.labels_axes:_keep_plan",
    },
    NEW_NAME: {
        "explore.latent_axis:_save",
        "words.names:_change",
        "words.names:_typed",
        "words.names:_uploaded",
    },
    NAME: {
        "explore.latent_axis:_save",
        "words.names:_change",
        "words.names:_typed",
        "words.names:_uploaded",
    },
    NAMES_BACK: {"shared.trash:_restore"},
    NEW_AXIS: {"explore.adding:_keep", "label.axes:_add"},
    AXIS: {
        "explore.added:_remove", "explore.added:_rename", "explore.added:_restore",
    },
    NEW_SELECTION: set(),  # a report of the map: explore.selecting
    SELECTION: set(),
    NEW_TOUR: {"steer.tours:_take_file"},
    TOUR: {
        "steer.tours:_delete", "steer.tours:_move", "steer.tours:_write",
    },
    TOUR_BACK: {"shared.trash:_restore"},
    EVALUATE: {"metrics.run:_evaluate"},
    AGAIN: {"metrics.run:_evaluate"},
    ALIGN: {
        "label.axes:_save", "metrics.labels_axes:_suggest",
    },
    STOP: {"shell.report:_stop"},
    IMPORT: {
        "data.own_pairs:if Check", "data.own_pairs:if Import only",
        "data.own_pairs:if Train and explore", "data.sources:_keep",
        "data.sources:_remove", "data.own_pairs:importing.put_away",
    },
    IMPORTED: {"shared.trash:_delete_import", "shared.trash:_restore"},
    TRAIN: {
        "train.form_queue:queue", "train.parts:_change", "train.parts:_clone",
        "train.parts:_prioritise", "data.quick_panel:_start",
    },
    ESTIMATE: {"train.form_queue:_start"},
    MANAGE: {"train.manage:_archive", "train.manage:_keep", "train.manage:_renamed"},
    RUN: {"train.manage:_deleted", "shared.trash:_restore"},
    ARCHIVE: {"train.archive:_import"},
    LOOK: {"shared.share:report.begin"},
}  # fmt: skip

# Controls that change only what this visitor's own session shows.
OWN_SESSION = {
    "compare.panels:session.choose_runs", "data.quick_panel:if Explore",
    "data.quick_panel:if Train on this", "explore.adding:_discard", "explore.adding:_forget",
    "explore.adding:_propose", "explore.adding:_try", "explore.panels:PAGE.choose_query",
    "explore.panels:PAGE.move_to_item", "home.cards:if Explore", "home.hero:_ask",
    "home.hero:lambda open", "home.hero:lambda own", "home.hero:lambda start",
    "label.adjudicate:_first_page", "label.axes:_again", "label.axes:_other",
    "label.begin:address.show_view",
    "label.annotator:_be", "label.annotator:_be_new", "label.desk:on_look",
    "label.desk:on_older", "label.exchange:_close",
    "label.plans:_edit", "label.sharing:_take_all",
    "label.plans:labels.show_plan", "metrics.benchmark:lambda sort",
    "metrics.cell:session.choose_cell", "metrics.effects_map:chosen", "metrics.charts:moved",
    "metrics.charts:released", "metrics.labels:session.choose_run",
    "metrics.labels_charts:session.show_run",
    "pages.explore:lambda on_change",
    "pages.metrics:session.choose_run", "pages.steer:session.choose_run",
    "shared.finder:_go", "pages.traverse:session.choose_run", "pages.words:session.choose_run",
    "panels.component:close", "shared.charts:selected", "shared.gallery:if The average query",
    "shared.gallery:if Use as query", "shared.gallery:pick", "shared.notices:if Show newer weights",
    "shared.axes:_choose_axis", "shared.runs:lambda on_change", "shared.runs:on_change",
    "shared.trash:_dismiss", "steer.panels:session.PAGE.choose_query", "steer.presenter:_leave",
    "steer.presenter:_on_step", "steer.presenter:lambda ask", "steer.presenter:lambda ask_words",
    "steer.presenter:lambda leave", "steer.tours:_take", "steer.tours:present",
    "train.form:form_state.put",
    "train.form:form_state.put_data", "train.form:form_state.start_over",
    "train.form:form_state.take_back", "train.form_fields:form_state.enter",
    "train.form_fields:form_state.take_back", "train.login:_enter", "train.login:access.leave",
    "train.login:st.login", "train.login:st.logout", "train.parts:if Open in Explore",
    "train.run:curves.add", "train.run:session.close_run", "train.runs:session.open_run",
    "traverse.card:_show", "traverse.path:lambda on_change", "traverse.path:lambda on_click",
    "traverse.pictures:_use", "traverse.session:choose_axes", "traverse.session:choose_query",
    "traverse.session:random_query", "traverse.session:typed_query", "words.clouds:lambda item",
    "words.clouds:lambda word", "words.drawer:session.back_to_list", "words.names:_show_clouds",
    "words.session:choose_target",
}  # fmt: skip

EVENTS = {"on_click", "on_change", "on_submit", "on_select"}
BUTTONS = {"st.button", "st.form_submit_button"}


def controls_in(path):
    """What the controls of a file call, as in ``CONTROLS``."""
    place = path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".")
    place = place.removeprefix("rivae.app.")
    tree = ast.parse(path.read_text())
    panels = {
        target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
        if ast.unparse(node.value.func) == "Component"
        for target in node.targets
        if isinstance(target, ast.Name)
    } | {"CLOUDS", "RESULTS"}
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        what = ast.unparse(call.func)
        reports = what in panels
        for word in call.keywords:
            if word.arg in EVENTS or (reports and word.arg not in (None, "key", "height")):
                for target in called(word.value):
                    if target == "lambda":
                        inner = "_change" if "_change(" in ast.unparse(word.value) else word.arg
                        target = f"lambda {inner}"
                    yield f"{place}:{target}"
        words = {word.arg: ast.unparse(word.value) for word in call.keywords}
        if what in BUTTONS and not EVENTS & set(words) and words.get("disabled") != "True":
            label = call.args[0]
            title = label.value if isinstance(label, ast.Constant) else ast.unparse(label)
            yield f"{place}:if {title}"


def called(value):
    if isinstance(value, ast.IfExp):
        return [*called(value.body), *called(value.orelse)]
    if isinstance(value, ast.Constant):
        return []  # "ignore", "rerun"
    return ["lambda"] if isinstance(value, ast.Lambda) else [ast.unparse(value)]


@pytest.mark.slow
def test_every_control_of_the_app_is_in_the_table_or_changes_only_its_own_session():
    assert set(CONTROLS) <= set(TABLE)
    listed = OWN_SESSION | {control for some in CONTROLS.values() for control in some}
    files = [*(ROOT / "rivae" / "app").rglob("*.py"), *(ROOT / "pages").glob("*.py")]
    found = {control for path in files for control in controls_in(path)}
    assert found - listed == set(), "say in docs/security.md who may do this, and list it here"
    assert listed - found == set(), "these are gone"


def test_addresses_take_questions_and_change_nothing():
    from rivae.app import server

    posted = {route.path for route in server.build_routes() if "POST" in route.methods}
    known = {*server.PASSED_ON, *server.ANSWERS, "/rivae/api/run/{rest:path}"}
    assert {path.removeprefix(server.mounted()) for path in posted} == known


def test_commands_of_the_table_exist():
    parser = _parser()
    for action, row in TABLE.items():
        cell = row[COMMANDS]
        named = re.findall(r"`rivae ([a-z-]+)( [a-z]+)?`", cell)
        assert named or cell == "no", action
        for command, below in named:
            choices = parser._subparsers._group_actions[0].choices
            assert command in choices, command
            if below:
                inner = choices[command]._subparsers._group_actions[0].choices
                assert below.strip() in inner, (command, below)


def test_every_row_that_the_app_can_do_is_tried():
    in_the_app = {action for action, row in TABLE.items() if "yes" in map(row.get, STATES)}
    assert in_the_app == {*CONTROLS, FILES, PURGE, LOOK}
    assert in_the_app - set(TRIED) == {LOOK, PLAN, ALIGN}, "these need no login, and are long"
    assert all(set(map(TABLE[a].get, STATES)) == {"yes"} for a in (LOOK, PLAN, ALIGN))


TRIED = {
    LABEL: act.label,
    VERDICT: act.verdict,
    FILE: act.labels_from_a_file,
    NEW_NAME: act.new_name,
    NAME: act.name,
    NAMES_BACK: act.names_back,
    NEW_AXIS: act.new_axis,
    AXIS: act.axis,
    NEW_SELECTION: act.new_selection,
    SELECTION: act.selection,
    NEW_TOUR: act.new_tour,
    TOUR: act.tour,
    TOUR_BACK: act.tour_back,
    EVALUATE: act.evaluate,
    AGAIN: act.evaluate_again,
    STOP: act.stop,
    IMPORT: act.upload,
    IMPORTED: act.imported,
    TRAIN: act.train,
    ESTIMATE: act.estimate,
    MANAGE: act.manage,
    RUN: act.run,
    ARCHIVE: act.archive,
    FILES: act.files,
    PURGE: act.purge,
}


@pytest.fixture
def world(run_folder, tmp_path, monkeypatch):
    from rivae.app.shell import cache
    from tests.app.labels_fixture import make_label_plan

    folder = tmp_path / "runs"
    folder.mkdir()
    shutil.copytree(run_folder / "digits", folder / "own")
    config = json.loads((folder / "own" / "config.json").read_text())
    (folder / "own" / "config.json").write_text(json.dumps({**config, "name": "own"}))
    monkeypatch.setenv("RIVAE_RUNS", str(folder))
    monkeypatch.setenv("RIVAE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("RIVAE_LABELS", str(tmp_path / "labels.db"))
    monkeypatch.setattr("rivae.runs.folders.DEMO_ROOT", folder / "no-demos")
    cache._resolved.clear()
    made = make_label_plan(folder, tmp_path / "labels.db", run_id="own", n=6)
    with closing(made.store):
        yield act.World(folder, made, monkeypatch)
    st.session_state.clear()


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("action", TRIED)
def test_the_table_says_what_happens(world, monkeypatch, action, state):
    now = access.Login("none") if state == "no login set" else access.Login("password", "secret")
    monkeypatch.setattr(access, "login", lambda: now)
    st.session_state.clear()
    if state == "logged in":
        st.session_state[keys.ACCESS] = access._ticket("secret")
    assert access.may_change() == (state != "visitor")
    assert ("yes" if TRIED[action](world) else "no") == TABLE[action][state]


def test_without_the_right_a_sentence_says_so(monkeypatch):
    monkeypatch.setattr(access, "login", lambda: access.Login("password", "secret"))
    st.session_state.clear()
    with pytest.raises(ConfigError, match=access.WHAT):
        access.require()
