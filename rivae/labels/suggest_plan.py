"""A labelling plan of the items whose labels would sharpen one run's axes most."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
from numpy.typing import ArrayLike

from rivae.data.base import PairedDataset
from rivae.errors import ConfigError
from rivae.labels.derive import reference_rows, row_latents
from rivae.labels.plan import REPEATS, LabelPlan, PlanRun, check_plan_name, label_order
from rivae.labels.suggest import suggest_items
from rivae.retrieval.base import Ints
from rivae.retrieval.model import LatentModel
from rivae.runs import Run

POOL = 2_000  # candidates; more say hardly more, and pictures have to be embedded for it
AMPLE = 5  # candidates per wanted item, below which training items are taken in
BLOCK = 10  # the ten most useful items come first, in random order, then the next ten
MAX_SUGGESTED = 500


@dataclass(frozen=True)
class Suggestion:
    """Items to label next.

    Attributes:
        rows: (n,) data rows, the most useful first.
        pool: which items were candidates, in words.
        n_pool: how many.
    """

    rows: Ints
    pool: str
    n_pool: int


def suggest_rows(
    run: Run,
    labelled: ArrayLike,
    n_items: int,
    *,
    data: PairedDataset | None = None,
    random_state: int = 0,
) -> Suggestion:
    """The unlabelled items to label next for the axes of a run.

    Candidates are at most 2,000 validation items: the model was not fitted to them, as it was to
    training items, and D/C/I is not measured on them, as it is on test items, so that axes aligned
    to these labels can be scored with those of others. Training items join them where they are few.

    Args:
        labelled: (l,) data rows that have labels; they are not suggested again.
        n_items: 1 to 500.
        random_state: of the draw of candidates.

    Raises:
        ConfigError: the number is out of range, fewer items are left, or the method has no latent.
        DataError: the latents are not finite.
        RunError: the run has no model.
    """
    if not 1 <= n_items <= MAX_SUGGESTED:
        raise ConfigError(f"ask for 1 to {MAX_SUGGESTED} items to label next, not {n_items}")
    data = data or run.load_dataset()
    method = run.load_method(data)
    if not method.has_latent:
        raise ConfigError(f"{run.id} has no latent axes to sharpen: its method searches with V")
    known = np.unique(np.asarray(labelled, dtype=np.int64))
    rows, pool = _candidates(data, known, n_items)
    if len(rows) < n_items:
        raise ConfigError(f"only {len(rows)} items are left to suggest: ask for at most so many")
    rows = np.sort(np.random.default_rng(random_state).permutation(rows)[:POOL])
    model = LatentModel(method)
    mu = model.encode(data.x1, reference_rows(data))[0]
    chosen = suggest_items(
        mu, row_latents(model, data, rows), row_latents(model, data, known), n_items
    )
    return Suggestion(rows[chosen], pool, len(rows))


def _candidates(data: PairedDataset, known: Ints, n_items: int) -> tuple[Ints, str]:
    validation = np.setdiff1d(data.splits["validation"], known)
    if len(validation) >= AMPLE * n_items:
        return validation, "validation items"
    train = np.setdiff1d(data.splits["train"], known)
    return np.union1d(validation, train).astype(np.int64), "validation and training items"


def suggested_plan(
    run: Run,
    rows: ArrayLike,
    name: str,
    *,
    data: PairedDataset,
    guideline: str = "",
    repeats: float = REPEATS,
    random_state: int = 0,
) -> LabelPlan:
    """A plan that shows suggested rows in the order of their usefulness, ten by ten.

    Args:
        rows: (n,) data rows, the most useful first.
        name: its id, as in ``make_plan``.
        guideline: ``Guideline.version``.
        repeats: share of hidden repeats, .05 to .10.

    Raises:
        ConfigError: no rows, a name or a setting out of range.
        RunError: the run has no model.
    """
    check_plan_name(name, random_state)
    items = np.asarray(rows, dtype=np.int64)
    blocks = [items[i : i + BLOCK] for i in range(0, len(items), BLOCK)]
    order, again = label_order([blocks], random_state, repeats)
    return LabelPlan(
        id=name,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        dataset=data.name,
        fingerprint=data.fingerprint,
        runs=[PlanRun(id=run.id, model=run.content_hash, n_items=len(np.unique(items)))],
        purpose="axes",
        n_queries=None,
        guideline=guideline,
        random_state=random_state,
        order=order.tolist(),
        repeats=again.tolist(),
    )
