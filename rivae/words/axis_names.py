"""The names that an analyst gave the axes of a run: read, changed one at a time, put on labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rivae.errors import ConfigError, RivaeError
from rivae.typed_text import one_line
from rivae.words.kept_names import change_kept, content_of, kept_names
from rivae.words.names_file import read_names, to_json
from rivae.words.naming import MAX_NAME, AxisName

if TYPE_CHECKING:
    from rivae.runs import Run

SEPARATOR = " · "
FALLS = "↓"


def axis_names(run: Run, n_components: int) -> dict[int, AxisName]:
    """The names of a run's axes by dimension; {} without any.

    Raises:
        DataError: the file is damaged or belongs to another model.
        RunError: the run has no model.
    """
    path = kept_names(run)
    if path is None:
        return {}
    return {n.dim: n for n in read_names(content_of(path), n_components, run.model_key)}


def given_names(run: Run, n_components: int) -> list[str]:
    """The name of each axis, "" without one, with an arrow before the name of what falls as z
    grows; none at all where ``axis_names`` would raise: what a page shows must not depend on that
    file.
    """
    try:
        named = axis_names(run, n_components)
    except (RivaeError, OSError):
        return [""] * n_components
    return [shown_name(named[j]) if j in named else "" for j in range(n_components)]


def shown_name(name: AxisName) -> str:
    """The name as it stands on labels: "↓ greenness" where greenness falls as z grows."""
    return name.name if name.direction > 0 else f"{FALLS} {name.name}"


def change_names(
    run: Run, n_components: int, changes: Mapping[int, AxisName | None]
) -> dict[int, AxisName]:
    """Give or (None) take away the names of some axes; the others stay as they are on disk now.

    A file that cannot be read, or that belongs to an earlier model, is replaced.

    Returns:
        The names of the changed axes before, so that a page can tell what was overwritten.

    Raises:
        ConfigError: there is no such axis, or a name is not one line of 1 to ``MAX_NAME``
            characters.
        RunError: the file cannot be written.
    """
    for dim in changes:
        if not 0 <= dim < n_components:
            raise ConfigError(f"there is no axis {dim + 1}: choose 1 to {n_components}")
    wanted = {
        dim: name and replace(name, dim=dim, name=checked_name(name.name))
        for dim, name in changes.items()
    }
    model, before = run.model_key, dict[int, AxisName]()

    def change(path: Path | None) -> Mapping[str, Any]:
        try:
            names: Iterable[AxisName] = read_names(path or b"", n_components, model)
        except RivaeError:
            names = ()
        kept = {n.dim: n for n in names}
        before.update({dim: kept[dim] for dim in wanted if dim in kept})
        for dim, name in wanted.items():
            if name is None:
                kept.pop(dim, None)
            else:
                kept[dim] = name
        return to_json(kept.values(), model)

    change_kept(run, change)
    return before


def checked_name(text: str) -> str:
    """``text`` on one line without spaces around it, as the name of an axis.

    Raises:
        ConfigError: it is empty, too long, or holds characters that cannot be shown.
    """
    return one_line(text, "the name of an axis", MAX_NAME)


def labels(ids: Sequence[str], given: Sequence[str]) -> list[str]:
    """ "z3 · greenness" where there is a name, "z3" elsewhere."""
    return [f"{i}{SEPARATOR}{name}" if name else i for i, name in zip(ids, given, strict=True)]


def cut(text: str, longest: int) -> str:
    """``text``, or its beginning and an ellipsis: at most ``longest`` characters."""
    return text if len(text) <= longest else text[: longest - 1].rstrip(" ,:") + "…"
