"""The form of ``evaluation.json``: what may stand in it is known before anything shows it.

Older files lack some of it and newer ones may hold more, so only what is read somewhere is
checked: every number that is shown is one, every group that is searched is one.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from rivae.errors import DataError
from rivae.reading.documents import first_problem, read_json

# Ours are some 60 kB; one of 512 axes has 2 MB.
MAX_BYTES = 8 * 2**20

_Number = Annotated[float, Field(ge=-1e30, le=1e30, allow_inf_nan=False)]
_Word = Annotated[str, Field(max_length=1000)]


class _Read(BaseModel):
    model_config = ConfigDict(extra="allow", strict=True)


class Result(_Read):
    """A ``MetricResult``, or a table that stands among them and has no score."""

    score: _Number | None = None
    std: _Number | None = None
    low: _Number | None = None
    high: _Number | None = None
    n: _Number | None = None
    higher_is_better: bool | None = None
    parts: dict[str, Any] | None = None
    settings: dict[str, Any] | None = None


Results = Annotated[dict[_Word, Result | None], Field(max_length=500)]


class AtAlpha(_Read):
    """D and C with another alpha of rho."""

    rho: _Word
    alpha: _Number | None
    disentanglement: _Number | None
    completeness: _Number | None

    @model_validator(mode="after")
    def _alpha_where_it_counts(self) -> AtAlpha:
        if self.rho != "linear" and self.alpha is None:
            raise ValueError("alpha is missing")
        return self


class Correlation(_Read):
    """The table behind D, C and I."""

    factor_names: Annotated[list[_Word], Field(max_length=500)] | None = None
    alpha_sensitivity: Annotated[list[AtAlpha], Field(max_length=100)] | None = None


class AtRange(_Read):
    """The transitions of digits over one range of z."""

    n_std: _Number
    overlap: _Number | None = None
    coverage: _Number | None = None


class Evaluation(_Read):
    """What ``rivae.evaluation.evaluate`` returns, as it was stored by any version."""

    created: _Word | None = None
    settings: dict[str, Any] | None = None
    retrieval: Results | None = None
    factors: Results | None = None
    factors_other: Results | None = None
    digits: Results | None = None
    digits_other: Results | None = None
    correlation: Correlation | None = None
    correlation_other: Correlation | None = None
    digits_ranges: Annotated[list[AtRange], Field(max_length=100)] | None = None


def read_evaluation(source: Path | bytes) -> dict[str, Any]:
    """A stored evaluation as it stands there.

    Raises:
        DataError: it is too large, damaged, or not of the form ``Evaluation``; one sentence that
            ends in what to do.
    """
    damaged = "evaluation.json is damaged: evaluate the run again"
    value = read_json(
        source,
        MAX_BYTES,
        foreign=damaged,
        unreadable=damaged,
        too_large="evaluation.json is too large: evaluate the run again",
    )
    if not isinstance(value, dict):
        raise DataError(damaged)
    try:
        Evaluation.model_validate(value)
    except ValidationError as error:
        problem = first_problem(error)
        raise DataError(f"broken evaluation ({problem}): evaluate the run again") from None
    return value
