"""What a model is trained on: batches of the data, in an order fixed by one generator per model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from rivae.base.errors import ConfigError
from rivae.data.base import PairedDataset, TensorView, View, floats
from rivae.data.store.pixels import StorePixels
from rivae.data.words_view import WordsView, text_parts
from rivae.models.base import Method
from rivae.models.contrast_start import FitStage
from rivae.models.stages import Stage


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

    def text_parts(self, d: int, seeds: Sequence[int]) -> Tensor | None:
        """Weights of the ``d`` parts of the training texts, (n, d) or (S, n, d).

        None where the second side has no weighted words, or too few of them.
        """
        views, out = self.views["x2"], list[Tensor]()
        for s, seed in enumerate(seeds):
            view, rows = views[0 if self.shared else s], self.rows[s].numpy()
            if not isinstance(view, WordsView):
                return None
            text_topics = text_parts(view.sparse(rows), view.vocabulary, d, seed)
            if text_topics is None:
                return None
            out.append(torch.from_numpy(text_topics.weights).float())
        return torch.stack(out) if self.stacked else out[0]

    def gather(self, kind: str, index: Tensor) -> Tensor:
        """Rows ``index`` (B,) or (S, B) of ``kind`` as float32 on the device."""
        table = self.tables.get(kind)
        one_table_each = self.stacked and not (self.shared and kind in ("x1", "x2"))
        if table is None:
            rows, view = self.rows[0][index.cpu()], self.views[kind][0]
            values = view.pixels(rows) if isinstance(view, StorePixels) else view.batch(rows)
            values_on_device = values.to(self.device)
        elif one_table_each:
            models = torch.arange(index.shape[0], device=index.device).unsqueeze(-1)
            values_on_device = table[models, index]
        else:
            values_on_device = table[index]
        return floats(values_on_device)

    def batches(self, stage: Stage, generators: list[torch.Generator]) -> Iterator[Tensor]:
        """One epoch of index batches (B,) or (S, B); a last incomplete batch is left out."""
        n = stage.n_seen(self.n)
        size = min(stage.batch_size, n)
        orders = [torch.randperm(self.n, generator=g) for g in generators]
        if isinstance(stage, FitStage) and n < self.n:
            generator = torch.Generator().manual_seed(stage.fit)
            in_sample = torch.zeros(self.n, dtype=torch.bool)
            in_sample[torch.randperm(self.n, generator=generator)[:n]] = True
            orders = [order[in_sample[order]] for order in orders]
        order = (torch.stack(orders) if self.stacked else orders[0]).to(self.device)
        for start in range(0, n - size + 1, size):
            yield order[..., start : start + size]


Embed = Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]


def embed_rows(
    method: Method, feed: Feed, embed: Embed, rows: NDArray[np.int64] | None = None
) -> tuple[Tensor, Tensor]:
    """v1 and v2 of all training rows, each (n, D) or (S, n, D); float32, without dropout.

    With ``rows`` (m,) of these rows only.
    """
    row_ids = torch.arange(feed.n) if rows is None else torch.from_numpy(rows)
    was_training = method.training
    method.eval()
    parts: tuple[list[Tensor], list[Tensor]] = ([], [])
    with torch.inference_mode():
        for index in row_ids.to(feed.device).split(512):
            if feed.stacked:
                index = index.expand(len(feed.rows), -1)
            embeddings = embed(feed.gather("x1", index), feed.gather("x2", index))
            for chunks, v in zip(parts, embeddings, strict=True):
                chunks.append(v)
    method.train(was_training)
    # Cloned outside inference mode, or autograd could not use them.
    v1, v2 = (torch.cat(chunks, -2).clone() for chunks in parts)
    return v1, v2
