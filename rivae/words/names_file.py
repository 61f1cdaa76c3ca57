"""The JSON file of axis names. It may come from a stranger."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator

from rivae.errors import DataError
from rivae.reading.documents import read_form
from rivae.words.naming import MAX_NAME, MAX_TERM, N_EVIDENCE, AxisName, Evidence, HeldOut

AXIS_NAMES = "axis_names.json"
MAX_BYTES = 1_000_000
MAX_AXES = 1024

_Share = Annotated[float, Field(ge=-1, le=1)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class _Evidence(_Strict):
    term: Annotated[str, Field(max_length=MAX_TERM)]
    kind: Literal["word", "tag", "factor"]
    strength: _Share
    shift: float
    p: Annotated[float, Field(ge=0, le=1)]


class _HeldOut(_Strict):
    score: Annotated[float, Field(ge=0, le=1)]
    chance: Annotated[float, Field(ge=0, le=1)]
    n: Annotated[int, Field(ge=0)]


class _Axis(_Strict):
    dim: Annotated[int, Field(ge=0)]
    name: Annotated[str, Field(min_length=1, max_length=MAX_NAME)]
    direction: Literal[-1, 1]
    evidence: Annotated[list[_Evidence], Field(max_length=N_EVIDENCE)] = []
    edited: bool = False
    low: Annotated[str, Field(max_length=MAX_NAME)] = ""
    high: Annotated[str, Field(max_length=MAX_NAME)] = ""
    proposed: bool = False
    held_out: _HeldOut | None = None

    @field_validator("name", "low", "high")
    @classmethod
    def _one_line(cls, text: str, field: ValidationInfo) -> str:
        text = text.strip()
        if not text.isprintable() or (field.field_name == "name" and not text):
            raise ValueError("a name is one line of text")
        return text


class _File(_Strict):
    version: Literal[1]
    model: Annotated[str, Field(max_length=64)] = ""
    axes: Annotated[list[_Axis], Field(max_length=MAX_AXES)]


def to_json(names: Iterable[AxisName], model: str = "") -> dict[str, Any]:
    """The names as JSON values, by dimension; ``model`` is the hash of their model, "" for any."""
    axes = [asdict(n) for n in sorted(names, key=lambda n: n.dim)]
    return {"version": 1, "model": model, "axes": axes}


def read_names(
    source: Path | bytes, n_components: int, model: str | None = None
) -> tuple[AxisName, ...]:
    """The names in a file or its content, by dimension. A name is plain text: escape it where it
    is drawn.

    Raises:
        DataError: the file is missing, larger than ``MAX_BYTES``, not a file of axis names, names
            an axis twice or one beyond ``n_components``, or belongs to another model than the one
            with hash ``model``.
    """
    file = read_form(
        _File,
        source,
        MAX_BYTES,
        unreadable="the file of axis names cannot be read: choose another one",
        too_large=f"a file of axis names has at most {MAX_BYTES:,} bytes: choose another one",
        foreign="these are no axis names ({problem}): choose a file that this app saved",
    )
    if model and file.model and file.model != model:
        raise DataError(
            "these names were given to the axes of another model: choose names made for this one"
        )
    axes = file.axes
    dims = [axis.dim for axis in axes]
    if len(set(dims)) < len(dims):
        raise DataError("an axis is named twice in this file: keep one name for each axis")
    if dims and max(dims) >= n_components:
        raise DataError(
            f"the file names axis {max(dims) + 1} but the model has {n_components}: "
            "choose names made for this model"
        )
    return tuple(
        AxisName(
            axis.dim,
            axis.name,
            axis.direction,
            tuple(Evidence(**e.model_dump()) for e in axis.evidence),
            axis.edited,
            axis.low,
            axis.high,
            axis.proposed,
            HeldOut(**axis.held_out.model_dump()) if axis.held_out else None,
        )
        for axis in sorted(axes, key=lambda axis: axis.dim)
    )
