"""Brings axis names back from the trash."""

from __future__ import annotations

from rivae.base.errors import DataError, RivaeError
from rivae.exploring.words.axis_names import axis_names, change_names
from rivae.exploring.words.kept_names import trash_of_names
from rivae.runs import find_run
from rivae.runs.axis_names import MAX_AXES, AxisName, read_names
from rivae.runs.trash import CONTENT, Deleted

TAKEN = "the axes of {} have other names now: remove those first"

__all__ = ["restore_names", "trash_of_names"]


def restore_names(name: str) -> str:
    """Give axes their names back; returns the id of their run.

    An axis that was renamed since then keeps its new name.

    Args:
        name: the run, for what was removed last, or the id of an entry.

    Raises:
        DataError: there is none in the trash, they belong to another model than the run has now,
            or all their axes have other names. Nothing has changed then.
        RunError: there is no such run, or its names cannot be written.
    """
    trash = trash_of_names()
    trash_entry = trash.entry(name)
    run = find_run(str(trash_entry.more.get("run")))
    lost_names = {n.dim: n for n in read_names(trash_entry.path / CONTENT, MAX_AXES, run.model_key)}
    try:
        now = axis_names(run, MAX_AXES)
    except RivaeError:
        now = {}
    back = {dim: old for dim, old in lost_names.items() if _is_free(now.get(dim), dim, trash_entry)}
    if not back:
        raise DataError(TAKEN.format(run.id))
    change_names(run, MAX_AXES, back)
    trash.discard(trash_entry.id)
    return run.id


def _is_free(now: AxisName | None, dim: int, trash_entry: Deleted) -> bool:
    """Whether an axis was not renamed since its name was deleted."""
    instead = trash_entry.more.get("instead")
    new_name = instead.get(str(dim)) if isinstance(instead, dict) else None
    return now is None or now.proposed or now.name == new_name
