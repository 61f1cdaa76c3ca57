"""Cells of the CSV files: safe to open in a spreadsheet, and read back exactly."""

from __future__ import annotations

import re

from rivae.errors import LabelError
from rivae.labels.schema import N_LEVELS

CANNOT_TELL = "cannot tell"
# A spreadsheet takes a cell that begins like this for a formula. Quotes before it are counted in,
# so that reading can take away the one that was added.
_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_LEVEL = re.compile(rf"([1-{N_LEVELS}])(\.0+)?")
_YES, _NO = ("true", "1", "yes"), ("false", "0", "no", "")


def escaped(text: str) -> str:
    """``text`` with a quote in front where a spreadsheet would take it for a formula."""
    return f"'{text}" if _FORMULA.match(text) else text


def unescaped(cell: str) -> str:
    """The text that ``escaped`` made ``cell`` of."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def level_cell(level: int | None) -> str:
    """ "1" to "5", or "cannot tell", so that no program takes it for a number."""
    return CANNOT_TELL if level is None else str(level)


def read_level(cell: str) -> int | None:
    """The level in a cell; 0, the key on the Label page, also is "cannot tell".

    Raises:
        LabelError: for anything else, an empty cell included (ask before).
    """
    text = cell.strip().lower()
    if text in (CANNOT_TELL, "0", "0.0"):
        return None
    found = _LEVEL.fullmatch(text)
    if found is None:
        raise LabelError(
            f"'{cell[:20]}' is not a level: write 1 to {N_LEVELS}, '{CANNOT_TELL}' or nothing"
        )
    return int(found[1])


def read_flag(cell: str, name: str) -> bool:
    """True or false, nothing is false; LabelError for anything else."""
    text = cell.strip().lower()
    if text not in (*_YES, *_NO):
        raise LabelError(f"'{cell[:20]}' under '{name}' is neither true nor false")
    return text in _YES


def read_seconds(cell: str) -> float:
    """A number, nothing is 0; LabelError for anything else."""
    try:
        return float(cell.strip() or 0)
    except ValueError:
        raise LabelError(f"'{cell[:20]}' under 'seconds_shown' is not a number") from None
