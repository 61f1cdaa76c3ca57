"""Messages above a page's content, or in its place when there is nothing to show."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import streamlit as st

from rivae.app.shared import defaults, runs
from rivae.app.shell import cache, keys, pages, report
from rivae.app.shell.fragments import fragment
from rivae.app.shell.pages import EndOfPage
from rivae.app.shell.text import markdown
from rivae.app.work.certainty import known_certainty
from rivae.app.work.preparing import BeingPreparedError, task_of
from rivae.base.errors import RivaeError
from rivae.runs.refinement import Refinement, refinable, refinement_of

if TYPE_CHECKING:
    from rivae.exploring.explorer import Explorer
    from rivae.models.base import Method
    from rivae.runs import Run, Status

Opened = TypeVar("Opened")


def ready_runs(name: str = "run") -> list[Run]:
    """The runs that can be opened; the page ends where there is none, nor one in the address, under
    ``name``.
    """
    ready = cache.ready_runs()
    if not ready and not st.query_params.get(name):
        no_runs()
        raise EndOfPage
    return ready


def opened(open_run: Callable[[], Opened]) -> Opened:
    """The result of ``open_run``; the page ends with ``unusable`` where it cannot be opened."""
    try:
        with report.waiting("Opening the run, its data and its model …", 480):
            return open_run()
    except RivaeError as error:
        unusable(error)
        raise EndOfPage from None


def no_runs() -> None:
    """There is no trained run: why others do not open, and a link to the training form."""
    say(*defaults.left_out(""))
    st.subheader("No trained run yet")
    st.write("Train one, then come back to this page.")
    st.page_link(
        pages.path("train"),
        label="Train a model",
        icon=":material/model_training:",
        query_params={"training": "New run"},
    )


def why_not(error: RivaeError) -> None:
    """Why a run does not open, in one sentence, or how far it is prepared."""
    if isinstance(error, BeingPreparedError):
        report.watch([error.task], "preparing")
    else:
        report.warning(str(error))


def unusable(error: RivaeError) -> None:
    """A run that cannot be opened, and the way to another."""
    why_not(error)
    st.page_link(pages.path("home"), label="Choose another run", icon=":material/arrow_back:")


def no_latent(*methods: Method | type[Method] | None) -> None:
    """One sentence for each method whose axes are those of the embedding."""
    for sentence in dict.fromkeys(map(runs.no_latent, methods)):
        if sentence:
            st.caption(f":material/info: {markdown(sentence)}")


def data_changed(run: Run | None) -> None:
    """One sentence where the data are not those that the run was trained on."""
    if run is None:
        return
    try:
        change = run.data_change
    except RivaeError as error:
        change = str(error)
    if change:
        report.warning(f"{run.id}: {change}.")


START = "initialise"  # the stage that trains embeddings, before there are axes


@fragment(run_every=2)
def in_training(run: Run) -> None:
    """The model is not the trained one yet: how far it is, and newer weights where there are some.

    The page reruns by itself once the run is trained.
    """
    try:
        status, behind, epoch_shown = run.status, cache.is_behind(run), cache.shown_from(run)
    except RivaeError:
        return  # the page says elsewhere what is wrong with the run
    if run.ready:
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f":material/model_training: {how_far(status, *epoch_shown)}", width="content")
        newer = st.button(
            "Show newer weights",
            icon=":material/refresh:",
            type="tertiary",
            key=keys.NEWER,
            disabled=not behind,
            help="The sliders start from the query again: the axes have changed.",
        )
    if newer:
        cache.let_go(run.id)
        st.rerun()


def how_far(status: Status, stage: str, epoch: int) -> str:
    """How far a run in training is, and what its weights of an earlier ``epoch`` are worth."""
    states = {"running": "Still training", "failed": "Training failed"}
    state = states.get(status.state, "Stopped")
    where = f"epoch {status.epoch} of {status.total_epochs}"
    if status.state == "failed" and status.message:
        where += f", {markdown(status.message.rstrip('.'))}"
    weights = f"You see the weights of epoch {epoch}" if epoch else "You see earlier weights"
    if stage == START:
        worth = ", before the axes are trained, so the sliders mean nothing yet."
    else:
        worth = "; the axes may still change."
    more = "" if status.state == "running" else " Resume the run on the Train page."
    return f"{state}: {where}. {weights}{worth}{more}"


def remarks(explorer: Explorer, *said: str) -> None:
    """Remarks on the model, and those on the link, if any (``said``)."""
    no_latent(explorer.method)
    data_changed(explorer.run)
    if explorer.run is not None and not explorer.run.ready:
        in_training(explorer.run)
    if explorer.run is not None and refinable(explorer.run.config):
        better_model(explorer.run)
    say(*said)
    follow_preparing(explorer)
    follow_certainty(explorer.run)


@fragment(run_every=20)
def better_model(run: Run) -> None:
    """A run that refines this one and is better, if there is one: offered, not put in its place."""
    if (better := refinement_of(run, cache.ready_runs())) is None:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(
            f":material/upgrade: {markdown(better.sentence)}. Its axes have names of their own"
            f"{_of_added(better)}.",
            width="content",
        )
        st.page_link(pages.path("explore"), label="Open it", query_params={"run": better.run.id})


def _of_added(better: Refinement) -> str:
    """What became of the axes that were added to the run, for the end of a sentence."""
    parts = []
    if n := len(better.found_axes):
        parts.append(f"{n} added {'axis was' if n == 1 else 'axes were'} found there again")
    if better.lacking_axes:
        names = ", ".join(f"“{markdown(name)}”" for name in better.lacking_axes)
        parts.append(f"not there yet (`rivae axes refit {better.run.id}`): {names}")
    return "".join(f"; {part}" for part in parts)


def follow_preparing(explorer: Explorer) -> None:
    """Of a run with very many items, how far they are; the page reruns when all can be searched."""
    if explorer.run is None or not explorer.is_part:
        return
    st.caption(
        f":material/hourglass_top: Until all {explorer.n_rows:,} items are embedded, "
        f"{len(explorer.search_rows):,} of them are searched."
    )
    task = task_of(explorer.run, explorer.rows, explorer.asks)
    if task is not None:
        report.watch([task], "preparing")


def follow_certainty(run: Run | None) -> None:
    """The page reruns once it is known how sure the axes of the run are."""
    if known_certainty(run) is None:
        report.wait_for(lambda: known_certainty(run) is not None)


def say(*sentences: str) -> None:
    """The sentences that there are, as one remark above the page."""
    if text := " ".join(filter(None, sentences)):
        report.warning(text)
