"""Start, resume and finish training runs: the trainer joined with validation and alignment."""

from __future__ import annotations

import contextlib
import copy
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from rivae.base.config import DatasetConfig, MethodChoice, RunConfig, run_config, training_config
from rivae.base.errors import ConfigError, RivaeError, RunError
from rivae.base.files import locked, write_json
from rivae.base.paths import home_path
from rivae.base.reading.regular import is_file
from rivae.data import named_dataset
from rivae.data.base import PairedDataset
from rivae.data.registry import open_dataset
from rivae.data.vocabulary import Vocabulary
from rivae.data.word_vectors import CORPUS, NONE
from rivae.exploring.axes.adding import keep_axes, known_added
from rivae.exploring.axes.at_end import better_proposals
from rivae.exploring.axes.finder import AxisFinder
from rivae.exploring.words.item_terms import ItemTerms
from rivae.exploring.words.proposals import proposed_names
from rivae.models.base import Method
from rivae.models.nets.weight_files import is_on_hub
from rivae.models.presets import find_preset
from rivae.models.registry import method_config, require_training
from rivae.retrieval.model import LatentModel
from rivae.runs import Run, Status
from rivae.runs.axis_names import AXIS_NAMES, AxisName, to_json
from rivae.runs.data_record import kept_vocabulary, record_data
from rivae.runs.named_files import require_open
from rivae.runs.opening import missing
from rivae.training import Listener, Trainer, TrainingJob, Watcher
from rivae.training.alignment.base import AS_TRAINED
from rivae.training.alignment.steps import ALIGNMENT, axis_change, fold_in
from rivae.training.distributed import Follower, Group
from rivae.training.validation import validation_scores


def make_config(
    dataset: str,
    method: str = "rivae",
    preset: str = "default",
    *,
    name: str,
    seed: int = 0,
    dataset_settings: dict[str, Any] | None = None,
    method_settings: dict[str, Any] | None = None,
    training: dict[str, Any] | None = None,
) -> RunConfig:
    """A complete, validated configuration: the preset, with some settings changed.

    Args:
        dataset: a registered name or an import's.
        method_settings: changes; a name like "embedder.hidden" changes one part of a setting, of
            which the other parts stay.

    Raises:
        ConfigError: one sentence naming the first wrong setting.
    """
    dataset, place = named_dataset(dataset)
    dataset_settings = {**place, **(dataset_settings or {})}
    start = find_preset(dataset, method, preset, dataset_settings)
    complete = _with_changes(method, start.method, method_settings or {})
    for embedder in (complete.get("embedder"), complete.get("embedder2")):
        if embedder and embedder["weights"] and not is_on_hub(embedder["weights"]):
            embedder["weights"] = str(home_path(embedder["weights"]).absolute())
    choice = MethodChoice(name=method, preset=preset, settings=complete)
    require_training(choice)
    data = {**start.dataset, **dataset_settings}
    options = {**start.training, **(training or {})}
    return run_config(
        name=name,
        dataset=DatasetConfig(name=dataset, settings=_absolute(data)),
        method=choice,
        training=training_config(options),
        seed=seed,
    )


def _with_changes(
    method: str, preset: Mapping[str, Any], changes: Mapping[str, Any]
) -> dict[str, Any]:
    """All settings of a method as JSON has them: the preset's with ``changes``, parts last."""
    whole = {key: value for key, value in changes.items() if "." not in key}
    complete = method_config(method, {**preset, **whole}).model_dump(mode="json")
    parts = {key: value for key, value in changes.items() if "." in key}
    for key, value in parts.items():
        name, _, part = key.partition(".")
        if not isinstance(complete.get(name), dict):
            raise ConfigError(f"no setting has the part '{key}': name a setting")
        complete[name] = {**complete[name], part: value}
    return method_config(method, complete).model_dump(mode="json") if parts else complete


