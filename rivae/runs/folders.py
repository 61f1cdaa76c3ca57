"""Where runs are kept, how one is found, and which folders may be changed, renamed or deleted.

``config.json`` is a common name: a folder that holds one is listed, but changed only when its
other files show that it is a run.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path

from rivae.base.config import RUN_NAME, free_name, read_config
from rivae.base.errors import ConfigError, RunError, shown
from rivae.base.files import is_folder
from rivae.base.installed import APP_FILES
from rivae.base.paths import home_path, variable_path
from rivae.base.reading.regular import is_file
from rivae.runs.data_record import DATA, VOCABULARY
from rivae.runs.evaluation_file import FILES
from rivae.runs.run import Run

ROOT_VARIABLE = "RIVAE_RUNS"
DEMO_ROOT = APP_FILES / "assets" / "demo"
# The most instructive first: pages open it by default. Folder times are arbitrary in a clone.
DEMOS = (
    "demo-kitchen",
    "demo-sprites",
    "demo-digits",
    "demo-kitchen-cos-sim-lvm",
    "demo-sprites-cos-sim-lvm",
    "demo-synth",
)


def runs_root() -> Path:
    """Where new runs are written: ``$RIVAE_RUNS`` or ``./runs``."""
    return variable_path(ROOT_VARIABLE, "runs")


def default_roots() -> list[Path]:
    """The folders that are searched for runs: the one for new runs, then the demo runs."""
    return [runs_root(), DEMO_ROOT]


def is_taken(name: str, root: Path) -> bool:
    """Whether a run in ``root`` or a demo run has this name: links need unique names."""
    return os.path.lexists(root / name) or is_demo_name(name)


def is_demo_name(name: str) -> bool:
    """Whether a run of this name comes with the project."""
    return has_config(DEMO_ROOT / name)


def require_free_name(name: str, root: Path, taken: bool = False) -> None:
    """RunError when a run in ``root``, a demo run, or (``taken``) one elsewhere has this name."""
    if not taken and not is_taken(name, root):
        return
    why = "comes with the project" if is_demo_name(name) else "already exists"
    other = free_name(name, lambda other_name: other_name == name or is_taken(other_name, root))
    raise RunError(f"a run named {name} {why}: choose another name, such as {other}")


def is_demo(run: Run) -> bool:
    """Whether the run comes with the project, in its copy of ``assets/demo``."""
    return run.path.resolve().is_relative_to(DEMO_ROOT.resolve())


def is_read_only(run: Run) -> bool:
    """Whether the run's folder must not change: a demo run, or one that cannot be written."""
    return is_demo(run) or not os.access(run.path.resolve(), os.W_OK)


def writable_file(run: Run, name: str, folder: str) -> Path:
    """Where the file ``name`` of a run is written: into the run's folder, or of one that is
    read-only into ``folder`` beside new runs, under the key of its model.

    Raises:
        RunError: the run is read-only and has no model.
    """
    if not is_read_only(run):
        return run.path / name
    return runs_root() / folder / f"{run.id}-{run.model_key}.json"


def current_file(run: Run, name: str, folder: str) -> Path | None:
    """The file of ``writable_file``, or that which came with the run; None if there is none."""
    paths = (writable_file(run, name, folder), run.path / name)
    return next((path for path in paths if is_file(path)), None)


def list_runs(roots: list[Path] | None = None) -> list[Run]:
    """All run folders, newest first, then the demo runs in their order; damaged ones too (their
    properties raise RunError). A demo run gets another id if an older run has its name.
    """
    runs: dict[str, Run] = {}
    for root in roots or default_roots():
        try:
            paths = list(root.iterdir())
        except OSError:
            continue  # not there, no folder, or not ours to read
        for path in paths:
            is_hidden = path.name.startswith(".")
            if is_hidden or not _is_listed(path):
                continue
            run = Run(path)
            if run.id in runs and root == DEMO_ROOT:
                run.id = free_name(f"{run.id}-bundled", runs.__contains__)
            runs.setdefault(run.id, run)
    return sorted(runs.values(), key=_order)


def _order(run: Run) -> tuple[int, float, str]:
    if run.path.parent == DEMO_ROOT and run.path.name in DEMOS:
        return 1, DEMOS.index(run.path.name), run.id
    return 0, -_time(run.path), run.id


