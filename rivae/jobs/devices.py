"""The CPU and the graphics cards of this machine: where trainings can run, and what they use.

One slot for the CPU (or several) and one per card. The driver is asked, since a process that starts
others must not initialise CUDA.
"""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rivae.jobs.locks import holder

CPU_SLOTS = "RIVAE_CPU_SLOTS"
MAX_CPU_SLOTS = 64


def machine_slots() -> tuple[str, ...]:
    """ "cpu" (or "cpu", "cpu:1", … as ``RIVAE_CPU_SLOTS`` says) and "gpu:0", "gpu:1", …"""
    try:
        n = min(max(int(os.environ.get(CPU_SLOTS, "1")), 0), MAX_CPU_SLOTS)
    except ValueError:
        n = 1
    cpus = tuple(f"cpu:{i}" if i else "cpu" for i in range(n))
    return cpus + tuple(f"gpu:{i}" for i in range(_count_cards()))


def _count_cards() -> int:
    program = shutil.which("nvidia-smi")
    if program is None:
        return 0
    try:
        process = subprocess.run(
            [program, "--list-gpus"], capture_output=True, text=True, timeout=20, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return 0
    return sum(line.startswith("GPU ") for line in process.stdout.splitlines())


def choose_slots(free: tuple[str, ...], wants_gpu: bool, processes: int) -> tuple[str, ...] | None:
    """The slots for a run, or None while too few are free."""
    kind = [slot for slot in free if slot.startswith("gpu" if wants_gpu else "cpu")]
    # Processes of one run on the CPU share one slot: they only test training on many cards.
    n_slots = processes if wants_gpu else 1
    return tuple(kind[:n_slots]) if len(kind) >= n_slots else None


KEEP_S = 2.0  # seconds for which a reading of the cards is cached
_GB = 1024**3


@dataclass(frozen=True)
class CardUse:
    """One graphics card: how busy it is, in [0, 1], and its memory in bytes."""

    index: int
    name: str
    busy: float
    memory_used: int
    memory_total: int


@dataclass(frozen=True)
class TrainerUse:
    """The processes of a trainer together.

    Attributes:
        cores: processor cores in use, since the last call (or since they started).
        memory: bytes of main memory.
        processes: how many there are.
    """

    cores: float
    memory: int
    processes: int


_lock = threading.Lock()
_cards: tuple[float, list[CardUse]] = (-1e9, [])
_ticks: dict[int, tuple[float, float]] = {}  # by pid: time of the last call, seconds of CPU then


def cards_use() -> list[CardUse]:
    """All graphics cards of this machine, from the driver's library, else from its program."""
    global _cards
    with _lock:
        if time.monotonic() - _cards[0] > KEEP_S:
            cards = _by_library()
            _cards = time.monotonic(), _by_program() if cards is None else cards
        return _cards[1]


def _by_library() -> list[CardUse] | None:
    """None where the library or the driver is missing."""
    try:
        nvml: Any = importlib.import_module("pynvml")
    except ImportError:
        return None
    cards = []
    try:
        nvml.nvmlInit()
        for i in range(nvml.nvmlDeviceGetCount()):
            card = nvml.nvmlDeviceGetHandleByIndex(i)
            memory, name = nvml.nvmlDeviceGetMemoryInfo(card), nvml.nvmlDeviceGetName(card)
            try:
                busy = nvml.nvmlDeviceGetUtilizationRates(card).gpu / 100
            except nvml.NVMLError:  # e.g. a card shared out in instances
                busy = float("nan")
            name = name.decode() if isinstance(name, bytes) else str(name)
            cards.append(CardUse(i, name, busy, int(memory.used), int(memory.total)))
    except (nvml.NVMLError, OSError):
        return None
    return cards


def _by_program() -> list[CardUse]:
    program = shutil.which("nvidia-smi")
    if program is None:
        return []
    query = "index,name,utilization.gpu,memory.used,memory.total"
    try:
        process = subprocess.run(
            [program, f"--query-gpu={query}", "--format=csv,noheader,nounits"],
            capture_output=True,
            text=True,
            timeout=5,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return []
    return [card for card in map(read_card, process.stdout.splitlines()) if card is not None]


def read_card(line: str) -> CardUse | None:
    """A line of nvidia-smi, "0, NVIDIA H200, 97, 1234, 143771" with MiB; None for other lines."""
    parts = [part.strip() for part in line.split(",")]
    if len(parts) < 5:
        return None
    try:
        index, in_use, total = int(parts[0]), float(parts[-2]), float(parts[-1])
    except ValueError:
        return None
    try:
        busy = float(parts[-3]) / 100
    except ValueError:  # "[N/A]"
        busy = float("nan")
    name = ", ".join(parts[1:-3])
    return CardUse(index, name, busy, int(in_use * 2**20), int(total * 2**20))


def trainer_use(folder: Path, job_id: str) -> TrainerUse | None:
    """Use by the trainers of a job whose locks are in ``folder``; None where none is running, or
    where the system has no /proc.
    """
    pids = [holder(path) for path in sorted(folder.glob(f"{job_id}.rank*.lock"))]
    uses = [use for pid in pids if pid is not None and (use := _process(pid)) is not None]
    if not uses:
        return None
    return TrainerUse(sum(cores for cores, _ in uses), sum(memory for _, memory in uses), len(uses))


def _process(pid: int) -> tuple[float, int] | None:
    """Cores and bytes of a process."""
    try:
        # The name, in brackets, may hold anything.
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
        uptime = float(Path("/proc/uptime").read_text().split()[0])
        hertz = os.sysconf("SC_CLK_TCK")
        cpu_seconds = (int(fields[11]) + int(fields[12])) / hertz
        age = max(uptime - int(fields[19]) / hertz, 0.01)
        memory = pages * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return None
    now = time.monotonic()
    with _lock:
        before = _ticks.get(pid)
        if before is not None and cpu_seconds < before[1]:
            before = None  # the pid was reused
        if before is None or now - before[0] > 0.5:
            if len(_ticks) > 256:
                _ticks.clear()
            _ticks[pid] = now, cpu_seconds
    if before is not None and now - before[0] > 0.05:
        return (cpu_seconds - before[1]) / (now - before[0]), memory
    return cpu_seconds / age, memory


def use_text(trainer: TrainerUse | None, cards: list[CardUse]) -> str:
    """Use of CPU, memory and cards as text; "" where nothing is known."""
    parts = []
    if trainer is not None:
        parts.append(f"{trainer.cores:.1f} CPU cores, {trainer.memory / _GB:.1f} GB of memory")
    for card in cards:
        busy = f"{card.busy:.0%} busy, " if card.busy == card.busy else ""
        memory = f"{card.memory_used / _GB:.1f} of {card.memory_total / _GB:.0f} GB"
        parts.append(f"{card.name}: {busy}{memory}")
    return " · ".join(parts)
