"""Everybody's labels of a plan: progress, agreement and items to discuss, also as table rows.

Agreement is measured on the annotators' own labels, before any verdict.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from rivae.labels.agreement import Agreement, agreement, far_apart, pairwise_kappa, self_agreement
from rivae.labels.events import Kind
from rivae.labels.rows import FactorProgress
from rivae.labels.store import LabelStore
from rivae.labels.table import level_table

# Krippendorff's customary marks.
RELIABLE, TENTATIVE = 0.8, 0.667

Row = dict[str, Any]  # of a table; unknown numbers are NaN


@dataclass(frozen=True)
class AnnotatorShare:
    """The work of one annotator.

    Attributes:
        annotator: who.
        answers: items times factors with an answer, "cannot tell" included.
        cannot_tell: how many of them are "cannot tell".
        repeats: answers to hidden repeats.
        seconds: mean time per answer; 0 without one.
    """

    annotator: str
    answers: int
    cannot_tell: int
    repeats: int
    seconds: float


@dataclass(frozen=True)
class PlanProgress:
    """The progress of a plan.

    Attributes:
        needed: items times factors.
        answered: how many have an answer by at least one annotator.
        shares: all annotators with an answer, most answers first.
    """

    needed: int
    answered: int
    shares: tuple[AnnotatorShare, ...]


def plan_progress(store: LabelStore, keys: Collection[str], factors: Sequence[str]) -> PlanProgress:
    """The progress of a plan; answers given under other plans count for the same items.

    Args:
        keys: the item keys of the plan, repetitions allowed.
        factors: ids of the plan's factors; answers about others are left out.

    Raises:
        LabelError: the store did not answer.
    """
    items, factor_ids = set(keys), set(factors)
    sums: dict[str, list[float]] = {}
    for p in store.progress(items=items):
        if p.factor in factor_ids:
            mine = sums.setdefault(p.annotator, [0.0] * 4)
            for k, number in enumerate((p.labelled, p.cannot_tell, p.repeats, p.seconds)):
                mine[k] += number
    shares = [
        AnnotatorShare(who, int(n), int(unknown), int(repeats), seconds / n if n else 0.0)
        for who, (n, unknown, repeats, seconds) in sums.items()
        if n or repeats
    ]
    # No two answers of one annotator are about the same item and factor.
    n_answered = (
        shares[0].answers
        if len(shares) == 1
        else len(
            {
                (item, factor)
                for _, item, factor, _ in store.levels(items=items)
                if factor in factor_ids
            }
        )
    )
    shares.sort(key=lambda share: (-share.answers, share.annotator))
    return PlanProgress(len(items) * len(factor_ids), n_answered, tuple(shares))


@dataclass(frozen=True)
class PlanAnswers:
    """All answers about the items of a plan, by data row.

    Attributes:
        labels, again: first labels and answers to hidden repeats, see ``rivae.labels.table``.
        progress: counts per annotator and factor, the plan's factors only, in their order.
        flags: columns item, factor ("" for the item itself) and annotator.
        factors: ids, in the order of the guideline.
        n_items, n_repeats: of the plan.
    """

    labels: pd.DataFrame
    again: pd.DataFrame
    progress: tuple[FactorProgress, ...]
    flags: pd.DataFrame
    factors: tuple[str, ...]
    n_items: int
    n_repeats: int

    @property
    def annotators(self) -> tuple[str, ...]:
        """Everybody with a label, sorted."""
        return tuple(sorted(self.labels["annotator"].unique()))

    @property
    def digest(self) -> str:
        """Changes with every label, but not with a verdict or a flag."""
        digest = hashlib.sha256(repr(self.factors).encode())
        for table in (self.labels, self.again):
            digest.update(pd.util.hash_pandas_object(table, index=False).to_numpy().tobytes())
            digest.update(b"|")
        return digest.hexdigest()


@dataclass(frozen=True)
class PlanAgreement:
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


def read_answers(
    store: LabelStore, row_of: Mapping[str, int], factors: Sequence[str], n_repeats: int
) -> PlanAnswers:
    """Read the labels of a plan's items.

    Args:
        row_of: the data row of every item key of the plan.
        factors: ids in the current guideline of the plan; labels of others are left out.
        n_repeats: hidden repeats of the plan.

    Raises:
        LabelError: the store did not answer.
    """
    place = {factor: k for k, factor in enumerate(factors)}
    progress = [p for p in store.progress(items=row_of) if p.factor in place]
    flags = sorted(
        (row_of[c.event.item], c.event.factor, c.event.annotator)
        for c in store.current("flag", items=row_of)
        if c.event.factor == "" or c.event.factor in place
    )
    return PlanAnswers(
        _levels(store, row_of, place, "label"),
        _levels(store, row_of, place, "repeat"),
        tuple(sorted(progress, key=lambda p: (p.annotator, place[p.factor]))),
        pd.DataFrame(flags, columns=["item", "factor", "annotator"]),
        tuple(factors),
        len(row_of),
        n_repeats,
    )


def _levels(
    store: LabelStore, row_of: Mapping[str, int], factors: Mapping[str, int], kind: Kind
) -> pd.DataFrame:
    return level_table(
        (row for row in store.levels(kind, items=row_of) if row[2] in factors), row_of
    )


def measure_agreement(
    answers: PlanAnswers, *, n_bootstrap: int = 1000, random_state: int = 0
) -> PlanAgreement:
    """Alpha, kappas, repeats and items far apart, for each factor of the plan."""
    return PlanAgreement(
        tuple(
            agreement(
                answers.labels, answers.factors, n_bootstrap=n_bootstrap, random_state=random_state
            )
        ),
        pairwise_kappa(answers.labels, answers.factors),
        self_agreement(answers.labels, answers.again, answers.factors),
        far_apart(answers.labels),
    )


def reading(result: Agreement) -> str:
    """An alpha in words; Krippendorff asks for .8, or .667 for tentative conclusions.

    The lower end of the interval is read too, since with more items alpha may turn out as low.
    """
    if not result.n_items:
        return "no item has labels of two annotators"
    if math.isnan(result.alpha):
        return "every label is the same level: nothing to compare"
    words = _band(result.alpha)
    if not math.isnan(result.low) and _band(result.low) != words:
        return f"{words} (at the low end {_band(result.low)})"
    return words


def _band(alpha: float) -> str:
    if alpha >= RELIABLE:
        return "reliable"
    return "tentative" if alpha >= TENTATIVE else "not reliable"


def why_no_agreement(answers: PlanAnswers) -> str:
    """Why agreement cannot be measured yet, in one sentence; "" if it can."""
    names = answers.annotators
    if not names:
        return "Nobody has labelled an item of this plan yet."
    if len(names) == 1:
        return (
            f"Only {names[0]} has labelled items of this plan: agreement needs a second annotator "
            "on the same items."
        )
    levels = answers.labels.dropna(subset="level")
    if not (levels.groupby(["item", "factor"]).size() > 1).any():
        return "No item has levels of two annotators for the same factor yet: label the same items."
    return ""


def progress_rows(answers: PlanAnswers, names: Mapping[str, str]) -> list[Row]:
    """One row per annotator and factor.

    Args:
        names: display names by factor id; a missing one shows the id.
    """
    return [
        {
            "annotator": p.annotator,
            "factor": names.get(p.factor, p.factor),
            "labelled": p.labelled,
            "items": answers.n_items,
            "share": p.labelled / answers.n_items if answers.n_items else 0.0,
            "cannot tell": p.cannot_tell,
            "not applicable": p.not_applicable,
            "unsure": p.unsure,
            "skipped": p.skipped,
            "repeats answered": p.repeats,
            "repeats": answers.n_repeats,
            "mean seconds": p.seconds / p.labelled if p.labelled else float("nan"),
        }
        for p in answers.progress
    ]


def alpha_rows(plan_agreement: PlanAgreement, names: Mapping[str, str]) -> list[Row]:
    """One row per factor: alpha, its interval, shared items, annotators and the reading."""
    return [
        {
            "factor": names.get(a.factor, a.factor),
            "alpha": a.alpha,
            "low 95 %": a.low,
            "high 95 %": a.high,
            "shared items": a.n_items,
            "annotators": a.n_annotators,
            "reading": reading(a),
        }
        for a in plan_agreement.alphas
    ]


def pair_rows(plan_agreement: PlanAgreement, names: Mapping[str, str]) -> list[Row]:
    """One row per factor and pair of annotators."""
    return [
        {
            "factor": names.get(factor, factor),
            "first": first,
            "second": second,
            "shared items": n,
            "weighted kappa": kappa,
        }
        for factor, first, second, n, kappa in plan_agreement.pairs.itertuples(index=False)
    ]


def own_rows(plan_agreement: PlanAgreement, names: Mapping[str, str]) -> list[Row]:
    """One row per factor and annotator with answers to hidden repeats."""
    return [
        {
            "factor": names.get(factor, factor),
            "annotator": who,
            "repeats": n,
            "same level": same,
            "at most one apart": near,
            "weighted kappa": kappa,
        }
        for factor, who, n, same, near, kappa in plan_agreement.own.itertuples(index=False)
    ]
