"""The editor of factors, to change or add questions; every change makes a new version."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import streamlit as st

from rivae.app.label import page_keys
from rivae.app.shared import labels
from rivae.app.shell import report
from rivae.app.shell.text import escape, markdown
from rivae.base.errors import LabelError

if TYPE_CHECKING:
    from rivae.app.shared.labels import OpenPlan
    from rivae.labels.guideline import Guideline, LabelFactor
    from rivae.labels.plan import LabelPlan

NEW = "+"
TEXTS = ("id", "name", "definition", "cannot_tell")


def of_plan(plan: LabelPlan, guideline: Guideline, open_plan: OpenPlan | None) -> None:
    """The editor for a plan in use."""
    from rivae.labels.kept_plans import plan_guideline, revise

    st.caption(
        "Annotators see a change when they next open the plan. Existing labels stay, each with the "
        "version that its annotator had read. A factor in use cannot be removed."
    )
    editor(
        plan.id,
        guideline,
        current=lambda: plan_guideline(labels.store(), plan),
        save=lambda changed: revise(labels.store(), plan, changed),
        open_plan=open_plan,
    )


def editor(
    place: str,
    guideline: Guideline,
    *,
    current: Callable[[], Guideline],
    save: Callable[[Guideline], None],
    open_plan: OpenPlan | None = None,
    removable: bool = False,
) -> None:
    """The factors of a guideline, and a form for one of them or a new one.

    Args:
        place: prefix of the keys of its widgets.
        current: reads the guideline again on saving, so that changes by others are kept.
        save: stores the changed guideline, or raises a RivaeError.
        opened: the plan whose items may be examples.
        removable: whether factors can be removed.
    """
    key = f"{page_keys.FACTORS}_{place}"
    st.markdown(
        "\n".join(
            f"* **{markdown(f.name)}** :small[{markdown(' – '.join(f.levels))}]"
            for f in guideline.factors
        )
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        factor_id = st.selectbox(
            "Change or add",
            [NEW, *guideline.ids],
            key=f"{key}_chosen",
            width=260,
            format_func=lambda f: "A new factor" if f == NEW else f,
        )
        if removable and factor_id != NEW:
            st.button(
                "Remove",
                icon=":material/close:",
                key=f"{key}_remove",
                disabled=len(guideline.factors) == 1,
                on_click=_remove,
                args=(place, factor_id, current, save),
            )
        guideline_file(guideline, f"{key}_file")
        st.caption(f"Version {guideline.version}")
    before = None if factor_id == NEW else guideline.factor(factor_id)
    key_prefix = f"{key}_{factor_id}_{_stamp(place, before)}"
    panel(key, before, guideline, open_plan)
    _form(key_prefix, before, open_plan is not None)
    st.button(
        "Add factor" if before is None else "Save changes",
        key=f"{key_prefix}_save",
        icon=":material/add:" if before is None else ":material/save:",
        on_click=_save,
        args=(place, key_prefix, before, current, save, open_plan),
    )
    report.show(place)


def _stamp(place: str, factor: LabelFactor | None) -> str:
    """Suffix of the keys of the form. A changed factor gets new fields, which show its current
    texts. The fields of a new factor are emptied after it was added, but not when somebody else
    adds one.
    """
    if factor is None:
        return str(st.session_state.get(_added(place), 0))
    return hashlib.sha256(factor.model_dump_json().encode()).hexdigest()[:8]


def _added(place: str) -> str:
    """The key of the number of factors that the session added here."""
    return f"{page_keys.FACTORS}_{place}_added"


def guideline_file(guideline: Guideline, key: str) -> None:
    """The guideline as a file."""
    from rivae.labels.guideline import guideline_json

    st.download_button(
        "Guideline, JSON",
        lambda: guideline_json(guideline).encode(),
        file_name=f"guideline-{guideline.version}.json",
        mime="application/json",
        icon=":material/download:",
        on_click="ignore",
        key=key,
    )


def _form(own: str, factor: LabelFactor | None, numbers: bool) -> None:
    from rivae.labels.guideline import N_LEVELS, LabelFactor

    usual = LabelFactor.model_fields["cannot_tell"].default
    with st.container(horizontal=True):
        st.text_input(
            "Short id",
            factor.id if factor else "",
            key=f"{own}_id",
            max_chars=40,
            width=200,
            disabled=factor is not None,
            placeholder="spice",
            help="Small letters, digits, '_' and '-'. It names a column of exported tables; "
            "you cannot change it later.",
        )
        st.text_input(
            "Factor name",
            factor.name if factor else "",
            key=f"{own}_name",
            max_chars=80,
            width=320,
            placeholder="spiciness",
        )
    st.text_area(
        "Definition: what to look at and what to ignore",
        factor.definition if factor else "",
        key=f"{own}_definition",
        max_chars=1000,
        height=90,
    )
    for column, level in zip(st.columns(N_LEVELS), range(1, N_LEVELS + 1), strict=True):
        column.text_input(
            f"Level {level}",
            factor.levels[level - 1] if factor else "",
            max_chars=80,
            key=f"{own}_level{level}",
        )
        column.text_input(
            f"Example of {level}",
            factor.examples.get(level, "") if factor else "",
            key=f"{own}_example{level}",
            max_chars=240,
            placeholder="item number" if numbers else "item key",
            help=(
                "Optional. The number of an item, or its key."
                if numbers
                else "Optional. The key of an item, for instance kitchen:2c5a57dac0."
            ),
        )
    st.text_input(
        "Answer “cannot tell” when",
        factor.cannot_tell if factor else usual,
        key=f"{own}_cannot_tell",
        max_chars=1000,
    )


def _save(
    place: str,
    own: str,
    before: LabelFactor | None,
    current: Callable[[], Guideline],
    save: Callable[[Guideline], None],
    open_plan: OpenPlan | None,
) -> None:
    def change() -> str:
        guideline = current()
        factor = _entered(own, before, open_plan)
        if before is None and factor.id in guideline.ids:
            raise LabelError(
                f"there is already a factor '{factor.id}': choose it above to change it, or give "
                "the new one another id"
            )
        changed = guideline.with_factor(factor)
        save(changed)
        if changed.version == guideline.version:
            return "Nothing was changed."
        what = "added" if before is None else "changed"
        return f"{factor.name} is {what}: the guideline is now version {changed.version}."

    if report.attempt(place, change) and before is None:
        st.session_state[_added(place)] = st.session_state.get(_added(place), 0) + 1


def _remove(
    place: str,
    factor_id: str,
    current: Callable[[], Guideline],
    save: Callable[[Guideline], None],
) -> None:
    from rivae.labels.guideline import guideline

    def change() -> str:
        now = current()
        save(guideline(now.title, [f for f in now.factors if f.id != factor_id]))
        return ""

    report.attempt(place, change)


def _entered(own: str, before: LabelFactor | None, open_plan: OpenPlan | None) -> LabelFactor:
    """The factor in the form; LabelError names the first field that cannot be used."""
    from rivae.labels.guideline import N_LEVELS, label_factor

    texts = {name: _text(f"{own}_{name}") for name in TEXTS}
    if before is not None:
        texts["id"] = before.id
    for name, what in (("id", "a short id"), ("name", "a name"), ("definition", "a definition")):
        if not texts[name]:
            raise LabelError(f"a factor needs {what}: enter one")
    levels = [_text(f"{own}_level{level}") for level in range(1, N_LEVELS + 1)]
    if "" in levels:
        raise LabelError(f"level {levels.index('') + 1} has no name: give all five a name")
    examples = {
        level: _example(text, open_plan)
        for level in range(1, N_LEVELS + 1)
        if (text := _text(f"{own}_example{level}"))
    }
    parts: dict[str, Any] = {**texts, "levels": levels, "examples": examples}
    if not texts["cannot_tell"]:
        del parts["cannot_tell"]  # the usual rule
    return label_factor(**parts)


def _text(key: str) -> str:
    """The text of a field on one line; pasted text may have line breaks."""
    return " ".join(str(st.session_state.get(key, "")).split())


def _example(text: str, open_plan: OpenPlan | None) -> str:
    """The item key for an item number; anything else is taken as a key."""
    from rivae.labels.events import item_key_of

    if not re.fullmatch(r"\d{1,9}", text):
        return text
    if open_plan is None:
        raise LabelError("item numbers work only after the plan is made: enter an item's key")
    if int(text) >= len(open_plan.data):
        raise LabelError(
            f"there is no item {text}: enter a number from 0 to {len(open_plan.data) - 1}"
        )
    return item_key_of(open_plan.data, int(text))


N_ITEMS = 24
SIDE = 84  # pixels


def panel(
    key: str, factor: LabelFactor | None, guideline: Guideline, open_plan: OpenPlan | None
) -> None:
    """The examples of ``factor``, and items of the plan with their numbers."""
    from rivae.labels.hints import level_examples

    if factor is not None and factor.examples:
        pictures = level_examples(
            guideline.model_copy(update={"factors": (factor,)}),
            open_plan.data if open_plan else None,
        ).get(factor.id, {})
        if pictures:
            st.html(
                strip(
                    [
                        (picture.data_uri, f"{level}  {factor.levels[level - 1]}")
                        for level, picture in pictures.items()
                    ]
                )
            )
    if open_plan is None:
        return
    with st.popover("Items to choose examples from", icon=":material/image_search:"):
        items = open_plan.plan.items.tolist()
        pages = -(-len(items) // N_ITEMS)
        page = st.number_input(f"Page, 1 to {pages}", 1, pages, 1, key=f"{key}_page")
        page_items = items[(page - 1) * N_ITEMS : page * N_ITEMS]
        st.html(
            strip(
                [
                    (open_plan.pictures.get(row, open_plan.side).data_uri, str(row))
                    for row in page_items
                ]
            )
        )


def strip(pictures: list[tuple[str, str]]) -> str:
    """Small pictures (address, text below) as HTML; texts are escaped."""
    cells = "".join(
        f'<figure style="margin:0;width:{SIDE}px;font-size:.75rem">'
        f'<img src="{escape(uri)}" alt="{escape(text)}" '
        f'style="width:{SIDE}px;height:{SIDE}px;object-fit:contain;border-radius:4px">'
        f'<figcaption style="text-align:center;opacity:.75">{escape(text)}</figcaption></figure>'
        for uri, text in pictures
    )
    return f'<div style="display:flex;flex-wrap:wrap;gap:.5rem">{cells}</div>'
