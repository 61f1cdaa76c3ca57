"""What ``benchmarks/gpu.py`` reads and times: the card, a step of training, epochs on food.

The timed models have random weights and, but for the food, random items: only their sizes matter.
"""

from __future__ import annotations

import contextlib
import importlib.util
import statistics
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.gpu_checks import Finding, NotHere, fit
from rivae.base.config import DatasetConfig, MethodChoice, RunConfig, training_config
from rivae.base.errors import RivaeError
from rivae.data import PairedDataset, TensorView, View, load_dataset
from rivae.data.tokenizer import newest
from rivae.data.tokens import LENGTH, RESERVED, TokensView
from rivae.data.vocabulary import counted
from rivae.jobs.devices import CardUse, cards_use, machine_slots
from rivae.jobs.launch import make_config
from rivae.models.presets import preset_for
from rivae.models.presets.by_shape import by_shape
from rivae.models.presets.datasets.pairs import PRESETS as PAIRS
from rivae.models.registry import method_config
from rivae.runs import Run

Task = tuple[MethodChoice, PairedDataset]

# RIVAE's last stage from the first step on.
JOINT_ONLY: dict[str, Any] = {
    "init": "none",
    "anchor": None,
    "ivae_epochs": 0,
    "joint_epochs": 10_000,
}


class _Steps:
    """Notes the time before every step; ends the training after ``most`` steps or ``limit_s``."""

    def __init__(self, device: torch.device, limit_s: float, most: int) -> None:
        self.device, self.most, self.ends = device, most, time.monotonic() + limit_s
        self.times: list[float] = []

    def __call__(self) -> None:
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)
        self.times.append(time.monotonic())
        if len(self.times) > self.most or (len(self.times) > 3 and self.times[-1] > self.ends):
            raise KeyboardInterrupt

    def seconds(self) -> float:
        """The median of a step, without the first two."""
        times = self.times[2:] if len(self.times) > 4 else self.times[1:]
        return statistics.median(b - a for a, b in pairwise(times))


def card_reading(cards: Sequence[CardUse], slots: Sequence[str], name: str, memory: int) -> Finding:
    """What the Train page reads of the cards, beside PyTorch's name and bytes of one of them."""
    alike = [c for c in cards if c.name == name and abs(c.memory_total / memory - 1) < 0.1]
    seen = "; ".join(f"{c.name}, {c.memory_total / 2**30:.0f} GiB" for c in cards) or "no card"
    places = sum(slot.startswith("gpu:") for slot in slots)
    return Finding(
        bool(alike) and places == len(cards),
        f"the page reads {seen}, places for trainings: {places}; PyTorch says {name}, "
        f"{memory / 2**30:.0f} GiB",
        {"cards": [vars(c) for c in cards], "slots": list(slots)},
    )


def synth_task(batch: int = 64) -> Task:
    """The networks of Synth."""
    config = make_config("synth", name="s", method_settings={**JOINT_ONLY, "batch_size": batch})
    return config.method, load_dataset("synth", **config.dataset.settings)


def picture_task(batch: int = 64, side: int = 64) -> Task:
    """The small residual network on pictures, and texts as counts of words."""
    settings = preset_for(by_shape((3, side, side), (1000,)), "rivae").method
    n = 2 * batch + 2
    words = torch.rand(n, 1000, generator=torch.Generator().manual_seed(1))
    return _task(settings, batch, side, TensorView(words))


def recipe_task(batch: int = 64, side: int = 224) -> Task:
    """ResNet-50 with attention on pictures, and the recurrent network on texts."""
    numbers = np.random.default_rng(0).integers(RESERVED, 5000, (2 * batch + 2, LENGTH))
    known = counted(newest(), tuple(f"word{i}" for i in range(5000)))
    texts = TokensView(numbers.astype(np.uint16), known)
    settings = preset_for(PAIRS, "rivae", "paper").method
    return _task(settings, batch, side, texts)


