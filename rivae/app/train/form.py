"""The "New run" view: data, method and device; the preset's settings for these data are folded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from rivae.app.shell import access, report
from rivae.app.shell.text import markdown
from rivae.app.train import form_fields, form_queue, form_state
from rivae.app.train.form_state import clone, take_address
from rivae.base.errors import ConfigError, RivaeError

if TYPE_CHECKING:
    from rivae.app.forms.draft import CheckedDraft

__all__ = ["clone", "panel", "take_address"]

DEVICES = {"cpu": "CPU", "cuda": "Graphics card"}
LOOK_ONLY = f"{access.VIEW_FREELY} Log in at the top of this page to start a training."


def panel() -> None:
    """The form."""
    from rivae.app.forms.draft import check

    disabled = not access.may_change()
    if disabled:
        st.info(LOOK_ONLY, icon=":material/lock:")
    _choices(disabled)
    try:
        checked = check(form_state.draft())
    except RivaeError as error:  # these three do not go together: choose others
        report.warning(str(error))
        return
    _run(checked, disabled)
    _changes(checked, disabled)
    has_needs, custom = _groups(checked)
    for name in has_needs:
        form_fields.group(checked, name, form_state.draft().sweep, disabled)
    with st.expander("Custom", expanded=_is_custom(checked), key=form_state.key("custom")):
        for name in custom:
            form_fields.group(checked, name, form_state.draft().sweep, disabled)
        sweep_panel(checked, disabled)
        _turn(disabled)
    form_queue.panel(disabled)


def _is_custom(checked: CheckedDraft) -> bool:
    """Whether something under Custom was chosen or has to be corrected."""
    paths = {*checked.changed, *checked.troubles}
    return any(not form_fields.is_chosen_above(path) for path in paths)


def _help(name: str, method: str) -> str | None:
    """What a choice means: of the method that is chosen, its line about itself."""
    from rivae.models.registry import METHODS

    if name == "preset":
        return "default works; paper takes the paper's settings literally."
    try:
        return METHODS.said(method, "blurb", "") or None if name == "method" else None
    except RivaeError:  # a clone of a run whose method is not here
        return None


def _choices(disabled: bool) -> None:
    """Data set, method and preset."""
    from rivae.data import describe_dataset
    from rivae.models.presets import preset_names
    from rivae.models.registry import METHODS, method_title

    draft = form_state.draft()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for name, label, options in (
            ("dataset", "Data set", form_state.data_names()),
            ("method", "Method", tuple(METHODS)),
            ("preset", "Preset", preset_names()),
        ):
            is_data = name == "dataset"
            st.selectbox(
                label,
                options,
                width=220,
                disabled=disabled,
                key=form_state.shown(name, draft.data if is_data else getattr(draft, name)),
                on_change=form_state.put_data if is_data else form_state.put,
                args=() if is_data else (name,),
                format_func=lambda option, name=name: (
                    method_title(option) if name == "method" else option
                ),
                help=_help(name, draft.method),
            )
        st.button(
            "Start over",
            icon=":material/restart_alt:",
            type="tertiary",
            key=form_state.key("over"),
            on_click=form_state.start_over,
            disabled=disabled,
        )
    st.caption(markdown(describe_dataset(form_state.draft().dataset)[0]))


def _run(checked: CheckedDraft, disabled: bool) -> None:
    """Name, seeds and device."""
    draft, cards = form_state.draft(), form_state.cards()
    devices = [name for name in DEVICES if name == "cpu" or cards or name == draft.device]
    with st.container(horizontal=True, vertical_alignment="top"):
        with st.container(width=300, gap="xxsmall"):
            st.text_input(
                "Name",
                key=form_state.shown("name", draft.name),
                max_chars=80,
                on_change=form_state.put,
                args=("name",),
                disabled=disabled,
                placeholder="for example first-try",
                help="Seeds add -s0, -s1 …; a sweep adds its values. Leave empty for a free name.",
            )
        with st.container(width=140, gap="xxsmall"):
            st.text_input(
                "Seeds",
                key=form_state.shown("seeds", draft.seeds),
                on_change=form_state.put,
                args=("seeds",),
                disabled=disabled,
                help="3, 0-9 or 0,2,5. Each seed is one run.",
            )
            _trouble_of_seeds(draft.seeds)
        st.selectbox(
            "Device",
            devices,
            key=form_state.shown("device", draft.device),
            width=160,
            on_change=form_state.put,
            args=("device",),
            disabled=disabled or len(devices) == 1,
            format_func=lambda name: DEVICES.get(name, name),
            help="This machine has "
            + (f"{cards} graphics cards." if cards else "no graphics card."),
        )
        if draft.device != "cpu" and max(cards, draft.processes) > 1:
            st.selectbox(
                "Cards per run",
                range(1, max(cards, draft.processes) + 1),
                width=140,
                key=form_state.shown("processes", draft.processes),
                on_change=form_state.put,
                args=("processes",),
                disabled=disabled,
            )


def _trouble_of_seeds(text: str) -> None:
    from rivae.app.forms.sweep import parse_seeds

    try:
        parse_seeds(text)
    except ConfigError as error:
        form_state.trouble(str(error))


def _changes(checked: CheckedDraft, disabled: bool) -> None:
    """The settings that differ from the preset, in one line."""
    paths = [path for path in checked.changed if not form_fields.is_chosen_above(path)]
    if not paths:
        return
    texts = [f"{checked.field(path).label} {checked.texts[path]}" for path in paths]
    rest = f" and {len(texts) - 8} more" if len(texts) > 8 else ""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"Changed: {markdown(', '.join(texts[:8]))}{rest}", width="content")
        st.button(
            "Back to the preset",
            icon=":material/undo:",
            type="tertiary",
            key=form_state.key("back_all"),
            on_click=form_state.take_back,
            args=tuple(paths),
            disabled=disabled,
        )


def _groups(checked: CheckedDraft) -> tuple[list[str], list[str]]:
    """The groups without which there is no data, and the others, in their order."""
    from rivae.app.forms.fields import GROUPS

    has_needs = any(
        field.path in form_fields.FIRST and not form_fields.is_chosen_above(field.path)
        for field in checked.fields
    )
    first = ["Data set"] if has_needs else []
    return first, [name for name in GROUPS if name not in first]


def _turn(disabled: bool) -> None:
    """Priority in the queue, and restarts after a crash."""
    from rivae.jobs.records import MAX_PRIORITY, MAX_RESTARTS

    draft = form_state.draft()
    with (
        st.expander("Queue", key=form_state.key("group_queue"), type="compact"),
        st.container(horizontal=True),
    ):
        st.selectbox(
            "Priority",
            range(MAX_PRIORITY, -1, -1),
            key=form_state.shown("priority", draft.priority),
            width=140,
            on_change=form_state.put,
            args=("priority",),
            disabled=disabled,
            help="The highest number starts first.",
        )
        st.selectbox(
            "Restarts",
            range(MAX_RESTARTS + 1),
            key=form_state.shown("restarts", draft.restarts),
            width=140,
            on_change=form_state.put,
            args=("restarts",),
            disabled=disabled,
            help="How often it is restarted automatically after a crash.",
        )


def sweep_panel(checked: CheckedDraft, disabled: bool) -> None:
    """Which setting is swept, and its values."""
    from rivae.app.forms.field_text import expected
    from rivae.app.forms.sweep import MAX_RUNS, variants

    draft = form_state.draft()
    fields_by_path = {field.path: field for field in checked.fields}
    note = (
        f" · {markdown(fields_by_path[draft.sweep].label)}" if draft.sweep in fields_by_path else ""
    )
    with st.expander(f"Sweep{note}", key=form_state.key("group_sweep"), type="compact"):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            options = (
                ["", *fields_by_path]
                if draft.sweep in fields_by_path
                else ["", draft.sweep, *fields_by_path]
            )
            st.selectbox(
                "Setting that takes several values",
                list(dict.fromkeys(options)),
                key=form_state.shown("sweep", draft.sweep),
                width=300,
                disabled=disabled,
                on_change=form_state.put,
                args=("sweep",),
                format_func=lambda path: _name(path) if path else "none",
            )
            st.text_input(
                "Values",
                key=form_state.shown("values", draft.values),
                width=420,
                placeholder="0.01, 0.1, 1",
                disabled=disabled or not draft.sweep,
                on_change=form_state.put,
                args=("values",),
            )
        if draft.sweep in fields_by_path:
            st.caption(
                f"Each is {markdown(expected(fields_by_path[draft.sweep]))}; separate them by "
                "commas, or by semicolons where a value has commas itself."
            )
        else:
            st.caption(f"Each value with each seed is one run; at most {MAX_RUNS} at once.")
        if draft.sweep and draft.values.strip():
            try:
                variants(draft)
            except ConfigError as error:
                form_state.trouble(str(error))


def _name(path: str) -> str:
    section, _, label = path.partition(".")
    return label if section == "method" else path
