"""Qdrant's own engine behind Qdrant's HTTP: what a server of it answers to the calls of the index.

    python -m tests.retrieval.edge_server PORT FOLDER

Requests and answers are checked by the models of ``qdrant_client``, which both sides share. What
was stored in FOLDER is there again after a kill.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import qdrant_edge as edge
import uvicorn
from qdrant_client import models
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from tests.retrieval.edge import EdgeClient


class KeptClient(EdgeClient):
    """Its collections are opened again, with what is said of them."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        for file in folder.glob("*.json"):
            self.about[file.stem] = json.loads(file.read_text())
            self.shards[file.stem] = edge.EdgeShard.load(str(folder / file.stem))

    def create_collection(self, name: str, *args: Any, **more: Any) -> None:
        (self.folder / name).mkdir(parents=True)
        super().create_collection(name, *args, **more)
        (self.folder / f"{name}.json").write_text(json.dumps(self.about[name]))


def answer(result: Any) -> JSONResponse:
    """As Qdrant packs it."""
    return JSONResponse({"result": result, "status": "ok", "time": 0.0})


def dumped(point: Any) -> dict[str, Any]:
    """A record or a scored point as JSON."""
    names = ("id", "score", "payload", "vector")
    fields = {name: getattr(point, name) for name in names if hasattr(point, name)}
    return {"version": 0, **fields}


def routes(client: KeptClient) -> list[Route]:
    """What the index calls."""

    async def exists(request: Request) -> JSONResponse:
        return answer({"exists": client.collection_exists(request.path_params["name"])})

    async def create(request: Request) -> JSONResponse:
        asked = models.CreateCollection.model_validate(await request.json())
        client.create_collection(request.path_params["name"], asked.vectors, asked.metadata)
        return answer(True)

    async def about(request: Request) -> JSONResponse:
        config = models.CollectionConfig(
            params=models.CollectionParams(),
            hnsw_config=models.HnswConfig(m=0, ef_construct=100, full_scan_threshold=0),
            optimizer_config=models.OptimizersConfig(
                deleted_threshold=0.2,
                vacuum_min_vector_number=1000,
                default_segment_number=0,
                flush_interval_sec=5,
            ),
            metadata=client.about[request.path_params["name"]],
        )
        said = models.CollectionInfo(
            status=models.CollectionStatus.GREEN,
            optimizer_status=models.OptimizersStatusOneOf.OK,
            segments_count=1,
            config=config,
            payload_schema={},
        )
        return answer(said.model_dump(mode="json"))

    async def count(request: Request) -> JSONResponse:
        return answer({"count": client.count(request.path_params["name"], exact=True).count})

    async def upsert(request: Request) -> JSONResponse:
        batch = models.PointsBatch.model_validate(await request.json()).batch
        client.upsert(request.path_params["name"], batch, wait=True)
        return answer({"operation_id": 0, "status": "completed"})

    async def query(request: Request) -> JSONResponse:
        asked = models.QueryRequestBatch.model_validate(await request.json())
        found = client.query_batch_points(request.path_params["name"], asked.searches)
        return answer([{"points": [*map(dumped, one.points)]} for one in found])

    async def scroll(request: Request) -> JSONResponse:
        asked = models.ScrollRequest.model_validate(await request.json())
        name = request.path_params["name"]
        points, after = client.scroll(name, asked.filter, asked.limit or 10, asked.offset, False)
        return answer({"points": [*map(dumped, points)], "next_page_offset": after})

    async def retrieve(request: Request) -> JSONResponse:
        asked = models.PointRequest.model_validate(await request.json())
        found = client.retrieve(
            request.path_params["name"],
            list(asked.ids),
            bool(asked.with_payload),
            bool(asked.with_vector),
        )
        return answer([*map(dumped, found)])

    place = "/collections/{name}"
    return [
        Route(f"{place}/exists", exists),
        Route(place, create, methods=["PUT"]),
        Route(place, about),
        Route(f"{place}/points/count", count, methods=["POST"]),
        Route(f"{place}/points", upsert, methods=["PUT"]),
        Route(f"{place}/points/query/batch", query, methods=["POST"]),
        Route(f"{place}/points/scroll", scroll, methods=["POST"]),
        Route(f"{place}/points", retrieve, methods=["POST"]),
    ]


if __name__ == "__main__":
    port, folder = int(sys.argv[1]), Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    app = Starlette(routes=routes(KeptClient(folder)))
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning")
