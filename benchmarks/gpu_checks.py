"""The checks of ``benchmarks/gpu.py``: each takes a device and compares what runs there.

A check returns a ``Finding`` or raises ``NotHere`` with the reason why this machine cannot make it.
They train with ``rivae.training`` alone, which needs no package of the app.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from rivae.base.config import RunConfig
from rivae.base.reading.weights import load_weights
from rivae.data import PairedDataset, load_dataset
from rivae.jobs.launch import make_config
from rivae.models.base import Method
from rivae.models.nets.layers import Dropout
from rivae.models.nets.precision import number_format
from rivae.models.nets.recipe_rnn import BiGRU
from rivae.models.registry import METHODS, build_method
from rivae.models.stages import Batch, Noise, Stage
from rivae.models.word_reader import N_PARTS
from rivae.runs import Run
from rivae.training import Trainer, TrainingJob
from rivae.training.distributed import Follower, Group, joined, leave

ROWS = 96
LOSS_TOLERANCE, GRADIENT_TOLERANCE = 1e-4, 1e-3  # relative, float32
RANKS_TOLERANCE = 1e-3  # of the weights that two processes and one end with
BF16_TOLERANCE = 0.1  # of the objective after training
DROPOUT = {"kind": "mlp", "hidden": [16], "activation": "relu", "dropout": 0.1}


class NotHere(Exception):  # noqa: N818 - no error
    """This machine cannot make the check; the text says why."""


@dataclass
class Finding:
    """What a check found: whether it passed, a sentence, and its figures."""

    passed: bool
    text: str
    figures: dict[str, Any] = field(default_factory=dict)


# The same loss


def short_config(method: str = "rivae", name: str = "run", **training: Any) -> RunConfig:
    """A run of a few epochs in every stage on 150 pairs of Synth, with the networks of Synth."""
    wanted: dict[str, Any] = {
        **{"init": "cos-sim-lvm", "init_epochs": 3, "ivae_epochs": 2, "anchor": None},
        **{"model_epochs": 2, "g_epochs": 2, "joint_epochs": 4, "epochs": 4, "batch_size": 16},
        # Without it correlations of few pairs turn the last bit of a number into its third digit.
        **{"regulariser": 0.1, "joint_batch_size": None},
    }
    known = METHODS[method].config_class.model_fields
    if "init_epochs" not in known:  # it can start in closed form alone
        wanted.pop("init")
    return make_config(
        "synth",
        method,
        name=name,
        dataset_settings={"n_pairs": 150},
        method_settings={key: value for key, value in wanted.items() if key in known},
        training={"checkpoint_seconds": 0, "precision": "float32", **training},
    )


class _SameNoise(Noise):
    """Random numbers of the CPU on every device."""

    def __init__(self, device: torch.device) -> None:
        super().__init__([torch.Generator().manual_seed(5)], stacked=False)
        self.device = device

    def integers(self, high: int, shape: tuple[int, ...]) -> Tensor:
        return super().integers(high, shape).to(self.device)


def _batch(method: Method, data: PairedDataset, stage: Stage, device: torch.device) -> Batch:
    """What ``stage`` is given of the first training rows, with made-up targets."""

    def made(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=torch.Generator().manual_seed(8)).to(device)

    rows = data.splits["train"][:ROWS]
    n = len(rows)
    batch = Batch(stage=stage.name, progress=0.3, noise=_SameNoise(device))
    x1, x2 = data.x1.batch(rows).to(device), data.x2.batch(rows).to(device)
    if stage.cached:
        batch.v1, batch.v2 = (v.detach() for v in method.embeddings(x1, x2))
    else:
        batch.x1, batch.x2 = x1, x2
    if stage.needs_target:
        batch.target = torch.nn.functional.normalize(made(n, method.dim_v), dim=-1)
    if stage.needs_coordinates:
        batch.coordinates = made(n, method.n_components)
    if stage.needs_words:
        batch.words = made(n, N_PARTS)
    return batch


def loss_and_gradient(
    config: RunConfig, data: PairedDataset, device: torch.device
) -> dict[str, tuple[float, Tensor]]:
    """By stage the objective of one batch, and its gradient as one vector on the CPU."""
    choice, shapes = config.method, (data.x1.shape, data.x2.shape)
    found = {}
    for i, name in enumerate(
        s.name for s in build_method(choice.name, choice.settings, *shapes).stages()
    ):
        method = build_method(choice.name, choice.settings, *shapes).to(device).train()
        for module in method.modules():
            if isinstance(module, Dropout):  # each device draws its own masks
                module.p = 0.0
        stage = method.stages()[i]
        objective = method.loss(_batch(method, data, stage, device))["objective"].sum()
        objective.backward()
        weights = [p for group in method.param_groups(stage.name) for p in group.parameters]
        flat = [p.grad.reshape(-1).cpu() for p in weights if p.grad is not None]
        found[name] = objective.item(), torch.cat(flat)
    return found


def same_loss(device: torch.device, method: str) -> Finding:
    """Loss and gradient of every stage of ``method``, on the CPU and on ``device``."""
    config = short_config(method)
    data = load_dataset(config.dataset.name, **config.dataset.settings)
    ours = loss_and_gradient(config, data, torch.device("cpu"))
    theirs = loss_and_gradient(config, data, device)
    losses, gradients = [], []
    for stage, (loss, gradient) in ours.items():
        other, other_gradient = theirs[stage]
        losses.append(abs(loss - other) / max(abs(loss), 1e-6))
        difference = (gradient - other_gradient).norm() / gradient.norm().clamp_min(1e-12)
        gradients.append(float(difference))
    # NaN passes no comparison.
    passed = all(x <= LOSS_TOLERANCE for x in losses)
    passed = passed and all(x <= GRADIENT_TOLERANCE for x in gradients)
    return Finding(
        passed,
        f"{len(losses)} stages; largest relative difference: loss {_largest(losses):.1e}, "
        f"gradient {_largest(gradients):.1e}",
        {"stages": list(ours), "loss": losses, "gradient": gradients},
    )


def same_recurrence(device: torch.device) -> Finding:
    """The recurrent network of texts by steps on the CPU, and as it runs on ``device``."""
    drawn = torch.Generator().manual_seed(3)
    rnn = BiGRU(24, 32)
    rnn.reset([drawn])
    x, lengths = torch.randn(48, 40, 24, generator=drawn), torch.arange(48).clamp_max(40)
    direction = torch.randn(48, 64, generator=drawn)

    def found(run: Callable[..., Tensor], device: torch.device) -> Tensor:
        given = x.to(device, copy=True).requires_grad_()
        out = run(given, lengths.to(device))
        (out * direction.to(device)).sum().backward()
        flat = [given.grad, *(p.grad for p in rnn.parameters())]
        return torch.cat(
            [out.detach().cpu().reshape(-1), *(g.cpu().reshape(-1) for g in flat if g is not None)]
        )

    ours = found(rnn.by_steps, torch.device("cpu"))
    rnn.zero_grad()
    rnn.to(device)
    # TF32, a card's own shorter products, would hide a mistake of that size.
    with torch.backends.cudnn.flags(enabled=True, allow_tf32=False):
        theirs = found(rnn.forward, device)
    apart = float((ours - theirs).norm() / ours.norm())
    moved = torch.func.jvp(lambda x: rnn(x, lengths.to(device)), (x.to(device),), (x.to(device),))
    derives = bool(moved[1].isfinite().all())
    return Finding(
        apart <= LOSS_TOLERANCE and derives,
        f"relative difference of states and gradient: {apart:.1e}; its derivative "
        + ("can be taken" if derives else "is not finite"),
        {"apart": apart},
    )


def _largest(values: Sequence[float]) -> float:
    return float(np.max(values))


# Training


def fit(
    config: RunConfig,
    data: PairedDataset,
    root: Path,
    *,
    resume: bool = False,
    listener: Callable[[dict[str, Any]], None] | None = None,
    tick: Callable[[], None] | None = None,
    group: Group | None = None,
) -> Run:
    """Train ``config`` in a folder below ``root``, or go on there; nothing is validated."""
    path = root / config.name
    if group is not None and not group.leads:
        run: Run = Follower(path, config)
    else:
        run = Run(path) if resume else Run.create(config, root)
    Trainer([TrainingJob(run, data)], listener=listener, tick=tick, group=group).fit(resume=resume)
    return run


def stop_after(epochs: int) -> Callable[[dict[str, Any]], None]:
    """A listener that ends the training with that epoch."""

    def listen(row: dict[str, Any]) -> None:
        if row.get("epoch") == epochs:
            raise KeyboardInterrupt

    return listen


def weights_apart(a: Run, b: Run) -> float:
    """The relative distance of all weights of two runs; infinite where their names differ."""
    ours, theirs = (load_weights(run.path / "model.safetensors") for run in (a, b))
    if ours.keys() != theirs.keys():
        return float("inf")
    one, other = (
        torch.cat([w[k].double().reshape(-1) for k in sorted(ours)]) for w in (ours, theirs)
    )
    return float((one - other).norm() / one.norm())


def same_resumed(device: torch.device, root: Path, epochs: Sequence[int] = (1, 3, 5, 8)) -> Finding:
    """A run with dropout of nine epochs, stopped and resumed, beside two that are not.

    Args:
        epochs: after which it is stopped; the first, the ends of two stages and the last but one.
    """
    config = short_config(device=str(device))
    settings = {**config.method.settings, "embedder": DROPOUT}
    method = config.method.model_copy(update={"settings": settings})
    config = config.model_copy(update={"method": method})
    data = load_dataset(config.dataset.name, **config.dataset.settings)
    whole = fit(config, data, root / "whole")
    noise = weights_apart(whole, fit(config, data, root / "again"))
    apart = {}
    last = len(whole.metrics())
    for epoch in epochs:
        below = root / str(epoch)
        try:
            fit(config, data, below, listener=stop_after(epoch))
        except KeyboardInterrupt:
            apart[epoch] = weights_apart(whole, fit(config, data, below, resume=True))
    largest = _largest(list(apart.values()) or [np.nan])
    text = f"stopped after epochs {', '.join(map(str, apart))} of {last}: "
    text += "the same weights" if largest == 0 else f"weights differ by {largest:.1e}"
    if noise:
        text += f"; two runs that were not stopped differ by {noise:.1e}"
    return Finding(largest <= 10 * noise, text, {"apart": apart, "uninterrupted": noise})


def bf16(device: torch.device, root: Path) -> Finding:
    """The same run in float32 and in bfloat16."""
    data = load_dataset("synth", n_pairs=150)
    ends, types = {}, set()
    for precision in ("float32", "bf16"):
        run = fit(short_config(name=precision, device=str(device), precision=precision), data, root)
        ends[precision] = run.metrics()[-1]["objective"]
        types |= {w.dtype for w in load_weights(run.path / "model.safetensors").values()}
    apart = abs(ends["bf16"] - ends["float32"]) / abs(ends["float32"])
    chosen = number_format("auto", device)
    # Equal objectives would mean that nothing was computed in bfloat16.
    return Finding(
        0 < apart < BF16_TOLERANCE and torch.bfloat16 not in types,
        f"objective after training {ends['float32']:.4g} in float32, {ends['bf16']:.4g} in "
        f"bfloat16; auto chooses {chosen} here",
        {**ends, "auto": chosen},
    )


def two_processes(device: torch.device, root: Path, limit_s: float) -> Finding:
    """One run by two processes, on a card each, beside the same run by one."""
    if device.type == "cuda" and torch.cuda.device_count() < 2:
        raise NotHere("one card")
    config = short_config(name="shared", device=device.type)
    data = load_dataset(config.dataset.name, **config.dataset.settings)
    alone = fit(config, data, root / "one")
    together = root / "two"
    together.mkdir()
    text = together / "config.json"
    text.write_text(config.model_dump_json(), encoding="utf-8")
    env = {**os.environ, "WORLD_SIZE": "2", "RIVAE_MEETING": str(together / "meeting")}
    program = Path(__file__).with_name("gpu.py")
    workers, said = [], together / "said"
    with said.open("w", encoding="utf-8") as stream:
        for rank in "01":
            own = {**env, "RANK": rank, "LOCAL_RANK": rank}
            line = [sys.executable, str(program), "--worker", str(text)]
            workers.append(subprocess.Popen(line, env=own, stdout=stream, stderr=stream))
    ends = time.monotonic() + limit_s
    try:
        codes = [worker.wait(timeout=max(ends - time.monotonic(), 1)) for worker in workers]
    except subprocess.TimeoutExpired:
        return Finding(False, f"two processes had not ended after {limit_s:.0f} s")
    finally:
        for worker in workers:
            worker.kill()
            worker.wait()
    if any(codes):
        last = (said.read_text(encoding="utf-8").strip().splitlines() or ["no output"])[-1]
        return Finding(False, f"a process ended with {codes}: {last[:200]}")
    apart = weights_apart(alone, Run(together / "shared"))
    text_of = f"weights differ from those of one process by {apart:.1e}"
    return Finding(apart <= RANKS_TOLERANCE, text_of, {"apart": apart})


def work(path: Path) -> None:
    """One of the processes of ``two_processes``."""
    config = RunConfig.model_validate(json.loads(path.read_text(encoding="utf-8")))
    with joined(config.training.device) as group:
        data = load_dataset(config.dataset.name, **config.dataset.settings)
        fit(config, data, path.parent, group=group)
        group.wait()
    leave(0)
