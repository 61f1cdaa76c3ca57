"""The lower half of the Data page: choose files and columns, check them, import them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from rivae.errors import RivaeError
from rivae.ui import access, data_import, state
from rivae.ui.data_panels import report_lines
from rivae.ui.text import markdown

if TYPE_CHECKING:
    from rivae.importing.plan import Plan
    from rivae.ui.background import Job

NONE = "–"
PREVIEW_ROWS = 5
SIDES = (128, 256, 512)
LABELS = {"id": "ID", "url": "Address"}


def form() -> None:
    """Files first; columns once the table can be read; then a dry run, then the import."""
    if locked := access.files_locked():
        st.info(f"{locked} See `rivae import --help`.", icon=":material/lock:")
        return
    st.write(
        "A table (CSV, TSV, JSON lines or Parquet) with one pair per line, and the pictures it "
        "names in a folder or a zip; or a folder in Recipe1M's published layout. Files stay where "
        "they are; smaller copies are made."
    )
    plan = _files()
    if plan is None:
        return
    if not plan.table.is_dir():
        plan = _columns(plan)
    plan = _options(plan) if plan is not None else None
    if plan is not None:
        _work(plan)


def _files() -> Plan | None:
    """The form's files, or None while they are not usable."""
    from rivae.importing.plan import Plan

    one, two = st.columns(2)
    table = one.text_input(
        "Table, or folder of Recipe1M", key=state.DATA_TABLE,
        placeholder="whole path on this machine, e.g. ending in recipes.csv",
    )  # fmt: skip
    images = two.text_input(
        "Pictures: folder or zip", key=state.DATA_IMAGES,
        help="Several are separated by semicolons. Recipe1M: empty when they are in the folder.",
    )  # fmt: skip
    if not table.strip():
        return None
    try:
        path = data_import.read_path(table, "the table")
        named = [part for part in images.split(";") if part.strip()]
        places = tuple(data_import.read_path(part, "the pictures") for part in named)
        if not path.is_dir() and not places:
            st.caption("Now the pictures.")
            return None
        tags = _tags() if path.is_dir() else None
    except RivaeError as error:
        st.warning(markdown(str(error)), icon=":material/info:")
        return None
    return Plan(table=path, images=places, name="unnamed", tags=tags)


def _tags() -> Path | None:
    text = st.text_input(
        "food.com's table of tags (RAW_recipes.csv)", key=state.DATA_TAGS, placeholder="optional"
    )
    return data_import.read_path(text, "the table of tags") if text.strip() else None


def _columns(plan: Plan) -> Plan | None:
    """Which column is what, with the first records beside it; None while it cannot be."""
    import pandas as pd

    from rivae.importing.mapping import ROLES, guess_mapping
    from rivae.reading.tables import preview, table_kind

    encoding = "utf-8"
    try:
        if table_kind(plan.table) != ".parquet":
            encoding = st.selectbox(
                "Encoding of the table", ("utf-8", "latin-1", "cp1252"), key=state.DATA_ENCODING,
                width=200,
            )  # fmt: skip
        head = preview(plan.table, encoding)
    except RivaeError as error:
        st.warning(markdown(str(error)), icon=":material/info:")
        return None
    columns = list(dict.fromkeys(name for record in head for name in record))
    guessed = guess_mapping(columns)
    st.markdown("**Which column is what**")
    roles: dict[str, str] = {}
    with st.container(horizontal=True):
        for role in ROLES:
            options = [NONE, *columns]
            usual = options.index(guessed[role]) if role in guessed else 0
            # The key names the file: another table starts from its own guesses.
            chosen = st.selectbox(
                LABELS.get(role, role.capitalize()), options, index=usual, width=180,
                key=f"{state.DATA_ROLE}-{role}-{plan.table}",
            )  # fmt: skip
            roles[role] = "" if chosen == NONE else str(chosen)
    factors = st.multiselect(
        "Known factors", [c for c in columns if c not in roles.values()],
        key=f"{state.DATA_FACTORS}-{plan.table}",
        help="Columns of numbers or levels that the axes are compared with. Optional.",
    )  # fmt: skip
    shown = pd.DataFrame([{c: str(r.get(c, ""))[:200] for c in columns} for r in head])
    st.dataframe(shown.head(PREVIEW_ROWS), hide_index=True, height="content")
    return plan.model_copy(
        update={"roles": roles, "factors": tuple(factors), "encoding": encoding}
    )


def _options(plan: Plan) -> Plan | None:
    """Name and sizes; None until there is a name."""
    usual = plan.table.name.split(".")[0].lower().replace(" ", "-")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.text_input("Name", key=state.DATA_NAME, placeholder=usual[:40], width=200)
        title = st.text_input("Title", key=state.DATA_TITLE, placeholder="optional", width=280)
        side = st.selectbox(
            "Largest picture side", SIDES, index=1, key=state.DATA_SIDE, width=180,
            format_func=lambda n: f"{n} pixels",
        )  # fmt: skip
        paper = st.checkbox(
            "Only 1–20 ingredients and steps", value=plan.table.is_dir(), key=state.DATA_FILTER,
            disabled=plan.table.is_dir(), help="The paper's filter; always on for Recipe1M.",
        )  # fmt: skip
    return plan.model_copy(
        update={"name": name.strip() or usual[:40], "title": title.strip(), "side": side,
                "paper_filter": paper}
    )  # fmt: skip


def _work(plan: Plan) -> None:
    """The two buttons, and the job that they started."""
    job = data_import.job_of(plan.settings().folder)
    busy = job is not None and job.running
    with st.container(horizontal=True):
        check = st.button(
            "Check", icon=":material/fact_check:", disabled=busy, key=state.DATA_CHECK,
            help="Reads everything and writes nothing.",
        )  # fmt: skip
        take = st.button(
            "Import", icon=":material/download:", type="primary", disabled=busy,
            key=state.DATA_IMPORT,
        )  # fmt: skip
    if check or take:
        try:
            data_import.start(plan.model_copy(update={"dry_run": check}))
        except RivaeError as error:
            st.warning(markdown(str(error)), icon=":material/info:")
        else:
            st.rerun()
    elif busy:
        _progress(plan)
    elif job is not None:
        _outcome(plan, job)


@st.fragment(run_every=1)
def _progress(plan: Plan) -> None:
    """How far the import is; the page starts anew once it is over."""
    job = data_import.job_of(plan.settings().folder)
    if job is None or not job.running:
        st.rerun()
        return
    st.progress(job.share, text=f"{markdown(job.stage)}, {job.share:.0%}")
    if st.button("Stop", icon=":material/stop_circle:", key=state.DATA_STOP):
        job.cancel()
    st.caption("It goes on when you leave this page. A stopped import can be taken up again.")


def _outcome(plan: Plan, job: Job) -> None:
    if job.error:
        st.warning(markdown(job.error), icon=":material/info:")
        return
    if job.cancelled:
        st.info("Stopped. Import goes on where it stopped.", icon=":material/pause_circle:")
        return
    done = plan.settings().folder.exists() and job.key.startswith("import")
    if done:
        st.success(f"{markdown(plan.name)} is ready. Train a model on it with:")
        st.code(f"python -m rivae train pairs --set dataset.store={plan.name}", language=None)
    else:
        st.markdown("**What an import would do**")
    report_lines(job.result or {})
