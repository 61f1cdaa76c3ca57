"""The Data page: a card per imported data set, and below the form that checks and imports files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

from rivae.app.data import importing, quick_panel, sources, table_encoding
from rivae.app.data.columns_form import columns_form
from rivae.app.shared import trash
from rivae.app.shared.runs import dataset_title, short_date
from rivae.app.shell import access, cache, keys, pages, report, troubles
from rivae.app.shell.text import markdown
from rivae.base.errors import RivaeError

if TYPE_CHECKING:
    from rivae.app.work.tasks import Task
    from rivae.data.importing.plan import Plan
    from rivae.runs import Run


PREVIEW_ROWS = 5
SIDES = (128, 256, 512)


def imported() -> None:
    """A card per data set under ``RIVAE_DATA``; broken ones say what is wrong with them."""
    from rivae.data.store import list_stores

    folders = list_stores()
    if not folders:
        st.caption("Nothing imported yet.")
        return
    with st.grid(3, min_column_width=300, gap="medium"):
        for folder in folders:
            _card(folder)


def _card(folder: Path) -> None:
    from rivae.data.store import Manifest

    with st.container(border=True, height="stretch", key=f"data-{folder.name}"):
        try:
            manifest = Manifest.read(folder)
            strip = cache.store_strip(folder)
        except RivaeError as error:
            st.markdown(f"## {markdown(folder.name)}")
            st.warning(markdown(str(error)), icon=":material/broken_image:")
            trash.import_button(folder)
            return
        st.image(strip.content, alt=f"Some items of {manifest.title}", width="stretch")
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(f"## {markdown(manifest.title)}", width="content")
            if manifest.synthetic:
                st.badge("synthetic", icon=":material/precision_manufacturing:", color="gray")
        date = short_date(manifest.created)
        name = manifest.name if manifest.name != manifest.title else ""
        parts = (f"{manifest.n_items:,} pairs", name, date)
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(" · ".join(markdown(part) for part in parts if part), width="stretch")
            trash.import_button(folder)
        if manifest.factors:
            names = ", ".join(column.name for column in manifest.factors)
            st.caption(markdown(f"Known factors: {names}"))
        if manifest.report:
            with st.expander("Import report"):
                _report_lines(manifest.report)
        st.space("stretch")
        with st.container(horizontal=True, gap="small"):
            if not _explore(folder.name):
                quick_panel.button(folder, place="card")
            _train_on(folder.name, place="card")


def _explore(name: str) -> bool:
    """The button that opens the newest run on this import; False without a run that opens."""
    ours = [run for run in cache.runs() if run.opens and _is_on(run, name)]
    found = [run for run in ours if not troubles.trouble(run)]
    if not found:
        return False
    newest = max(found, key=_started)
    if st.button("Explore", icon=":material/tune:", key=f"{keys.DATA_EXPLORE}_{name}"):
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
        "Train on this", icon=":material/model_training:", key=f"{keys.DATA_TRAIN}_{place}_{name}"
    ):
        st.switch_page(pages.path("train"), query_params={keys.TRAIN_ON: name})


def _report_lines(stored: dict[str, Any]) -> None:
    """An import report as a list; damaged ones show nothing."""
    from rivae.data.importing import ImportReport

    try:
        report = ImportReport.from_dict(stored)
    except (KeyError, TypeError, ValueError, AttributeError):
        st.caption("The report of this import cannot be read.")
        return
    head, *rest = report.lines()
    st.markdown(f"**{markdown(head)}**")
    listed = [
        f"    * {markdown(line.strip())}" if line.startswith("  ") else f"* {markdown(line)}"
        for line in rest
    ]
    st.markdown("\n".join(listed) or "Nothing was left out.")


# The form


def import_form() -> None:
    """Files first; columns once the table can be read; then a dry run, then the import."""
    from rivae.data.importing.plan import Plan

    st.write(
        "A table with one pair per row, and its pictures; or a folder in Recipe1M's layout. Your "
        "files are not changed."
    )
    files = sources.files()
    if files is None:
        return
    plan = Plan(table=files.table, images=files.images, name="unnamed", tags=files.tags)
    mapped = plan if files.table.is_dir() else _columns(plan)
    ready = _options(mapped) if mapped is not None else None
    if ready is not None:
        _work(ready)


def _columns(plan: Plan) -> Plan | None:
    """The role of each column, with the first records; None while the table cannot be read."""
    import pandas as pd

    from rivae.base.reading.tables import preview, table_kind
    from rivae.data.importing.plan import columns_of

    encoding = "utf-8"
    try:
        if table_kind(plan.table) != ".parquet":
            encoding = table_encoding.choose(plan.table)
        head = preview(plan.table, encoding)
    except RivaeError as error:
        report.warning(str(error))
        return None
    plan = columns_form(plan.model_copy(update={"encoding": encoding}), head)
    columns = columns_of(head)
    shown = pd.DataFrame(
        [{c: _cell(record.get(c, "")) for c in columns} for record in head[:PREVIEW_ROWS]]
    )
    st.dataframe(shown, hide_index=True, height="content")
    return plan


def _cell(cell: object) -> str:
    from rivae.data.importing.picture_cells import holds_picture, shown_cell

    return shown_cell(cell) if holds_picture(cell) else str(cell)[:200]


def _options(plan: Plan) -> Plan | None:
    """Name and sizes; None until there is a name."""
    _suggest_name(plan.table)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.text_input("Name", key=keys.DATA_NAME, max_chars=40, width=200)
        title = st.text_input(
            "Title (optional)",
            key=keys.DATA_TITLE,
            placeholder="for example My recipes",
            width=280,
        )
        side = st.selectbox(
            "Largest picture side",
            SIDES,
            index=1,
            key=keys.DATA_SIDE,
            width=180,
            format_func=lambda n: f"{n} pixels",
        )
        paper = st.checkbox(
            "Only 1–20 ingredients and steps",
            value=plan.table.is_dir(),
            key=keys.DATA_FILTER,
            disabled=plan.table.is_dir(),
            help="The paper's filter; always on for Recipe1M.",
        )
    return plan.model_copy(
        update={"name": name.strip(), "title": title.strip(), "side": side, "paper_filter": paper}
    )


def _suggest_name(table: Path) -> None:
    """Fill an empty name, or one that was filled in for another table, with a free one."""
    from rivae.data.importing.plan import free_import_name

    made_for, suggested = st.session_state.get(keys.DATA_SUGGESTED, ("", ""))
    name = str(st.session_state.get(keys.DATA_NAME, "")).strip()
    if not name or (name == suggested and made_for != str(table)):
        free = free_import_name(table)
        st.session_state[keys.DATA_SUGGESTED] = (str(table), free)
        st.session_state[keys.DATA_NAME] = free


def _work(plan: Plan) -> None:
    """The two buttons."""
    busy = bool(importing.tasks.running())
    with st.container(horizontal=True):
        check = st.button(
            "Check",
            icon=":material/fact_check:",
            disabled=busy,
            key=keys.DATA_CHECK,
            help="Reads everything, writes nothing.",
        )
        take = st.button(
            "Import",
            icon=":material/download:",
            type="primary",
            disabled=busy,
            key=keys.DATA_IMPORT,
        )
    if check or take:
        try:
            access.require()
            importing.start(plan.model_copy(update={"dry_run": check}))
        except RivaeError as error:
            report.warning(str(error))
        else:
            st.rerun()


def import_progress() -> None:
    """The import that is running or was the last, independent of the form."""
    job = importing.newest()
    if job is None:
        return
    if job.running:
        report.watch([job], keys.DATA_TASK, may_stop=access.may_change())
        st.caption("A stopped import resumes when you import the same files under the same name.")
        return
    with st.container(border=True):
        with st.container(horizontal=True, horizontal_alignment="distribute"):
            st.markdown(f"**{markdown(job.title)}**", width="content")
            st.button(
                "Close",
                icon=":material/close:",
                type="tertiary",
                key=keys.DATA_CLOSE,
                on_click=importing.put_away,
                args=(job,),
            )
        _outcome(job)


def _outcome(job: Task) -> None:
    if job.error:
        report.warning(job.error)
        return
    if job.cancelled or job.result is None:
        st.info(
            "Stopped. Import the same files under the same name to resume.",
            icon=":material/pause_circle:",
        )
        return
    if name := str(job.result.get("name") or ""):
        from rivae.data.store import find_store

        st.success(f"{markdown(name)} is ready.", icon=":material/check:")
        with st.container(horizontal=True, gap="small"):
            quick_panel.button(find_store(name), place="done")
            _train_on(name, place="done")
    else:
        st.markdown("This import would do the following:")
    _report_lines(job.result.get("report") or {})
