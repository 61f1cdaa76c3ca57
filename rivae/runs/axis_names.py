"""The names of axes and their JSON file in a run's folder, which is not trusted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from rivae.base.errors import DataError
from rivae.base.reading.documents import read_form

Kind = Literal["word", "tag", "factor"]

KEPT: dict[Kind, int] = {"factor": 3, "word": 8, "tag": 5}  # terms of each kind for an axis
N_EVIDENCE = sum(KEPT.values())
MAX_TERM = 80  # characters of a term
MAX_NAME = 60  # characters of a name, and of a pole
AXIS_NAMES = "axis_names.json"
MAX_BYTES = 1_000_000
MAX_AXES = 1024


# Files are not trusted: the types below are validated when one is read.
_STRICT = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)
_Share = Annotated[float, Field(ge=0, le=1)]
_Correlation = Annotated[float, Field(ge=-1, le=1)]


def _one_line(text: str) -> str:
    text = text.strip()
    if not text.isprintable():
        raise ValueError("a name is one line of text")
    return text


def _filled(text: str) -> str:
    if not text:
        raise ValueError("a name is one line of text")
    return text


_Line = Annotated[str, Field(max_length=MAX_NAME), AfterValidator(_one_line)]


@dataclass(frozen=True)
class Evidence:
    """One term that changes along an axis.

    Attributes:
        term: a word, a tag or the name of a factor, plain text.
        strength: Pearson correlation of the factor, or of the presence of the word or tag, with
            the position on the axis, in [-1, 1]; its sign is the direction.
        shift: for a word or tag, how far items with it lie from those without, in s.d. of the
            axis; for a factor the same as ``strength``.
        p: Holm's p over all tested terms and axes.
    """

    __pydantic_config__ = _STRICT

    term: Annotated[str, Field(max_length=MAX_TERM)]
    kind: Kind
    strength: _Correlation
    shift: float
    p: _Share


@dataclass(frozen=True)
class HeldOut:
    """How well a name predicts the position of other items than it was made from.

    Attributes:
        score: |correlation| of the named property with the position on the axis, in [0, 1].
        chance: 95th percentile of the score of unrelated properties.
        n: items.
    """

    __pydantic_config__ = _STRICT

    score: _Share
    chance: _Share
    n: Annotated[int, Field(ge=0)]


@dataclass(frozen=True)
class AxisName:
    """The name of one axis and of its two poles.

    Attributes:
        dim: 0-based latent dimension.
        name: the property that grows in ``direction``, at most ``MAX_NAME`` characters, plain text.
        direction: 1 if it grows with z, -1 if it falls.
        evidence: the terms behind the name, the strongest first.
        edited: whether a person wrote the name.
        low, high: names of the poles, "savory" and "dessert"; plain text, "" without.
        proposed: the name was not accepted yet.
        held_out: its score on other items; None if not measured.
    """

    __pydantic_config__ = _STRICT

    dim: Annotated[int, Field(ge=0)]
    name: Annotated[_Line, AfterValidator(_filled)]
    direction: Literal[-1, 1]
    evidence: Annotated[tuple[Evidence, ...], Field(max_length=N_EVIDENCE)] = ()
    edited: bool = False
    low: _Line = ""
    high: _Line = ""
    proposed: bool = False
    held_out: HeldOut | None = None

    @property
    def poles(self) -> tuple[str, str]:
        """The names of the left and the right end of the axis as it is shown."""
        return self.low, self.high or self.name

    def on_turned_axis(self) -> AxisName:
        """The same name where −z is z now: what fell along the axis grows along it."""
        evidence = (replace(e, strength=-e.strength, shift=-e.shift) for e in self.evidence)
        return replace(self, direction=1 if self.direction < 0 else -1, evidence=tuple(evidence))


class _File(BaseModel):
    model_config = _STRICT

    version: Literal[1]
    model: Annotated[str, Field(max_length=64)] = ""
    axes: Annotated[list[AxisName], Field(max_length=MAX_AXES)]


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
    return tuple(sorted(axes, key=lambda axis: axis.dim))
