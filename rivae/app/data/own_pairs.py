"""A visitor's own pairs: files, what was found in them, and one button that leads to Explore."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from rivae.app.data import importing, page_keys, quick_panel, sources, table_encoding
from rivae.app.data.columns_form import columns_form
from rivae.app.shell import access, report
from rivae.app.shell.text import markdown
from rivae.base.errors import DataError, RivaeError

if TYPE_CHECKING:
    from rivae.app.work.tasks import Task
    from rivae.data.importing.plan import Plan

PREVIEW_ROWS = 5
SIDES = (128, 256, 512)
FORMATS = (
    "The table is CSV, TSV, JSON, Parquet or a tar of samples; pictures may stand in it. Your "
    "files are not changed: smaller copies are stored on this machine."
)
GONE = "{} was imported, and is no longer there: import the same files again."
STOPPED = "Stopped. What was imported stays; the same files under the same name resume the rest."


def panel() -> None:
    """Files first; what their columns hold once the table can be read; then one button."""
    with st.container(border=True, key="own-pairs"):
        st.subheader("Your own pictures and texts", anchor=False, help=FORMATS)
        quick_panel.follow()
        progress()
        if (files := sources.files()) is None:
            return
        from rivae.data.importing.plan import Plan
        from rivae.data.importing.recipe1m import is_recipe1m

        plan = Plan(table=files.table, images=files.images, name="unnamed", tags=files.tags)
        mapping = plan if is_recipe1m(files.table) else _columns(plan)
        if mapping is not None:
            _work(mapping)


def watched() -> list[Task]:
    """The tasks whose progress the panel shows."""
    return [task for task in (importing.newest(), quick_panel.task()) if task is not None]


def _columns(plan: Plan) -> Plan | None:
    """The role of each column, with the first records; None while the table cannot be read."""
    import pandas as pd

    from rivae.base.reading.tables import InputTable
    from rivae.data.importing.plan import columns_of

    chips = st.container(horizontal=True, vertical_alignment="center", gap="small")
    change = chips.popover("Change", icon=":material/edit:", key=page_keys.CHANGE)
    encoding = "utf-8"
    try:
        if InputTable(plan.table).is_text:
            with change:
                encoding = table_encoding.choose(plan.table)
        head = InputTable(plan.table, encoding).preview()
    except RivaeError as error:
        report.warning(str(error))
        return None
    plan = columns_form(plan.model_copy(update={"encoding": encoding}), head, chips, change)
    columns = columns_of(head)
    records = pd.DataFrame(
        [{c: _cell(record.get(c, "")) for c in columns} for record in head[:PREVIEW_ROWS]]
    )
    st.dataframe(records, hide_index=True, height="content")
    return plan


def _cell(cell: object) -> str:
    from rivae.data.importing.picture_cells import holds_picture, shown_cell

    return shown_cell(cell) if holds_picture(cell) else str(cell)[:200]


def _work(plan: Plan) -> None:
    """The button; what else can be chosen, and what else can be done, behind another."""
    busy = bool(importing.tasks.running())
    with st.container(horizontal=True, vertical_alignment="center"):
        explore = st.button(
            "Train and explore",
            icon=":material/rocket_launch:",
            type="primary",
            key=page_keys.OPEN,
            disabled=busy,
            help=quick_panel.HELP,
        )
        with st.popover("Details", icon=":material/tune:", key=page_keys.DETAILS):
            options = _options(plan)
            with st.container(horizontal=True):
                check = st.button(
                    "Check",
                    icon=":material/fact_check:",
                    key=page_keys.CHECK,
                    disabled=busy,
                    help="Reads everything, writes nothing.",
                )
                take = st.button(
                    "Import only",
                    icon=":material/download:",
                    key=page_keys.IMPORT,
                    disabled=busy,
                )
    if not (explore or check or take):
        return
    try:
        access.require()
        if explore:
            _begin(options)
        else:
            importing.start(options.model_copy(update={"dry_run": check}))
    except RivaeError as error:
        report.warning(str(error))
    else:
        st.rerun()


def _begin(plan: Plan) -> None:
    """Import and make a model; this visitor goes to Explore with it."""
    from rivae.runs import runs_root

    is_named = plan.name != st.session_state.get(page_keys.SUGGESTED, ("", ""))[1]
    task = importing.start(plan, runs_root(), is_named)
    st.session_state[page_keys.QUICK_TASK] = task.key


def _options(plan: Plan) -> Plan:
    """Name and sizes."""
    from rivae.data.importing.recipe1m import is_recipe1m

    _suggest_name(plan)
    name = st.text_input("Name", key=page_keys.NAME, max_chars=40)
    title = st.text_input(
        "Title (optional)", key=page_keys.TITLE, placeholder="for example My recipes"
    )
    side = st.selectbox(
        "Largest picture side",
        SIDES,
        index=1,
        key=page_keys.SIDE,
        format_func=lambda n: f"{n} pixels",
    )
    paper = st.checkbox(
        "Only 1–20 ingredients and steps",
        value=is_recipe1m(plan.table),
        key=page_keys.FILTER,
        disabled=is_recipe1m(plan.table),
        help="The paper's filter; always on for Recipe1M.",
    )
    return plan.model_copy(
        update={"name": name.strip(), "title": title.strip(), "side": side, "paper_filter": paper}
    )


def _suggest_name(plan: Plan) -> None:
    """Fill an empty name, or one that was filled in for another table, with a free one."""
    from rivae.data.importing.plan import free_import_name

    made_for, last_name = st.session_state.get(page_keys.SUGGESTED, ("", ""))
    name = str(st.session_state.get(page_keys.NAME, "")).strip()
    if not name or (name == last_name and made_for != str(plan.table)):
        free = free_import_name(plan.table)
        st.session_state[page_keys.SUGGESTED] = (str(plan.table), free)
        st.session_state[page_keys.NAME] = free


# What became of it


def progress() -> None:
    """The import that is running or was the last, independent of the form."""
    job = importing.newest()
    if job is None:
        return
    if job.running:
        report.watch([job], page_keys.TASK, may_stop=access.may_change())
        return
    with st.container(horizontal=True, horizontal_alignment="distribute"):
        st.markdown(f"**{markdown(job.title)}**", width="content")
        st.button(
            "Close",
            icon=":material/close:",
            type="tertiary",
            key=page_keys.CLOSE,
            on_click=importing.put_away,
            args=(job,),
        )
    _outcome(job)


def _outcome(job: Task) -> None:
    if job.error:
        report.warning(job.error)
        return
    if job.cancelled or job.result is None:
        st.info(STOPPED, icon=":material/pause_circle:")
        return
    if name := str(job.result.get("name") or ""):
        from rivae.data.store import find_store

        try:
            folder = find_store(name)
        except DataError:  # deleted since, by anybody
            st.info(GONE.format(markdown(name)), icon=":material/delete:")
            return
        st.success(f"{markdown(name)} is ready.", icon=":material/check:")
        quick_panel.buttons(folder, place="done")
        with st.expander("Import report"):
            report_lines(job.result.get("report") or {})
    else:
        st.markdown("This import would do the following:")
        report_lines(job.result.get("report") or {})


def report_lines(stored: dict[str, Any]) -> None:
    """An import report as a list; damaged ones show nothing."""
    from rivae.data.importing import ImportReport

    try:
        report = ImportReport.from_dict(stored)
    except (KeyError, TypeError, ValueError, AttributeError):
        st.caption("The report of this import cannot be read.")
        return
    head, *rest = report.lines()
    st.markdown(f"**{markdown(head)}**")
    bullets = [
        f"    * {markdown(line.strip())}" if line.startswith("  ") else f"* {markdown(line)}"
        for line in rest
    ]
    st.markdown("\n".join(bullets) or "Nothing was left out.")
