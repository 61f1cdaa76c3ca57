"""A run on a page: its card, what its axes are called, and the choosers of run, items and axis."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import streamlit as st

from rivae.app.shell import cache, keys, troubles
from rivae.app.shell.report import waiting
from rivae.app.shell.text import markdown
from rivae.app.work import evaluating
from rivae.base.errors import RivaeError
from rivae.base.reading.documents import printable
from rivae.data.names import IMPORTED
from rivae.data.names import dataset_title as title_of_dataset
from rivae.models.registry import method_title as title_of_method
from rivae.runs.opening import missing

if TYPE_CHECKING:
    from rivae.base.config import Asks, DatasetConfig
    from rivae.exploring.explorer import Explorer
    from rivae.models.base import Method
    from rivae.runs import Run
    from rivae.runs.evaluation_file import Evaluation


@dataclass(frozen=True)
class RunCard:
    """What is shown of one run; all text is plain.

    Attributes:
        state: "created", "running", "finished", "failed", "interrupted" or "broken".
        note: one sentence for every state but "finished", and for a method without a latent.
        action: what to do next: "measure", "resume" or nothing.
        broken_evaluation: its scores cannot be read, the note says why.
        verdict: how often it finds the right item, one sentence; "" where that was not measured.
        scores: (name, value, what it means) of what the card is ordered by; no D, C, I of a method
            without a latent, as in the tables.
    """

    id: str
    state: str
    dataset: str = ""
    dataset_title: str = "Unreadable run"
    method: str = ""
    date: str = ""
    note: str = ""
    action: Literal["", "measure", "resume"] = ""
    progress: float | None = None
    broken_evaluation: bool = False
    verdict: str = ""
    scores: tuple[tuple[str, str, str], ...] = ()

    @property
    def title(self) -> str:
        """One line for a list of runs."""
        parts = (self.dataset_title, self.method, self.id)
        return " · ".join(part for part in parts if part)


def describe_run(run: Run) -> RunCard:
    """The card of ``run``; never raises for a run that is broken or still training."""
    try:
        config, status = run.config, run.status
    except RivaeError as error:
        return RunCard(run.id, "broken", note=str(error))
    name, method = config.dataset.name, config.method.name
    why = troubles.trouble(run)
    common: dict[str, Any] = {
        "dataset": name,
        "dataset_title": dataset_title(config.dataset),
        "method": method_title(method),
        "date": short_date(status.updated),
    }
    scores_only = status.state == "finished" and not run.opens
    if why and status.state != "running" and not scores_only:
        return RunCard(run.id, "broken", note=why, **common)
    if status.state == "finished":
        from rivae.benchmark.finding import finding

        sentence, verdict = why or no_latent(method_of(run)), ""
        try:
            evaluation, is_broken = evaluating.known_evaluation(run), False
            scores = _scores(evaluation, with_factors=not no_latent(method_of(run)))
            recall = finding(evaluation) if evaluation else None
            verdict = recall.sentence if recall else ""
            if not why and (change := run.data_change or missing(run)):
                sentence = f"{change[:1].upper()}{change[1:]}."
        except RivaeError as error:
            scores, is_broken, sentence = (), True, str(error)
        return RunCard(
            run.id,
            "finished",
            verdict=verdict,
            scores=scores,
            action="" if scores else "measure",
            note=sentence,
            broken_evaluation=is_broken,
            **common,
        )
    share = status.epoch / status.total_epochs if status.total_epochs else 0.0
    return RunCard(
        run.id,
        status.state,
        note=missing(run) or _note(status),
        action="" if status.state == "running" else "resume",
        progress=min(max(share, 0.0), 1.0) if status.state == "running" else None,
        **common,
    )


def run_title(run: Run) -> str:
    """``RunCard.title`` without reading more than the configuration."""
    try:
        config = run.config
    except RivaeError:
        return RunCard(run.id, "broken").title
    title, method = dataset_title(config.dataset), config.method.name
    return RunCard(run.id, "finished", dataset_title=title, method=method_title(method)).title


def chip_title(run_id: str) -> str:
    """What the bar calls the run that is shown: its data set and method."""
    titles = {run.id: run_title(run) for run in cache.runs()}
    return titles.get(run_id, run_id).removesuffix(f" · {run_id}")


MAX_TITLE = 60  # characters of a name


def dataset_title(dataset: DatasetConfig) -> str:
    """What a person calls the data set of a run; an import has its own name."""
    store = dataset.settings.get("store")
    if dataset.name == IMPORTED and isinstance(store, str) and (name := Path(store).name):
        return _short(name)
    return _short(title_of_dataset(dataset.name))


def method_title(name: str) -> str:
    """What a person calls a method."""
    return _short(title_of_method(name))


def _short(name: str) -> str:
    """A name from a file, which may be a stranger's."""
    name = printable(name)
    return name if len(name) <= MAX_TITLE else f"{name[:MAX_TITLE]}…"


