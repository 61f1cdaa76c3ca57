"""The store of labels and the plans in it, opened once and shared by all visitors; the chooser of a
plan, which stands in the address."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from rivae.app.shared import address
from rivae.app.shell import cache, keys
from rivae.app.shell.text import markdown

if TYPE_CHECKING:
    from rivae.base.config import Asks
    from rivae.data.base import PairedDataset
    from rivae.data.thumbnails import ThumbnailCache
    from rivae.labels.guideline import Guideline
    from rivae.labels.plan import LabelPlan
    from rivae.labels.run_scores import Labelled
    from rivae.labels.store import LabelStore

NO_SUCH_PLAN = "There is no plan {}: choose or make another one."
MAX_PLANS = 8  # one opened plan holds a name per position, some 100 kB


@dataclass(frozen=True)
class ChosenItems:
    """Items that were chosen on a map to be labelled.

    Attributes:
        run: whose map it was; the labels serve its axes.
        asks: the view whose positions the map showed.
        rows: data rows, in a random order; not more than a plan takes.
        n_chosen: how many were chosen.
    """

    run: str
    asks: Asks
    rows: tuple[int, ...]
    n_chosen: int


@dataclass(frozen=True)
class OpenPlan:
    """A plan with what it is about.

    Attributes:
        plan: the plan.
        data: the data set of its runs.
        pictures: small pictures of ``data``.
        keys: the item key of every position of ``plan.order``.
    """

    plan: LabelPlan
    data: PairedDataset
    pictures: ThumbnailCache
    keys: tuple[str, ...]

    @property
    def side(self) -> int:
        """How items are shown to annotators: whole where that is how they are best seen."""
        return 0 if self.data.shows_whole else 2


def store() -> LabelStore:
    """The store that ``RIVAE_LABELS`` names; LabelError when it cannot be opened."""
    from rivae.labels.opening import labels_url

    return _store(labels_url())[0]


def remarks() -> tuple[str, ...]:
    """Sentences about labels of the store that belong to nothing; see ``open_labels``."""
    from rivae.labels.opening import labels_url

    return _store(labels_url())[1]


@st.cache_resource(max_entries=4, show_spinner=False)
def _store(url: str) -> tuple[LabelStore, tuple[str, ...]]:
    from rivae.labels.opening import open_labels

    sentences: list[str] = []
    return open_labels(url, sentences.append), tuple(sentences)


def plan_names() -> list[str]:
    """The names of all plans; LabelError when the store cannot be read."""
    from rivae.labels.kept_plans import plan_names as kept

    return kept(store())


def open_plan(plan_id: str) -> OpenPlan:
    """A plan and its data, from any thread.

    Raises:
        RivaeError: there is no such plan, or none of its runs is here to bring its data.
    """
    from rivae.labels.opening import labels_url

    return _open_plan(labels_url(), plan_id)


@st.cache_resource(max_entries=MAX_PLANS, show_spinner=False)
def _open_plan(url: str, plan_id: str) -> OpenPlan:
    from rivae.labels.kept_plans import first_that_opens, kept_plan
    from rivae.labels.table import keys_by_row

    plan = kept_plan(_store(url)[0], plan_id)
    pictures = first_that_opens(
        plan, lambda run: cache.pictures(cache.run(run)), lambda pictures: pictures.data
    )
    keys = keys_by_row(pictures.data, plan.order)
    return OpenPlan(plan, pictures.data, pictures, tuple(keys[row] for row in plan.order))


def labelled(open_plan: OpenPlan, guideline: Guideline, seq: int) -> Labelled:
    """The labels of all plans on the plan's data; LabelError when the store cannot be read."""
    from rivae.labels.opening import labels_url

    names = tuple(plan_names())
    return _labelled(
        labels_url(), seq, open_plan.plan.fingerprint, guideline.ids, names, open_plan.data
    )


@st.cache_resource(max_entries=8, show_spinner=False)
def _labelled(
    url: str,
    seq: int,
    fingerprint: str,
    factors: tuple[str, ...],
    plans: tuple[str, ...],
    _data: PairedDataset,
) -> Labelled:
    from rivae.labels.run_scores import labelled

    return labelled(store(), _data, factors)


def say_missing(names: Sequence[str]) -> None:
    """Say so where the address names a plan that is not there; before ``plan_picker``."""
    plan = st.query_params.get(keys.LABEL_PLAN)
    if plan and plan not in names:
        st.warning(NO_SUCH_PLAN.format(markdown(plan[:80])), icon=":material/info:")


def plan_picker(names: Sequence[str]) -> str:
    """The plan in the address, else the first one."""
    plan = st.selectbox("Plan", list(names), key=keys.LABEL_PLAN, bind="query-params", width=260)
    return str(plan)


def show_plan(name: str, view: str = "Label") -> None:
    """Show a plan; for callbacks."""
    st.session_state[keys.LABEL_PLAN] = name
    # The list of plans may not be on the page now: then nothing else writes its name there.
    st.query_params[keys.LABEL_PLAN] = name
    address.show_view(view)
