"""The names of the axes of a run, given or proposed: where they are kept, and changes.

Names are kept in the run's folder or, for runs whose folder cannot be changed (the demo runs), in
``names/`` of the folder of runs, under id and hash of the model.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from rivae.base.errors import ConfigError, RivaeError, RunError
from rivae.base.files import change_json, why_not
from rivae.base.reading.documents import MAX_BYTES as MAX_DOCUMENT
from rivae.base.reading.documents import read_own_form
from rivae.base.reading.regular import open_regular
from rivae.base.reading.typed_text import clean, one_line
from rivae.exploring.words.kept_names import keep_lost, keep_unread
from rivae.models.base import Method
from rivae.models.registry import METHODS
from rivae.runs import Run
from rivae.runs.axis_names import (
    AXIS_NAMES,
    MAX_AXES,
    MAX_BYTES,
    MAX_NAME,
    MAX_TERM,
    AxisName,
    read_names,
    to_json,
)
from rivae.runs.folders import current_file, writable_file
from rivae.runs.trash import Deleted

FOLDER = "names"  # beside new runs, of runs that are read-only
ALIGNMENT = "alignment.json"
N_SUGGESTED = 3  # words
SUGGESTED = "?"  # ends a name that no user gave
SEPARATOR = " · "

# Contents of files by version (time, size, inode): a page asks for names many times.
_contents: dict[Path, tuple[tuple[int, int, int], bytes]] = {}
_lock = threading.Lock()
_MAX_KNOWN = 64


def axis_names(run: Run, n_components: int) -> dict[int, AxisName]:
    """The names of a run's axes by dimension; {} if there are none, or the data were replaced
    since: names say what the axes meant for the items before.

    Raises:
        DataError: the file is damaged or belongs to another model.
        RunError: the run has no model.
    """
    path = current_file(run, AXIS_NAMES, FOLDER)
    if path is None or run.data_change:
        return {}
    return {n.dim: n for n in read_names(_content_of(path), n_components, run.model_key)}


def known_names(run: Run, n_components: int) -> list[AxisName | None]:
    """What is known of each axis. No names if ``axis_names`` raises: a page must not fail because
    of that file.
    """
    try:
        names = axis_names(run, n_components)
    except (RivaeError, OSError):
        names = {}
    return [names.get(j) for j in range(n_components)]


def given_names(run: Run, n_components: int) -> list[str]:
    """The name of each axis, "" where there is none or a proposed one."""
    names = known_names(run, n_components)
    return ["" if name is None or name.proposed else name.name for name in names]


def axis_signs(run: Run, n_components: int) -> list[int]:
    """1 for each axis that is shown as z; -1 where its name falls as z grows, so that −z is shown
    and right is more.
    """
    names = known_names(run, n_components)
    return [1 if name is None else name.direction for name in names]


def suggested_names(run: Run, n_components: int) -> list[str]:
    """The proposed name of each axis and "?", or else the words that it follows, as far as
    ``axes=words`` kept them, at most three: "ice, fluid, vodka?"; "" elsewhere.
    """
    words_of_axes = _followed_words(run, n_components)
    drafts = [name if name and name.proposed else None for name in known_names(run, n_components)]
    return [
        f"{name.name}{SUGGESTED}" if name else words
        for name, words in zip(drafts, words_of_axes, strict=True)
    ]


def _followed_words(run: Run, n_components: int) -> list[str]:
    """A file that cannot be read suggests nothing."""
    path = run.path / ALIGNMENT
    try:
        stat = path.stat()
        words = () if run.data_change else _words_in(path, stat.st_mtime_ns, stat.st_size)
    except (RivaeError, OSError):
        words = ()
    if len(words) != n_components:
        return [""] * n_components
    return [f"{cut(', '.join(of), MAX_NAME - 1)}{SUGGESTED}" if of else "" for of in words]


@lru_cache(maxsize=256)  # pages ask many times
def _words_in(path: Path, mtime_ns: int, size: int) -> tuple[tuple[str, ...], ...]:
    try:
        axes = read_own_form(_Alignment, path, MAX_DOCUMENT).words
    except RivaeError:
        return ()
    words = ([cut(clean(word), MAX_TERM) for word in of] for of in axes[:MAX_AXES])
    return tuple(
        tuple(word for word in of if word and word.isprintable())[:N_SUGGESTED] for of in words
    )


def names_of_axes(run: Run, n_components: int) -> list[str]:
    """How the axes of a run are called everywhere, without opening it: see ``labels``."""
    try:
        ids = METHODS[run.config.method.name].axis_names(n_components)
    except RivaeError:
        ids = Method.axis_names(n_components)
    return labels(ids, shown_names(run, n_components), axis_signs(run, n_components))


def shown_names(run: Run, n_components: int) -> list[str]:
    """The name that each axis was given, else what words suggest, else ""."""
    pairs = zip(given_names(run, n_components), suggested_names(run, n_components), strict=True)
    return [given or suggested for given, suggested in pairs]


def pole_names(run: Run, n_components: int) -> list[str]:
    """What the rows of a chart call each axis: its two poles ("savory ↔ dessert"), else its name,
    else z3; "?" ends what no user has accepted.
    """
    shown, ids = shown_names(run, n_components), names_of_axes(run, n_components)
    labels = []
    for known, name, axis_id in zip(known_names(run, n_components), shown, ids, strict=True):
        low, high = known.poles if known else ("", "")
        draft = SUGGESTED if known and known.proposed else ""
        labels.append(f"{low} ↔ {high}{draft}" if low else name or axis_id)
    return labels


def change_names(
    run: Run,
    n_components: int,
    changes: Mapping[int, AxisName | None],
    *,
    on_delete: Callable[[Deleted], object] | None = None,
) -> dict[int, AxisName]:
    """Set or (None) remove the names of some axes; the other names stay.

    A file that cannot be read, or that belongs to an earlier model, is replaced. Names that are
    removed or replaced go to the trash (``rivae.exploring.words.names_trash``).

    Args:
        on_delete: takes the entry of the trash, if there is one.

    Returns:
        The previous names of the changed axes, so that a page can tell what was overwritten.

    Raises:
        ConfigError: there is no such axis, or a name is not one line of 1 to ``MAX_NAME``
            characters.
        RunError: the file cannot be written, or the data were replaced since the training.
        DataError: the names that would be lost cannot be moved into the trash; they stay then.
    """
    run.require_same_data()
    for dim in changes:
        if not 0 <= dim < n_components:
            raise ConfigError(f"there is no axis {dim + 1}: choose 1 to {n_components}")
    new_names = {
        dim: name
        and replace(
            name,
            dim=dim,
            name=checked_name(name.name),
            low=name.low and checked_name(name.low),
            high=name.high and checked_name(name.high),
        )
        for dim, name in changes.items()
    }
    model, before = run.model_key, dict[int, AxisName]()

    def change(path: Path | None) -> Mapping[str, Any]:
        try:
            names: Iterable[AxisName] = read_names(path or b"", n_components, model)
        except RivaeError:
            names = ()
            unread = None if path is None else keep_unread(run, _content_of(path))
            if unread and on_delete:
                on_delete(unread)
        names_by_axis = {n.dim: n for n in names}
        before.update({dim: names_by_axis[dim] for dim in new_names if dim in names_by_axis})
        trash_entry = keep_lost(run, before, new_names)
        if trash_entry is not None and on_delete is not None:
            on_delete(trash_entry)
        for dim, name in new_names.items():
            if name is None:
                names_by_axis.pop(dim, None)
            else:
                names_by_axis[dim] = name
        return to_json(names_by_axis.values(), model)

    _change_file(run, change)
    return before


def checked_name(text: str) -> str:
    """``text`` on one line without spaces around it, as the name of an axis.

    Raises:
        ConfigError: it is empty, too long, or holds characters that cannot be shown.
    """
    return one_line(text, "the name of an axis", MAX_NAME)


def labels(ids: Sequence[str], names: Sequence[str], signs: Sequence[int]) -> list[str]:
    """ "z3", "z3 · greenness" once named, "z3 · spinach, peas?" where words suggest it, and
    "−z3 · greenness" where greenness falls as z3 grows, so that −z3 is shown.
    """
    return [
        f"{signed_id(i, sign)}{SEPARATOR}{name}" if name else i
        for i, name, sign in zip(ids, names, signs, strict=True)
    ]


def signed_id(axis_id: str, sign: int) -> str:
    """ "z3", or "−z3" where that is shown."""
    return axis_id if sign > 0 else f"−{axis_id}"


def cut(text: str, longest: int) -> str:
    """``text``, or its beginning and an ellipsis: at most ``longest`` characters."""
    return text if len(text) <= longest else text[: longest - 1].rstrip(" ,:") + "…"


class _Alignment(BaseModel):
    """What is read of a run's change of axes."""

    words: list[list[str]] = []


