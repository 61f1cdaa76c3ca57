"""The cards of the Home page: one per run, one per data set."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import streamlit as st

from rivae.benchmark.tables import DATASETS
from rivae.errors import RivaeError
from rivae.runs import Run
from rivae.ui.shared import words
from rivae.ui.shared.runs import RunCard, describe_run
from rivae.ui.shell import cache, web
from rivae.ui.shell.pages import DATA, EXPLORE, METRICS, STEER, TRAIN, TRAVERSE, WORDS
from rivae.ui.shell.text import escape, markdown

Color = Literal["blue", "gray", "orange", "red"]
BADGES: dict[str, tuple[str, Color, str]] = {
    "running": (":material/progress_activity:", "blue", "training"),
    "created": (":material/schedule:", "gray", "not started"),
    "interrupted": (":material/pause_circle:", "orange", "stopped"),
    "failed": (":material/error:", "red", "failed"),
    "broken": (":material/broken_image:", "red", "broken"),
}
WAYS_IN = (
    ("Explore", EXPLORE),
    ("Traverse", TRAVERSE),
    ("Steer", STEER),
    ("Metrics", METRICS),
)
WORDS_TOO = (*WAYS_IN, ("Words", WORDS))

# A card's next step: its title, icon, page and that page's address without the run.
NEXT: dict[str, tuple[str, str, Path, dict[str, str]]] = {
    "measure": ("Measure", ":material/speed:", METRICS, {"show": "run"}),
    "resume": ("Resume", ":material/play_arrow:", TRAIN, {}),
}


def run_cards(runs: Sequence[Run]) -> None:
    """All runs, those that can be opened first; cards of runs in training refresh."""
    ready = [run for run in runs if run.opens]
    others = [run for run in runs if not run.opens]
    with st.grid(3, min_column_width=300, gap="medium"):
        for run in (*ready, *others):
            if describe_run(run).state == "running":
                st.fragment(_watched, run_every=5)(run)
            else:
                run_card(run)


def _watched(run: Run) -> None:
    """The card of a run in training; the page reruns when the training ends."""
    if describe_run(run).state != "running":
        st.rerun()
    run_card(run)


def run_card(run: Run) -> None:
    """A run: pictures, scores and links to pages, or its problem."""
    card, opens = describe_run(run), run.opens
    with st.container(border=True, height="stretch", key=f"card-{run.id}"):
        if card.state != "broken":
            _strip(run, card)
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(f"#### {markdown(card.dataset_title)}", width="content")
            state = "broken" if card.broken_evaluation else card.state
            if state in BADGES:
                icon, color, word = BADGES[state]
                st.badge(word, icon=icon, color=color)
        st.caption(" · ".join(markdown(p) for p in (card.method, card.id, card.date) if p))
        if card.note:
            st.markdown(markdown(card.note))
        if card.progress is not None:
            st.progress(card.progress)
        if card.scores:
            _scores(card)
        elif card.state == "finished" and not card.broken_evaluation:
            st.markdown("Not measured yet.")
        st.space("stretch")
        if card.action:
            title, icon, page, address = NEXT[card.action]
            st.page_link(page, label=title, icon=icon, query_params={**address, "run": run.id})
        if opens and card.state != "broken":
            _ways_in(run)


def _ways_in(run: Run) -> None:
    """The buttons that open the run on a page."""
    page = None
    texts = run.config.dataset.name in words.WITH_TEXTS
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        for title, there in WORDS_TOO if texts else WAYS_IN:
            first = there == EXPLORE
            if st.button(
                title,
                icon=":material/tune:" if first else None,
                key=f"{title.lower()}-{run.id}",
                type="primary" if first else "tertiary",
            ):
                page = there
    if page is not None:
        st.switch_page(page, query_params={"run": run.id})


def _strip(run: Run, card: RunCard) -> None:
    """A few items; the browser fetches them separately, so the page need not wait."""
    alt = f"Some items of {card.dataset_title}"
    if url := web.strip_url(run.id):
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


def _scores(card: RunCard) -> None:
    """The run's figures in one row, each explained on hover."""
    cells = "".join(
        f'<div title="{escape(meaning)}" style="min-width:3rem">'
        f'<div style="font-size:.78rem;opacity:.7">{escape(label)}</div>'
        '<div style="font-size:1.15rem;font-weight:600;'
        f'font-variant-numeric:tabular-nums">{escape(value)}</div></div>'
        for label, value, meaning in card.scores
    )
    st.html(f'<div style="display:flex;gap:1.1rem;flex-wrap:wrap">{cells}</div>')


def dataset_cards(runs: Sequence[Run]) -> None:
    """A card per data set and import, and one that leads to an import."""
    from rivae.data.registry import IMPORTED, dataset_names, describe_dataset, import_names

    trained = [describe_run(run).dataset_title for run in runs]
    with st.grid(4, min_column_width=240):
        for name in dataset_names():
            if name != IMPORTED:
                title, _, about = describe_dataset(name)[0].partition(": ")
                title = DATASETS.get(name, title)
                _dataset_card(name, title, about.split(" (paper")[0], trained.count(title))
        for name in import_names():
            _dataset_card(name, name, "imported pairs of pictures and texts", trained.count(name))
        with st.container(border=True, height="stretch"):
            st.markdown("**Your own**")
            st.caption("A table of texts with their pictures, imported on the Data page.")
            st.space("stretch")
            st.page_link(DATA, label="Import pairs", icon=":material/database:")


def _dataset_card(name: str, title: str, about: str, n_runs: int) -> None:
    """A data set and the way to train on it."""
    with st.container(border=True, height="stretch"):
        st.markdown(f"**{markdown(title)}**")
        about = about.rstrip(".")
        st.caption(markdown(f"{about[:1].upper()}{about[1:]}."))
        st.space("stretch")
        runs = "no run yet" if not n_runs else f"{n_runs} run{'s' if n_runs > 1 else ''}"
        st.caption(runs)
        st.page_link(
            TRAIN,
            label="Train on this",
            icon=":material/model_training:",
            query_params={"on": name},
        )
