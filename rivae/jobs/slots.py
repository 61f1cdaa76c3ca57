"""Where trainings can run on this machine: one slot for the CPU and one per graphics card."""

from __future__ import annotations

import os
import shutil
import subprocess

CPU_SLOTS = "RIVAE_CPU_SLOTS"
MAX_CPU_SLOTS = 64


def machine_slots() -> tuple[str, ...]:
    """ "cpu" (or "cpu", "cpu:1", … as ``RIVAE_CPU_SLOTS`` says) and "gpu:0", "gpu:1", …

    Asks the driver's own program: CUDA must not be started in a process that starts others.
    """
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
        done = subprocess.run(
            [program, "--list-gpus"], capture_output=True, text=True, timeout=20, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return 0
    return sum(line.startswith("GPU ") for line in done.stdout.splitlines())


def choose_slots(free: tuple[str, ...], wants_gpu: bool, processes: int) -> tuple[str, ...] | None:
    """The slots for a run, or None while there are too few free ones."""
    kind = [slot for slot in free if slot.startswith("gpu" if wants_gpu else "cpu")]
    # Processes of one run on the CPU share one slot: they only serve to try what many cards do.
    needed = processes if wants_gpu else 1
    return tuple(kind[:needed]) if len(kind) >= needed else None
