"""A tour as a JSON file, read as a stranger's: checked whole before any of it is used."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from rivae.errors import ConfigError, DataError
from rivae.files import json_ready
from rivae.reading.documents import read_form
from rivae.steering import MAX_AXES, MAX_LEVEL, SteerRow
from rivae.tours.tour import (
    MAX_AXIS,
    MAX_HEADING,
    MAX_NOTE,
    MAX_ROW,
    MAX_STEPS,
    MAX_TITLE,
    Tour,
    TourStep,
)

MAX_BYTES = 400_000  # more than the largest tour that the limits allow in common letters


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


_Axis = Annotated[int, Field(ge=0, le=MAX_AXIS)]
_Level = Literal["off", "query", "on"] | Annotated[float, Field(ge=-MAX_LEVEL, le=MAX_LEVEL)]


class _Step(_Strict):
    heading: Annotated[str, Field(max_length=2 * MAX_HEADING)]
    note: Annotated[str, Field(max_length=2 * MAX_NOTE)] = ""
    run: Annotated[str, Field(max_length=120)]
    query: Literal["mean"] | Annotated[int, Field(ge=0, le=MAX_ROW)]
    axes: Annotated[list[_Axis], Field(min_length=1, max_length=MAX_AXES)]
    levels: Annotated[list[_Level], Field(min_length=1, max_length=MAX_AXES)]
    n_sigma: Annotated[float, Field(gt=0, le=MAX_LEVEL)]


class _File(_Strict):
    version: Literal[1]
    title: Annotated[str, Field(max_length=2 * MAX_TITLE)]
    steps: Annotated[list[_Step], Field(max_length=MAX_STEPS)]


def to_json(tour: Tour) -> dict[str, Any]:
    """The tour as JSON values; axes count from 0."""
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
        DataError: it is too large, no JSON, not of this form, or a value is out of range; nothing
            of it is used.
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
            )
            for s in file.steps
        )
        return Tour(file.title, steps, tour_id)
    except ConfigError as error:
        raise DataError(
            f"this is not a tour ({error}): choose a file that this app exported"
        ) from None
