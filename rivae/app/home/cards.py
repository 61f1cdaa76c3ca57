"""The cards of the Home page: one per data set, with its runs inside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Literal

import streamlit as st

from rivae.app.shared.runs import RunCard, dataset_title, describe_run
from rivae.app.shell import access, cache, pages, web
from rivae.app.shell.fragments import fragment
from rivae.app.shell.text import escape, markdown
from rivae.app.work import evaluating
from rivae.app.work.tasks import Task
from rivae.base.errors import RivaeError
from rivae.data.names import DATASETS, IMPORTED, dataset_names
from rivae.data.names import dataset_title as title_of_dataset
from rivae.runs import Run

Color = Literal["blue", "gray", "orange", "red"]
BADGES: dict[str, tuple[str, Color, str]] = {
    "running": (":material/progress_activity:", "blue", "training"),
    "created": (":material/schedule:", "gray", "not started"),
    "interrupted": (":material/pause_circle:", "orange", "stopped"),
    "failed": (":material/error:", "red", "failed"),
    "broken": (":material/broken_image:", "red", "broken"),
}
UNREADABLE = "Unreadable runs"

# A card's next step: its title, icon, page and that page's address without the run.
NEXT: dict[str, tuple[str, str, Path, dict[str, str]]] = {
    "measure": ("Measure", ":material/speed:", pages.path("metrics"), {"show": "run"}),
    "resume": ("Resume", ":material/play_arrow:", pages.path("train"), {}),
}


def blurb(dataset: str) -> str:
    """What can be seen in a data set, for somebody who has never heard of it."""
    return str(DATASETS.said(dataset, "blurb", "")) if dataset in DATASETS else ""


def dataset_cards(runs: Sequence[Run]) -> None:
    """A card for every data set that was trained on, with its runs, the best first; a run that was
    not measured is measured meanwhile, and cards in which something happens refresh.
    """
    cards = _described(runs)
    _measure_next(runs, cards)
    by_title: dict[str, list[Run]] = {}
    for run in runs:
        by_title.setdefault(_title(run), []).append(run)
    with st.grid(3, min_column_width=300, gap="medium"):
        for title, own_runs in sorted(by_title.items(), key=lambda pair: pair[0] == UNREADABLE):
            if any(_is_working(run, cards[run.id]) for run in own_runs):
                fragment(run_every=5)(_watched)(title, own_runs)
            else:
                _dataset_card(title, own_runs, cards)


def _described(runs: Sequence[Run]) -> dict[str, RunCard]:
    """The cards of runs by their ids; each reads the run's files once."""
    return {run.id: describe_run(run) for run in runs}


def _measure_next(runs: Sequence[Run], cards: Mapping[str, RunCard]) -> None:
    """Begin to measure the first run that never was, where the visitor may."""
    if evaluating.evaluations.running() or not access.may_change():
        return
    for run in runs:
        if run.opens and cards[run.id].action == "measure":
            with suppress(RivaeError):  # its card says what is wrong
                if evaluating.may_begin(evaluating.evaluation_of(run)):
                    evaluating.start_evaluation(run)
                    return


def _evaluation(run: Run) -> Task | None:
    """The evaluation of a run that was begun since the app started."""
    if not evaluating.evaluations.known:
        return None
    try:
        return evaluating.evaluation_of(run)
    except RivaeError:
        return None


def _is_working(run: Run, card: RunCard) -> bool:
    """Whether a run is in training or being measured."""
    job = _evaluation(run)
    return card.state == "running" or (job is not None and job.running)


def _title(run: Run) -> str:
    try:
        return dataset_title(run.config.dataset)
    except RivaeError:
        return UNREADABLE


def _watched(title: str, runs: Sequence[Run]) -> None:
    """The card of a data set in which something happens; the page reruns when it has ended."""
    cards = _described(runs)
    if not any(_is_working(run, cards[run.id]) for run in runs):
        st.rerun()
    _dataset_card(title, runs, cards)


