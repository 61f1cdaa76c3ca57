"""The settings of a new run as fields: changes of the preset are marked and can be undone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from rivae.app.shell import access
from rivae.app.shell.text import markdown
from rivae.app.train import form_state
from rivae.base.errors import RivaeError

if TYPE_CHECKING:
    from rivae.app.forms.draft import CheckedDraft
    from rivae.app.forms.fields import SettingField

WIDTH = 240
STORE, FEATURES = "dataset.store", "dataset.features"


def group(checked: CheckedDraft, name: str, sweep: str, disabled: bool) -> None:
    """One group of settings; only the most important ones are expanded."""
    fields = [
        field for field in checked.fields if field.group == name and not is_chosen_above(field.path)
    ]
    if not fields:
        return
    wrong = [field for field in fields if field.path in checked.troubles]
    changes = [field for field in fields if field.path in checked.changed]
    note = f" · {len(changes)} changed" if changes else ""
    note = f" · :red[{len(wrong)} to correct]" if wrong else note
    first = any(field.path in FIRST for field in fields)
    # With another key: collapsed for another data set, it would stay collapsed.
    key = form_state.key(f"group_{name}{'_first' if first else ''}")
    is_open = first or name == "Stage lengths"
    with st.expander(f"{name}{note}", expanded=is_open, key=key, type="compact"):
        # Settings of a part ("embedder.hidden") are shown under the part's name.
        parts = dict(_part(field) for field in fields)
        for part in sorted(parts, key=bool):
            if part:
                st.caption(_titled(parts[part], part))
            _cells([field for field in fields if _part(field)[0] == part], checked, sweep, disabled)


def is_chosen_above(path: str) -> bool:
    """Whether this setting is in the list of data sets already, which names imports too."""
    draft = form_state.draft()
    return path == STORE and draft.data == draft.entries.get(STORE)


FIRST = {STORE, "dataset.folder"}  # without them there is no data


def _part(field: SettingField) -> tuple[str, str]:
    """ "embedder" of "embedder.hidden", and its title; a part is shown with its settings."""
    head, dot, _ = field.label.rpartition(".")
    if dot:
        return head, field.above
    return (field.label, field.title) if field.kind == "part" else ("", "")


def _cells(
    fields: Sequence[SettingField], checked: CheckedDraft, sweep: str, disabled: bool
) -> None:
    with st.container(horizontal=True):
        for field in fields:
            with st.container(width=WIDTH, gap="xxsmall"):
                _cell(field, checked, sweep, disabled)


def _cell(field: SettingField, checked: CheckedDraft, sweep: str, disabled: bool) -> None:
    """The field, then its error, and a button that restores the preset's value."""
    text, is_changed = checked.texts[field.path], field.path in checked.changed
    swept = field.path == sweep
    why_not = access.files_locked() if field.is_path else ""
    _widget(
        field,
        text,
        why_not or _help(field, checked),
        changed=is_changed and not swept,
        disabled=disabled or swept or bool(why_not),
    )
    if swept:
        st.caption("set by the sweep")
        return
    if field.path == STORE and not text:
        st.caption("Choose an import, made under *Data*.")
    if field.path in checked.troubles:
        form_state.trouble(checked.troubles[field.path])
    if is_changed:
        base = checked.base[field.path]
        usual = f"{base[:18]}…" if len(base) > 20 else base
        st.button(
            f"back to {markdown(usual) if usual else 'empty'}",
            icon=":material/undo:",
            type="tertiary",
            key=form_state.key(f"back_{field.path}"),
            on_click=form_state.take_back,
            args=(field.path,),
            disabled=disabled,
        )


def _widget(field: SettingField, text: str, said: str, *, changed: bool, disabled: bool) -> None:
    label = _name(field)
    key, icon = form_state.shown(field.path, text), ":material/edit:" if changed else None
    options = _options(field)
    if options is None:
        st.text_input(
            label,
            key=key,
            help=said,
            on_change=form_state.enter,
            args=(field.path,),
            icon=icon,
            disabled=disabled,
            placeholder="empty" if field.optional else "none",
        )
        return
    if text not in options:
        options = [text, *options]
    st.selectbox(
        label,
        options,
        key=key,
        help=said,
        on_change=form_state.enter,
        args=(field.path,),
        icon=icon,
        disabled=disabled,
        format_func=lambda option: option or "–",
    )


def _name(field: SettingField) -> str:
    if field.kind == "part":
        return "Own network"
    return _titled(field.title, field.label.rpartition(".")[2])


def _titled(title: str, key: str) -> str:
    """The title, and next to it the key of the setting in files and on the command line.

    Not escaped: neither needs it, and a screen reader would read the escapes out.
    """
    same = title.lower().replace(" ", "_") == key
    return title if same else f"{title} :gray[:small[{key}]]"


def _options(field: SettingField) -> list[str] | None:
    """The choices of a setting; None if it is typed."""
    from rivae.data.store.manifest import list_stores

    if field.path == STORE:
        return [store.name for store in list_stores()]
    if field.path == FEATURES:
        return ["", *_features()]
    if field.kind == "choice":
        return [*([""] if field.optional else []), *field.choices]
    if field.kind in ("switch", "part"):
        return ["yes", "no"]
    return None


def _features() -> list[str]:
    """The embeddings that the chosen import has."""
    from rivae.data.store.features import feature_names
    from rivae.data.store.manifest import find_store

    try:
        return feature_names(find_store(form_state.draft().entries.get(STORE, "")))
    except (RivaeError, OSError):
        return []


def _help(field: SettingField, checked: CheckedDraft) -> str:
    """Meaning, bounds and the preset's value as Markdown."""
    from rivae.app.forms.field_text import expected

    takes = expected(field)
    base = checked.base[field.path]
    sentences = [field.help.rstrip("."), takes[:1].upper() + takes[1:]]
    sentences.append(f"Preset: {base}" if base else "Preset: empty")
    return " ".join(f"{markdown(sentence)}." for sentence in sentences if sentence)
