"""The tables that a stage trains on besides the batches, and what a run keeps of its start.

They are the embeddings of frozen embedders, their unfolded coordinates, and the targets that an
unfolded start brings the embedders to. A smooth start unfolds the training pairs and can do it
again at any time. A contrastive start unfolds what several fits of the embedders found, and the
training after it changes them. So its file keeps the embeddings of each fit, then what they unfold
to, and at last that straightened.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import save
from torch import Tensor

from rivae.base.errors import ConfigError, DataError, RivaeError
from rivae.base.files import write_atomic
from rivae.base.reading.documents import parse_json
from rivae.base.reading.weights import load_weights, read_header
from rivae.data.base import PairedDataset
from rivae.models.base import Method
from rivae.models.contrast_start import FitStage, UnfoldStage
from rivae.models.registry import build_method
from rivae.models.stages import Stage
from rivae.models.word_reader import N_PARTS
from rivae.training.distributed import Group
from rivae.training.feed import Feed, embed_rows
from rivae.training.models import Models, load_pretrained
from rivae.training.smooth_start import (
    HEADS,
    lift_to_sphere,
    require_rows,
    smooth_target,
    unfolded_coordinates,
)
from rivae.training.unfolding import (
    MAX_ROWS,
    count_axes,
    placed,
    require_sheet,
    straight_components,
    unfold,
)

# Rows on which the fits are compared: each of them is unfolded alone.
COMPARED_ROWS = 4_000
MIN_PAIRS = 4
_SEED_STEP = 7919  # between the weights of one fit and those of the next


class StartFile:
    """The file of a run's contrastive start: named tensors, and the shares of its axes.

    Raises:
        DataError: the file is damaged, or of other data.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.tensors = dict[str, Tensor]()
        if path.exists():
            try:
                self.tensors = load_weights(path)
            except DataError:
                raise DataError(_damaged(path)) from None

    def keep(self, *without: str, shares: Sequence[float] = (), **tensors: Tensor) -> None:
        """Add tensors, and remove those named in ``without``."""
        for name in without:
            del self.tensors[name]
        self.tensors |= {name: tensor.contiguous() for name, tensor in tensors.items()}
        # One entry: safetensors writes several in any order, and equal runs give equal bytes.
        note = {"shares": json.dumps([*(shares or read_shares(self.path))])}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(self.path, save(self.tensors, metadata=note))

    def target(self, name: str, n: int, dim_v: int) -> Tensor | None:
        """The embeddings (n, dim_v) that were kept under ``name``; None before that."""
        tensor = self.tensors.get(name)
        if tensor is not None and tensor.shape != (n, dim_v):
            raise DataError(_damaged(self.path))
        return tensor


def _damaged(path: Path) -> str:
    return f"{path.name} is damaged: start the run again under a new name"


def read_shares(path: Path) -> tuple[float, ...]:
    """The shares that a start kept; () where there is no such file, or a damaged one."""
    try:
        shares = parse_json(read_header(path).metadata.get("shares", "[]"))
        return tuple(float(share) for share in shares)
    except (RivaeError, OSError, TypeError, ValueError):
        return ()


# what a stage begins with


def require_pairs(method: Method, stages: Sequence[Stage], n: int) -> None:
    """Check before any work that ``n`` training pairs are enough for what the stages unfold.

    Raises:
        ConfigError: they are too few.
    """
    if n < MIN_PAIRS:
        raise ConfigError(f"{n} training pairs are too few: at least {MIN_PAIRS} are needed")
    settings: Any = method.config
    ahead = [stage for stage in stages if stage.epochs]
    if any(stage.needs_target for stage in ahead):
        if method.start.unfolds_pairs:
            require_rows(n, method.n_components, settings.smooth_neighbours)
        else:
            require_sheet(n, method.n_components)
    if any(stage.needs_coordinates for stage in ahead):
        require_rows(n, method.n_components, settings.unfold_neighbours, HEADS)


