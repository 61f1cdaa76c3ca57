"""The items whose labels would sharpen a run's axes most, as a labelling plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
from numpy.typing import ArrayLike

from rivae.base.config import Asks
from rivae.base.errors import ConfigError, DataError
from rivae.data.base import PairedDataset
from rivae.labels.derive import reference_rows
from rivae.labels.plan import REPEATS, LabelPlan, PlanRun, check_plan_name, label_order
from rivae.retrieval.base import Floats, Ints
from rivae.retrieval.model import LatentModel
from rivae.runs import Run
from rivae.training.alignment.certainty import certainty_of

NOISE = 1.0  # variance of a level around its direction, which itself explains a variance of 1
SURE = 0.3  # weight of an axis that needs no label; 0 is worse for the others, too
_FLOOR = 1e-8


def suggest_items(
    mu: ArrayLike,
    candidates: ArrayLike,
    labelled: ArrayLike,
    n_items: int,
    *,
    noise: float = NOISE,
    max_radius: float | None = 0.99,
    axes: Sequence[int] = (),
) -> Ints:
    """Positions in ``candidates`` of the items to label next, the best first; deterministic.

    Args:
        mu: (n, d) means that represent the data.
        candidates: (m, d) latents of the items that may be labelled.
        labelled: (l, d) latents of the labelled items; l may be 0.
        n_items: how many to choose, at most m.
        noise: s², positive.
        max_radius: skip candidates farther from the mean than this share of the data, if enough
            others are left, since outliers say little about the rest. None keeps them.
        axes: uncertain axes, to be determined first; the others have the weight ``SURE``. ()
            weights all equally.

    Raises:
        ConfigError: a number out of range, or widths that do not fit.
        DataError: the latents are not finite.
    """
    z, x = np.asarray(mu, dtype=np.float64), np.asarray(candidates, dtype=np.float64)
    x_labelled = np.asarray(labelled, dtype=np.float64).reshape(-1, z.shape[1])
    if x.ndim != 2 or x.shape[1] != z.shape[1]:
        raise ConfigError(f"latents {z.shape} and candidates {x.shape} do not fit")
    if not (noise > 0 and 1 <= n_items <= len(x)):
        raise ConfigError(f"choose 1 to {len(x)} items and a positive noise")
    if not (np.isfinite(z).all() and np.isfinite(x).all() and np.isfinite(x_labelled).all()):
        raise DataError("the run's latents are not finite: choose another run")
    mean = z.mean(axis=0)
    values, vectors = np.linalg.eigh(np.cov(z.T).reshape(z.shape[1], -1))
    # White, and turned back, so that coordinate j is about axis j.
    to_white = vectors / np.sqrt(np.maximum(values, max(_FLOOR * values[-1], 1e-300))) @ vectors.T
    x, x_labelled = (x - mean) @ to_white, (x_labelled - mean) @ to_white
    free = np.ones(len(x), dtype=np.bool_)
    if max_radius is not None:
        radius = np.linalg.norm((z - mean) @ to_white, axis=1)
        near = np.linalg.norm(x, axis=1) <= np.quantile(radius, max_radius)
        free = near if near.sum() >= n_items else free
    # The mean level is unknown as well: a column of ones.
    x, x_labelled = (np.column_stack([np.ones(len(a)), a]) for a in (x, x_labelled))
    covariance: Floats = np.asarray(
        np.linalg.inv(np.eye(x.shape[1]) + x_labelled.T @ x_labelled / noise), dtype=np.float64
    )
    weights = np.ones(x.shape[1])
    if len(axes):
        weights[1:] = SURE
        weights[[1 + j for j in axes]] = 1.0
    picks = np.empty(n_items, dtype=np.int64)
    for i in range(n_items):
        gain = np.where(free, variance_drop(covariance, x, noise, weights), -np.inf)
        picks[i] = j = int(gain.argmax())
        free[j] = False
        cov_x = covariance @ x[j]
        covariance -= np.outer(cov_x, cov_x) / (noise + float(x[j] @ cov_x))
    return picks


def variance_drop(
    covariance: Floats, x: Floats, noise: float, weights: Floats | None = None
) -> Floats:
    """How much labelling each x (m, p) lowers the trace of the posterior covariance (p, p), whose
    diagonal may have ``weights``.
    """
    cov_x = x @ covariance
    drop = cov_x**2 if weights is None else cov_x**2 * weights
    return np.asarray(drop.sum(axis=1) / (noise + (cov_x * x).sum(axis=1)))


POOL = 2_000  # candidates; more cost time and hardly help
AMPLE = 5  # with fewer candidates per wanted item, training items are added
BLOCK = 10  # the ten most useful items come first, in random order, then the next ten
MAX_SUGGESTED = 500


@dataclass(frozen=True)
class Suggestion:
    """Items to label next.

    Attributes:
        rows: (n,) data rows, the most useful first.
        pool: which items were candidates, in words.
        n_pool: how many.
        axes: those that the labels are to determine, because they are not sure; () for all.
    """

    rows: Ints
    pool: str
    n_pool: int
    axes: tuple[int, ...] = ()


def suggest_rows(
    run: Run,
    labelled: ArrayLike,
    n_items: int,
    *,
    data: PairedDataset | None = None,
    random_state: int = 0,
    asks: Asks = "first",
) -> Suggestion:
    """The unlabelled items to label next for the axes of a run.

    Candidates are at most 2,000 validation items. Unlike training items, the model was not fitted
    to them; unlike test items, D/C/I is not measured on them, so axes aligned to these labels can
    be compared with other axes. Training items are added if there are too few.

    If the certainty of the axes is known, the items are spread along the uncertain ones.

    Args:
        labelled: (l,) data rows with labels; they are not suggested again.
        n_items: 1 to 500.
        random_state: of the draw of candidates.
        asks: the view that gives z.

    Raises:
        ConfigError: the number is out of range, fewer items are left, or the method has no latent
            or cannot be asked with that view.
        DataError: the latents are not finite.
        RunError: the run has no model.
    """
    if not 1 <= n_items <= MAX_SUGGESTED:
        raise ConfigError(f"ask for 1 to {MAX_SUGGESTED} items to label next, not {n_items}")
    data = data or run.load_dataset()
    method = run.load_method(data)
    if not method.has_latent:
        raise ConfigError(f"{run.id} has no latent axes to sharpen: its method searches with V")
    labelled_rows = np.unique(np.asarray(labelled, dtype=np.int64))
    rows, pool = _candidates(data, labelled_rows, n_items)
    if len(rows) < n_items:
        raise ConfigError(f"only {len(rows)} items are left to suggest: ask for no more than that")
    rows = np.sort(np.random.default_rng(random_state).permutation(rows)[:POOL])
    model = LatentModel(method)
    mu = model.encode_asking(asks, data, reference_rows(data))[0]
    certain = certainty_of(run, model, data)
    axes = tuple(axis.axis for axis in certain if axis.verdict != "sure")
    latents, labelled_latents = (model.latents(data, some, asks) for some in (rows, labelled_rows))
    picks = suggest_items(mu, latents, labelled_latents, n_items, axes=axes)
    return Suggestion(rows[picks], pool, len(rows), axes)


def _candidates(data: PairedDataset, labelled_rows: Ints, n_items: int) -> tuple[Ints, str]:
    validation = np.setdiff1d(data.splits["validation"], labelled_rows)
    if len(validation) >= AMPLE * n_items:
        return validation, "validation items"
    train = np.setdiff1d(data.splits["train"], labelled_rows)
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
    asks: Asks = "first",
) -> LabelPlan:
    """A plan of suggested rows, the most useful ten first, then the next ten.

    Args:
        rows: (n,) data rows, the most useful first.
        name: its id, as in ``make_plan``.
        guideline: ``Guideline.version``.
        repeats: share of hidden repeats, .05 to .10.
        asks: the view that the rows were suggested for.

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
        fingerprint=data.items_key,
        runs=[PlanRun(id=run.id, model=run.content_hash, n_items=len(np.unique(items)))],
        purpose="axes",
        n_queries=None,
        guideline=guideline,
        random_state=random_state,
        order=order.tolist(),
        repeats=again.tolist(),
        asks=asks,
    )
