"""From an import to a model of it, with settings chosen from the data and no questions asked.

What ``rivae open`` and "Train and explore" on the Data page share. A start in closed form is solved
here and now, and what may become better than it is queued behind all others. Anything else is
trained in the queue, for a time that is said before, and opened with its first checkpoint.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rivae.app.forms.estimate import Estimate, lengths_of, probe
from rivae.app.forms.sweep import free_base
from rivae.base.config import RunConfig
from rivae.base.errors import RivaeError, RunError
from rivae.base.files import locked
from rivae.base.progress import Progress, part, silent
from rivae.data.features.contract import FEATURES
from rivae.data.features.making import make_missing
from rivae.data.sets.pairs import PAIRS
from rivae.data.store import Manifest
from rivae.data.store.features import DESCRIBED, JOIN, OWN, RICHER, feature_names, single_names
from rivae.jobs.dispatcher import ensure_dispatcher
from rivae.jobs.launch import make_config, train
from rivae.jobs.ledger import Ledger
from rivae.jobs.records import RESUMABLE, jobs_folder, make_private
from rivae.jobs.units import duration
from rivae.runs import Run, list_runs
from rivae.runs.folders import is_taken, require_free_name
from rivae.runs.refinement import refinable
from rivae.training.models import Position

# A run waits for its process, opens its data and names its axes; the app on the same cores and
# other work slow it down.
START_S, SLOWER = 15.0, 3.0
LOOK_S = 0.3
DESCRIBING = 0.8  # of the time to a model: describing the pictures takes most of it
# The start in closed form is a model already: it is shown at once, and other runs, behind all
# others in the queue, train on from it.
START_ALONE = {"joint_epochs": 0}
LATER, LAST = 1, 0


@dataclass(frozen=True)
class Quick:
    """A run that is trained on an import, and how long that takes.

    Attributes:
        config: its settings.
        known: whether it was there already, trained or not.
        words: the time from its start to its end, or "" where it is known or solved.
        ahead: runs that the queue trains before it.
        later: runs behind all others in the queue, which may become better than it.
    """

    config: RunConfig
    known: bool
    words: str = ""
    ahead: int = 0
    later: int = 0

    @property
    def name(self) -> str:
        """The name of the run."""
        return self.config.name

    @property
    def sentence(self) -> str:
        """What happens now, without a full stop."""
        if self.known:
            return f"{self.name} is there already, with the same settings"
        if not self.words:
            more = f"; {_runs(self.later)} behind it may become better" if self.later else ""
            return f"{self.name} is solved{more}"
        turn = f", after {_runs(self.ahead, 'other ')}" if self.ahead else ""
        return f"{self.name} trains for {self.words} in the queue{turn}"


def describe(folder: Path) -> str:
    """What a model of this import is trained on, for people.

    Raises:
        DataError: the import is damaged.
    """
    features = _features(folder)
    if not features:
        return "the pixels of the pictures and the words of the texts"
    names = single_names(features)
    blurbs = "; ".join(FEATURES[name].blurb for name in names)
    return blurbs if OWN in names else f"{blurbs}, and the words of the texts"


def quick_run(folder: Path, root: Path, name: str = "", progress: Progress = silent) -> Quick:
    """Find the run of an import, or solve a new one, or measure how long it takes and queue it.

    A run with the same settings is opened as it is; one that was stopped is queued again.

    Args:
        folder: the import.
        root: where new runs are written.
        name: of the run, that of the import by default, with a number where it is taken.
        progress: called with the current step and the share in [0, 1] that is done.

    Raises:
        ConfigError, DataError, RunError: with one sentence; nothing was queued.
        KeyboardInterrupt: passed on; the same call goes on from there.
    """
    ledger = Ledger(root)
    # Two that ask at once, from a terminal and the app, shall not train the same twice.
    try:
        with locked(make_private(jobs_folder(root)) / f"quick-{folder.name}.lock", private=True):
            config = quick_config(folder, name or folder.name)
            same_run = _same(folder, config, ledger, name)
            if same_run is not None:
                _go_on(same_run.name, ledger)
                _queue_later(folder, same_run, ledger)
                return Quick(same_run, known=True)
            if name:
                _refuse_taken(name, ledger)
            make_missing(folder, _features(folder), part(progress, 0, DESCRIBING))
            config = quick_config(folder, free_base(name or folder.name, [""], _taken(ledger)))
            if refinable(config):
                _solve(config, root, part(progress, DESCRIBING, 1))
                return Quick(config, known=False, later=_queue_later(folder, config, ledger))
            words = time_words(probe(config, part(progress, DESCRIBING, 1)), config)
            waiting = ledger.jobs("queued", "starting", "running")
            ahead = sum(job.priority > LATER for job in waiting)
            ledger.add([config])
            ensure_dispatcher(root)
            return Quick(config, known=False, words=words, ahead=ahead)
    except BlockingIOError:
        raise RunError(
            f"{folder.name} is being prepared for training already: wait until it is queued"
        ) from None
    except OSError as error:
        raise RunError(f"cannot write runs to {root}: {error.strerror}") from None


def quick_config(folder: Path, name: str) -> RunConfig:
    """The settings of the run of an import: by the shape of its items, and by how many there are.

    Raises:
        ConfigError, DataError: the import is damaged, or cannot have a run of this name.
    """
    features = _features(folder)
    return _config(folder, name, features, START_ALONE if features else {})


def _config(folder: Path, name: str, features: str, method: dict[str, Any]) -> RunConfig:
    settings = {"store": folder.name} | ({"features": features} if features else {})
    return make_config(PAIRS, name=name, dataset_settings=settings, method_settings=method)


def _solve(config: RunConfig, root: Path, tell: Progress) -> None:
    """Train a run that ends with its start in closed form, in this process: a process of the queue
    would take longer to begin.
    """

    def watch(at: Position) -> None:
        tell("finding what pictures and texts share", at.step / at.steps if at.steps else 0.0)

    tell("reading the texts", 0.0)
    train([config], root, watch=watch)


def _queue_later(folder: Path, config: RunConfig, ledger: Ledger) -> int:
    """Queue what may become better than the start in closed form ``config``, each once, behind all
    others: the training that goes on from it, and one on richer features where the extra that
    makes them is installed, which makes them first. Returns how many there are.
    """
    if not refinable(config):
        return 0
    features = str(config.dataset.settings.get("features", ""))
    tags = {"refined": features}
    if (richer := _richer(features)) != features:
        tags["richer"] = richer
    there = [job.config for job in ledger.jobs()]
    there += [run.config_or_none for run in list_runs([ledger.root])]
    configs = {
        other.dataset.settings.get("features")
        for other in there
        if other and other.refines == config.name
    }
    # After the usual runs, and richer features, which take longest to make, at the end.
    for priority, (suffix, read) in zip((LATER, LAST), tags.items(), strict=False):
        if read not in configs:
            name = free_base(f"{config.name[:70]}-{suffix}", [""], _taken(ledger))
            later = _config(folder, name, read, {}).model_copy(update={"refines": config.name})
            ledger.add([later], priority=priority)
    ensure_dispatcher(ledger.root)
    return len(tags)


def _richer(features: str) -> str:
    """``features`` and the richer ones that can be made here; as they are where they are the
    user's own.
    """
    names = set(single_names(features))
    if names == set(DESCRIBED):
        names |= {name for name in RICHER if FEATURES[name].is_installed}
    return JOIN.join(sorted(names))


def _features(folder: Path) -> str:
    """The features that a run reads: the user's own, those of the pictures, or "" without any."""
    if OWN in feature_names(folder):
        return OWN
    return JOIN.join(DESCRIBED) if Manifest.read(folder).picture_side else ""


