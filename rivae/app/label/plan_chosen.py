"""A plan of the items that a lasso on the map of Explore holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from rivae.app.shared import labels
from rivae.app.shell import cache, keys
from rivae.app.shell.text import markdown
from rivae.base.errors import LabelError

if TYPE_CHECKING:
    from rivae.app.shared.labels import ChosenItems
    from rivae.labels.guideline import Guideline
    from rivae.labels.plan import LabelPlan


def chosen() -> ChosenItems | None:
    """What was chosen last; None where nothing was."""
    items: ChosenItems | None = st.session_state.get(keys.LABEL_CHOSEN)
    return items


def plan_of(items: ChosenItems, guideline: Guideline, name: str) -> LabelPlan:
    """The plan of these items, for the axes of their run.

    Raises:
        ConfigError, LabelError: the name is not allowed or taken.
        RunError: the run has no model any more.
    """
    from rivae.labels.kept_plans import TAKEN
    from rivae.labels.suggest import suggested_plan

    if name in labels.plan_names():
        raise LabelError(TAKEN.format(name))
    return suggested_plan(
        cache.run(items.run),
        items.rows,
        name,
        data=cache.explorer(items.run).data,
        guideline=guideline.version,
        asks=items.asks,
    )


def about(items: ChosenItems, n_factors: int) -> str:
    """What the plan will hold, in one sentence of Markdown."""
    n, part = len(items.rows), ""
    if n < items.n_chosen:
        part = f", drawn at random from {items.n_chosen:,}"
    place = f"chosen on the map of {markdown(items.run)}"
    return f"**{n:,} items**{part}, {place}, **{n_factors} factors**."
