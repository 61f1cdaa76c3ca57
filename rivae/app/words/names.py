"""The axis names of the Words page: proposals with evidence, to accept or edit, and files."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from rivae.app.shared import naming, share, trash, words
from rivae.app.shell import access, cache, gate, report
from rivae.app.shell.fragments import fragment
from rivae.app.shell.text import markdown
from rivae.app.words import page_keys
from rivae.base.errors import RivaeError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rivae.exploring.explorer import Explorer
    from rivae.runs.axis_names import AxisName, Evidence


@fragment()
def panel(explorer: Explorer, run_id: str) -> None:
    """A row for every axis: its name, the proposal, and the evidence for it."""
    from rivae.exploring.words.axis_names import SUGGESTED, axis_names, suggested_names
    from rivae.exploring.words.naming import propose_name
    from rivae.runs.axis_names import AxisName

    run, d = cache.run(run_id), explorer.n_components
    with report.waiting("Finding what changes along each axis …", 420):
        evidence = words.evidence(cache.model_key(run_id, explorer.asks), explorer)
    names_by_axis: dict[int, AxisName] = {}
    try:
        names_by_axis = axis_names(run, d)
    except RivaeError as error:
        st.warning(
            f"{markdown(str(error))} Naming an axis here starts a new file.", icon=":material/info:"
        )
    if sentence := st.session_state.pop(page_keys.SAID, ""):
        st.toast(markdown(sentence))
    words_of_axes, poles = suggested_names(run, d), words.terms_of(explorer.data).poles
    proposals = [
        names_by_axis[j]
        if j in names_by_axis and names_by_axis[j].proposed
        else propose_name(j, terms, poles)
        or (AxisName(j, proposal_words.removesuffix(SUGGESTED), 1) if proposal_words else None)
        for j, (terms, proposal_words) in enumerate(zip(evidence, words_of_axes, strict=True))
    ]
    trash.undo("names")
    _head(explorer, run_id, names_by_axis, proposals, evidence)
    by_effect = sorted(range(d), key=lambda j: (-explorer.effects[j], j))
    for j in by_effect:
        _axis(explorer, run_id, j, names_by_axis.get(j), proposals[j], evidence[j])


def _head(
    explorer: Explorer,
    run_id: str,
    stored: Mapping[int, AxisName],
    proposals: Sequence[AxisName | None],
    evidence: Sequence[Sequence[Evidence]],
) -> None:
    own_names = {j: name for j, name in stored.items() if not name.proposed}
    waiting = {p.dim: _accepted(p) for p in proposals if p is not None and p.dim not in own_names}
    st.caption(
        "Names are shown with their axes everywhere: on sliders, strips, tables and charts. "
        "Proposals are made when a training ends, from its training items: what grows towards one "
        "end, and what lies at the other. The score is the |correlation| with the axis over test "
        "items; 95 % of what has nothing to do with it stays below chance. Below each name: words, "
        "tags and factors that change along the axis over the items searched (↑ grows, ↓ falls; "
        "|correlation| at least 0.1, Holm's p below 5 %). A question mark follows a name that "
        "nobody has accepted yet. The axis with the largest effect comes first."
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            f"Accept all {len(waiting)} proposals" if len(waiting) > 1 else "Accept all proposals",
            icon=":material/done_all:",
            disabled=not waiting,
            key=f"{page_keys.NAME}_all",
            on_click=_change,
            args=(run_id, explorer.n_components, waiting, stored),
        )
        st.button(
            "Remove all names",
            icon=":material/delete_sweep:",
            key=f"{page_keys.NAME}_none",
            type="tertiary",
            **access.control(not own_names),
            on_click=_change,
            args=(run_id, explorer.n_components, dict.fromkeys(own_names), stored),
        )
        st.space("stretch")
        trash.panel("names", run_id)
        files_panel(explorer, run_id, own_names, evidence)


def _axis(
    explorer: Explorer,
    run_id: str,
    j: int,
    stored: AxisName | None,
    proposal: AxisName | None,
    evidence: Sequence[Evidence],
) -> None:
    axis, key = explorer.axis_ids[j], f"{page_keys.NAME}_{j}"
    name = None if stored is None or stored.proposed else stored
    axis_title = axis if name else explorer.axis_names[j]
    names_by_axis = {} if stored is None else {j: stored}
    inputs = (run_id, explorer.n_components, j, proposal, names_by_axis)
    with st.container(border=True, key=f"axis-{j}"):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.session_state[key] = "" if name is None else name.name
            st.text_input(
                markdown(f"{axis_title}, effect {explorer.effects[j]:.0%}"),
                key=key,
                max_chars=60,
                width=300,
                placeholder=proposal.name if proposal else "no proposal: no clear change",
                on_change=_typed,
                args=inputs,
            )
            current = name or proposal
            for pole, label in (("low", "Little of it"), ("high", "Much of it")):
                st.session_state[f"{key}_{pole}"] = "" if name is None else getattr(name, pole)
                st.text_input(
                    label,
                    key=f"{key}_{pole}",
                    max_chars=60,
                    width=160,
                    disabled=name is None,
                    placeholder=(getattr(current, pole) if current else "") or "no word for it",
                    on_change=_typed,
                    args=inputs,
                )
            if proposal is not None and (name is None or name.name != proposal.name):
                st.button(
                    "Accept",
                    icon=":material/check:",
                    key=f"{key}_accept",
                    on_click=_change,
                    args=(run_id, explorer.n_components, {j: _accepted(proposal)}, names_by_axis),
                    help=markdown(_said(proposal)),
                )
            if name is not None:
                other_way = replace(name, direction=-1 if name.direction > 0 else 1)
                st.button(
                    f"↑ grows with {axis}" if name.direction > 0 else f"↓ falls with {axis}",
                    key=f"{key}_turn",
                    on_click=_change,
                    type="tertiary",
                    args=(run_id, explorer.n_components, {j: other_way}, names_by_axis),
                    help="Its direction; click to reverse. A falling one is marked ↓, and its "
                    "slider is turned, so that right is more.",
                )
                st.button(
                    "Remove",
                    icon=":material/close:",
                    key=f"{key}_remove",
                    type="tertiary",
                    on_click=_change,
                    args=(run_id, explorer.n_components, {j: None}, names_by_axis),
                )
            if st.button(
                "Clouds",
                icon=":material/cloud:",
                type="tertiary",
                key=f"{key}_clouds",
                on_click=_show_clouds,
                args=(axis,),
            ):
                st.rerun()  # the page, not only this fragment
        current_name = name or proposal
        if current_name is not None and current_name.held_out is not None:
            of = current_name.held_out
            st.caption(
                f"{_said(current_name)}: score {of.score:.2f} on {of.n:,} test items, chance "
                f"{of.chance:.2f}"
            )
        if evidence:
            st.html(words.chips(evidence))


def _accepted(proposal: AxisName) -> AxisName:
    return replace(proposal, proposed=False)


def _said(name: AxisName) -> str:
    """A name with what lies at its other pole: "savory ↔ dessert"."""
    return f"{name.low} ↔ {name.high or name.name}" if name.low else name.name


def _show_clouds(axis: str) -> None:
    st.query_params[page_keys.DIM] = axis
    st.session_state[page_keys.VIEW] = "Clouds"


def _typed(
    run_id: str, d: int, j: int, proposal: AxisName | None, names_by_axis: Mapping[int, AxisName]
) -> None:
    """Store a typed name with its poles; an empty name removes all of it."""
    from rivae.runs.axis_names import AxisName

    key = f"{page_keys.NAME}_{j}"
    text, low, high = (
        str(st.session_state.get(k, "")).strip() for k in (key, f"{key}_low", f"{key}_high")
    )
    if not text:
        _change(run_id, d, {j: None}, names_by_axis)
        return
    before = names_by_axis.get(j) or proposal or AxisName(j, text, 1)
    _change(run_id, d, {j: naming.typed(before, text, low, high)}, names_by_axis)


def _change(
    run_id: str,
    d: int,
    changes: Mapping[int, AxisName | None],
    names_by_axis: Mapping[int, AxisName],
) -> None:
    """Write the changes; ``known`` are the names that the visitor saw."""
    try:
        before = naming.change(run_id, d, changes)
    except RivaeError as error:
        st.session_state[page_keys.SAID] = str(error)
        return
    losses = [
        b
        for j, b in before.items()
        if (names_by_axis[j].name if j in names_by_axis else "") != b.name
    ]
    if losses:
        others = ", ".join(f"z{b.dim + 1} “{b.name}”" for b in losses[:3])
        st.session_state[page_keys.SAID] = (
            f"Somebody else named {others} in the meantime: your change replaced it."
        )


def evidence_rows(
    axes: Sequence[str], evidence: Sequence[Sequence[Evidence]]
) -> list[dict[str, Any]]:
    """One row per axis and term, for a CSV file."""
    return [
        {
            "axis": axis,
            "term": e.term,
            "kind": e.kind,
            "correlation": e.strength,
            "shift_sd": e.shift,
            "p_holm": e.p,
        }
        for axis, terms in zip(axes, evidence, strict=True)
        for e in terms
    ]


def names_json(named: Mapping[int, AxisName], model: str) -> str:
    """The names as the file that is kept with the run."""
    from rivae.runs.axis_names import to_json

    return json.dumps(to_json(named.values(), model), indent=2, ensure_ascii=False)


def files_panel(
    explorer: Explorer,
    run_id: str,
    named: Mapping[int, AxisName],
    evidence: Sequence[Sequence[Evidence]],
) -> None:
    """What can be shared of the axis names, and a button that opens their import."""
    from rivae.exploring.words.axis_names import names_path

    def csv() -> bytes:
        from rivae.base.csv_text import to_csv

        return to_csv(evidence_rows(explorer.axis_ids, evidence)).encode()

    files: dict[str, share.Content] = {"csv": csv}
    if named:
        files["json"] = lambda: names_json(named, cache.run(run_id).model_key)
    share.offer(
        share.Panel(
            "Axis names",
            f"{run_id}-axis-names",
            kind="Evidence as CSV, names as JSON",
            files=files,
            python=partial(share.python, run_id, "axis-evidence", asks=explorer.asks),
        )
    )
    with st.popover("Import", icon=":material/upload:"):
        st.file_uploader(
            "Names from a file (replace those of the same axes)",
            type=["json"],
            key=page_keys.FILE,
            max_upload_size=gate.SMALL_FILE,
            on_change=_uploaded,
            args=(run_id, explorer.n_components),
        )
        where = names_path(cache.run(run_id))
        st.caption(f"Kept in {markdown('/'.join(where.parts[-2:]))}.")


def _uploaded(run_id: str, d: int) -> None:
    """Import the names of a file, or say why not."""
    from rivae.runs.axis_names import MAX_BYTES, read_names

    file = st.session_state[page_keys.FILE]
    if file is None:
        return
    run = cache.run(run_id)
    try:
        names = read_names(file.read(MAX_BYTES + 1), d, run.model_key)
        naming.change(run_id, d, {name.dim: name for name in names})
    except RivaeError as error:
        st.session_state[page_keys.SAID] = str(error)
        return
    sentence = "1 name was" if len(names) == 1 else f"{len(names)} names were"
    st.session_state[page_keys.SAID] = f"{sentence} imported from the file."