def _same(folder: Path, config: RunConfig, ledger: Ledger, name: str) -> RunConfig | None:
    """A run with these settings that is trained, training or queued; of this ``name`` if given.

    One from before the import was made is of other data that had the same name.
    """
    created = Manifest.read(folder).created
    jobs = [(job.config, job.queued) for job in ledger.jobs() if job.config is not None]
    for run in list_runs([ledger.root]):
        with suppress(RivaeError):
            if run.status.state != "failed" and not run.data_change:
                own_config = run.config.model_copy(update={"name": run.id})
                jobs.insert(0, (own_config, run.status.started or ""))
    for other, when in jobs:
        alike = other.model_copy(update={"name": config.name}) == config
        if alike and when >= created and name in ("", other.name) and _lives(other.name, ledger):
            return other
    return None


def _lives(name: str, ledger: Ledger) -> bool:
    """Whether a run has a folder, and did not fail, or waits in the queue."""
    run = Run(ledger.root / name)
    if run.path.exists():
        return run.status.state != "failed"
    return state_of(name, ledger)[0] in ("queued", "starting")


def _go_on(name: str, ledger: Ledger) -> None:
    """Queue a run again that was stopped."""
    job = ledger.of_run(name)
    run = Run(ledger.root / name)
    if job is not None and job.state in RESUMABLE:
        ledger.resume(job.id)
    elif job is None and run.status.state not in ("finished", "running"):
        ledger.add_existing(run.config.model_copy(update={"name": name}))
    ensure_dispatcher(ledger.root)


