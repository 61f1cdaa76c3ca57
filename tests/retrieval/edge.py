"""Qdrant's own engine in this process (Qdrant Edge), behind the calls of ``qdrant_client``.

The client's own mode without a server is a rewrite in Python: what the index finds there says
nothing about the engine. Here the Rust code of the server searches, on files in a folder.
"""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import qdrant_edge as edge


def _condition(condition: Any) -> Any:
    if getattr(condition, "has_id", None) is not None:
        return edge.HasIdCondition(set(condition.has_id))
    if getattr(condition, "must", None) is not None:
        return _filter(condition)
    match, bounds = condition.match, condition.range
    return edge.FieldCondition(
        key=condition.key,
        match=None if match is None else edge.MatchValue(match.value),
        range=None if bounds is None else edge.RangeFloat(gte=bounds.gte, lte=bounds.lte),
    )


def _filter(chosen: Any) -> Any:
    return chosen and edge.Filter(must=[_condition(condition) for condition in chosen.must])


class EdgeClient:
    """As much of ``QdrantClient`` as the index calls, each collection a shard below ``folder``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.shards: dict[str, Any] = {}
        self.about: dict[str, dict[str, Any]] = {}

    def collection_exists(self, name: str) -> bool:
        return name in self.shards

    def create_collection(
        self, name: str, vectors_config: Any, metadata: dict[str, Any], **_: Any
    ) -> None:
        vectors = edge.EdgeVectorParams(
            size=vectors_config.size, distance=edge.Distance.Euclid, on_disk=vectors_config.on_disk
        )
        config = edge.EdgeConfig(vectors=vectors, on_disk_payload=True)
        self.shards[name] = edge.EdgeShard.create(str(self.folder / name), config)
        self.about[name] = metadata

    def update_collection(self, name: str, metadata: dict[str, Any]) -> None:
        self.about[name] = metadata

    def get_collection(self, name: str) -> Any:
        return SimpleNamespace(config=SimpleNamespace(metadata=self.about[name]))

    def count(self, name: str, exact: bool) -> Any:
        return SimpleNamespace(count=self.shards[name].count(edge.CountRequest(exact=exact)))

    def upsert(self, name: str, batch: Any, wait: bool) -> None:
        rows = zip(batch.ids, batch.vectors, batch.payloads, strict=True)
        points = [edge.Point(*row) for row in rows]
        self.shards[name].update(edge.UpdateOperation.upsert_points(points))

    def query_batch_points(self, name: str, requests: list[Any]) -> list[Any]:
        return [
            SimpleNamespace(
                points=self.shards[name].query(
                    edge.QueryRequest(
                        limit=request.limit,
                        query=edge.Query.Nearest(getattr(request.query, "nearest", request.query)),
                        filter=_filter(request.filter),
                        with_vector=request.with_vector,
                        params=edge.SearchParams(exact=request.params.exact),
                    )
                )
            )
            for request in requests
        ]

    def scroll(
        self, name: str, chosen: Any, limit: int, offset: Any, with_payload: bool
    ) -> tuple[Any, Any]:
        request = edge.ScrollRequest(
            limit=limit, offset=offset, filter=_filter(chosen), with_payload=with_payload
        )
        points, after = self.shards[name].scroll(request)
        return points, after

    def retrieve(
        self, name: str, ids: list[int], with_payload: bool, with_vectors: bool
    ) -> list[Any]:
        found: list[Any] = self.shards[name].retrieve(ids, with_payload, with_vectors)
        return found