def _task(settings: dict[str, Any], batch: int, side: int, texts: View) -> Task:
    n, drawn = len(texts), torch.Generator().manual_seed(2)
    pictures = torch.randint(0, 256, (n, 3, side, side), dtype=torch.uint8, generator=drawn)
    rows = np.arange(n)
    splits = {"train": rows[:-2], "validation": rows[-2:-1], "test": rows[-1:]}
    complete = method_config("rivae", {**settings, **JOINT_ONLY, "batch_size": batch})
    choice = MethodChoice(name="rivae", settings=complete.model_dump(mode="json"))
    x1 = TensorView(pictures)
    return choice, PairedDataset(name="random", settings={}, x1=x1, x2=texts, splits=splits)


def time_steps(
    task: Task, device: torch.device, root: Path, limit_s: float, most: int = 30
) -> tuple[float, Run]:
    """Seconds of one training step (median), in the number format that "auto" takes there."""
    choice, data = task
    config = RunConfig(
        name=f"speed-{device.type}",
        dataset=DatasetConfig(name="random"),
        method=choice,
        training=training_config({"device": str(device), "precision": "auto"}),
    )
    clock = _Steps(device, limit_s, most)
    with contextlib.suppress(KeyboardInterrupt):
        fit(config, data, root, tick=clock)
    return clock.seconds(), Run(root / config.name)


def speed(
    make: Callable[[int], Task],
    batches: tuple[int, int],
    device: torch.device,
    root: Path,
    limit_s: float,
) -> Finding:
    """Seconds of a pair in a step on ``device`` and on a single core of the CPU.

    Args:
        batches: pairs in a step there and here.
    """
    fast, run = time_steps(make(batches[0]), device, root / "device", limit_s / 3)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        cpu = torch.device("cpu")
        slow, _ = time_steps(make(batches[1]), cpu, root / "core", limit_s * 2 / 3)
    finally:
        torch.set_num_threads(threads)
    times = (slow / batches[1]) / (fast / batches[0])
    return Finding(
        bool(np.isfinite(times)),
        f"a step of {batches[0]} pairs takes {1000 * fast:.3g} ms in {run.status.precision}, one "
        f"of {batches[1]} on one core of the CPU {1000 * slow:.3g} ms: {times:.3g} times the time "
        "of a pair",
        {"device_s": fast, "core_s": slow, "batches": batches, "precision": run.status.precision},
    )


def food(device: torch.device, root: Path, store: str, limit_s: float) -> Finding:
    """The paper's ResNet and RNN on imported pairs, from random weights, until time is up.

    Words start as vectors of their texts where gensim is there to find them.
    """
    vectors = importlib.util.find_spec("gensim") is not None
    try:
        config = make_config(
            store,
            preset="paper",
            name="food",
            dataset_settings={} if vectors else {"word_vectors": "none"},
            training={"device": str(device), "precision": "auto"},
        )
        data = load_dataset(config.dataset.name, **config.dataset.settings)
    except RivaeError as error:
        raise NotHere(str(error)) from None
    clock = _Steps(device, limit_s, 10**9)
    with contextlib.suppress(KeyboardInterrupt):
        fit(config, data, root, tick=clock)
    run = Run(root / "food")
    rows = run.metrics()
    steps = len(clock.times) - 1
    losses = [row["objective"] for row in rows]
    text = f"{steps} steps, {len(rows)} whole epochs of {run.status.total_epochs}"
    text += f", {1000 * clock.seconds():.3g} ms a step in {run.status.precision}"
    if losses:
        text += f", objective {losses[0]:.4g} after the first and {losses[-1]:.4g} after the last"
    text += "" if vectors else ", words from random vectors"
    if device.type == "cuda":
        text += f", {torch.cuda.max_memory_reserved(device) / 2**30:.1f} GiB of the card"
    finite = bool(np.isfinite(losses).all())
    figures = {"steps": steps, "epochs": len(rows), "objective": losses, "pairs": len(data.x1)}
    return Finding(steps > 3 and finite, text, figures)


def read_cards(device: torch.device) -> Finding:
    """``card_reading`` of this machine."""
    if device.type != "cuda":
        raise NotHere("there is no card")
    card = torch.cuda.get_device_properties(device)
    return card_reading(cards_use(), machine_slots(), card.name, card.total_memory)
