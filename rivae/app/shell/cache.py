"""Opened runs, shared by all visitors: read-only, bounded, renewed when their model changes."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from rivae.app.shell import troubles
from rivae.app.work.preparing import BeingPreparedError, require_prepared
from rivae.base.errors import ConfigError, DataError, RunError
from rivae.runs.data_record import data_key, kept_vocabulary

if TYPE_CHECKING:
    from rivae.base.config import Asks, DatasetConfig, Rows, RunConfig
    from rivae.data.thumbnails import Thumbnail, ThumbnailCache
    from rivae.data.vocabulary import Vocabulary
    from rivae.exploring.explorer import Explorer
    from rivae.runs import Run

log = logging.getLogger(__name__)
# One opened run holds its model and its projected items, some 5 to 50 MB; runs on one data set
# share the data and the pictures, some 10 to 200 MB. Compare opens six runs at once.
MAX_OPEN = 8
MAX_DATA = 3
STRIP_ITEMS = 6
RESOLVED_S = 2.0  # so old a look at the folders is new enough for a drag
PART_ITEMS = 10_000  # searched while very many are embedded: a second's work


# Run folders by path, with the time of their config.json: reading a hundred configurations
# again would cost every rerun some 100 ms.
_known: dict[Path, tuple[int, Run]] = {}


def runs() -> list[Run]:
    """All run folders in the order of ``list_runs``; broken ones too, their properties raise
    RunError.
    """
    from rivae.runs import list_runs

    run_list = []
    for run in list_runs():
        try:
            mtime = (run.path / "config.json").stat().st_mtime_ns
        except FileNotFoundError:
            continue  # deleted a moment ago
        except OSError:
            mtime = 0  # its properties say why it cannot be read
        cached_run = _known.get(run.path)
        if cached_run is None or cached_run[0] != mtime or cached_run[1].id != run.id:
            cached_run = _known[run.path] = (mtime, run)
        run_list.append(cached_run[1])
    for path in set(_known) - {run.path for run in run_list}:
        _known.pop(path, None)
    return run_list


def ready_runs() -> list[Run]:
    """The runs that have a model and can be opened as far as one sees without reading their data,
    in that order; those in training after the trained. Archived ones are left out; a link opens
    them all the same.
    """
    return sorted(
        (one for one in _listed() if one.opens and not troubles.trouble(one)),
        key=lambda run: not run.ready,
    )


def closed_runs() -> list[tuple[Run, str]]:
    """The broken runs and those that cannot be opened here, in that order, each with its reason;
    archived ones and those without a model yet are left out.
    """
    return [(one, why) for one in _listed() if (why := troubles.trouble(one))]


def _listed() -> list[Run]:
    from rivae.runs.notes import is_archived

    return [one for one in runs() if not is_archived(one)]


# The weights of a run in training that visitors see until one asks for newer ones: a slider would
# mean something else every few seconds. By run the key of the weights, and the stage and epoch that
# they are from.
_held: dict[str, tuple[str, tuple[str, int]]] = {}


def _resolve(run_id: str) -> tuple[Run, str]:
    """The folder of a run, and the key of the weights that are shown."""
    return _resolved(run_id, int(time.monotonic() // RESOLVED_S))


# Asked for on every drag step. With Streamlit's own `ttl` an entry that ends between two looks at
# the clock is a KeyError (1.67): here another time is another entry.
@st.cache_resource(max_entries=64, show_spinner=False)
def _resolved(run_id: str, period: int) -> tuple[Run, str]:
    newest_run = run(run_id)
    newest = newest_run.shown_key
    if newest_run.ready:
        _held.pop(run_id, None)
        return newest_run, newest
    return newest_run, _held.get(run_id, (newest,))[0]


def hold(run_id: str) -> None:
    """Show the weights that a run in training has now until ``let_go``, or until it is trained.

    Raises:
        RunError: there is no such run, or it has no weights.
    """
    found, newest = _resolve(run_id)
    if not found.ready:
        _held.setdefault(run_id, (newest, found.preview_from))


def let_go(run_id: str) -> None:
    """Show the newest weights of a run in training."""
    _held.pop(run_id, None)
    _resolved.clear()


def is_behind(run: Run) -> bool:
    """Whether there are newer weights of a run than those that are shown.

    Raises:
        RunError: it has no weights.
    """
    held_run = _held.get(run.id)
    return held_run is not None and held_run[0] != run.shown_key


def shown_from(run: Run) -> tuple[str, int]:
    """The stage and epoch that the weights of a run in training are from that are shown."""
    held_run = _held.get(run.id)
    return held_run[1] if held_run is not None else run.preview_from


@st.cache_resource(max_entries=MAX_OPEN, show_spinner=False)
def _opened(shown_key: str, folder: str, rows: str, asks: Asks, _run: Run) -> Explorer:
    from rivae.exploring.explorer import Explorer

    which_rows: Rows = "all" if rows == "all" else "test"
    if _run.shown_key != shown_key:  # weights or data were written over meanwhile
        let_go(_run.id)
    require_prepared(_run, which_rows, asks)
    with _readable(_run):
        explorer = Explorer.open(_run, which_rows, pictures(_run), asks)
    # Computed here once, so that the first visitor's drag need not wait.
    explorer.mean, explorer.std, explorer.effects  # noqa: B018
    troubles.note(_run, "")
    _part.clear()
    return explorer


@st.cache_resource(max_entries=1, show_spinner=False)
def _part(shown_key: str, folder: str, rows: str, asks: Asks, _run: Run) -> Explorer:
    """An explorer of some of the items."""
    from rivae.exploring.explorer import Explorer

    which_rows: Rows = "all" if rows == "all" else "test"
    with _readable(_run):
        return Explorer.open(_run, which_rows, pictures(_run), asks, most=PART_ITEMS)


@contextmanager
def _readable(run: Run) -> Iterator[None]:
    """RunError where a file that belongs to the run cannot be read, whatever the reason."""
    try:
        yield
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise RunError(
            f"run {run.id} cannot be opened ({why}): give its files back, or choose another"
        ) from error


def pictures(run: Run) -> ThumbnailCache:
    """The data set of a run with its small pictures; RivaeError when it cannot be opened."""
    dataset, words = _dataset(run.config), kept_vocabulary(run.path)
    settings = json.dumps(dataset.settings, sort_keys=True, default=str)
    return _data(dataset.name, settings, f"{data_key(run.config)}-{words.key}", words)


@st.cache_resource(max_entries=MAX_DATA, show_spinner=False)
def _data(dataset: str, settings: str, content: str, _words: Vocabulary) -> ThumbnailCache:
    """A data set with its small pictures, of what it holds now and by the words of a run."""
    from rivae.data.registry import open_dataset
    from rivae.data.thumbnails import ThumbnailCache

    return ThumbnailCache(open_dataset(dataset, json.loads(settings), _words))


def run(run_id: str) -> Run:
    """The run folder ``run_id``.

    Raises:
        RunError: there is no such run.
    """
    known_run = next((r for r in runs() if r.id == run_id), None)
    if known_run is None:
        raise RunError(f"there is no run '{run_id[:120]}': choose one on the Home page")
    return known_run


def explorer(run_id: str, rows: Rows = "test", asks: Asks = "first") -> Explorer:
    """The opened run ``run_id``, from any thread; ``asks`` is the view that is the query.

    Raises:
        RivaeError: there is no such run, it is broken, or it has no trained model yet.
        ConfigError: its model cannot be asked with that view.
        BeingPreparedError: it has very many items, and opens once they are embedded.
    """
    newest_run, shown_key = _resolve(run_id)
    try:
        return _opened(shown_key, str(newest_run.path), rows, asks, newest_run)
    except (DataError, RunError) as error:
        if not isinstance(error, BeingPreparedError):
            troubles.note(newest_run, str(error))
        raise


def at_once(run_id: str, rows: Rows = "test", asks: Asks = "first") -> Explorer:
    """:func:`explorer`; while very many items are embedded, one that searches some of them."""
    try:
        return explorer(run_id, rows, asks)
    except BeingPreparedError:
        newest_run, shown_key = _resolve(run_id)
        return _part(shown_key, str(newest_run.path), rows, asks, newest_run)


def asked(
    run_id: str,
    asks: Asks,
    rows: Rows = "test",
    opened: Callable[[str, Rows, Asks], Explorer] | None = None,
) -> Explorer:
    """The run as a link names it, by :func:`explorer` or ``opened``: the first view asks where the
    model cannot be asked with ``asks``.
    """
    opened = opened or explorer
    try:
        return opened(run_id, rows, asks)
    except ConfigError:
        if asks == "first":
            raise
    return opened(run_id, rows, "first")


def model_key(run_id: str, asks: Asks = "first") -> str:
    """What changes when the model of ``run_id``, its data or the view that asks does; raises as
    :func:`explorer`.
    """
    asked_with = "" if asks == "first" else f"/{asks}"
    return f"{run_id}/{_resolve(run_id)[1]}{asked_with}"


def data_version(*run_ids: str) -> str:
    """What changes when the data of one of these runs do; for addresses that a browser keeps."""
    runs_by_id = {one.id: one for one in runs()}
    keys = (data_key(runs_by_id[name].config) for name in run_ids if name in runs_by_id)
    return "-".join(dict.fromkeys(keys)) or "0"


def strip(config: RunConfig) -> Thumbnail:
    """A strip of items of a run's data set.

    Raises:
        RivaeError: the data set is unknown or its files are missing.
    """
    from rivae.data.sets.pairs import PAIRS
    from rivae.data.store import find_store

    dataset = _dataset(config)
    if dataset.name == PAIRS:  # a million items are not opened for six pictures
        return store_strip(find_store(str(dataset.settings.get("store"))))
    settings = json.dumps(dataset.settings, sort_keys=True, default=str)
    return _strip(dataset.name, settings, data_key(config))


def _dataset(config: RunConfig) -> DatasetConfig:
    """The data set of a run, to be opened; DataError where the app does not read its files."""
    from rivae.runs.named_files import require_open

    require_open(config)
    return config.dataset


@st.cache_resource(max_entries=64, show_spinner=False)
def _strip(dataset: str, settings: str, content: str) -> Thumbnail:
    from rivae.data import load_dataset
    from rivae.data.thumbnails import item_strip

    data = load_dataset(dataset, **json.loads(settings))
    rows = data.splits["test"] if len(data.splits["test"]) else range(len(data))
    items = [int(rows[i * (len(rows) - 1) // (STRIP_ITEMS - 1)]) for i in range(STRIP_ITEMS)]
    halves = all("half" in name for name in data.view_names)
    return item_strip(data, items, side=0 if halves else 2)


def store_strip(folder: Path) -> Thumbnail:
    """A strip of items of imported pairs, without reading their texts.

    Raises:
        DataError: the import is damaged.
    """
    try:
        mtime = (folder / "store.json").stat().st_mtime_ns
    except OSError as error:
        raise DataError(f"{folder.name[:80]} cannot be read ({error.strerror})") from error
    return _store_strip(str(folder), mtime)


@st.cache_resource(max_entries=64, show_spinner=False)
def _store_strip(folder: str, written: int) -> Thumbnail:
    from rivae.data.store import PairStore
    from rivae.data.store.pixels import picture
    from rivae.data.thumbnails import picture_strip

    store = PairStore(Path(folder))
    last = len(store) - 1
    return picture_strip(
        [picture(store, i * last // (STRIP_ITEMS - 1)) for i in range(STRIP_ITEMS)]
    )
