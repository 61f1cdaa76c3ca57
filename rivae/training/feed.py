"""What a model is trained on: batches of the data, and the tables that a stage needs besides.

Batches come in an order fixed by one generator per model. Tables are the embeddings of frozen
embedders, smooth targets and unfolded coordinates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor

from rivae.data.base import PairedDataset, TensorView, View
from rivae.errors import ConfigError
from rivae.methods.base import Method, Stage
from rivae.training.distributed import Group
from rivae.training.models import Models
from rivae.training.smooth_start import smooth_target, unfolded_coordinates
from rivae.training.unfolding import read_target, unfold


class Feed:
    """The training rows of one data set, or of S data sets of equal size for S stacked models.

    ``gather(kind, index)`` returns rows of "x1", "x2" or another key of ``tables`` for index
    (..., B); tables are (n, D), or (S, n, D) when stacked.
    """

    def __init__(self, datasets: list[PairedDataset], stacked: bool, device: torch.device) -> None:
        self.stacked, self.device = stacked, device
        self.rows = [torch.from_numpy(data.splits["train"]) for data in datasets]
        self.n = len(self.rows[0])
        sizes = {(d.x1.shape, d.x2.shape, len(d.splits["train"])) for d in datasets}
        if len(sizes) > 1:
            raise ConfigError(
                "runs that train as one batch need equally many training pairs of equal shape: "
                "train them one by one"
            )
        # Seeds on one data set share it; only different draws are stacked in memory.
        self.shared = all(data is datasets[0] for data in datasets)
        self.views: dict[str, list[View]] = {
            "x1": [d.x1 for d in (datasets[:1] if self.shared else datasets)],
            "x2": [d.x2 for d in (datasets[:1] if self.shared else datasets)],
        }
        self.tables: dict[str, Tensor] = {}
        for kind, views in self.views.items():
            tensors = [v.tensor for v in views if isinstance(v, TensorView)]
            if len(tensors) == len(views):
                table = [t[r] for t, r in zip(tensors, self.rows, strict=False)]
                self.tables[kind] = (table[0] if self.shared else torch.stack(table)).to(device)
            elif not self.shared:
                raise ConfigError(
                    "pictures that are decoded on the way train on one draw of the data at a time: "
                    "train the runs one by one"
                )

    def gather(self, kind: str, index: Tensor) -> Tensor:
        """Rows ``index`` (B,) or (S, B) of ``kind`` as float32 on the device."""
        table = self.tables.get(kind)
        if table is None:
            rows = self.rows[0][index.cpu()]
            return self.views[kind][0].batch(rows).to(self.device)
        own = self.stacked and not (self.shared and kind in ("x1", "x2"))
        if own:
            models = torch.arange(index.shape[0], device=index.device).unsqueeze(-1)
            picked = table[models, index]
        else:
            picked = table[index]
        return picked.float().div_(255.0) if picked.dtype == torch.uint8 else picked

    def batches(self, size: int, generators: list[torch.Generator]) -> Iterator[Tensor]:
        """One epoch of index batches (B,) or (S, B); a last incomplete batch is left out."""
        size = min(size, self.n)
        orders = [torch.randperm(self.n, generator=g) for g in generators]
        order = (torch.stack(orders) if self.stacked else orders[0]).to(self.device)
        for start in range(0, self.n - size + 1, size):
            yield order[..., start : start + size]


def fill_tables(models: Models, feed: Feed, stage: Stage, group: Group) -> None:
    """Fill ``feed.tables`` with the tables that ``stage`` needs.

    Raises:
        ConfigError: when the data or the embeddings of a model cannot be unfolded.
    """
    method, tables, device = models.method, feed.tables, models.device
    if stage.cached and stage.epochs:
        tables["v1"], tables["v2"] = embed_rows(method, feed, method.embeddings)
    if stage.needs_target and stage.epochs and "target" not in tables:
        tables["target"] = group.table(lambda: targets(models, feed), device)
    if stage.needs_coordinates and stage.epochs:
        tables["coordinates"] = group.table(lambda: coordinates(method, feed, models.seeds), device)


Embed = Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]


def embed_rows(method: Method, feed: Feed, embed: Embed) -> tuple[Tensor, Tensor]:
    """v1 and v2 of all training rows, each (n, D) or (S, n, D); float32, without dropout."""
    was_training = method.training
    method.eval()
    parts: tuple[list[Tensor], list[Tensor]] = ([], [])
    with torch.inference_mode():
        for start in range(0, feed.n, 512):
            index = torch.arange(start, min(start + 512, feed.n), device=feed.device)
            if feed.stacked:
                index = index.expand(len(feed.rows), -1)
            found = embed(feed.gather("x1", index), feed.gather("x2", index))
            for chunks, v in zip(parts, found, strict=True):
                chunks.append(v)
    method.train(was_training)
    # Cloned outside inference mode, or autograd could not use them.
    v1, v2 = (torch.cat(chunks, -2).clone() for chunks in parts)
    return v1, v2


def targets(models: Models, feed: Feed) -> Tensor:
    """The unfolded starting embeddings of the training rows, (n, D) or (S, n, D).

    Those of a contrastive start are kept in the run's folder: the training after it changes the
    embedders that they were read from.

    Raises:
        ConfigError: the data or the embeddings cannot be unfolded.
        DataError: the kept file is damaged.
    """
    method, jobs = models.method, models.jobs
    if getattr(method.config, "init", "") != "contrast":
        return smooth_targets(method, [job.data for job in jobs], models.seeds, models.stacked)
    d, dim_v, files = method.n_components, method.dim_v, [job.run.unfolded for job in jobs]
    if all(file.exists() for file in files):
        out = [read_target(file, feed.n, dim_v) for file in files]
    else:
        rows = torch.cat(embed_rows(method, feed, method.contrast_embeddings), -1).cpu().numpy()
        found = [
            unfold(own, d, seed)
            for own, seed in zip(rows if models.stacked else [rows], models.seeds, strict=True)
        ]
        out = [one.write(file, dim_v) for one, file in zip(found, files, strict=True)]
    return torch.stack(out) if models.stacked else out[0]


def smooth_targets(
    method: Method, datasets: Sequence[PairedDataset], seeds: Sequence[int], stacked: bool
) -> Tensor:
    """The smooth starting embeddings of the training rows, (n, D) or (S, n, D).

    Raises:
        ConfigError: when the method has no smooth start, or the data cannot be unfolded.
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
