"""A tour: a title and steps, each with a heading, a note and one row of levels of one run.

All its text is plain: escape it where it is drawn.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from rivae.errors import ConfigError
from rivae.steering import MAX_LEVEL, SteerRow
from rivae.typed_text import one_line, some_lines

MAX_STEPS = 60
MAX_TITLE, MAX_HEADING, MAX_NOTE = 120, 120, 1200  # characters
MAX_AXIS = 4096
MAX_ROW = 10**9  # of a query


@dataclass(frozen=True)
class TourStep:
    """One view of one run.

    Attributes:
        heading: one line, at most 120 characters.
        note: what the presenter says, at most 1,200 characters, lines allowed; may be empty.
        run: id of the run; it may be missing here.
        query: a data row, or "mean" for the prior's mean.
        row: the axes and their levels.
        n_sigma: how far "off" and "on" are from the mean, above 0 and at most 10 s.d.

    Raises:
        ConfigError: a text is too long or cannot be shown, or a number is out of range.
    """

    heading: str
    note: str
    run: str
    query: int | Literal["mean"]
    row: SteerRow
    n_sigma: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "heading", one_line(self.heading, "a heading", MAX_HEADING))
        object.__setattr__(self, "note", some_lines(self.note, "a note", MAX_NOTE))
        if not re.fullmatch(r"[a-z0-9._-]{1,120}", self.run):
            raise ConfigError("a step names its run by the id that `rivae runs` shows")
        if self.query != "mean" and not 0 <= self.query <= MAX_ROW:
            raise ConfigError("the query of a step is a row of the data set, or the mean")
        if not 0 < self.n_sigma <= MAX_LEVEL:
            raise ConfigError(f"n sigma must lie above 0 and be at most {MAX_LEVEL:g}")
        if any(j > MAX_AXIS for j in self.row.axes):
            raise ConfigError(f"an axis of a step lies beyond {MAX_AXIS}")


@dataclass(frozen=True)
class Tour:
    """A title and ordered steps; ``id`` is the name of its file, "" for one that is not saved.

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