def _absolute(settings: dict[str, Any]) -> dict[str, Any]:
    """Paths as absolute ones, so that the run can be opened and resumed from anywhere."""
    paths = {
        key: str(home_path(value, key).absolute())
        for key, value in settings.items()
        if key in ("folder", "path", "word_vectors")
        and isinstance(value, str)
        and value not in ("", CORPUS, NONE)
    }
    store = settings.get("store")
    if isinstance(store, str) and is_file(home_path(store) / "store.json"):
        paths["store"] = str(home_path(store).absolute())
    return {**settings, **paths}


def train(
    configs: Sequence[RunConfig],
    root: Path,
    listener: Listener | None = None,
    tick: Callable[[], None] | None = None,
    group: Group | None = None,
    watch: Watcher | None = None,
) -> list[Run]:
    """Train new runs; several train as one batch.

    ``tick``, ``group`` and ``watch`` are those of ``rivae.training.Trainer``; every process of a
    group calls this alike.

    Raises:
        ConfigError, DataError, RunError: with one sentence for the user.
    """
    datasets = _load_each(configs, [None] * len(configs))
    group = group or Group()
    runs: list[Run] = []
    try:
        for config in configs:
            path = root / config.name
            runs.append(Run.create(config, root) if group.leads else Follower(path, config))
            if group.leads:
                record_data(runs[-1].path, datasets[len(runs) - 1])
        jobs = [TrainingJob(run, data) for run, data in zip(runs, datasets, strict=True)]
        trainer = Trainer(jobs, validation_scores, choose_axes, listener, tick, group, watch)
    except BaseException:
        # Settings that cannot train leave no folder behind.
        for run in runs if group.leads else []:
            shutil.rmtree(run.path, ignore_errors=True)
        raise
    return _fit(runs, trainer, resume=False)


def resume(
    runs: Sequence[Run],
    listener: Listener | None = None,
    tick: Callable[[], None] | None = None,
    group: Group | None = None,
    watch: Watcher | None = None,
) -> list[Run]:
    """Resume interrupted runs from their last checkpoints.

    Runs of one batch resume together, even if only one is named: alone, their numbers would differ
    in the last digits. Finished runs do not change.

    Raises:
        RunError: all are finished, one is training elsewhere, has no usable checkpoint, or names a
            part that is not installed.
    """
    runs_done: list[Run] = []
    batches = [
        [run for run in batch if _status(run).state != "finished"]
        for batch in _started_together(runs)
    ]
    if not any(batches):
        raise RunError(f"run {runs[0].id} is already finished: there is nothing to resume")
    for batch in filter(None, batches):
        for run in batch:
            run.require_same_data()
            if absent := missing(run):
                raise RunError(f"run {run.id}: {absent}")
        vocabularies = [kept_vocabulary(run.path) for run in batch]
        datasets = _load_each([run.config for run in batch], vocabularies)
        if group is not None and not group.leads:
            batch = [Follower(run.path) for run in batch]
        else:
            for run, data in zip(batch, datasets, strict=True):
                record_data(run.path, data)  # of a run begun by an older version
        jobs = [TrainingJob(run, data) for run, data in zip(batch, datasets, strict=True)]
        trainer = Trainer(jobs, validation_scores, choose_axes, listener, tick, group, watch)
        runs_done += _fit(batch, trainer, resume=True)
    return runs_done


def _status(run: Run) -> Status:
    return run.status_or_none or Status()  # damaged: the position is in the checkpoints


def _started_together(runs: Sequence[Run]) -> list[list[Run]]:
    """The batches that the runs trained in, in their order."""
    groups: dict[tuple[Path, ...], list[Run]] = {}
    for run in runs:
        names = [name for name in _status(run).batch if Path(name).name == name]
        partners = [run.path.parent / name for name in names]
        paths = tuple(path for path in partners if (path / "config.json").is_file())
        if run.path not in paths:
            paths = (run.path,)
        groups[paths] = [Run(path) for path in paths]
    return list(groups.values())


