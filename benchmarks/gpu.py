"""Checks training on a graphics card: the numbers of the CPU, resuming, bfloat16, two cards, speed.

``python benchmarks/gpu.py`` needs a CUDA card and at most ten minutes (``--seconds``). It writes
``benchmarks/results/gpu.md`` and ``gpu.json``: a row per check, "passed", "failed" or "not possible
here", with what was measured. A check that fails does not stop the others. It needs PyTorch and the
few packages in ``NEEDED``, nothing of the app.

``--device cpu --out FOLDER`` rehearses it on a machine without a card, into another folder.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).parents[1]))  # runs from a clone, installed or not

if TYPE_CHECKING:
    import torch

    from benchmarks.gpu_checks import Finding

RESULTS = Path(__file__).parent / "results"
# By module: what to install.
NEEDED = {
    "torch": "torch",
    "numpy": "numpy",
    "pydantic": "'pydantic>=2.14,<3'",
    "PIL": "pillow",
    "pyarrow": "pyarrow",
    "safetensors": "safetensors",
}
SECONDS, GRACE = 540.0, 40.0
NO_CARD = (
    "PyTorch sees no CUDA card here, so nothing was checked and no file was changed: run this "
    "where torch.cuda.is_available() is true, or rehearse it with --device cpu --out FOLDER."
)
NO_OUT = "A rehearsal on the CPU is no result: name another folder with --out."
PASSED, FAILED, NOT_HERE = "passed", "failed", "not possible here"


@dataclass
class Row:
    """One check; ``state`` is one of the three words above."""

    check: str
    state: str
    measured: str
    seconds: float = 0.0
    figures: dict[str, Any] = field(default_factory=dict)


Check = tuple[str, "Callable[[], Finding]"]


def missing(found: Callable[[str], Any] = importlib.util.find_spec) -> str:
    """A sentence with the packages that are not installed; "" where all are."""
    names = [name for module, name in NEEDED.items() if found(module) is None]
    if not names:
        return ""
    packages = " ".join(names)
    return (
        f"These checks also need {packages}: pip install {packages} (for a machine without a "
        "network: pip download it elsewhere, then pip install --no-index --find-links FOLDER)."
    )


def run_checks(
    checks: list[Check],
    left: Callable[[], float],
    keep: Callable[[list[Row]], None],
    tell: Callable[[str], None] = print,
) -> list[Row]:
    """Make each check while time is ``left``; ``keep`` is called with the rows so far."""
    from benchmarks.gpu_checks import NotHere

    rows: list[Row] = []
    for i, (title, check) in enumerate(checks):
        tell(f"[{i + 1} of {len(checks)}] {title} … ({max(left(), 0):.0f} s left)")
        began = time.monotonic()
        if left() <= 0:
            row = Row(title, NOT_HERE, "no time was left: raise --seconds")
        else:
            try:
                found = check()
                row = Row(title, PASSED if found.passed else FAILED, found.text)
                row.figures = found.figures
            except NotHere as reason:
                row = Row(title, NOT_HERE, str(reason))
            except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - the others go on
                said = (str(error).strip().splitlines() or ["no message"])[0]
                row = Row(title, FAILED, f"{type(error).__name__}: {said[:300]}")
        row.seconds = round(time.monotonic() - began, 2)
        rows.append(row)
        tell(f"    {row.state}: {row.measured}")
        keep(rows)
    return rows


def all_checks(
    device: torch.device, root: Path, left: Callable[[], float], store: str
) -> list[Check]:
    """Every check by its title, the longest last."""
    from benchmarks import gpu_checks as checks
    from benchmarks import gpu_speed as speed
    from rivae.models.registry import METHODS

    def part(share: float, most: float) -> float:
        return max(min(share * left(), most), 1.0)

    def timed(make: Any, batches: tuple[int, int], name: str) -> Callable[[], Finding]:
        return lambda: speed.speed(make, batches, device, root / name, part(0.3, 90.0))

    same = [
        (f"Same loss and gradient: {METHODS[m].title}", partial(checks.same_loss, device, m))
        for m in METHODS
    ]
    # A rehearsal times the machinery, not the networks of a large card.
    small = device.type == "cpu"
    sizes = [(64, 64), (8, 4) if small else (256, 16), (2, 2) if small else (64, 4)]
    side = {"side": 32} if small else {}
    return [
        ("Reading of the card", partial(speed.read_cards, device)),
        *same,
        ("Same recurrent network", partial(checks.same_recurrence, device)),
        ("Resume on the card", lambda: checks.same_resumed(device, root / "resume")),
        ("bfloat16", lambda: checks.bf16(device, root / "bf16")),
        (
            "Two processes on two cards",
            lambda: checks.two_processes(device, root / "two", part(0.5, 150.0)),
        ),
        ("Speed: networks of Synth", timed(speed.synth_task, sizes[0], "synth")),
        ("Speed: small ResNet", timed(partial(speed.picture_task, **side), sizes[1], "small")),
        (
            "Speed: ResNet-50 and recipe RNN",
            timed(partial(speed.recipe_task, **side), sizes[2], "paper"),
        ),
        (
            "ResNet-50 and recipe RNN on food",
            lambda: speed.food(device, root / "food", store, max(left(), 1.0)),
        ),
    ]


def machine(device: torch.device) -> dict[str, str]:
    """What the table says about the machine."""
    import torch

    import rivae

    found = {
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "rivae": rivae.__version__,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "system": f"{platform.system()} {platform.release()}, {platform.machine()}",
        "cores": str(os.cpu_count()),
        "device": "CPU, a rehearsal",
    }
    if device.type == "cuda":
        card = torch.cuda.get_device_properties(device)
        found["device"] = f"{torch.cuda.device_count()} × {card.name}"
        found["memory"] = f"{card.total_memory / 2**30:.1f} GiB"
        found["capability"] = f"{card.major}.{card.minor}"
        found["cuda"] = str(torch.version.cuda)
        found["driver"] = _driver()
    return found


def _driver() -> str:
    program = shutil.which("nvidia-smi")
    if program is None:
        return "unknown"
    line = [program, "--query-gpu=driver_version", "--format=csv,noheader"]
    try:
        done = subprocess.run(line, capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return "unknown"
    return (done.stdout.splitlines() or ["unknown"])[0].strip()


def write(folder: Path, about: dict[str, str], rows: list[Row], planned: int) -> None:
    """The table and its figures, whole at every moment."""
    from rivae.base.files import write_atomic

    count = {state: sum(row.state == state for row in rows) for state in (PASSED, FAILED, NOT_HERE)}
    lines = [
        "# Training on a graphics card",
        "",
        "Made by `python benchmarks/gpu.py`. "
        + "; ".join(f"{key} {value}" for key, value in about.items())
        + ".",
        "",
        ", ".join(f"{n} {state}" for state, n in count.items())
        + (f"; {planned - len(rows)} of {planned} not run." if len(rows) < planned else "."),
        "",
        "| check | | measured | s |",
        "|---|---|---|---|",
    ]
    for row in rows:
        measured = " ".join(row.measured.replace("|", "/").split())
        lines.append(f"| {row.check} | {row.state} | {measured} | {row.seconds:.1f} |")
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"machine": about, "rows": [asdict(row) for row in rows]}, indent=1)
    write_atomic(folder / "gpu.json", (text + "\n").encode())
    write_atomic(folder / "gpu.md", ("\n".join(lines) + "\n").encode())


def main(words: list[str] | None = None) -> int:
    """Make every check and write the table; 0 where none failed."""
    parser = argparse.ArgumentParser(description="Check training on a CUDA card.")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="limit of the whole command")
    parser.add_argument("--pairs", default="food", help="imported pairs, by their name")
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"), help="cpu: rehearse")
    parser.add_argument("--out", type=Path, help="folder of the table (default: the results)")
    parser.add_argument("--worker", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args(words)
    ends = time.monotonic() + options.seconds
    if sentence := missing():
        print(sentence)
        return 2
    if options.worker:
        from benchmarks.gpu_checks import work

        work(options.worker)
    out = options.out or RESULTS
    if options.device == "cpu" and out.resolve() == RESULTS.resolve():
        print(NO_OUT)
        return 2
    print("starting PyTorch …", flush=True)
    import torch

    if options.device == "cuda" and not torch.cuda.is_available():
        print(NO_CARD)
        return 2
    device = torch.device(options.device, 0 if options.device == "cuda" else None)
    tell = partial(print, flush=True)
    about, rows = machine(device), list[Row]()
    with tempfile.TemporaryDirectory(prefix="rivae-gpu-") as folder:
        left = lambda: ends - time.monotonic()  # noqa: E731
        checks = all_checks(device, Path(folder), left, options.pairs)

        def keep(so_far: list[Row]) -> None:
            rows[:] = so_far
            write(out, about, so_far, len(checks))

        def give_up() -> None:
            """A card may hang where nothing can interrupt it; the rows so far are written."""
            title = checks[min(len(rows), len(checks) - 1)][0]
            said = Row(title, FAILED, "did not end in time")
            write(out, about, [*rows, said], len(checks))
            print(f"    {said.state}: {said.measured}", flush=True)
            os._exit(1)

        watchdog = threading.Timer(max(left(), 0) + GRACE, give_up)
        watchdog.daemon = True
        watchdog.start()
        run_checks(checks, left, keep, tell)
        watchdog.cancel()
    print(out / "gpu.md")
    return int(any(row.state == FAILED for row in rows))


if __name__ == "__main__":
    raise SystemExit(main())