def _is_listed(path: Path) -> bool:
    """Whether it has a configuration, or cannot be read: it may be a run."""
    try:
        return (path / "config.json").is_file()
    except OSError:
        return re.match(RUN_NAME, path.name) is not None
    except ValueError:
        return False


def has_config(path: Path) -> bool:
    """Whether ``path`` holds a configuration, also a damaged one; any text is allowed."""
    return is_file(path / "config.json")


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
    runs = {run.id: run for run in list_runs(roots)}
    if id_or_path in runs:
        return runs[id_or_path]
    with suppress(ConfigError):  # an unknown home folder: not there either
        if has_config(path := home_path(id_or_path)):
            return Run(path)
    near = get_close_matches(id_or_path[:120], runs, n=1)
    instead = f"did you mean '{near[0]}'?" if near else "`rivae runs` lists those that there are"
    raise RunError(f"there is no run '{shown(id_or_path)}': {instead}")


# The files at the top of a run's folder; hidden ones are locks and temporary files.
_FILES = frozenset(
    {
        "config.json",
        "status.json",
        DATA,
        VOCABULARY,
        "metrics.jsonl",
        "timing.jsonl",
        "model.safetensors",
        "preview.safetensors",
        *FILES.values(),
        "alignment.json",
        "axis_names.json",
        "added_axes.json",
        "selections.json",
        "steps.json",
        "about.json",
    }
)
COMES_ALONG = "{} comes with the project and stays as it is: train one of your own"
NOT_AMONG_RUNS = "{} is not in the folder of runs: name one of your runs"
_FOLDERS = frozenset({"checkpoints", "previews", "cache"})
_HIDDEN = re.compile(r"\.lock|\.about\.json\.lock|\..+\.\d+-\d+\.tmp")
# The fields that every version has written into status.json.
_STATUS = frozenset({"state", "stage", "epoch", "total_epochs", "updated"})


def is_run_folder(path: Path) -> bool:
    """Whether the files in a folder show that it is a run, also a broken one.

    It has a valid configuration; or a status as training writes it; or, if both are damaged, the
    two files and ``checkpoints`` and nothing that a run does not have.
    """
    if not is_folder(path):
        return False
    try:
        read_config(path / "config.json")
        return True
    except ConfigError:
        pass
    try:
        return Run(path).status.model_fields_set >= _STATUS
    except RunError:
        pass
    try:
        names = {child.name for child in path.iterdir() if not _HIDDEN.fullmatch(child.name)}
    except OSError:
        return False
    fits = names >= {"config.json", "status.json", "checkpoints"} and names <= _FILES | _FOLDERS
    return fits and all(is_folder(path / name) for name in names & _FOLDERS)


def own_run(run_id: str) -> Run:
    """The run with this id in the folder of runs, if it may be changed.

    Raises:
        RunError: there is none of this name (a path is no name), or see ``require_own``.
    """
    for run in list_runs():
        if run.id == run_id:
            require_own(run)
            return run
    if "/" in run_id or "\\" in run_id:
        raise RunError(f"'{shown(run_id)}' is a path: name one of your runs, as `rivae runs` does")
    raise RunError(f"there is no run '{shown(run_id)}': `rivae runs` lists all runs")


def require_own(run: Run) -> None:
    """RunError unless this is a run whose folder may be changed."""
    if is_demo(run):
        raise RunError(COMES_ALONG.format(run.id))
    if run.path.is_symlink():
        raise RunError(f"{run.id} is a link to another folder: change the run in that folder")
    if not is_folder(run.path):
        raise RunError(f"there is no run '{run.id}' any more")
    if not is_run_folder(run.path):
        raise RunError(f"{run.id} holds a config.json that is not a run's: it is not changed")
    if is_read_only(run):
        raise RunError(f"the folder of run {run.id} cannot be written: ask its owner for the right")


def require_among_runs(run: Run) -> None:
    """``require_own``, and RunError unless it is directly in the folder of runs."""
    if run.path.absolute().parent.resolve() != runs_root().resolve() or run.path.name != run.id:
        raise RunError(NOT_AMONG_RUNS.format(run.id))
    require_own(run)
