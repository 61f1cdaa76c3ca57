"""Where runs are kept, and how one is found among them."""

from __future__ import annotations

import os
from pathlib import Path

from rivae.errors import RunError
from rivae.installed import APP_FILES
from rivae.runs.run import Run

ROOT_VARIABLE = "RIVAE_RUNS"
DEMO_ROOT = APP_FILES / "assets" / "demo"


def runs_root() -> Path:
    """Where new runs are written: ``$RIVAE_RUNS`` or ``./runs``."""
    return Path(os.environ.get(ROOT_VARIABLE) or "runs")


def default_roots() -> list[Path]:
    """Where runs are looked for: where new ones are written, then the demo runs."""
    return [runs_root(), DEMO_ROOT]


def is_read_only(run: Run) -> bool:
    """Whether nothing must be added to the run's folder: a demo run's, or one without the right."""
    folder = run.path.resolve()
    return folder.is_relative_to(DEMO_ROOT.resolve()) or not os.access(folder, os.W_OK)


def list_runs(roots: list[Path] | None = None) -> list[Run]:
    """All run folders, newest first; damaged ones too (their properties raise RunError)."""
    found: dict[str, Run] = {}
    for root in roots or default_roots():
        try:
            paths = list(root.iterdir())
        except OSError:
            continue  # not there, no folder, or not ours to read
        for path in paths:
            hidden = path.name.startswith(".")
            if not hidden and path.name not in found and is_run_folder(path):
                found[path.name] = Run(path)
    return sorted(found.values(), key=lambda run: (-_time(run.path), run.id))


def is_run_folder(path: Path) -> bool:
    """Whether ``path`` holds a configuration, be it a damaged one; any text may be asked about."""
    try:
        return (path / "config.json").is_file()
    except (OSError, ValueError):  # too long for a name, without the right, or with a NUL
        return False


def _time(path: Path) -> float:
    try:
        return (path / "status.json").stat().st_mtime
    except OSError:
        return 0.0


def find_run(id_or_path: str, roots: list[Path] | None = None) -> Run:
    """The run with this id below ``roots``, or at this path.

    Raises:
        RunError: when there is none.
    """
    for run in list_runs(roots):
        if run.id == id_or_path:
            return run
    path = Path(id_or_path)
    if is_run_folder(path):
        return Run(path)
    raise RunError(f"there is no run '{id_or_path[:120]}': choose one of the list of runs")
