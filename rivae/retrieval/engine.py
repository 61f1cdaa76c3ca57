"""The index of a run in a Qdrant collection, for more items than one machine holds.

The collection keeps the single-precision points of a ``TwoStageIndex``, so both find the same
items. Qdrant compares all of them (``exact``); a few more than were asked for come back with their
points, and their distances in float64 decide the order. In single precision Qdrant's distance s
errs by at most u ((m + 8) s + 2 |q|), u = 2^-24 (Higham, Accuracy and Stability, section 3.1); as
long as the last candidate is not farther than that from the k-th, more candidates are asked for.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rivae.base.arrays import Floats, Ints
from rivae.base.errors import ConfigError
from rivae.base.installed import how_to_install
from rivae.retrieval.base import Index
from rivae.retrieval.exact import SPARE
from rivae.retrieval.indexes.brute_force import direct_squared_distances
from rivae.retrieval.indexes.two_stage import TwoStageIndex

if TYPE_CHECKING:
    from qdrant_client import QdrantClient

URL = "RIVAE_INDEX_URL"  # names the engine that the app and the command line ask
API_KEY = "QDRANT_API_KEY"
BATCH = 2_000  # points that travel at once
MOST_FEATURES = 4_096
_UNIT = 2.0**-24
_AT_ONCE = 100  # questions in one request

Payloads = Callable[[Ints], Sequence[Mapping[str, Any]]]


def connect(url: str, timeout_s: int = 60) -> QdrantClient:
    """A client of the engine at ``url``, which has to answer in time; its key is in the
    environment, where one is needed.

    Raises:
        ConfigError: the package is missing, or this is no address.
    """
    try:
        from qdrant_client import QdrantClient
    except ImportError:
        raise ConfigError(
            f"an index in Qdrant needs the package qdrant-client: {how_to_install('qdrant')}"
        ) from None
    if not url.startswith(("http://", "https://")):
        raise ConfigError(f"'{url[:80]}' is no address of Qdrant: write http://HOST:6333")
    key = os.environ.get(API_KEY) or None
    return QdrantClient(url=url, api_key=key, check_compatibility=False, timeout=timeout_s)


def collection_name(key: str) -> str:
    """The collection of an index with this key (``content_key``)."""
    return f"rivae-{key}"


def push(
    client: QdrantClient,
    key: str,
    index: Index,
    payloads: Payloads,
    progress: Callable[[int], None] = lambda n: None,
) -> QdrantIndex:
    """Send all points of ``index``; a push that was stopped resumes.

    Args:
        payloads: what is kept with the items of some positions; ``tags`` and ``factor_0`` … can be
            chosen by.
        progress: called with the number of items that have arrived, at once and after each batch.

    Raises:
        ConfigError: the engine does not answer, or refuses.
    """
    from qdrant_client import models

    if not isinstance(index, TwoStageIndex):  # so few items that one stage finds them
        index = TwoStageIndex.of(index.rows(np.arange(index.n_items)))
    name, n = collection_name(key), index.n_items
    with _understood():
        if not client.collection_exists(name):
            client.create_collection(
                name,
                vectors_config=models.VectorParams(
                    size=index.n_features,
                    distance=models.Distance.EUCLID,
                    on_disk=True,
                    hnsw_config=models.HnswConfigDiff(m=0),  # exact search needs no graph
                ),
                on_disk_payload=True,
                metadata=_described(index),
            )
        # Batches arrive one after the other, so what is there is the beginning.
        there = client.count(name, exact=True).count
        progress(there)
        for start in range(there // BATCH * BATCH, n, BATCH):
            positions = np.arange(start, min(start + BATCH, n))
            client.upsert(
                name,
                models.Batch(
                    ids=[*positions.tolist()],
                    vectors=index.points.at(positions).tolist(),
                    payloads=[dict(payload) for payload in payloads(positions)],
                ),
                wait=True,
            )
            progress(int(positions[-1]) + 1)
    engine_index = open_engine(client, key)
    assert engine_index is not None
    return engine_index


def open_engine(client: QdrantClient, key: str) -> QdrantIndex | None:
    """The index pushed under ``key``; None where there is none, or its push is incomplete.

    Raises:
        ConfigError: the engine does not answer, or holds something else under this name.
    """
    name = collection_name(key)
    with _understood():
        if not client.collection_exists(name):
            return None
        about = client.get_collection(name).config.metadata or {}
        n_stored = client.count(name, exact=True).count
    try:
        n, m = int(about["n_items"]), int(about["n_features"])
        if not 1 <= m <= MOST_FEATURES:
            raise ValueError
        centre, axes = _numbers(about["centre"], (m,)), _numbers(about["axes"], (m, m))
    except (KeyError, ValueError, TypeError):
        raise ConfigError(
            f"the collection {name} is not one of ours: delete it, and push the run again"
        ) from None
    return QdrantIndex(client, name, n, centre, axes) if n_stored == n else None


@dataclass(frozen=True)
class QdrantIndex(Index):
    """The points of a collection as an ``Index``; made by ``push`` and ``open_engine``.

    Attributes:
        n: how many there are.
        centre, axes: as of ``TurnedPoints``.
        chosen: the positions of a subset, ascending; None for all.
        meeting: what the items of that subset have and no other has, where it was chosen so.
    """

    client: QdrantClient
    name: str
    n: int
    centre: Floats
    axes: Floats
    chosen: Ints | None = None
    meeting: Any = None

    @property
    def n_items(self) -> int:
        """Number of points."""
        return self.n if self.chosen is None else len(self.chosen)

    @property
    def n_features(self) -> int:
        """Numbers of a point."""
        return len(self.centre)

    def rows(self, positions: Ints) -> Floats:
        """See ``Index.rows``."""
        return self._stored(self._ids(positions)) @ self.axes.T + self.centre

    def search(self, queries: Floats, k: int) -> tuple[Ints, Floats]:
        """See ``Index.search``.

        Raises:
            ConfigError: the engine does not answer.
        """
        coordinates = (queries - self.centre) @ self.axes
        k = min(k, self.n_items)
        positions = np.empty((len(coordinates), k), dtype=np.int64)
        distances = np.empty((len(coordinates), k))
        waiting, limit = np.arange(len(coordinates)), min(k + SPARE, self.n_items)
        while len(waiting):
            answers = self._candidates(coordinates[waiting], limit)
            unsure = []
            for n, (ids, scores, points) in zip(waiting, answers, strict=True):
                exact = direct_squared_distances(coordinates[n][None], points[None])[0]
                order = np.lexsort((ids, exact))[:k]
                positions[n], distances[n] = ids[order], exact[order]
                if limit < self.n_items and not self._is_sure(coordinates[n], distances[n], scores):
                    unsure.append(n)
            waiting, limit = np.array(unsure, dtype=np.int64), min(4 * limit, self.n_items)
        within = positions if self.chosen is None else np.searchsorted(self.chosen, positions)
        return within, distances

    def _is_sure(self, query: Floats, distances: Floats, scores: Floats) -> bool:
        """Whether no item that is missing can be among the nearest."""
        last = float(scores.max())
        error = _UNIT * ((self.n_features + 8) * last + 2.0 * float(np.linalg.norm(query)))
        return bool(np.sqrt(distances[-1]) < last - error)

    def _candidates(self, coordinates: Floats, limit: int) -> Iterator[tuple[Ints, Floats, Floats]]:
        """Ids, distances and points of the nearest ``limit`` of each query, as Qdrant sees them."""
        from qdrant_client import models

        for start in range(0, len(coordinates), _AT_ONCE):
            requests = [
                models.QueryRequest(
                    query=query.astype(np.float32).tolist(),
                    filter=self._filter(),
                    limit=limit,
                    with_vector=True,
                    params=models.SearchParams(exact=True),
                )
                for query in coordinates[start : start + _AT_ONCE]
            ]
            with _understood():
                answers = self.client.query_batch_points(self.name, requests)
            for answer in answers:
                yield (
                    np.array([int(point.id) for point in answer.points], dtype=np.int64),
                    np.array([point.score for point in answer.points]),
                    np.array([point.vector for point in answer.points], dtype=np.float64),
                )

    def all_squared_distances(self, queries: Floats) -> Floats:
        """See ``Index.all_squared_distances``: all points travel here, a batch at a time."""
        coordinates = (queries - self.centre) @ self.axes
        out = np.empty((len(coordinates), self.n_items))
        for start in range(0, self.n_items, BATCH):
            part = np.arange(start, min(start + BATCH, self.n_items))
            points = self._stored(self._ids(part))
            for n, query in enumerate(coordinates):
                out[n, part] = direct_squared_distances(query[None], points[None])[0]
        return out

    def subset(self, positions: Ints) -> Index:
        """See ``Index.subset``; fetched from the engine when they are not in ascending order."""
        if (np.diff(positions) > 0).all():
            return replace(self, chosen=self._ids(positions), meeting=None)
        return TwoStageIndex.of(self.rows(positions))

    def having(
        self, tags: Sequence[str] = (), factors: Mapping[int, tuple[float, float]] | None = None
    ) -> QdrantIndex:
        """The items that have every tag, and factors (columns) within bounds; the engine chooses.

        The positions that it found are its ``chosen``.

        Raises:
            ConfigError: no item has all of these, or the engine does not answer.
        """
        from qdrant_client import models

        conditions: list[Any] = [
            models.FieldCondition(key="tags", match=models.MatchValue(value=tag)) for tag in tags
        ]
        conditions += [
            models.FieldCondition(key=f"factor_{k}", range=models.Range(gte=low, lte=high))
            for k, (low, high) in (factors or {}).items()
        ]
        if (base := self._filter()) is not None:
            conditions.append(base)
        meeting = models.Filter(must=conditions)
        point_ids: list[int] = []
        at: Any = None
        with _understood():
            while True:
                points, at = self.client.scroll(
                    self.name, meeting, limit=10_000, offset=at, with_payload=False
                )
                point_ids += [int(point.id) for point in points]
                if at is None:
                    break
        if not point_ids:
            raise ConfigError("no item has all of these: ask for less")
        return replace(self, chosen=np.sort(np.array(point_ids, dtype=np.int64)), meeting=meeting)

    def _filter(self) -> Any:
        """What says to the engine which points may be found; None for all."""
        from qdrant_client import models

        if self.chosen is None or self.meeting is not None:
            return self.meeting
        return models.Filter(must=[models.HasIdCondition(has_id=self.chosen.tolist())])

    def _ids(self, positions: Ints) -> Ints:
        return positions if self.chosen is None else self.chosen[positions]

    def _stored(self, ids: Ints) -> Floats:
        with _understood():
            records = self.client.retrieve(
                self.name, ids.tolist(), with_payload=False, with_vectors=True
            )
        points = {int(point.id): point.vector for point in records}
        return np.array([points[i] for i in ids.tolist()], dtype=np.float64)


def _described(index: TwoStageIndex) -> dict[str, Any]:
    points = index.points
    return {
        "n_items": index.n_items,
        "n_features": index.n_features,
        "centre": _text(points.centre),
        "axes": _text(points.axes),
    }


def _text(numbers: Floats) -> str:
    return base64.b64encode(np.ascontiguousarray(numbers, dtype="<f8").tobytes()).decode()


def _numbers(text: str, shape: tuple[int, ...]) -> Floats:
    """What ``_text`` wrote.

    Raises:
        ValueError: it is not that many finite numbers.
    """
    numbers = np.frombuffer(base64.b64decode(text, validate=True), dtype="<f8").reshape(shape)
    if not np.isfinite(numbers).all():
        raise ValueError("not finite")
    return numbers.astype(np.float64)


class EngineGoneError(ConfigError):
    """The engine does not answer."""


@contextmanager
def _understood() -> Iterator[None]:
    """The engine's errors in one sentence."""
    from qdrant_client.http.exceptions import ApiException, UnexpectedResponse

    try:
        yield
    except UnexpectedResponse as error:
        answer = " ".join(error.content.decode("utf-8", "replace").split())[:200]
        raise ConfigError(f"Qdrant refused ({error.status_code}): {answer}") from error
    except (ApiException, OSError) as error:
        raise EngineGoneError(
            f"Qdrant does not answer ({' '.join(str(error).split())[:120]}): start it, or check "
            "the address"
        ) from error
