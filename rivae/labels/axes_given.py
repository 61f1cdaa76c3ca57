"""What labels give back: an axis for each labelled factor, and what it gains over those of z.

The directions are those of ``align_axes`` (labels only) or, where there are few labels, such as the
texts spread over all training items; which of the two is chosen by cross-validation. All numbers
are of labelled items that the axes in question were not fitted to, of each view that can ask.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rivae.base.arrays import Floats, Ints
from rivae.base.errors import ConfigError, DataError, RivaeError
from rivae.base.progress import Progress, silent
from rivae.exploring.axes.finder import AxisFinder, NamedDirection
from rivae.exploring.axes.levels import spread
from rivae.exploring.axes.scores import MIN_ROWS, axis_score
from rivae.labels.align import MIN_LABELS, align_axes
from rivae.labels.axes_gain import ViewGain, correlations, gain_of, is_gain, verdict
from rivae.labels.guideline import Guideline
from rivae.metrics.matching import assignment
from rivae.runs.added_axes import AddedAxis, AxisSpec
from rivae.runs.axis_names import MAX_NAME

N_FOLDS = 5
FEW = 300  # labelled items up to which texts may spread the levels
MAX_SPREAD = 2_000  # training items that they are spread over: more say the same
_Fit = Callable[[Ints], Floats]  # (d, K) readings from some of the items, by position


@dataclass(frozen=True)
class AxesGiven:
    """The axes of some factors, not kept.

    Attributes:
        axes: one for each factor, with the guideline's poles and without an id.
        factors: their K ids.
        before: (K,) the axis of z that goes with each factor most, from 0.
        signs: (K,) -1 where that axis falls as the factor grows, else 1.
        gains: of each view that can ask.
        n_items: labelled items behind them.
        by_text: whether texts spread the levels.
    """

    axes: tuple[AddedAxis, ...]
    factors: tuple[str, ...]
    before: tuple[int, ...]
    signs: tuple[int, ...]
    gains: tuple[ViewGain, ...]
    n_items: int
    by_text: bool

    @property
    def is_gain(self) -> bool:
        """Whether the mean is surely higher for a view that asks, and for none surely lower."""
        return is_gain(self.gains)

    def verdict(self, view_names: Mapping[str, str]) -> str:
        """See ``axes_gain.verdict``."""
        return verdict(self.gains, view_names)


def axes_given(
    finder: AxisFinder,
    guideline: Guideline,
    items: Ints,
    levels: Floats,
    factors: Sequence[str],
    *,
    others: Sequence[NamedDirection] = (),
    progress: Progress = silent,
    random_state: int = 0,
) -> AxesGiven:
    """The axes of labelled factors; nothing is kept (``rivae.exploring.axes.adding.keep_axes``).

    Args:
        finder: of the run's model.
        guideline: of the factors, whose lowest and highest levels become the poles.
        items: (m,) data rows.
        levels: (m, K) levels, NaN where there is none (``rivae.labels.run_scores.labelled``).
        factors: K ids.
        others: the named axes that they are compared with.
        progress: called with the current stage and the share of work done.
        random_state: of the folds and resamples.

    Raises:
        ConfigError: no factor, or the method has no latent.
        DataError: a factor has fewer than 6 labels or only equal ones, or z is not finite.
        LabelError: the guideline has no such factor.
    """
    rows, y = np.asarray(items, dtype=np.int64), np.asarray(levels, dtype=np.float64)
    _check(rows, y, factors)
    progress("reading the labelled items", 0.05)
    z = [one.astype(np.float64) for one in finder.encode(rows)]
    _ = finder.finder
    progress("reading the texts", 0.3)
    fits = {False: _by_labels(finder, z, y)}
    spreading = _by_text(finder, rows, z, y) if len(rows) <= FEW else None
    if spreading is not None:
        fits[True] = spreading
    progress("measuring on items held out", 0.4)
    fold = np.random.default_rng(random_state).permutation(len(rows)) % N_FOLDS
    fit_z = finder.finder.z
    # Folds have axes of their own: read from one place, in one unit, as their readings are pooled.
    centred = [one - fit_z.mean(axis=0) for one in z]

    def held_out(fit: _Fit) -> list[Floats]:
        return _held_out(fold, y, centred, _in_one_unit(fit, fit_z))

    before = held_out(lambda some: _matched(centred, y, some))
    after = {by: held_out(fit) for by, fit in fits.items()}
    chosen = _chosen(after, y, fold)
    mixed = [np.stack([after[chosen[k]][v][i] for i, k in enumerate(fold)]) for v in range(len(z))]
    progress("fitting the axes", 0.8)
    everything = np.arange(len(rows))
    by_text = _better(after, y, everything)
    weights = fits[by_text](everything)
    match = _matched(centred, y, everything)
    ids = finder.data.item_ids()
    names = [ids[row] for row in rows.tolist()]
    axes = [
        _axis(
            finder, guideline, factor, names, y[:, k], weights[:, k], [one[:, k] for one in mixed]
        )
        for k, factor in enumerate(factors)
    ]
    return AxesGiven(
        tuple(finder.completed(axis, axis.name, others) for axis in axes),
        tuple(factors),
        tuple(int(j) for j in np.abs(match).argmax(axis=0)),
        tuple(-1 if column.sum() < 0 else 1 for column in match.T),
        tuple(
            gain_of(asks, before[v], mixed[v], y, random_state)
            for v, asks in enumerate(finder.asks)
        ),
        len(rows),
        by_text,
    )


def _check(rows: Ints, y: Floats, factors: Sequence[str]) -> None:
    if not factors or y.shape != (len(rows), len(factors)):
        raise ConfigError(f"levels {y.shape} do not fit {len(rows)} items and {len(factors)} names")
    for factor, column in zip(factors, y.T, strict=True):
        known = column[~np.isnan(column)]
        if len(known) < MIN_LABELS:
            raise DataError(
                f"{factor} has {len(known)} labels: label at least {MIN_LABELS} items, better 30"
            )
        if np.ptp(known) == 0:
            raise DataError(f"all labels of {factor} are equal: label items that differ in it")


# Readings


def _by_labels(finder: AxisFinder, z: Sequence[Floats], y: Floats) -> _Fit:
    d, names = finder.model.n_components, [str(k) for k in range(y.shape[1])]

    def fit(some: Ints) -> Floats:
        x, levels = _in_turn([one[some] for one in z]), _in_turn([y[some]] * len(z))
        if y.shape[1] <= d:
            try:
                found = align_axes(finder.finder.z, x, levels, names)
                return found.change.matrix[:, : y.shape[1]]
            except DataError:
                pass  # two factors have the same labels: each gets its own regression
        return _each(
            y[some], lambda k, at: finder.finder.weights([o[some[at]] for o in z], y[some[at], k])
        )

    return fit


def _by_text(finder: AxisFinder, rows: Ints, z: Sequence[Floats], y: Floats) -> _Fit | None:
    """None for items without texts."""
    try:
        n = len(finder.fit_rows)
        part = np.linspace(0, n - 1, min(n, MAX_SPREAD)).astype(np.int64)
        own, others = finder.space.features(rows), finder.fit_features[part]
    except RivaeError:
        return None
    fit_z = [one[part] for one in finder.fit_z]

    def fit(some: Ints) -> Floats:
        def one_factor(k: int, at: Ints) -> Floats:
            known = some[at]
            spread_levels = spread(own[known], y[known, k], others)
            weights = finder.finder.weights(fit_z, spread_levels)
            return finder.finder.corrected(weights, [one[known] for one in z], y[known, k])

        return _each(y[some], one_factor)

    return fit


def _each(y: Floats, one_factor: Callable[[int, Ints], Floats]) -> Floats:
    """(d, K) of factors one by one, from the positions that have a level."""
    columns = [one_factor(k, np.flatnonzero(~np.isnan(y[:, k]))) for k in range(y.shape[1])]
    return np.stack(columns, axis=1)


def _in_turn(parts: Sequence[Floats]) -> Floats:
    """Tables (m, p) of the same items below each other, so that every item keeps its place modulo
    the folds of ``align_axes`` and is never on both sides of them.
    """
    if len(parts) == 1:
        return parts[0]
    cuts = range(N_FOLDS, len(parts[0]), N_FOLDS)
    blocks = zip(*(np.split(part, cuts) for part in parts), strict=True)
    return np.concatenate([np.concatenate(block) for block in blocks])


def _matched(old: Sequence[Floats], y: Floats, some: Ints) -> Floats:
    """(d, K) with ±1 at the axis that each factor goes with most: one to one, as far as there are
    as many.
    """
    d, n_factors = old[0].shape[1], y.shape[1]
    table = np.zeros((d, n_factors))
    for k in range(n_factors):
        at = some[~np.isnan(y[some, k])]
        for one in old:
            table[:, k] += [_correlation(column, y[at, k]) for column in one[at].T]
    axis_of = np.abs(table).argmax(axis=0)
    axes, columns = assignment(table)
    axis_of[columns] = axes
    picked = np.zeros_like(table)
    columns = np.arange(n_factors)
    picked[axis_of, columns] = np.where(table[axis_of, columns] < 0, -1.0, 1.0)
    return picked


def _held_out(fold: Ints, y: Floats, z: Sequence[Floats], fit: _Fit) -> list[Floats]:
    """(m, K) readings of all items for each view, by axes found from the other folds; NaN of
    factors that cannot be fitted there.
    """
    out = [np.full(y.shape, np.nan) for _ in z]
    for k in range(N_FOLDS):
        inside, outside = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
        if not len(outside) or not _varies(y[inside]):
            continue
        weights = fit(inside)
        for found, one in zip(out, z, strict=True):
            found[outside] = one[outside] @ weights
    return out


def _in_one_unit(fit: _Fit, fit_z: Floats) -> _Fit:
    """Readings of the training queries ``fit_z`` have an s.d. of 1 in every fold."""

    def scaled(some: Ints) -> Floats:
        weights = fit(some)
        return weights / np.maximum((fit_z @ weights).std(axis=0), 1e-12)

    return scaled


def _varies(y: Floats) -> bool:
    columns = [column[~np.isnan(column)] for column in y.T]
    return all(len(column) >= MIN_LABELS and np.ptp(column) > 0 for column in columns)


def _better(after: Mapping[bool, Sequence[Floats]], y: Floats, some: Ints) -> bool:
    """Whether texts that spread the levels serve better, by the readings of some items."""
    if True not in after:
        return False
    by_text, alone = (
        np.nansum([correlations(one[some], y[some]) for one in after[by]]) for by in (True, False)
    )
    return bool(by_text > alone)


def _chosen(after: Mapping[bool, Sequence[Floats]], y: Floats, fold: Ints) -> list[bool]:
    """By fold, what serves better in the others: the choice sees none of the items it is for."""
    return [_better(after, y, np.flatnonzero(fold != k)) for k in range(N_FOLDS)]


def _correlation(a: Floats, b: Floats) -> float:
    if len(a) < 2 or np.ptp(a) == 0 or np.ptp(b) == 0:
        return 0.0
    return float(np.corrcoef(a, b)[0, 1])


def _axis(
    finder: AxisFinder,
    guideline: Guideline,
    factor_id: str,
    names: Sequence[str],
    levels: Floats,
    weights: Floats,
    readings: Sequence[Floats],
) -> AddedAxis:
    factor = guideline.factor(factor_id)
    known = np.flatnonzero(~np.isnan(levels))
    spec = AxisSpec(
        "labels",
        levels=tuple((names[i], float(levels[i])) for i in known.tolist()),
        guideline=f"{factor.id} {guideline.version}",
    )
    axis = finder.drafted(spec, weights, None)
    told = known[~np.isnan(readings[0][known])]
    scores = tuple(
        axis_score(one[told], levels[told], asks)
        for asks, one in zip(finder.asks, readings, strict=True)
        if len(told) >= MIN_ROWS and np.ptp(levels[told]) > 0
    )
    return replace(axis, name=factor.name[:MAX_NAME], poles=factor.poles, scores=scores)