def _dataset_card(title: str, runs: Sequence[Run], cards: Mapping[str, RunCard]) -> None:
    """A data set: pictures, what can be seen there, its runs, and the way to train on it."""
    order = sorted(runs, key=lambda run: _merit(run, cards[run.id]))
    first = cards[order[0].id]
    with st.container(border=True, height="stretch", key=f"dataset-{title}"):
        if first.state != "broken":
            _strip(order[0], first)
        st.markdown(f"### {markdown(title)}")
        if invitation := blurb(first.dataset):
            st.markdown(markdown(invitation))
        for run in order:
            _run(run, cards[run.id])
        st.space("stretch")
        if first.dataset:
            _train_link(title if first.dataset == IMPORTED else first.dataset)


def _merit(run: Run, card: RunCard) -> tuple[bool, float]:
    """Runs that can be opened come first, of these the ones whose scores are best."""
    better = {"R@1", "D", "C", "I"}  # MedR is lower where it is better
    values = [float(value) for label, value, _ in card.scores if label in better]
    return not run.opens, -sum(values)


def _run(run: Run, card: RunCard) -> None:
    """A run inside the card of its data set: its verdict, or its problem, and the way to it."""
    with st.container(key=f"card-{run.id}", gap="small"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            parts = (card.method, card.id, card.date)
            st.caption(" · ".join(markdown(p) for p in parts if p), width="stretch")
            state = "broken" if card.broken_evaluation else card.state
            if state in BADGES:
                icon, color, word = BADGES[state]
                st.badge(word, icon=icon, color=color)
        if card.note:
            st.markdown(markdown(card.note))
        if card.progress is not None:
            st.progress(card.progress)
        if card.verdict:
            st.markdown(markdown(card.verdict), help=_figures(card))
        action = card.action
        if action == "measure" and (job := _evaluation(run)) is not None and job.running:
            st.progress(job.share, f"Being measured: {markdown(job.stage)}")
            action = ""
        elif action == "measure" and not card.broken_evaluation:
            st.markdown("Not measured yet.")
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            if run.opens and card.state != "broken":
                _explore(run)
            if action:
                title, icon, page, address = NEXT[action]
                st.page_link(page, label=title, icon=icon, query_params={**address, "run": run.id})


def _explore(run: Run) -> None:
    if st.button("Explore", icon=":material/tune:", key=f"explore-{run.id}"):
        st.switch_page(pages.path("explore"), query_params={"run": run.id})


def _figures(card: RunCard) -> str:
    """The figures behind a verdict, each with what it means."""
    return "\n\n".join(
        markdown(f"{label} {value}: {meaning}") for label, value, meaning in card.scores
    )


def _strip(run: Run, card: RunCard) -> None:
    """A few items; the browser fetches them separately, so the page need not wait."""
    alt = f"Some items of {card.dataset_title}"
    if url := web.strip_url(run.id, cache.data_version(run.id)):
        st.html(
            f'<img src="{escape(url)}" alt="{escape(alt)}" loading="lazy" style="display:block;'
            'width:100%;aspect-ratio:6.4;object-fit:cover;object-position:left;border-radius:6px">'
        )
        return
    try:
        strip = cache.strip(run.config)
    except RivaeError:
        return  # the card's other words stand; Explore says what is wrong with the data
    st.image(strip.content, alt=alt, width="stretch")


def other_datasets(runs: Sequence[Run]) -> None:
    """Data sets that nothing was trained on yet, imports among them, and the way to one's own."""
    from rivae.data.registry import import_names

    titles = {_title(run) for run in runs}
    with st.grid(4, min_column_width=240):
        with st.container(border=True, height="stretch"):
            st.markdown("**Your own**")
            st.caption("Pairs of pictures and texts, or of anything else as numbers.")
            st.space("stretch")
            st.page_link(pages.path("data"), label="Import pairs", icon=":material/database:")
        for name in dataset_names():
            title = title_of_dataset(name)
            if name != IMPORTED and title not in titles:
                _untrained(name, title, blurb(name))
        for name in import_names():
            if name not in titles:
                _untrained(name, name, "Your pairs, imported and ready.")


def _untrained(name: str, title: str, about: str) -> None:
    with st.container(border=True, height="stretch"):
        st.markdown(f"**{markdown(title)}**")
        st.caption(markdown(f"{about[:1].upper()}{about[1:]}"))
        st.space("stretch")
        _train_link(name)


def _train_link(name: str) -> None:
    st.page_link(
        pages.path("train"),
        label="Train on this",
        icon=":material/model_training:",
        query_params={"on": name},
    )