def _load_each(
    configs: Sequence[RunConfig], vocabularies: Sequence[Vocabulary | None]
) -> list[PairedDataset]:
    """One data set per run, with its vocabulary; equal configurations share one."""
    data_by_key: dict[tuple[str, str], PairedDataset] = {}
    datasets = []
    for config, words in zip(configs, vocabularies, strict=True):
        require_open(config)  # the weights to start from, too
        dataset = config.dataset
        key = dataset.model_dump_json(), words.key if words else ""
        if key not in data_by_key:
            data_by_key[key] = open_dataset(dataset.name, dataset.settings, words)
        datasets.append(data_by_key[key])
    return datasets


def _fit(runs: list[Run], trainer: Trainer, resume: bool) -> list[Run]:
    with contextlib.ExitStack() as stack:
        for run in runs if trainer.group.leads else []:
            stack.enter_context(run_lock(run))
        try:
            trainer.fit(resume)
        except Exception as error:
            message = str(error)
            if not isinstance(error, RivaeError):
                line = message.partition("\n")[0][:300]
                message = f"stopped by an error of the program ({type(error).__name__}): {line}"
            for run in runs:
                # A diverged run has its own reason already; a full disk may take no status.
                with contextlib.suppress(OSError):
                    if run.status.state not in ("failed", "finished"):
                        run.set_status(state="failed", message=message)
            raise
    return runs


@contextlib.contextmanager
def run_lock(run: Run) -> Iterator[None]:
    """Hold the run for this process; the kernel frees it when the process dies.

    Raises:
        RunError: when another process is training it.
    """
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(locked(run.lock_path))
        except BlockingIOError:
            raise RunError(
                f"run {run.id} is being trained by another process: wait for it or stop it"
            ) from None
        except OSError as error:
            raise RunError(f"cannot write {run.path}: {error.strerror}") from None
        yield


def choose_axes(method: Method, data: PairedDataset, run: Run) -> Callable[[], None]:
    """Fold the configured change of axes into the trained model, and propose names for the axes.
    Returns what proposes axes beside them, when the model is written.

    If axes change, their signs are set so that the named property grows with z, unless the step
    has its own words. ``alignment.json`` keeps matrix, offset, words and the validation scores
    before and after.
    """
    config: Any = method.config
    change = axis_change(method, data, config.axes, run.config.seed)
    terms = ItemTerms(data) if method.has_latent else None  # read once, for names and proposals
    if change.step == AS_TRAINED.name:
        names = proposed_names(method, data, run.config.seed, terms)
        return _propose(method, data, run, names, terms)
    before = validation_scores(method, data)
    whole = copy.deepcopy(method.state_dict())
    fold_in(method, change)
    names = proposed_names(method, data, run.config.seed, terms)
    if not change.words:
        signs = np.array([name.direction if name else 1 for name in names])
        change = replace(change, matrix=change.matrix * signs, offset=change.offset * signs)
        method.load_state_dict(whole)  # fold in the recorded change only
        fold_in(method, change)
        names = [n.on_turned_axis() if n and n.direction < 0 else n for n in names]
    write_json(
        run.path / ALIGNMENT,
        {
            "note": change.note,
            "words": change.words,
            "matrix": change.matrix,
            "offset": change.offset,
            "validation_before": before,
            "validation_after": validation_scores(method, data),
        },
    )
    return _propose(method, data, run, names, terms)


def _propose(
    method: Method,
    data: PairedDataset,
    run: Run,
    names: Sequence[AxisName | None],
    terms: ItemTerms | None,
) -> Callable[[], None]:
    write_json(run.path / AXIS_NAMES, to_json(name for name in names if name))
    return lambda: _propose_axes(method, data, run, names, terms)


def _propose_axes(
    method: Method,
    data: PairedDataset,
    run: Run,
    names: Sequence[AxisName | None],
    terms: ItemTerms | None,
) -> None:
    """Keep axes whose names say more than those of z; a run without any is no worse for it."""
    if not method.has_latent or run.config.refines:  # one that refines has the axes of its base
        return
    with contextlib.suppress(RivaeError):
        finder = AxisFinder.open(run, LatentModel(method), data)
        drafts = better_proposals(finder, names, terms=terms)
        # A run that was stopped right here and resumed has them already.
        if drafts and not known_added(run, method.n_components):
            keep_axes(run, drafts)
