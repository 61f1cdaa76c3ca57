"""What a stage trains on beside the data: embeddings of frozen embedders, smooth targets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from rivae.data.base import PairedDataset
from rivae.errors import ConfigError
from rivae.methods.base import Method, Stage
from rivae.training.ddp import Group
from rivae.training.feed import Feed
from rivae.training.models import Models
from rivae.training.smooth_start import smooth_target, unfolded_coordinates


def fill_tables(models: Models, feed: Feed, stage: Stage, group: Group) -> None:
    """Put into ``feed.tables`` what ``stage`` trains on.

    Raises:
        ConfigError: when the data or the embeddings of a model cannot be unfolded.
    """
    method, tables, device = models.method, feed.tables, models.device
    if stage.cached and stage.epochs:
        tables.update(embed_rows(method, feed))
    if stage.needs_target and stage.epochs and "target" not in tables:
        datasets = [job.data for job in models.jobs]
        tables["target"] = group.table(
            lambda: smooth_targets(method, datasets, models.seeds, models.stacked), device
        )
    if stage.needs_coordinates and stage.epochs:
        tables["coordinates"] = group.table(lambda: coordinates(method, feed, models.seeds), device)


def embed_rows(method: Method, feed: Feed) -> dict[str, Tensor]:
    """v1 and v2 of all training rows, each (n, D) or (S, n, D); float32, without dropout."""
    was_training = method.training
    method.eval()
    parts: dict[str, list[Tensor]] = {"v1": [], "v2": []}
    with torch.inference_mode():
        for start in range(0, feed.n, 512):
            index = torch.arange(start, min(start + 512, feed.n), device=feed.device)
            if feed.stacked:
                index = index.expand(len(feed.rows), -1)
            v1, v2 = method.embeddings(feed.gather("x1", index), feed.gather("x2", index))
            parts["v1"].append(v1)
            parts["v2"].append(v2)
    method.train(was_training)
    # Cloned outside inference mode, or autograd could not use them.
    return {kind: torch.cat(chunks, -2).clone() for kind, chunks in parts.items()}


def smooth_targets(
    method: Method, datasets: Sequence[PairedDataset], seeds: Sequence[int], stacked: bool
) -> Tensor:
    """The smooth starting embeddings of the training rows, (n, D) or (S, n, D).

    Raises:
        ConfigError: when the method knows no smooth start, or the data cannot be unfolded.
    """
    n_components = method.smooth_target_dim()
    if n_components is None:
        raise ConfigError("an anchor needs the smooth start: set init=smooth")
    settings: Any = method.config
    out = []
    for data, seed in zip(datasets, seeds, strict=True):
        rows = data.splits["train"]
        out.append(
            smooth_target(
                data.x1.batch(rows),
                data.x2.batch(rows),
                n_components,
                settings.dim_v,
                settings.smooth_neighbours,
                settings.smooth_blur,
                seed,
            )
        )
    return torch.stack(out) if stacked else out[0]


def coordinates(method: Method, feed: Feed, seeds: Sequence[int]) -> Tensor:
    """The unfolded coordinates of the cached v2, (n, d) or (S, n, d), on the feed's device.

    Raises:
        ConfigError: when the embeddings of a model cannot be unfolded.
    """
    settings: Any = method.config
    table = feed.tables["v2"].cpu()
    out = [
        unfolded_coordinates(v2, method.n_components, settings.unfold_neighbours, seed)
        for v2, seed in zip(table if feed.stacked else [table], seeds, strict=True)
    ]
    return (torch.stack(out) if feed.stacked else out[0]).to(feed.device)
