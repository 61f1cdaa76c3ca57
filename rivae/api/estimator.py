"""Train on two arrays of pairs, in the manner of scikit-learn, without a run or a data set."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from rivae.base.arrays import (
    FARTHEST,
    Floats,
    axis_labels,
    check_columns,
    check_order,
    column_names,
    is_near,
    numbers_of,
    refuse_masked,
    refuse_other_order,
    require_count,
)
from rivae.base.errors import ConfigError
from rivae.exploring.explorer import Hits
from rivae.retrieval.base import Index, ranks_of_targets
from rivae.retrieval.model import Space, make_space
from rivae.retrieval.registry import choose_index
from rivae.retrieval.storage import build_index
from rivae.training.pair_training import train_pairs

MIN_PAIRS = 4
BLOCK = 4096  # rows that go through a network at once; queries ranked at once are fewer
RANKED = 256


class PairModel(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Embed pairs of vectors so that one side finds the other, with a small set of axes between.

    Row i of ``X`` (n, p) and row i of ``y`` (n, q) belong together. Columns are centred and scaled
    to an s.d. of 1 first. Everything is trained on the rows given; keep some for ``score``.

    Args:
        method: "rivae", or another that ``rivae.models.registry.METHODS`` lists.
        n_components: axes of z; without a latent (``info-nce``, ``cos-sim``) of the embedding.
        learning_rate: of every stage; None for the preset's.
        epochs: of all stages together, shared among them as the preset does, at least one each;
            None for its own (190 with RIVAE).
        batch_size: pairs per step; fewer where there are fewer.
        settings: further settings of the method, as ``rivae train --set`` takes them; none may
            say otherwise than an argument.
        random_state: a seed, a ``numpy.random.RandomState``, or None to draw a seed.

    Attributes:
        method_: the trained network, float64, in evaluation mode.
        loss_curve_: the objective of every epoch.
        n_features_in_: p.
        n_targets_: q.

    Example:
        >>> import numpy as np, rivae
        >>> rng = np.random.default_rng(0)
        >>> shared = rng.uniform(size=(60, 2))
        >>> A, B = shared @ rng.normal(size=(2, 5)), shared @ rng.normal(size=(2, 7))
        >>> model = rivae.PairModel(n_components=2, epochs=20, random_state=0).fit(A, B)
        >>> model.transform(A).shape
        (60, 2)
    """

    def __init__(
        self,
        method: str = "rivae",
        *,
        n_components: int = 10,
        learning_rate: float | None = None,
        epochs: int | None = None,
        batch_size: int = 64,
        settings: Mapping[str, Any] | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.method = method
        self.n_components = n_components
        self.learning_rate = learning_rate
        self.epochs = epochs
        self.batch_size = batch_size
        self.settings = settings
        self.random_state = random_state

    def fit(
        self, X: ArrayLike, y: ArrayLike, progress: Callable[[float], None] | None = None
    ) -> PairModel:
        """Train on pairs.

        Args:
            X: (n, p) of the side that asks, n >= 4.
            y: (n, q) of the side that is searched; (n,) counts as one column.
            progress: called with the share of the epochs done, in (0, 1].

        Raises:
            ValueError: the arrays are no finite numbers, are masked, or do not go together.
            ConfigError: a setting is unknown, out of range, or contradicts an argument.
            RunError: the training diverged; lower ``learning_rate``.
        """
        _refuse_unpaired(X, y)
        a, b = validate_data(
            self,
            X,
            y,
            dtype=np.float64,
            multi_output=True,
            y_numeric=True,
            ensure_min_samples=MIN_PAIRS,
        )
        b = _columns(b)
        self.n_targets_ = int(b.shape[1])
        self._names = column_names(X), column_names(y)
        self._views = _scaler(a, "X"), _scaler(b, "y")
        x1, x2 = self._tensors(a, b)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        arguments = {
            name: getattr(self, name)
            for name in ("n_components", "learning_rate", "epochs", "batch_size", "settings")
        }
        self.method_, self.loss_curve_ = train_pairs(self.method, x1, x2, arguments, seed, progress)
        with torch.no_grad():
            weight, bias = (part.numpy().copy() for part in self.method_.output_layer())
        self._space: Space = make_space(weight, bias)
        self._index = self._index_of(b)
        return self

    def transform(self, X: ArrayLike) -> Floats:
        """The mean of P(z|x) of every row of ``X`` (n, p), shape (n, n_components).

        Raises:
            NotFittedError: ``fit`` was not called yet.
            ValueError: ``X`` has another width or other columns than in ``fit``, is masked, or
                holds numbers that are not finite or far too large.
        """
        check_is_fitted(self, "method_")
        return self._encoded(self._checked(X))

    def topk(self, z: ArrayLike, k: int = 10, among: ArrayLike | None = None) -> Hits:
        """The rows of ``among`` that fit z best.

        Args:
            z: (n, n_components), or one of (n_components,).
            k: how many, at least 1; fewer where there are fewer rows.
            among: (N, q) rows of the second side; None for those of ``fit``.

        Returns:
            ``ids`` (rows, best first), ``squared_distances`` and ``scores``, each (n, k), or (k,).

        Raises:
            ConfigError: k is no whole number of at least 1, or z has another width.
            ValueError: ``among`` has another width or other columns than in ``fit``, z its axes in
                another order, or a number is masked, not finite, or too large for a search.

        Example:
            >>> import numpy as np, rivae
            >>> A = np.random.default_rng(0).normal(size=(40, 3))
            >>> model = rivae.fit(A, A, n_components=3, epochs=20, random_state=0)
            >>> model.topk(model.transform(A[:2]), k=5).ids.shape
            (2, 5)
        """
        check_is_fitted(self, "method_")
        check_order(self.get_feature_names_out().tolist(), axis_labels(z), "z")
        points = check_array(
            numbers_of(z, "z"), dtype=np.float64, ensure_2d=False, force_writeable=True
        )
        single, points = points.ndim == 1, np.atleast_2d(points)
        if points.ndim != 2 or points.shape[1] != self.method_.n_components:
            raise ConfigError(
                f"z has shape {points.shape}, expected (n, {self.method_.n_components})"
            )
        require_count(ConfigError, k=k)
        index = (
            self._index
            if among is None
            else self._index_of(self._checked_targets(among, "among"), "among")
        )
        ids, squared = index.search(self._queries(points), min(k, index.n_items))
        with torch.inference_mode():
            points_and_distances = torch.from_numpy(points), torch.from_numpy(squared)
            scores = np.asarray(self.method_.score(*points_and_distances).numpy(), dtype=np.float64)
        if single:
            return Hits(ids[0], squared[0], scores[0])
        return Hits(ids, squared, scores)

    def score(self, X: ArrayLike, y: ArrayLike) -> float:
        """The mean reciprocal rank of every row's own partner among the rows of ``y``, in (0, 1].

        1 where each row finds its own partner first.

        Raises:
            ValueError: the arrays have other columns than in ``fit``, or do not go together; as in
                ``transform``.
        """
        a, targets = self._checked_pairs(X, y)
        z = self._encoded(a)
        index, rows = self._index_of(targets), np.arange(len(z))
        ranks = [
            ranks_of_targets(index.all_squared_distances(self._queries(z[part])), part)
            for part in np.split(rows, range(RANKED, len(rows), RANKED))
        ]
        return float(np.mean(1.0 / np.concatenate(ranks)))

    def views(self, X: ArrayLike, y: ArrayLike) -> tuple[torch.Tensor, torch.Tensor]:
        """Pairs (n, p) and (n, q) as the network takes them: columns scaled as in ``fit``, float32.

        Raises:
            NotFittedError: ``fit`` was not called yet.
            ValueError: the arrays have other columns than in ``fit``, or do not go together; as in
                ``transform``.
        """
        return self._tensors(*self._checked_pairs(X, y))

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> np.ndarray:
        """The names of the columns of ``transform``: z1, z2 ..."""
        check_is_fitted(self, "method_")
        return np.asarray(self.method_.axis_names(self.method_.n_components), dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = True
        return tags

    def _tensors(self, a: Floats, b: Floats) -> tuple[torch.Tensor, torch.Tensor]:
        views = self._scaled(0, a, "X"), self._scaled(1, b, "y")
        x1, x2 = (torch.from_numpy(view.astype(np.float32)) for view in views)
        return x1, x2

    def _scaled(self, side: int, view: Floats, name: str) -> Floats:
        with np.errstate(over="ignore"):
            values = np.asarray(self._views[side].transform(view))
        if not is_near(values):
            raise ValueError(
                f"{name} holds numbers more than {FARTHEST:g} s.d. from those of fit: repair "
                "them, or leave those rows out"
            )
        return values

    def _checked(self, X: ArrayLike) -> Floats:
        refuse_masked(X=X)
        a: Floats = validate_data(self, X, dtype=np.float64, reset=False)
        check_columns(self._names[0], X, "X", quiet=True)  # scikit-learn compares only words
        return a

    def _checked_targets(self, y: ArrayLike, name: str = "y") -> Floats:
        refuse_masked(ValueError, **{name: y})
        check_columns(self._names[1], y, name)
        targets = _columns(check_array(y, dtype=np.float64, ensure_2d=False, input_name=name))
        if targets.shape[1] != self.n_targets_:
            raise ValueError(
                f"{name} has {targets.shape[1]} columns, but y had {self.n_targets_} in fit"
            )
        return targets

    def _checked_pairs(self, X: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats]:
        check_is_fitted(self, "method_")
        _refuse_unpaired(X, y)
        a, b = self._checked(X), self._checked_targets(y)
        if len(a) != len(b):
            raise ValueError(f"X has {len(a)} rows and y has {len(b)}: give pairs")
        return a, b

    def _encoded(self, a: Floats) -> Floats:
        return self._each(lambda x: self.method_.encode(x)[0], self._scaled(0, a, "X"))

    def _index_of(self, y: Floats, name: str = "y") -> Index:
        v = self._each(self.method_.embed_target, self._scaled(1, y, name))
        points = self._space.items(v)
        kind = choose_index(*points.shape)
        return build_index(kind, len(points), lambda positions: points[positions])

    def _queries(self, z: Floats) -> Floats:
        if not is_near(z):
            raise ValueError(f"z holds numbers beyond {FARTHEST:g}, too large to search with")
        return self._space.queries(self._each(self.method_.hidden, z))

    def _each(self, of: Callable[[torch.Tensor], torch.Tensor], x: Floats) -> Floats:
        """What ``of`` makes of the rows of ``x``, a block at a time."""
        with torch.inference_mode():
            blocks = torch.from_numpy(np.ascontiguousarray(x)).split(BLOCK)
            return np.asarray(torch.cat([of(block) for block in blocks]).numpy())


def fit(
    A: ArrayLike,
    B: ArrayLike,
    method: str = "rivae",
    *,
    progress: Callable[[float], None] | None = None,
    **params: Any,
) -> PairModel:
    """Train a ``PairModel`` on pairs of vectors, A (n, p) to ask and B (n, q) to be found.

    ``params`` are those of ``PairModel``. Errors as in ``PairModel.fit``.

    Example:
        >>> import numpy as np, rivae
        >>> rng = np.random.default_rng(0)
        >>> A = rng.normal(size=(80, 4))
        >>> B = A @ rng.normal(size=(4, 6))
        >>> model = rivae.fit(A, B, method="info-nce", n_components=4, epochs=60, random_state=0)
        >>> model.score(A, B) > 0.5
        True
    """
    return PairModel(method, **params).fit(A, B, progress)


def _refuse_unpaired(X: ArrayLike, y: ArrayLike) -> None:
    refuse_masked(X=X, y=y)
    refuse_other_order(X=X, y=y)


def _scaler(view: Floats, name: str) -> StandardScaler:
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        scaler, spread = StandardScaler().fit(view), np.ptp(view, axis=0)
    if not np.isfinite(scaler.mean_).all() or not np.isfinite(scaler.var_).all():
        raise ValueError(f"{name} holds numbers too large to be scaled: divide them by a constant")
    if ((scaler.var_ == 0) & (spread > 0)).any():
        raise ValueError(f"{name} has columns too small to be scaled: multiply them by a constant")
    return scaler


def _columns(y: ArrayLike) -> Floats:
    columns = np.asarray(y, dtype=np.float64)
    return columns[:, None] if columns.ndim == 1 else columns
