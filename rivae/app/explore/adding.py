"""*Add an axis* at the side of Explore: what is asked for, the evidence, and what was added."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from rivae.app.explore import evidence, page_keys
from rivae.app.explore.added import PLACE, known, page_again, undo
from rivae.app.explore.session import PAGE, Adding
from rivae.app.explore.state import ExploreState
from rivae.app.panels.component import dock
from rivae.app.shared.words import targets_of
from rivae.app.shell import cache, report
from rivae.app.shell.fragments import fragment
from rivae.app.work import axes as work
from rivae.base.errors import ConfigError, RivaeError
from rivae.exploring.words.item_words import has_texts
from rivae.runs.added_axes import (
    MAX_LINE,
    AddedAxis,
    AxisSpec,
    find_added,
)
from rivae.runs.axis_names import MAX_NAME

if TYPE_CHECKING:
    from rivae.exploring.axes.finder import AxisFinder
    from rivae.exploring.explorer import Explorer
    from rivae.exploring.words.relations import Target
    from rivae.runs import Run

WORDS, COLUMN, ITEMS, PROPOSALS = "Words", "Tag or factor", "Chosen items", "Proposals"
SELECTIONS, REST = "Selections", "All other items"
HELP = (
    "An added axis is a direction beside the model's own: it changes nothing of the model, and its "
    "score says how well it follows your words on items that it was not fitted to."
)
NOTHING_PROPOSED = (
    "Nothing to propose: the axes say nothing measurable about words, tags or factors of the items."
)
ALL_SHARED = "One of these selections lies within the other: choose two that differ."
MOST_EXAMPLES = 500  # of a large choice an even sample tells as much


@dataclass(frozen=True)
class Draft:
    """What was asked for last: an axis, or the sentence that says why there is none."""

    axis: AddedAxis | None = None
    problem: str = ""


@st.cache_resource(max_entries=2, show_spinner=False)
def _finder(key: str, _explorer: Explorer) -> AxisFinder:
    """Finds axes of one opened model, which ``key`` names."""
    from rivae.exploring.axes.finder import AxisFinder

    assert _explorer.run is not None
    return AxisFinder.open(_explorer.run, _explorer.retriever.model, _explorer.data)


def docked(explorer: Explorer, state: ExploreState, adding: Adding) -> None:
    """The side of the page: all about an axis that was added, or a new one."""
    try:
        axis = find_added([p.axis for p in explorer.added_axes], adding.axis)
    except ConfigError:
        axis = None  # none is named, or somebody has removed it
    st.session_state.pop(page_keys.RENEWED, None)
    title = f"{axis.id} · {axis.name}" if axis else "Add an axis"
    with dock(title, lambda: PAGE.show_axis(None)):
        if axis is None:
            _new(explorer, state, adding)
        else:
            known(explorer, state, axis)


# A new one


@fragment()
def _new(explorer: Explorer, state: ExploreState, adding: Adding) -> None:
    page_again()
    report.show(PLACE)
    undo(state.run)
    assert explorer.run is not None
    targets = targets_of(explorer.data, "")[1:]
    sources = [
        *([WORDS] if has_texts(explorer.data) else []),
        *([COLUMN] if targets else []),
        *([ITEMS] if adding.items else []),
        *([SELECTIONS] if explorer.selections else []),
        PROPOSALS,
    ]
    first = ITEMS if adding.items else sources[0]
    choice = st.segmented_control(
        "From",
        sources,
        default=first,
        key=f"{page_keys.AXIS_FROM}_{len(adding.items)}",
        label_visibility="collapsed",
        help=HELP,
        on_change=_forget,
    )
    if choice == PROPOSALS:
        _proposals(explorer, state)
        return
    finder = _finder(cache.model_key(state.run), explorer)
    if not finder.is_prepared:
        _prepare(explorer)
        return
    if choice == WORDS:
        _words(explorer, finder)
    elif choice == COLUMN:
        by_label = {f"{target.label} ({target.kind})": target for target in targets}
        label = st.selectbox(COLUMN, list(by_label), key=page_keys.AXIS_TARGET, on_change=_forget)
        target = by_label[label]
        _try_button(explorer, finder, lambda: _column(target))
    elif choice == ITEMS:
        n = len(adding.items)
        st.caption(f"{n:,} chosen items against the items that the model was trained on.")
        _try_button(explorer, finder, lambda: _examples(explorer, adding.items))
    elif choice == SELECTIONS:
        _selections(explorer, finder)
    _draft(explorer, state)


def _forget() -> None:
    st.session_state[page_keys.DRAFT] = None


def _prepare(explorer: Explorer) -> None:
    """Say how far the items are read, which begins here; afterwards axes take a moment."""
    run = _run_of(explorer)
    task = work.task_of(run, "prepare")
    if task is None:
        report.begin(PLACE, lambda: work.begin(run, "prepare"))
        report.show(PLACE)
        task = work.task_of(run, "prepare")
    if task is not None and task.running:
        report.watch([task], page_keys.AXIS_NAME)
        st.caption("Once for this run: the axes after it take a moment.")
    elif task is not None:
        report.warning(task.error or "reading was stopped: close this and open it again")


def _run_of(explorer: Explorer) -> Run:
    assert explorer.run is not None
    return explorer.run


def _words(explorer: Explorer, finder: AxisFinder) -> None:
    with st.form(f"{page_keys.AXIS_HIGH}_form", border=False):
        st.text_input(
            "More of",
            key=page_keys.AXIS_HIGH,
            max_chars=MAX_LINE,
            placeholder="sweet dessert, cake",
        )
        st.text_input(
            "Less of, or empty",
            key=page_keys.AXIS_LOW,
            max_chars=MAX_LINE,
            placeholder="savory dinner, meat",
        )
        st.form_submit_button(
            "Try",
            icon=":material/play_arrow:",
            key=f"{page_keys.AXIS_NAME}_words",
            on_click=_try,
            args=(explorer, finder, _typed),
        )


def _typed() -> AxisSpec:
    from rivae.exploring.axes.adding import typed_spec

    high, low = (
        str(st.session_state.get(key) or "") for key in (page_keys.AXIS_HIGH, page_keys.AXIS_LOW)
    )
    return typed_spec(high, low)


def _column(target: Target) -> AxisSpec:
    return AxisSpec("tag" if target.kind == "tag" else "factor", target=target.key)


def _examples(explorer: Explorer, rows: Sequence[int], against: Sequence[int] = ()) -> AxisSpec:
    names = explorer.data.item_ids()

    def some(of: Sequence[int]) -> tuple[str, ...]:
        return tuple(names[i] for i in of[:: max(1, -(-len(of) // MOST_EXAMPLES))])

    return AxisSpec("examples", items=some(rows), against=some(against))


def _selections(explorer: Explorer, finder: AxisFinder) -> None:
    """One selection against all other items, or against another one."""
    selections_by_name = {f"{one.name} (@{one.id})": one for one in explorer.selections}
    more = st.selectbox(
        "More like", list(selections_by_name), key=page_keys.AXIS_SELECTION, on_change=_forget
    )
    others = [REST, *(name for name in selections_by_name if name != more)]
    less = st.selectbox("Less like", others, key=page_keys.AXIS_AGAINST, on_change=_forget)
    high, low = selections_by_name[more], selections_by_name.get(less)
    overlap = set(high.rows) & set(low.rows) if low is not None else set()
    rows = [row for row in high.rows if row not in overlap]
    against = [row for row in low.rows if row not in overlap] if low is not None else []
    if not rows or (low is not None and not against):
        report.warning(ALL_SHARED)
        return
    if overlap:
        st.caption(f"{len(overlap):,} items of both are left out.")
    _try_button(
        explorer,
        finder,
        lambda: _examples(explorer, rows, against),
        (low.name if low is not None else "", high.name),
    )


def _try_button(
    explorer: Explorer,
    finder: AxisFinder,
    spec: Callable[[], AxisSpec],
    poles: tuple[str, str] | None = None,
) -> None:
    st.button(
        "Try",
        icon=":material/play_arrow:",
        key=f"{page_keys.AXIS_NAME}_try",
        on_click=_try,
        args=(explorer, finder, spec, poles),
    )


def _try(
    explorer: Explorer,
    finder: AxisFinder,
    spec: Callable[[], AxisSpec],
    poles: tuple[str, str] | None = None,
) -> None:
    """Find the axis that is asked for; what was typed stays where it cannot be found."""
    from rivae.exploring.axes.adding import named_directions, renamed

    try:
        others = named_directions(_run_of(explorer), explorer.n_components)
        axis = finder.draft(spec(), "", others)
        draft = Draft(axis if poles is None else renamed(axis, poles[1], poles))
    except RivaeError as error:
        draft = Draft(problem=str(error))
    st.session_state[page_keys.DRAFT] = draft
    st.session_state.pop(f"{page_keys.AXIS_NAME}_draft", None)


def _draft(explorer: Explorer, state: ExploreState) -> None:
    draft: Draft | None = st.session_state.get(page_keys.DRAFT)
    if draft is None:
        return
    if draft.axis is None:
        report.warning(draft.problem)
        return
    _offer(explorer, state, draft.axis, "draft", detailed=True)


def _offer(
    explorer: Explorer, state: ExploreState, axis: AddedAxis, at: str, detailed: bool = False
) -> None:
    """An axis that is not kept yet: its evidence, its name, Keep and Discard."""
    key = f"{page_keys.AXIS_NAME}_{at}"
    evidence.short(explorer, axis)
    st.session_state.setdefault(key, axis.name)
    st.text_input("Name", key=key, max_chars=MAX_NAME)
    with st.container(horizontal=True):
        st.button(
            "Keep",
            type="primary",
            icon=":material/check:",
            key=f"{key}_keep",
            on_click=_keep,
            args=(state.run, axis, key),
        )
        st.button(
            "Discard", icon=":material/close:", key=f"{key}_discard", on_click=_discard, args=(key,)
        )
    if detailed:
        evidence.long(explorer, state, axis)


def _keep(run_id: str, axis: AddedAxis, key: str) -> None:
    from rivae.exploring.axes.adding import keep_axes, renamed

    def change() -> str:
        name = str(st.session_state.get(key) or "").strip() or axis.name
        (kept,) = keep_axes(cache.run(run_id), [renamed(axis, name)])
        _discard(key)
        PAGE.renew()
        return f"{kept.id} · {kept.name} is a slider now."

    report.attempt(PLACE, change)


def _discard(key: str) -> None:
    discards = st.session_state.setdefault(f"{page_keys.AXIS_NAME}_done", set())
    discards.add(key)
    st.session_state.pop(key, None)
    if key.endswith("_draft"):
        _forget()


# Proposals


def _proposals(explorer: Explorer, state: ExploreState) -> None:
    run = _run_of(explorer)
    task, proposals = work.task_of(run, "propose"), work.proposed(run)
    if task is not None and task.running:
        report.watch([task], page_keys.AXIS_NAME)
        return
    if proposals is None:
        if task is not None and task.error:
            report.warning(task.error)
        st.caption("Axes with two ends that read well, found without being asked.")
        st.button(
            "Propose axes",
            icon=":material/lightbulb:",
            key=f"{page_keys.AXIS_NAME}_propose",
            on_click=_propose,
            args=(explorer,),
        )
        return
    discards: set[str] = st.session_state.get(f"{page_keys.AXIS_NAME}_done", set())
    left = [
        (at, axis)
        for n, axis in enumerate(proposals)
        if f"{page_keys.AXIS_NAME}_{(at := f'{run.shown_key[:12]}_{n}')}" not in discards
    ]
    if not left:
        st.caption(NOTHING_PROPOSED if not proposals else "All proposals are kept or discarded.")
    for at, axis in left:
        with st.container(border=True):
            _offer(explorer, state, axis, at)


def _propose(explorer: Explorer) -> None:
    report.begin(PLACE, lambda: work.begin(_run_of(explorer), "propose"))
