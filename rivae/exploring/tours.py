"""Saved tours: a title and steps, each with a heading, a note and one row of levels of one run.

Each tour is a JSON file in ``.tours`` of the folder of runs. A file may come from a stranger, so it
is checked before any of it is used. All its text is plain: escape it where it is drawn.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from rivae.base.config import Asks
from rivae.base.errors import ConfigError, DataError
from rivae.base.files import json_ready, locked, why_not, write_json
from rivae.base.reading.documents import read_form
from rivae.base.reading.regular import open_regular
from rivae.base.reading.typed_text import one_line, some_lines
from rivae.exploring.steering import MAX_AXES, MAX_LEVEL, SteerRow
from rivae.runs import runs_root
from rivae.runs.added_axes import AddedId
from rivae.runs.trash import CONTENT, Deleted, Trash

MAX_STEPS, MAX_TOURS = 60, 200
MAX_TITLE, MAX_HEADING, MAX_NOTE = 120, 120, 1200  # characters
MAX_AXIS = 4096
MAX_ROW = 10**9  # of a query
MAX_BYTES = 400_000  # more than the largest tour that the limits allow in common letters
TOUR_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
MAX_ID = 80
EARLIER = "earlier"  # in the trash: a tour as it was before a change


@dataclass(frozen=True)
class TourStep:
    """One view of one run.

    Attributes:
        heading: one line, at most 120 characters.
        note: text for the presenter, at most 1,200 characters, line breaks allowed; may be empty.
        run: id of the run, which may not exist here.
        query: a data row, or "mean" for the prior's mean.
        row: the axes and their levels.
        n_sigma: distance of "off" and "on" from the mean, above 0 and at most 10 s.d.
        asks: which view of the data row is the query.

    Raises:
        ConfigError: a text is too long or cannot be shown, or a number is out of range.
    """

    heading: str
    note: str
    run: str
    query: int | Literal["mean"]
    row: SteerRow
    n_sigma: float
    asks: Asks = "first"

    def __post_init__(self) -> None:
        object.__setattr__(self, "heading", one_line(self.heading, "a heading", MAX_HEADING))
        object.__setattr__(self, "note", some_lines(self.note, "a note", MAX_NOTE))
        if not re.fullmatch(r"[a-z0-9._-]{1,120}", self.run):
            raise ConfigError("a step names its run by the id that `rivae runs` shows")
        if self.query != "mean" and not 0 <= self.query <= MAX_ROW:
            raise ConfigError("the query of a step is a row of the data set, or the mean")
        if not 0 < self.n_sigma <= MAX_LEVEL:
            raise ConfigError(f"n sigma must lie above 0 and be at most {MAX_LEVEL:g}")
        if any(isinstance(j, int) and j > MAX_AXIS for j in self.row.axes):
            raise ConfigError(f"an axis of a step lies beyond {MAX_AXIS}")


@dataclass(frozen=True)
class Tour:
    """A title and ordered steps; ``id`` is the name of its file, "" if it is not saved.

    Raises:
        ConfigError: the title is empty or too long, or there are more than 60 steps.
    """

    title: str
    steps: tuple[TourStep, ...] = ()
    id: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", one_line(self.title, "a title", MAX_TITLE))
        if len(self.steps) > MAX_STEPS:
            raise ConfigError(f"a tour has at most {MAX_STEPS} steps, got {len(self.steps)}")


# As a file


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


_Axis = Annotated[int, Field(ge=0, le=MAX_AXIS)] | AddedId
_Level = Literal["off", "query", "on"] | Annotated[float, Field(ge=-MAX_LEVEL, le=MAX_LEVEL)]


class _Step(_Strict):
    heading: Annotated[str, Field(max_length=2 * MAX_HEADING)]
    note: Annotated[str, Field(max_length=2 * MAX_NOTE)] = ""
    run: Annotated[str, Field(max_length=120)]
    query: Literal["mean"] | Annotated[int, Field(ge=0, le=MAX_ROW)]
    axes: Annotated[list[_Axis], Field(min_length=1, max_length=MAX_AXES)]
    levels: Annotated[list[_Level], Field(min_length=1, max_length=MAX_AXES)]
    n_sigma: Annotated[float, Field(gt=0, le=MAX_LEVEL)]
    asks: Asks = "first"


class _File(_Strict):
    version: Literal[1]
    title: Annotated[str, Field(max_length=2 * MAX_TITLE)]
    steps: Annotated[list[_Step], Field(max_length=MAX_STEPS)]


def to_json(tour: Tour) -> dict[str, Any]:
    """The tour as JSON values; axes count from 0, added ones are named by their ids."""
    return {
        "version": 1,
        "title": tour.title,
        "steps": [
            {
                "heading": step.heading,
                "note": step.note,
                "run": step.run,
                "query": step.query,
                "axes": list(step.row.axes),
                "levels": list(step.row.levels),
                "n_sigma": step.n_sigma,
                # Versions that cannot ask with another view read the usual steps.
                **({} if step.asks == "first" else {"asks": step.asks}),
            }
            for step in tour.steps
        ],
    }


def to_bytes(tour: Tour) -> bytes:
    """The tour as the content of a file, for another machine."""
    return (json.dumps(json_ready(to_json(tour)), indent=2, ensure_ascii=False) + "\n").encode()


def from_bytes(content: bytes, tour_id: str = "") -> Tour:
    """The tour in a file.

    Raises:
        DataError: it is too large or not a tour, or a value is out of range.
    """
    file = read_form(
        _File,
        content,
        MAX_BYTES,
        too_large=f"a tour has at most {MAX_BYTES // 1000} kB: choose another file",
        foreign="this is not a tour ({problem}): choose a file that this app exported",
    )
    try:
        steps = tuple(
            TourStep(
                s.heading,
                s.note,
                s.run,
                s.query,
                SteerRow(tuple(s.axes), tuple(s.levels)),
                s.n_sigma,
                s.asks,
            )
            for s in file.steps
        )
        return Tour(file.title, steps, tour_id)
    except ConfigError as error:
        raise DataError(
            f"this is not a tour ({error}): choose a file that this app exported"
        ) from None


# In the folder of tours


@dataclass(frozen=True)
class TourFile:
    """A file in the folder of tours; if damaged, ``tour`` is None and ``problem`` tells why."""

    id: str
    tour: Tour | None
    problem: str = ""


def tours_folder() -> Path:
    """Where tours are kept: a hidden folder, which the list of runs skips."""
    return runs_root() / ".tours"


def list_tours() -> list[TourFile]:
    """All tours by title, at most 200; damaged ones come last, with the reason."""
    folder = tours_folder()
    if not folder.is_dir():
        return []
    files = []
    for path in sorted(folder.glob("*.json"))[:MAX_TOURS]:
        if not _is_id(path.stem):
            continue
        try:
            files.append(TourFile(path.stem, read_tour(path.stem)))
        except DataError as error:
            files.append(TourFile(path.stem, None, str(error)))
    return sorted(
        files, key=lambda f: (f.tour is None, f.tour.title.lower() if f.tour else "", f.id)
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
        ConfigError: the title or the number of steps is not allowed, or there are 200 tours.
        DataError: the folder cannot be written to.
    """
    tour = Tour(title, tuple(steps))
    with _writing() as folder:
        n_bytes = _require_room(folder)
        slug = re.sub(r"[^a-z0-9]+", "-", tour.title.lower()).strip("-")[:60].strip("-") or "tour"
        name, n = slug, 1
        while name in n_bytes:
            n += 1
            name = f"{slug}-{n}"
        tour = replace(tour, id=name)
        write_json(folder / f"{name}.json", to_json(tour))
    return tour


