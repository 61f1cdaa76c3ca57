"""The new run of a visitor's session: kept as typed, also while another view or page is shown.

The draft is the truth and the widgets show it; a widget's callback writes its value back.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

from rivae.app.panels.links import RUN_ID
from rivae.app.shared import address
from rivae.app.shell import access, cache, keys, report
from rivae.app.shell.text import markdown
from rivae.app.train import page_keys, session
from rivae.base.errors import ConfigError, RivaeError, RunError
from rivae.runs import named_files
from rivae.runs.folders import is_taken

if TYPE_CHECKING:
    from rivae.app.forms.draft import Draft

SLOTS_S = 60.0  # between two looks at the cards
CLONE, ON = "clone", keys.TRAIN_ON  # the names in the address


def draft() -> Draft:
    """The session's draft; at first of the visitor's newest import, where there is one."""
    from rivae.app.forms.draft import Draft

    if page_keys.DRAFT not in st.session_state:
        begun = Draft()
        with suppress(RivaeError, OSError):  # gone or damaged: the list shows the others
            if newest := _newest_import():
                begun = begun.on(newest)
        st.session_state[page_keys.DRAFT] = begun
    last_draft: Draft = st.session_state[page_keys.DRAFT]
    return last_draft


def _newest_import() -> str:
    """The name of the import that was made last, or ""."""
    from rivae.data import import_names
    from rivae.data.store import find_store
    from rivae.data.store.manifest import MANIFEST

    def made(name: str) -> float:
        return (find_store(name) / MANIFEST).stat().st_mtime

    return max(import_names(), key=made, default="")


def keep(changed: Draft) -> None:
    """Set the draft."""
    st.session_state[page_keys.DRAFT] = changed


def key(name: str) -> str:
    """The key of a field or button."""
    return f"{page_keys.FIELD}_{name}"


def shown(name: str, value: Any) -> str:
    """The key of a field that shows ``value``.

    Written only if it differs: text being typed into a field is not overwritten when another field
    changes.
    """
    field = key(name)
    if st.session_state.get(field) != value:
        st.session_state[field] = value
    return field


def trouble(sentence: str) -> None:
    """The error of the field above."""
    st.markdown(f":red[:small[{markdown(sentence)}]]")


def put(name: str) -> None:
    """Write the value of a widget into an attribute of the draft; for callbacks."""
    changes: dict[str, Any] = {name: st.session_state.get(key(name))}
    keep(replace(draft(), **changes))


def put_data() -> None:
    """Write the chosen data set or import into the draft; for callbacks."""
    dataset = str(st.session_state.get(key("dataset")))
    with suppress(ConfigError):  # an import that was just removed: the list shows the others
        keep(draft().on(dataset))


def data_names() -> tuple[str, ...]:
    """The data sets and imports that a run can be trained on, by name."""
    from rivae.data import IMPORTED, dataset_names, import_names

    names = (*(n for n in dataset_names() if n != IMPORTED), *import_names())
    current = draft().data  # of a clone whose import is elsewhere or gone
    return names if current in names else (*names, current)


def enter(path: str) -> None:
    """Write the value of a widget into a setting of the draft; for callbacks."""
    from rivae.runs.named_files import PATHS, names_file

    text = str(st.session_state.get(key(path)) or "")

    def change() -> str:
        name = path.rpartition(".")[2]
        if name in PATHS and (locked := access.files_locked()):
            raise ConfigError(locked)
        if names_file(name, text):  # an import may be named by its folder, too
            typed = text if text.startswith("~") else str(Path(text).absolute())
            named_files.read_path(typed, name)
        keep(draft().enter(path, text))
        return ""

    report.attempt(session.PLACE, change)


def take_back(*paths: str) -> None:
    """Restore the preset's values of these settings; for callbacks."""
    keep(draft().take_back(*paths))


def start_over() -> None:
    """Reset the form; for callbacks."""
    st.session_state.pop(page_keys.DRAFT, None)
    st.query_params.pop(CLONE, None)


def clone(run_id: str) -> None:
    """Fill the form with the settings of this run; for callbacks."""

    def fill() -> str:
        keep(_draft_like(run_id))
        address.show_view("New run")
        return ""

    report.attempt(session.PLACE, fill)


def take_address() -> None:
    """Fill the form as the address asks: ``on`` names a data set or import, ``clone`` a run that
    was not cloned yet. Called before the view is chosen.
    """
    if data := st.query_params.pop(ON, ""):

        def fill() -> str:
            keep(draft().on(data))
            address.show_view("New run")
            return ""

        report.attempt(session.PLACE, fill)
    run_id = st.query_params.get(CLONE)
    if run_id and run_id != st.session_state.get(page_keys.CLONED):
        st.session_state[page_keys.CLONED] = run_id
        clone(run_id)


def taken() -> Callable[[str], bool]:
    """A function that tells whether a name is taken by a run or a queued one."""
    queue = session.ledger()
    queue_names = {job.run for job in queue.jobs()}
    return lambda name: name in queue_names or is_taken(name, queue.root)


def _draft_like(run_id: str) -> Draft:
    """The draft of a run that is queued or kept, under a free name."""
    from rivae.app.forms.draft import draft_of
    from rivae.app.forms.sweep import free_base
    from rivae.runs.named_files import require_open

    if not RUN_ID.fullmatch(run_id):
        raise ConfigError("the link names no run: choose one in the list of runs")
    job = session.ledger().of_run(run_id)
    if job is not None and job.config is not None:
        require_open(job.config)
        new_draft = replace(
            draft_of(job.config),
            priority=job.priority,
            restarts=job.max_restarts,
            processes=job.processes,
        )
    elif job is not None:
        raise RunError(job.message)
    else:
        config = cache.run(run_id).config
        require_open(config)
        new_draft = draft_of(config)
    if new_draft.device != "cpu" and not cards():
        new_draft = replace(new_draft, device="cpu", processes=1)
    return replace(new_draft, name=free_base(run_id[:70], [""], taken()))


def slots() -> tuple[str, ...]:
    """The slots of this machine; cached, since it starts a program of the driver."""
    return _slots(int(time.monotonic() // SLOTS_S))  # no `ttl`: see `cache._resolved`


@st.cache_data(max_entries=1, show_spinner=False)
def _slots(period: int) -> tuple[str, ...]:
    from rivae.jobs.devices import machine_slots

    return machine_slots()


def cards() -> int:
    """How many graphics cards this machine has."""
    return sum(slot.startswith("gpu") for slot in slots())
