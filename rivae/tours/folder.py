"""The saved tours: one file each in ``.tours`` of the folder of runs."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from rivae.errors import ConfigError, DataError
from rivae.files import locked, write_json
from rivae.reading.regular import open_regular
from rivae.runs import runs_root
from rivae.tours.form import MAX_BYTES, from_bytes, to_json
from rivae.tours.tour import Tour, TourStep
from rivae.trash import Deleted, Trash

MAX_TOURS = 200
TOUR_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
MAX_ID = 80


@dataclass(frozen=True)
class TourFile:
    """A file in the folder of tours; ``tour`` is None and ``problem`` says why where it is bad."""

    id: str
    tour: Tour | None
    problem: str = ""


def tours_folder() -> Path:
    """Where tours are kept; the list of runs passes over hidden folders."""
    return runs_root() / ".tours"


def list_tours() -> list[TourFile]:
    """All tours by title, at most 200; damaged ones last, with the reason."""
    folder = tours_folder()
    if not folder.is_dir():
        return []
    found = []
    for path in sorted(folder.glob("*.json"))[:MAX_TOURS]:
        if not _is_id(path.stem):
            continue
        try:
            found.append(TourFile(path.stem, read_tour(path.stem)))
        except DataError as error:
            found.append(TourFile(path.stem, None, str(error)))
    return sorted(
        found, key=lambda f: (f.tour is None, f.tour.title.lower() if f.tour else "", f.id)
    )


def read_tour(tour_id: str) -> Tour:
    """The saved tour ``tour_id``.

    Raises:
        DataError: there is no such tour, or its file is damaged.
    """
    try:
        with open_regular(_path(tour_id)) as stream:
            content = stream.read(MAX_BYTES + 1)
    except OSError:
        raise DataError(f"there is no tour '{tour_id[:MAX_ID]}': choose one in the list") from None
    return from_bytes(content, tour_id)


def add_tour(title: str, steps: Sequence[TourStep] = ()) -> Tour:
    """Save a new tour under an id made from its title.

    Raises:
        ConfigError: the title or the number of steps, see ``Tour``; or there are 200 tours.
        DataError: the folder cannot be written to.
    """
    tour = Tour(title, tuple(steps))
    with _writing() as folder:
        taken = _require_room(folder)
        slug = re.sub(r"[^a-z0-9]+", "-", tour.title.lower()).strip("-")[:60].strip("-") or "tour"
        name, n = slug, 1
        while name in taken:
            n += 1
            name = f"{slug}-{n}"
        tour = replace(tour, id=name)
        write_json(folder / f"{name}.json", to_json(tour))
    return tour


def change_tour(tour_id: str, change: Callable[[Tour], Tour]) -> Tour:
    """Replace a tour, in one step, by what ``change`` makes of it as it is on disk now; another
    session that writes at the same time waits for its turn.

    Raises:
        DataError: there is no such tour, it is damaged, or the folder cannot be written to.
        ConfigError: what comes out is no tour.
    """
    with _writing() as folder:
        changed = replace(change(read_tour(tour_id)), id=tour_id)
        write_json(folder / f"{tour_id}.json", to_json(changed))
    return changed


def delete_tour(tour_id: str) -> Deleted | None:
    """Move a tour into the trash, a damaged one too; None where it is gone already. What only
    links to a tour elsewhere is taken away.

    Raises:
        DataError: it cannot be deleted.
    """
    path, trash = _path(tour_id), trash_of_tours()
    with _writing():
        if path.is_symlink():
            path.unlink()
        done = trash.put(tour_id) if os.path.lexists(path) else None
    trash.purge()
    return done


def restore_tour(name: str) -> str:
    """Bring a tour back from the trash; ``name`` is its id, or the id of an entry. Its id.

    Raises:
        ConfigError: there are 200 tours.
        DataError: there is none in the trash, or another tour has its id now; nothing has changed.
    """
    with _writing() as folder:
        _require_room(folder)
        return trash_of_tours().restore(name).stem


def trash_of_tours() -> Trash:
    """The tours that were deleted."""
    return Trash(tours_folder(), "tour")


def _require_room(folder: Path) -> set[str]:
    """The ids in use; ConfigError when there are as many as there may be."""
    taken = {path.stem for path in folder.glob("*.json")}
    if len(taken) >= MAX_TOURS:
        raise ConfigError(f"there are {MAX_TOURS} tours: delete one first")
    return taken


@contextmanager
def _writing() -> Iterator[Path]:
    folder = tours_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with locked(folder / ".lock", patience=5.0):
            yield folder
    except BlockingIOError:
        raise DataError("the tours are being written by somebody else: try again") from None
    except OSError as error:
        raise DataError(f"tours cannot be written to {folder}: {error.strerror}") from None


def _is_id(tour_id: str) -> bool:
    return len(tour_id) <= MAX_ID and TOUR_ID.fullmatch(tour_id) is not None


def _path(tour_id: str) -> Path:
    """Where a tour is kept; an id from an address never leads out of the folder."""
    if not _is_id(tour_id):
        raise DataError("the id of a tour has small letters, digits and dashes only")
    return tours_folder() / f"{tour_id}.json"