def _note(status: Any) -> str:
    where = f"epoch {status.epoch} of {status.total_epochs}"
    if status.state == "running":
        return f"Training: {where}, stage {status.stage}."
    if status.state == "created":
        return "Not trained yet."
    if status.state == "interrupted":
        return f"Stopped at {where}."
    reason = f": {status.message.rstrip('.')}" if status.message else ""
    return f"Training failed at {where}{reason}."


def short_date(text: str | None) -> str:
    """An ISO time as "20 Nov 2025", or nothing where it cannot be read."""
    try:
        return f"{datetime.fromisoformat(text or ''):%d %b %Y}".lstrip("0")
    except ValueError:
        return ""


def _scores(evaluation: Evaluation | None, with_factors: bool) -> tuple[tuple[str, str, str], ...]:
    """R@1, MedR and D/C/I of an evaluation, as far as they are there."""
    from rivae.metrics.measures.dci_paper import METRICS
    from rivae.metrics.measures.retrieval import MEDIAN_RANK, RECALL

    scores = []
    for metric in (RECALL[1], MEDIAN_RANK, *(METRICS if with_factors else ())):
        value = evaluation.score(metric.key) if evaluation else None
        if value is not None:
            text = f"{value:.{1 if metric is MEDIAN_RANK else 2}f}"
            scores.append((metric.label, text, metric.title))
    return tuple(scores)


ASKS_HELP = (
    "Search with the item's {first}, its {second}, or both. The other view is searched; with both, "
    "the {second}."
)
ROW_LABELS = {"test": "Held-out items", "all": "All items"}


CLOSED = "cannot be opened"


def run_picker(run_id: str, ready: list[str], *, key: str, on_change: Callable[[], None]) -> None:
    """A list of the runs that can be opened, then of those that cannot; ``run_id`` is chosen."""
    titles = {run.id: run_title(run) for run in cache.runs()}
    closed_ids = [run.id for run, _ in cache.closed_runs()]
    titles |= {name: f"{titles.get(name, name)} · {CLOSED}" for name in closed_ids}
    options = list(dict.fromkeys([*([] if run_id in ready else [run_id]), *ready, *closed_ids]))
    st.session_state[key] = run_id
    st.selectbox(
        "Run",
        options,
        format_func=lambda run: titles.get(run, run),
        key=key,
        on_change=on_change,
        width=310,
    )


def rows_picker(rows: str, *, key: str, on_change: Callable[[], None]) -> None:
    """Whether the held-out items or all items are searched."""
    st.session_state[key] = rows
    st.selectbox(
        "Search in",
        list(ROW_LABELS),
        format_func=ROW_LABELS.__getitem__,
        key=key,
        on_change=on_change,
        width=170,
        help="Held-out items were not seen in training.",
    )


def asks_picker(
    *explorers: Explorer, choose: Callable[[Asks], None], disabled: bool = False
) -> None:
    """Which view of an item is the query, where all these models can be asked with either."""
    if all(explorer.method.asks_both_ways for explorer in explorers):
        asks_control(explorers[0].data.view_names, explorers[0].asks, choose, disabled)


def asks_either(run: Run) -> bool:
    """Whether either view can be the query of a run's model, which need not be opened for that."""
    method = method_of(run)
    if method is None:
        return False
    return method.asks_both_ways or run.config.method.settings.get("ask_both_ways") is True


def view_names(run: Run, stored: Evaluation | None = None) -> tuple[str, str]:
    """What people call the views of a run's data, by its ``stored`` evaluation or by the data."""
    if stored is not None and stored.settings.views:
        return stored.views
    try:
        with waiting("Opening the data of the run …", 60):
            return cache.pictures(run).data.view_names
    except RivaeError:  # what is stored can be seen without the data
        return "first view", "second view"


def queries_by(views: tuple[str, str], asks: Asks) -> str:
    """Which view was the query, as a part of a sentence in Markdown."""
    first, second = views
    names = {"first": first, "second": second, "both": f"{first} and {second}"}
    return markdown(f"for queries by {names[asks]}")


def asks_control(
    views: tuple[str, str], asks: Asks, choose: Callable[[Asks], None], disabled: bool = False
) -> None:
    """Which of two views, or both, is the query: now ``asks``."""
    first, second = views
    names: dict[Asks, str] = {"first": first, "second": second, "both": "both"}
    st.session_state[keys.ASKS] = asks
    st.segmented_control(
        "Ask with",
        list(names),
        required=True,
        format_func=lambda asks: markdown(names[asks][:1].upper() + names[asks][1:]),
        key=keys.ASKS,
        on_change=lambda: choose(st.session_state[keys.ASKS]),
        disabled=disabled,
        help=ASKS_HELP.format(first=markdown(first), second=markdown(second)),
    )


def method_of(run: Run) -> type[Method] | None:
    """The method of a run; None where its configuration cannot be read or names no such method."""
    from rivae.models.registry import METHODS

    try:
        return METHODS[run.config.method.name]
    except RivaeError:
        return None


def no_latent(method: Method | type[Method] | None) -> str:
    """One sentence for a method without a latent, nothing for any other."""
    if method is None or method.has_latent:
        return ""
    return f"{method.title} has no latent: its axes v1, v2 … are those of the embedding v."
