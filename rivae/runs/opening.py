"""Whether a run can be opened, without reading its data."""

from __future__ import annotations

from rivae.base.errors import DataError, RivaeError, RunError
from rivae.base.paths import variable_path
from rivae.base.reading.regular import is_file
from rivae.base.reading.weights import read_header
from rivae.data.names import DATASETS
from rivae.models.registry import METHODS
from rivae.models.settings import AXIS_STEPS
from rivae.runs.run import MAX_MODEL_BYTES, MODEL, NO_MODEL, Run


def trouble(run: Run, *, quick: bool = False) -> str:
    """Why a run cannot be opened here, in one sentence; "" if nothing is known.

    Checks the names of method and data set, their settings, the import and the file of weights.

    Args:
        quick: skip checks that would load torch and hardly ever fail.
    """
    try:
        config, store = run.config, run.config.dataset.settings.get("store")
        if config.method.name not in METHODS:
            raise RunError(METHODS.absent(config.method.name))
        if not quick:
            METHODS[config.method.name]
        if run.ready:
            _require_weights(run)
        elif not run.opens and run.status.state == "finished":
            raise RunError(NO_MODEL.format(run.id))
        if not (quick and config.dataset.name in DATASETS and _is_here(store)):
            _require_data(run)
    except RivaeError as error:
        return str(error)
    return ""


def missing(run: Run) -> str:
    """What a run that opens all the same was trained with and is not installed here, in one
    sentence: it cannot be resumed, or trained again with these settings.
    """
    try:
        step, steps = run.config.method.settings.get("axes"), AXIS_STEPS.parts
    except RunError:
        return ""
    return steps.absent(step) if isinstance(step, str) and step not in steps else ""


def _require_weights(run: Run) -> None:
    """RunError unless the file of the weights is valid."""
    try:
        read_header(run.path / MODEL, MAX_MODEL_BYTES)
    except (DataError, OSError) as error:
        why = getattr(error, "strerror", None) or f"{MODEL} is damaged"
        raise RunError(f"run {run.id}: {why}: train the run again") from None


def _is_here(store: object) -> bool:
    """Whether the settings name no import, or an existing one."""
    if store is None:
        return True
    # As ``rivae.data.store.data_root`` says, whose module would load torch.
    root = variable_path("RIVAE_DATA", "data")
    return isinstance(store, str) and is_file(root / store / "store.json")


def _require_data(run: Run) -> None:
    """RivaeError unless the data set of a run is known, takes its settings, and is here."""
    from rivae.data import checked_settings
    from rivae.data.store import find_store
    from rivae.runs.named_files import require_open

    dataset = run.config.dataset
    if dataset.name not in DATASETS:
        raise RunError(DATASETS.absent(dataset.name))
    settings = checked_settings(dataset.name, dataset.settings)
    require_open(run.config)
    if (store := settings.kept().get("store")) is not None:
        find_store(store)