def change_tour(
    tour_id: str,
    change: Callable[[Tour], Tour],
    on_delete: Callable[[Deleted], object] | None = None,
) -> Tour:
    """Replace a tour in one step by the result of ``change``; another session that writes at the
    same time waits. A tour that loses a step or a text goes to the trash as it was; ``on_delete``
    takes that entry.

    Raises:
        DataError: there is no such tour, it is damaged, or the folder cannot be written to.
        ConfigError: the result is not a valid tour.
    """
    with _writing() as folder:
        before = read_tour(tour_id)
        after = replace(change(before), id=tour_id)
        if before.title != after.title or any(s not in after.steps for s in before.steps):
            entry = trash_of_tours().put_content(tour_id, to_bytes(before), more={EARLIER: True})
            if on_delete is not None:
                on_delete(entry)
        write_json(folder / f"{tour_id}.json", to_json(after))
    return after


def delete_tour(tour_id: str) -> Deleted | None:
    """Move a tour to the trash, even a damaged one; None if it is already gone. A symbolic link
    to a tour elsewhere is removed.

    Raises:
        DataError: it cannot be deleted.
    """
    path, trash = _path(tour_id), trash_of_tours()
    with _writing():
        if path.is_symlink():
            path.unlink()
        trash_entry = trash.put(tour_id) if os.path.lexists(path) else None
    trash.purge()
    return trash_entry


def restore_tour(name: str) -> str:
    """Restore a tour from the trash and return its id; ``name`` is its id, or that of an entry.
    The tour as it was before a change takes the place of the changed one, which goes to the trash.

    Raises:
        ConfigError: there are 200 tours.
        DataError: it is not in the trash, or another tour has its id now. Nothing is changed then.
    """
    trash = trash_of_tours()
    with _writing() as folder:
        entry = trash.entry(name)
        if entry.more.get(EARLIER) and _path(entry.name).is_file():
            tour = from_bytes((entry.path / CONTENT).read_bytes(), entry.name)
            now = _path(entry.name).read_bytes()
            trash.put_content(entry.name, now, more={EARLIER: True})
            write_json(_path(entry.name), to_json(tour))
            trash.discard(entry.id)
            return entry.name
        _require_room(folder)
        return trash.restore(entry.id).stem


def trash_of_tours() -> Trash:
    """The trash for deleted tours."""
    return Trash(tours_folder(), "tour")


def _require_room(folder: Path) -> set[str]:
    """The ids in use; ConfigError if there are already ``MAX_TOURS``."""
    names = {path.stem for path in folder.glob("*.json")}
    if len(names) >= MAX_TOURS:
        raise ConfigError(f"there are {MAX_TOURS} tours: delete one first")
    return names


@contextmanager
def _writing() -> Iterator[Path]:
    folder = tours_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with locked(folder / ".lock", patience=5.0):
            yield folder
    except BlockingIOError:
        raise DataError("somebody else is changing the tours: try again") from None
    except OSError as error:
        raise DataError(f"tours cannot be written to {folder}: {why_not(error)}") from None


def _is_id(tour_id: str) -> bool:
    return len(tour_id) <= MAX_ID and TOUR_ID.fullmatch(tour_id) is not None


def _path(tour_id: str) -> Path:
    """Where a tour is kept; no id from a link leads out of the folder."""
    if not _is_id(tour_id):
        raise DataError("the id of a tour has only small letters, digits and dashes: correct it")
    return tours_folder() / f"{tour_id}.json"
