"""Selections of a run: some of its items under a name and a mark, and the JSON file that keeps
them, not trusted.

The file is ``selections.json`` in the run's folder or, for runs whose folder cannot be changed (the
demo runs), in ``selections/`` of the folder of runs. Which items a selection holds never changes,
so a link that names one by its id finds the same items as long as it is kept.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from rivae.base.errors import ConfigError, DataError, RunError, some_of
from rivae.base.files import change_json, why_not
from rivae.base.reading.documents import read_form
from rivae.runs.folders import current_file, writable_file
from rivae.runs.records import now
from rivae.runs.run import Run

SELECTIONS = "selections.json"
FOLDER = "selections"  # beside new runs, of runs that are read-only
MAX_SELECTIONS = 24
MAX_ROWS = 200_000  # of one selection
MAX_NAME = 60
MAX_BYTES = 64 * 2**20
N_MARKS = 8  # colours of the palette, each with one of four shapes
_STRICT = ConfigDict(extra="forbid", strict=True)
SELECTION_ID = re.compile(r"s[1-9][0-9]{0,5}")


def _line(text: str) -> str:
    if not text.isprintable() or not text.strip():
        raise ValueError("it is one line of text")
    return text


def _sorted(rows: tuple[int, ...]) -> tuple[int, ...]:
    if any(a >= b for a, b in pairwise(rows)):
        raise ValueError("rows come sorted, each once")
    return rows


@dataclass(frozen=True)
class KeptSelection:
    """Some items of a run.

    Attributes:
        id: "s1", "s2" …; never given again after the selection was removed.
        name: plain text.
        mark: which colour and shape it has on the map, 0 to 7.
        rows: data rows, sorted.
        created: UTC, to the second.
    """

    __pydantic_config__ = _STRICT

    id: Annotated[str, Field(pattern=f"^{SELECTION_ID.pattern}$")]
    name: Annotated[str, Field(max_length=MAX_NAME), AfterValidator(_line)]
    mark: Annotated[int, Field(ge=0, lt=N_MARKS)]
    rows: Annotated[
        tuple[Annotated[int, Field(ge=0)], ...],
        Field(min_length=1, max_length=MAX_ROWS),
        AfterValidator(_sorted),
    ]
    created: Annotated[str, Field(max_length=40)] = ""

    def document(self) -> dict[str, Any]:
        """As JSON values."""
        return asdict(self)


class _File(BaseModel):
    model_config = _STRICT

    version: Literal[1]
    next: Annotated[int, Field(ge=1, le=999_999)] = 1
    selections: Annotated[list[KeptSelection], Field(max_length=MAX_SELECTIONS)]


def read_selections(source: Path | bytes) -> tuple[KeptSelection, ...]:
    """The selections in a file or its content, in the order in which they were kept.

    Raises:
        DataError: the file is missing, larger than ``MAX_BYTES``, or no file of selections.
    """
    return tuple(_read(source).selections)


def _read(source: Path | bytes) -> _File:
    name = source.name if isinstance(source, Path) else SELECTIONS
    foreign = f"{name} is damaged ({{problem}}): restore it, or delete it to select again"
    file = read_form(
        _File,
        source,
        MAX_BYTES,
        unreadable=f"{name} cannot be read: restore it, or delete it to select again",
        too_large=f"{name} has more than {MAX_BYTES:,} bytes: restore it, or delete it",
        foreign=foreign,
    )
    ids = [one.id for one in file.selections]
    if len(set(ids)) < len(ids) or any(int(one[1:]) >= file.next for one in ids):
        raise DataError(foreign.format(problem="two selections have one id"))
    return file


def stamp(run: Run) -> tuple[str, int, int, int] | None:
    """What changes whenever the selections of a run do; None where there are none."""
    path = current_file(run, SELECTIONS, FOLDER)
    try:
        found = path.stat() if path is not None else None
    except OSError:
        return None
    return found and (str(path), found.st_mtime_ns, found.st_ino, found.st_size)


def selections(run: Run) -> tuple[KeptSelection, ...]:
    """The selections of a run as they are now; () where none were kept, or its data were replaced
    since.

    Raises:
        DataError: the file is damaged.
        RunError: the run has no model.
    """
    key = stamp(run)
    return () if key is None or run.data_change else _of(key)


def known_selections(run: Run) -> tuple[KeptSelection, ...]:
    """``selections``; () and a warning where their file is damaged: a run opens without them."""
    try:
        return selections(run)
    except DataError as error:
        warnings.warn(f"{run.id}: {error}", stacklevel=2)
        return ()


@lru_cache(maxsize=16)
def _of(key: tuple[str, int, int, int]) -> tuple[KeptSelection, ...]:
    return read_selections(Path(key[0]))


def find_selection(some: Sequence[KeptSelection], name: str) -> KeptSelection:
    """The selection of this id, or else of this name; spaces may be dashes, capitals do not count.

    Raises:
        ConfigError: there is none, or there are several of the name.
    """
    wanted = "-".join(name.casefold().split())
    found = [one for one in some if one.id == wanted]
    found = found or [one for one in some if "-".join(one.name.casefold().split()) == wanted]
    if len(found) == 1:
        return found[0]
    if found:
        ids = " or ".join(one.id for one in found)
        raise ConfigError(f"several selections are called '{name[:MAX_NAME]}': write {ids}")
    choices = some_of((f"{one.id} ({one.name})" for one in some), name) or "none is kept"
    raise ConfigError(f"there is no selection '{name[:MAX_NAME]}': choose from {choices}")


def _change(
    run: Run,
    change: Callable[[tuple[KeptSelection, ...], Callable[[], str]], Sequence[KeptSelection]],
) -> None:
    """Replace the selections by what ``change`` makes of them, one process at a time."""
    run.require_same_data()

    def write() -> dict[str, Any]:
        path = current_file(run, SELECTIONS, FOLDER)
        file = _File(version=1, selections=[]) if path is None else _read(path)
        number = file.next

        def new_id() -> str:
            nonlocal number
            number += 1
            return f"s{number - 1}"

        new = change(tuple(file.selections), new_id)
        if len(new) > MAX_SELECTIONS:
            most = f"a run has at most {MAX_SELECTIONS} selections"
            raise ConfigError(f"{most}: remove one first")
        return {"version": 1, "next": number, "selections": [one.document() for one in new]}

    try:
        change_json(writable_file(run, SELECTIONS, FOLDER), write)
    except OSError as error:
        why = "somebody else is" if isinstance(error, BlockingIOError) else why_not(error)
        raise RunError(f"run {run.id}: selections cannot be written: {why}") from None


def keep_selection(run: Run, rows: ArrayLike, name: str = "") -> KeptSelection:
    """Keep the data ``rows`` (n,) with a run, under a mark that no other selection has yet.

    Args:
        name: one line of text; "Selection 1" and so on by default.

    Raises:
        ConfigError: there are no rows, too many, or rows that the data lack; or the name is none.
        DataError, RunError: the file is damaged, or cannot be written.
    """
    chosen = np.unique(np.asarray(rows))
    if not len(chosen) or not np.issubdtype(chosen.dtype, np.integer) or chosen[0] < 0:
        raise ConfigError("a selection needs the data rows of one item or more")
    if len(chosen) > MAX_ROWS:
        raise ConfigError(f"a selection holds at most {MAX_ROWS:,} items: choose fewer")
    kept: list[KeptSelection] = []

    def with_it(
        before: tuple[KeptSelection, ...], new_id: Callable[[], str]
    ) -> Sequence[KeptSelection]:
        own_id = new_id()
        used = [one.mark for one in before]
        mark = min(range(N_MARKS), key=lambda m: (used.count(m), m))
        own_name = checked_name(name) if name else f"Selection {own_id[1:]}"
        kept[:] = [KeptSelection(own_id, own_name, mark, tuple(chosen.tolist()), now())]
        return [*before, *kept]

    _change(run, with_it)
    return kept[0]


def checked_name(name: str) -> str:
    """The name without spaces around it.

    Raises:
        ConfigError: it is no line of 1 to 60 characters.
    """
    line = name.strip()
    if not line or not line.isprintable() or len(line) > MAX_NAME:
        raise ConfigError(f"a selection's name is one line of 1 to {MAX_NAME} characters")
    return line


def rename_selection(run: Run, selection_id: str, name: str) -> KeptSelection:
    """Give a selection another name, and return it as it is now.

    Raises:
        ConfigError: there is none of this id, or the name is none.
        DataError, RunError: as ``keep_selection``.
    """
    line = checked_name(name)
    named: list[KeptSelection] = []

    def with_name(
        before: tuple[KeptSelection, ...], _: Callable[[], str]
    ) -> Sequence[KeptSelection]:
        named[:] = [replace(find_selection(before, selection_id), name=line)]
        return [named[0] if one.id == named[0].id else one for one in before]

    _change(run, with_name)
    return named[0]


def remove_selection(run: Run, selection_id: str) -> KeptSelection:
    """Remove a selection, and give it back.

    Raises:
        ConfigError: there is none of this id.
        DataError, RunError: as ``keep_selection``.
    """
    gone: list[KeptSelection] = []

    def without(before: tuple[KeptSelection, ...], _: Callable[[], str]) -> Sequence[KeptSelection]:
        gone[:] = [find_selection(before, selection_id)]
        return [one for one in before if one.id != gone[0].id]

    _change(run, without)
    return gone[0]


def restore_selection(run: Run, selection: KeptSelection) -> None:
    """Put a removed selection back under its id; nothing where there is one of this id.

    Raises:
        ConfigError, DataError, RunError: as ``keep_selection``.
    """

    def with_it(before: tuple[KeptSelection, ...], _: Callable[[], str]) -> Sequence[KeptSelection]:
        return before if any(one.id == selection.id for one in before) else [*before, selection]

    _change(run, with_it)


def rows_of(selection: KeptSelection) -> NDArray[np.int64]:
    """The data rows of a selection, (n,) sorted."""
    return np.array(selection.rows, dtype=np.int64)
