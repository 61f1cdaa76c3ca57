"""Labels as files: export of the store, and import of a file after a preview."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import streamlit as st

from rivae.app.label import page_keys
from rivae.app.shared import labels
from rivae.app.shell.text import markdown
from rivae.base.errors import RivaeError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rivae.app.shared.labels import OpenPlan
    from rivae.labels.formats import Form
    from rivae.labels.merge import ImportReport

UNCHANGED = "Nothing was changed."
STORED, OFFERED = "in the store", "in the file"  # columns of conflicting levels
FORMS: dict[Form, tuple[str, str]] = {
    "events": ("Events, JSONL", "Every event, including undone ones."),
    "long": ("Long CSV", "One line per current label, with repeats and verdicts."),
    "wide": ("Wide CSV", "One line per annotator and item, one column per factor."),
}
SHOWN_CONFLICTS = 200


@dataclass(frozen=True)
class CheckedFile:
    """An uploaded file and its preview or result.

    Attributes:
        name: of the file.
        report: what importing it would change, or changed.
        added: whether it was imported.
        trouble: why it cannot be imported; then there is no report.
        alike: names in the file of whom nobody has said whether they are the known ones like them.
    """

    name: str
    report: ImportReport | None = None
    added: bool = False
    trouble: str = ""
    alike: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def files(open_plan: OpenPlan) -> None:
    """A button that opens the exports of all labels, made on request, and the import.

    Items of an imported file that have only an id or a row belong to the plan's data.
    """
    from rivae.labels.formats import SUFFIXES
    from rivae.labels.merge import MAX_MEGABYTES

    with st.popover("Files", icon=":material/download:"):
        st.caption("All labels of this store, of every plan.")
        with st.container(horizontal=True):
            for form, (label, about) in FORMS.items():
                st.download_button(
                    label,
                    _content(form),
                    file_name=f"labels-{form}{SUFFIXES[form]}",
                    mime="application/jsonl" if form == "events" else "text/csv",
                    on_click="ignore",
                    help=about,
                    key=f"{page_keys.REVIEW}_{form}",
                )
        st.toggle(
            "Items are row numbers",
            key=page_keys.FILE_ROWS,
            on_change=_look,
            args=(False, open_plan),
            help="On: the column item holds row numbers of this plan's data, from 0. Off: keys as "
            "in an exported file, or the ids of this plan's data.",
        )
        st.file_uploader(
            "Labels from a file",
            type=["jsonl", "ndjson", "csv"],
            key=page_keys.FILE,
            max_upload_size=MAX_MEGABYTES,
            on_change=_look_anew,
            args=(open_plan,),
            help="JSONL or CSV as above, or a table of your own with the columns annotator, "
            "item, factor and level. A file adds labels and never changes existing ones.",
        )


def _content(form: Form) -> Callable[[], bytes]:
    def make() -> bytes:
        from rivae.labels.formats import lines_of

        return "".join(lines_of(labels.store(), form)).encode()

    return make


def outcome(open_plan: OpenPlan) -> None:
    """The preview of an uploaded file; nothing is stored until it is confirmed."""
    checked_file: CheckedFile | None = st.session_state.get(page_keys.LOOKED)
    # Streamlit forgets the file when another view was shown in between.
    if checked_file is None or st.session_state.get(page_keys.FILE) is None:
        return
    with st.container(border=True):
        _show(checked_file, open_plan)


def _close() -> None:
    st.session_state[page_keys.LOOKED] = None


def _look_anew(open_plan: OpenPlan) -> None:
    st.session_state[page_keys.FILE_NAMES] = {}
    _look(False, open_plan)


def _choose_name(said: str, key: str, open_plan: OpenPlan) -> None:
    """Whose a name in the file is; then look again."""
    chosen = {**st.session_state.get(page_keys.FILE_NAMES, {}), said: st.session_state[key]}
    st.session_state[page_keys.FILE_NAMES] = chosen
    _look(False, open_plan)


def _look(add: bool, open_plan: OpenPlan) -> None:
    """Read the uploaded file, for a preview or to add its labels."""
    from rivae.labels.annotators import AlikeNamesError
    from rivae.labels.known_items import KnownItems
    from rivae.labels.merge import import_content

    file = st.session_state.get(page_keys.FILE)
    if file is None:
        st.session_state[page_keys.LOOKED] = None
        return
    try:
        store = labels.store()
        items = KnownItems(
            store,
            open_plan.data,
            by_row=bool(st.session_state.get(page_keys.FILE_ROWS)),
            open_data=lambda plan: labels.open_plan(plan.id).data,
        )
        whose = st.session_state.get(page_keys.FILE_NAMES)
        report = import_content(
            store, file.name, file.getvalue(), items=items, dry_run=not add, annotators=whose
        )
        checked_file = CheckedFile(file.name, report, add)
    except AlikeNamesError as error:
        checked_file = CheckedFile(file.name, trouble=str(error), alike=error.pairs)
    except RivaeError as error:
        checked_file = CheckedFile(file.name, trouble=str(error))
    st.session_state[page_keys.LOOKED] = checked_file


def _show(checked_file: CheckedFile, open_plan: OpenPlan) -> None:
    name, report = markdown(checked_file.name), checked_file.report
    for n, (said, known) in enumerate(checked_file.alike.items()):
        key = f"{page_keys.FILE_NAMES}_{n}_{said}"
        st.radio(
            f"Who is {markdown(said)} in {name}?",
            [*known, said],
            index=None,
            horizontal=True,
            key=key,
            format_func={**{who: who for who in known}, said: f"{said}, somebody else"}.get,
            on_change=_choose_name,
            args=(said, key, open_plan),
        )
    if report is None:
        st.warning(f"{markdown(checked_file.trouble)}. {UNCHANGED}", icon=":material/info:")
    elif checked_file.added:
        st.success(f"{_events(report.added)} added from {name}.", icon=":material/check:")
    else:
        st.markdown(f"**Preview of {name}**")
    if report is not None:
        _report(report, checked_file.added)
    with st.container(horizontal=True):
        if report is not None and not checked_file.added:
            st.button(
                "Add these labels",
                icon=":material/add:",
                type="primary",
                key=page_keys.ADD,
                on_click=_look,
                args=(True, open_plan),
                disabled=not report.added,
                help=None if report.added else "The file has nothing new.",
            )
        st.button("Close", key=f"{page_keys.ADD}_close", on_click=_close, type="tertiary")


def _report(report: ImportReport, added: bool) -> None:
    import pandas as pd

    counts = {
        "added" if added else "new": report.added,
        "already known": report.known,
        "conflicts": report.n_conflicts,
    }
    st.dataframe(pd.DataFrame([counts]), hide_index=True, width="content")
    if report.named:
        names = "; ".join(f"{one.name} is {one.title} ({one.key})" for one in report.named)
        others = report.n_named - len(report.named)
        rest = f"; and {others:,} more by the same rule" if others else ""
        st.caption(markdown(f"Item {names}{rest}."))
    if not report.conflicts:
        return
    first = report.conflicts[:SHOWN_CONFLICTS]
    more = f" The first {SHOWN_CONFLICTS} are shown." if report.n_conflicts > len(first) else ""
    st.caption(
        "Conflicting labels keep their stored level. Decide them by hand: label again, or give a "
        f"verdict.{more}"
    )
    st.dataframe(
        pd.DataFrame(
            [
                {
                    "row": c.row,
                    "annotator": c.annotator,
                    "item": c.item,
                    "factor": c.factor,
                    STORED: c.stored,
                    OFFERED: c.offered,
                    "why": c.reason,
                }
                for c in first
            ]
        ),
        hide_index=True,
        height="content" if len(first) <= 8 else 320,
    )


def _events(n: int) -> str:
    return "1 event was" if n == 1 else f"{n:,} events were"
