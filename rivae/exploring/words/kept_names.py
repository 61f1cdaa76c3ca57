"""Axis names that were removed or replaced, in the trash of the folder ``names``."""

from __future__ import annotations

import json
from collections.abc import Mapping

from rivae.base.files import private_folder
from rivae.runs import Run, runs_root
from rivae.runs.axis_names import AxisName, to_json
from rivae.runs.trash import Deleted, Trash


def trash_of_names() -> Trash:
    """The trash of axis names."""
    return Trash(runs_root() / "names", "names")


def keep_lost(
    run: Run, before: Mapping[int, AxisName], new_names: Mapping[int, AxisName | None]
) -> Deleted | None:
    """Put the names that a change loses into the trash; None if it loses none.

    Args:
        before: the names that stand there now, by dimension.
        new_names: what they become; None removes a name.

    Raises:
        DataError: the trash cannot be written.
    """
    lost_names = {dim: name for dim, name in before.items() if _is_lost(name, new_names[dim])}
    if not lost_names:
        return None
    instead = {str(dim): new.name for dim in lost_names if (new := new_names[dim]) is not None}
    trash = trash_of_names()
    private_folder(trash.root)
    content = json.dumps(to_json(lost_names.values(), run.model_key), ensure_ascii=False).encode()
    return trash.put_content(run.id, content, more={"run": run.id, "instead": instead})


def keep_unread(run: Run, content: bytes) -> Deleted | None:
    """The same for a whole file that is to be replaced as it is damaged or of another model."""
    if not content:
        return None
    trash = trash_of_names()
    private_folder(trash.root)
    return trash.put_content(run.id, content, more={"run": run.id})


def _is_lost(name: AxisName, new: AxisName | None) -> bool:
    if new is None:
        return True
    # A proposal that is replaced can be computed again; a name that a user gave cannot.
    return not name.proposed and (name.name, name.low, name.high) != (new.name, new.low, new.high)