def fill_tables(models: Models, feed: Feed, stage: Stage, group: Group) -> None:
    """Fill ``feed.tables`` with the tables that ``stage`` needs, and set out on a new fit.

    Raises:
        ConfigError: when the data or the embeddings of a model cannot be unfolded.
    """
    method, tables, device = models.method, feed.tables, models.device
    _begin(models, feed, stage, group.leads)
    if stage.cached and stage.epochs:
        tables["v1"], tables["v2"] = embed_rows(method, feed, method.embeddings)
    is_new = straightens(stage) or "target" not in tables
    if stage.needs_target and stage.epochs and is_new:
        tables["target"] = group.table(lambda: targets(models, feed, stage), device)
    if stage.needs_coordinates and stage.epochs:
        tables["coordinates"] = group.table(lambda: coordinates(method, feed, models.seeds), device)
    if stage.needs_words and stage.epochs and "words" not in tables:
        words = feed.text_parts(N_PARTS, models.seeds)
        if words is not None:
            tables["words"] = group.table(lambda: words, device)


def _begin(models: Models, feed: Feed, stage: Stage, writes: bool) -> None:
    """Keep what the fit before ``stage`` has found, and set out on the next one.

    Args:
        writes: whether this process does the keeping.
    """
    stages = models.stages[: models.stages.index(stage)]
    before = max((earlier.fit for earlier in stages if isinstance(earlier, FitStage)), default=0)
    fit = stage.fit if isinstance(stage, FitStage) else 0
    if before and writes and (fit or stage.needs_target):
        _keep_fit(models, feed, before)
    if fit > 1 and models.progress.stage_epoch == 0:
        _redraw(models, fit)


def straightens(stage: Stage) -> bool:
    """Whether the targets of ``stage`` are what the embedders have learnt, straightened."""
    return isinstance(stage, UnfoldStage) and stage.straightens


def _keep_fit(models: Models, feed: Feed, fit: int) -> None:
    """Keep the embeddings (m, D) that fit number ``fit`` gives the rows to be unfolded."""
    starts = [StartFile(job.run.unfolded) for job in models.jobs]
    if all(f"fit{fit}" in start.tensors or "target" in start.tensors for start in starts):
        return
    rows = torch.cat(
        embed_rows(
            models.method, feed, models.method.start.contrast_embeddings, unfolded_rows(feed.n)
        ),
        -1,
    )
    for start, fit_rows in zip(starts, rows if models.stacked else [rows], strict=True):
        start.keep(**{f"fit{fit}": fit_rows.cpu()})


def _redraw(models: Models, fit: int) -> None:
    """Other random weights for the modules of a fit; pretrained ones begin as they did."""
    choice, data = models.jobs[0].config.method, models.jobs[0].data
    seeds = [seed + _SEED_STEP * (fit - 1) for seed in models.seeds]
    shapes = (data.x1.shape, data.x2.shape)
    other = build_method(choice.name, choice.settings, *shapes, seeds, models.stacked)
    load_pretrained(other, data)
    for module, fresh in zip(models.method.start.refitted(), other.start.refitted(), strict=True):
        module.load_state_dict(fresh.state_dict())


def unfolded_rows(n: int) -> NDArray[np.int64]:
    """Which of ``n`` training pairs are unfolded: all, or as many as there is time for."""
    if n <= MAX_ROWS:
        return np.arange(n)
    return np.sort(np.random.default_rng(0).choice(n, MAX_ROWS, replace=False))


# targets