def _taken(ledger: Ledger) -> Callable[[str], bool]:
    queue_names = {job.run for job in ledger.jobs()}
    return lambda name: name in queue_names or is_taken(name, ledger.root)


def _refuse_taken(name: str, ledger: Ledger) -> None:
    require_free_name(name, ledger.root, _taken(ledger)(name))


def time_words(estimate: Estimate, config: RunConfig) -> str:
    """How long a run takes, from its measured steps: "40 s to 2 min"."""
    seconds = estimate.seconds(lengths_of(config))
    least, most = duration(seconds), duration(SLOWER * seconds + START_S)
    return most if least == most else f"{least} to {most}"


def _runs(n: int, kind: str = "") -> str:
    return f"{n} {kind}{'run' if n == 1 else 'runs'}"


def wait_for_model(
    name: str, root: Path, tell: Callable[[str], None], look_s: float = LOOK_S
) -> Run:
    """Wait until the run ``name`` has weights to open; they are those of its newest checkpoint.

    Args:
        tell: called with what it waits for, now and then.

    Raises:
        RunError: it ended without any, and why.
    """
    ledger, last_line = Ledger(root), ""
    while True:
        opens, doing = first_model(name, ledger)
        if opens:
            return Run(root / name)
        if doing != last_line:
            tell(doing)
            last_line = doing
        time.sleep(look_s)


def first_model(name: str, ledger: Ledger) -> tuple[bool, str]:
    """Whether a run has weights to open, and what it does until then. One that ends with its start
    takes seconds, and is opened when its axes have names.

    Raises:
        RunError: it ended without any, and why.
    """
    run = Run(ledger.root / name)
    if run.opens and (run.ready or not refinable(run.config) or run.status.state != "running"):
        return True, ""
    state, message = state_of(name, ledger)
    if state in ("failed", "cancelled", "lost"):
        raise RunError(f"{name} is {state}: {message or f'see `rivae logs {name}`'}")
    is_waiting = state == "queued"
    return False, "waiting in the queue" if is_waiting else "training, until the first checkpoint"


def state_of(name: str, ledger: Ledger) -> tuple[str, str]:
    """The state of a run in the queue, and what is known about its end; ("", "") without any."""
    job = ledger.of_run(name)
    return (job.state, job.message) if job is not None else ("", "")
