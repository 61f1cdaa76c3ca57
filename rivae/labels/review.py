"""Everybody's labels of a plan at a glance: progress, agreement, and items to talk about.

Agreement is measured on what annotators said by themselves, before any verdict.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from rivae.labels.agreement import (
    Agreement,
    agreement,
    far_apart,
    pairwise_kappa,
    self_agreement,
)
from rivae.labels.progress import Progress
from rivae.labels.store import LabelStore
from rivae.labels.table import COLUMNS

# Krippendorff's customary marks.
RELIABLE, TENTATIVE = 0.8, 0.667


@dataclass(frozen=True)
class Said:
    """What stands in the store about the items of a plan, by data row.

    Attributes:
        labels, again: first labels and answers to hidden repeats, see ``rivae.labels.table``.
        progress: counts per annotator and factor, the plan's factors only, in their order.
        flags: columns item, factor ("" for the whole item) and annotator.
        factors: ids, in the order of the guideline.
        n_items, n_repeats: of the plan.
    """

    labels: pd.DataFrame
    again: pd.DataFrame
    progress: tuple[Progress, ...]
    flags: pd.DataFrame
    factors: tuple[str, ...]
    n_items: int
    n_repeats: int

    @property
    def annotators(self) -> tuple[str, ...]:
        """Whoever gave a label, sorted."""
        return tuple(sorted(self.labels["annotator"].unique()))

    @property
    def digest(self) -> str:
        """Changes whenever a label does, and not with a verdict or a flag."""
        found = hashlib.sha256(repr(self.factors).encode())
        for table in (self.labels, self.again):
            found.update(pd.util.hash_pandas_object(table, index=False).to_numpy().tobytes())
            found.update(b"|")
        return found.hexdigest()


@dataclass(frozen=True)
class Agreed:
    """How annotators agree.

    Attributes:
        alphas: per factor, in their order.
        pairs: see ``agreement.pairwise_kappa``.
        own: see ``agreement.self_agreement``.
        apart: see ``agreement.far_apart``.
    """

    alphas: tuple[Agreement, ...]
    pairs: pd.DataFrame
    own: pd.DataFrame
    apart: pd.DataFrame


def what_was_said(
    store: LabelStore, row_of: Mapping[str, int], factors: Sequence[str], n_repeats: int
) -> Said:
    """Read the labels of a plan's items.

    Args:
        row_of: the data row of every item key of the plan.
        factors: ids that the plan's annotators follow now; labels of others are left out.
        n_repeats: hidden repeats of the plan.

    Raises:
        LabelError: the store did not answer.
    """
    place = {factor: k for k, factor in enumerate(factors)}
    counted = [p for p in store.progress(items=row_of) if p.factor in place]
    flags = sorted(
        (row_of[c.event.item], c.event.factor, c.event.annotator)
        for c in store.current("flag", items=row_of)
        if c.event.factor == "" or c.event.factor in place
    )
    return Said(
        _table(store.levels("label", items=row_of), row_of, place),
        _table(store.levels("repeat", items=row_of), row_of, place),
        tuple(sorted(counted, key=lambda p: (p.annotator, place[p.factor]))),
        pd.DataFrame(flags, columns=["item", "factor", "annotator"]),
        tuple(factors),
        len(row_of),
        n_repeats,
    )


def _table(
    levels: Sequence[tuple[str, str, str, int | None]],
    row_of: Mapping[str, int],
    known: Mapping[str, int],
) -> pd.DataFrame:
    found = [
        (annotator, row_of[item], factor, np.nan if level is None else float(level))
        for annotator, item, factor, level in levels
        if factor in known
    ]
    found.sort(key=lambda row: row[:3])
    table = pd.DataFrame(found, columns=list(COLUMNS))
    return table.astype({"item": np.int64, "level": np.float64})


def how_they_agree(said: Said, *, n_bootstrap: int = 1000, random_state: int = 0) -> Agreed:
    """Alpha, kappas, repeats and items far apart; everything is by the plan's factors."""
    return Agreed(
        tuple(
            agreement(said.labels, said.factors, n_bootstrap=n_bootstrap, random_state=random_state)
        ),
        pairwise_kappa(said.labels, said.factors),
        self_agreement(said.labels, said.again, said.factors),
        far_apart(said.labels),
    )


def reading(found: Agreement) -> str:
    """What an alpha says, in words; Krippendorff asks for .8, and .667 for tentative conclusions.

    The lower end of the interval is read as well, since more items could show that end.
    """
    if not found.n_items:
        return "no item has labels of two annotators"
    if math.isnan(found.alpha):
        return "every label is the same level: nothing to compare"
    words = _band(found.alpha)
    if not math.isnan(found.low) and _band(found.low) != words:
        return f"{words} (at the low end {_band(found.low)})"
    return words


def _band(alpha: float) -> str:
    if alpha >= RELIABLE:
        return "reliable"
    return "tentative" if alpha >= TENTATIVE else "not reliable"


def missing(said: Said) -> str:
    """What stands between these labels and an agreement, in one sentence; "" where nothing does."""
    names = said.annotators
    if not names:
        return "Nobody has labelled an item of this plan yet."
    if len(names) == 1:
        return (
            f"Only {names[0]} has labelled items of this plan: agreement needs a second annotator "
            "on the same items."
        )
    known = said.labels.dropna(subset="level")
    if not (known.groupby(["item", "factor"]).size() > 1).any():
        return "No item has levels of two annotators for the same factor yet: label the same items."
    return ""