def targets(models: Models, feed: Feed, stage: Stage) -> Tensor:
    """The starting embeddings of the training rows that ``stage`` wants, (n, D) or (S, n, D).

    Raises:
        ConfigError: the data or the embeddings cannot be unfolded.
        DataError: the kept file is damaged.
    """
    method, jobs = models.method, models.jobs
    if method.start.unfolds_pairs:
        return smooth_targets(method, [job.data for job in jobs], models.seeds, models.stacked)
    begun = models.stages[: models.stages.index(stage) + 1]
    name = "straightened" if any(straightens(one) and one.epochs for one in begun) else "target"
    starts = [StartFile(job.run.unfolded) for job in jobs]
    tensors = [start.target(name, feed.n, _width(method)) for start in starts]
    if any(one is None for one in tensors):
        make = _straighten if name == "straightened" else _unfold
        tensors = make(models, feed, starts)
    out = [one for one in tensors if one is not None]
    return torch.stack(out) if models.stacked else out[0]


def _width(method: Method) -> int:
    """Of the embeddings that unfold; DCCA's own V is narrower, it comes after them."""
    settings: Any = method.config
    return int(settings.dim_v)


def _unfold(models: Models, feed: Feed, starts: Sequence[StartFile]) -> list[Tensor | None]:
    """What all fits together unfold to, and each of them alone on fewer rows."""
    method, d, out = models.method, models.method.n_components, list[Tensor | None]()
    rows = unfolded_rows(feed.n)
    # Only rows that are placed between the unfolded ones are embedded once more.
    whole = len(rows) == feed.n
    every = (
        [] if whole else _each(models, embed_rows(method, feed, method.start.contrast_embeddings))
    )
    for s, (start, seed) in enumerate(zip(starts, models.seeds, strict=True)):
        names = sorted(name for name in start.tensors if name.startswith("fit"))
        fits = [start.tensors[name].numpy() for name in names]
        sheet = unfold(np.concatenate(fits, axis=1), d, seed)
        axes = sheet.axes if whole else placed(every[s], every[s][rows], sheet.axes)
        target = lift_to_sphere(axes, _width(method))
        rng = np.random.default_rng(seed)
        some = np.sort(rng.choice(len(rows), min(COMPARED_ROWS, len(rows)), replace=False))
        alone = [unfold(fit[some], d, seed).axes.astype(np.float32) for fit in fits]
        start.keep(
            *names,
            shares=sheet.shares,
            target=target,
            fits=torch.from_numpy(np.stack(alone)),
            rows=torch.from_numpy(rows[some]),
        )
        out.append(target)
    return out


def _straighten(models: Models, feed: Feed, starts: Sequence[StartFile]) -> list[Tensor | None]:
    """The mean of what both embedders have learnt, in independent components and bent straight."""
    method, out = models.method, list[Tensor | None]()
    rows = unfolded_rows(feed.n)
    v1, v2 = (_each(models, (v,)) for v in embed_rows(method, feed, method.embeddings))
    for start, seed, own1, own2 in zip(starts, models.seeds, v1, v2, strict=True):
        learnt = np.asarray((own1 + own2) / 2, np.float32)[:, : method.n_components]
        n_found = count_axes(read_shares(start.path))
        axes = straight_components(learnt[rows].astype(np.float64), learnt[rows], n_found, seed)
        if len(rows) < feed.n:
            axes = placed(learnt, learnt[rows], axes)
        target = lift_to_sphere(axes, _width(method))
        start.keep(straightened=target)
        out.append(target)
    return out


def _each(models: Models, views: tuple[Tensor, ...]) -> list[NDArray[np.float32]]:
    """Both views' embeddings side by side, an array (n, .) for each model."""
    rows = torch.cat(views, -1).cpu().numpy()
    return list(rows) if models.stacked else [rows]


def smooth_targets(
    method: Method, datasets: Sequence[PairedDataset], seeds: Sequence[int], stacked: bool
) -> Tensor:
    """The smooth starting embeddings of the training rows, (n, D) or (S, n, D).

    Raises:
        ConfigError: when the data cannot be unfolded.
    """
    settings: Any = method.config
    out = []
    for data, seed in zip(datasets, seeds, strict=True):
        rows = data.splits["train"]
        out.append(
            smooth_target(
                data.x1.batch(rows),
                data.x2.batch(rows),
                method.n_components,
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