def names_path(run: Run) -> Path:
    """Where names are written.

    Raises:
        RunError: the run is read-only and has no model.
    """
    return writable_file(run, AXIS_NAMES, FOLDER)


def _change_file(run: Run, change: Callable[[Path | None], Mapping[str, Any]]) -> None:
    """Replace the file by the result of ``change``, one session at a time.

    Raises:
        RunError: the file cannot be written or stays locked.
    """
    try:
        change_json(names_path(run), lambda: change(current_file(run, AXIS_NAMES, FOLDER)))
    except OSError as error:
        why = "somebody else is" if isinstance(error, BlockingIOError) else why_not(error)
        raise RunError(f"run {run.id}: axis names cannot be written: {why}") from None


def _content_of(path: Path) -> bytes:
    """The file's first ``MAX_BYTES + 1`` bytes, read again only after it has changed."""
    stat = path.stat()
    stamp = (stat.st_mtime_ns, stat.st_size, stat.st_ino)
    content = _contents.get(path)
    if content is None or content[0] != stamp:
        with open_regular(path) as stream:
            content = stamp, stream.read(MAX_BYTES + 1)
        with _lock:
            while len(_contents) >= _MAX_KNOWN:
                _contents.pop(next(iter(_contents)))
            _contents[path] = content
    return content[1]
