"""The single results of an evaluation, as they are stored: metrics, tables and digits.

Unknown fields of newer versions are kept.
"""

from __future__ import annotations

import math
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, model_validator

ROUNDING = 1e-9

Number = Annotated[float, Field(ge=-1e30, le=1e30, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, le=1 + ROUNDING)]
Count = Annotated[int, Field(ge=0, le=2**53)]
Word = Annotated[str, Field(max_length=1000)]
Numbers = list[Number]
Table = list[list[Number]]


class Read(BaseModel):
    """A part of an evaluation as any version wrote it."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)


class Null(Read):
    """A metric under shuffled factors, see ``rivae.metrics.suite.Null``."""

    mean: Number | None = None
    std: Number | None = None
    p_value: Number | None = None


class Parts(Read):
    """Pieces of a result; those of the single metrics are kept as they are."""

    null: Null | None = None


class Constants(Read):
    """Settings that affect a score."""

    undefined: Word | None = None
    search_size: Number | None = None
    factors: Annotated[list[Word], Field(max_length=500)] | None = None


class Result(Read):
    """A ``MetricResult`` as stored: open ends and undefined scores are None."""

    score: Number | None = None
    std: Number | None = None
    low: Number | None = None
    high: Number | None = None
    n: Count | None = None
    higher_is_better: bool | None = None
    parts: Parts | None = None
    settings: Constants | None = None

    @property
    def value(self) -> float:
        """The score, NaN where undefined."""
        return math.nan if self.score is None else self.score

    @property
    def null(self) -> Null:
        """Its level of chance; without numbers where none was measured."""
        return (self.parts and self.parts.null) or Null()

    @property
    def constants(self) -> Constants:
        """Settings that affect the score, as far as the file holds them."""
        return self.settings or Constants()


Results = dict[Word, Result]
Group = Annotated[Results, Field(max_length=500)]
CountInText = Annotated[str, Field(pattern=r"^[1-9][0-9]{0,5}$")]


class AtAlpha(Read):
    """D and C with another alpha of rho."""

    rho: Word
    alpha: Number | None
    disentanglement: Number | None
    completeness: Number | None

    @model_validator(mode="after")
    def _alpha_where_it_counts(self) -> AtAlpha:
        if self.rho != "linear" and self.alpha is None:
            raise ValueError("alpha is missing")
        return self


class Values(Read):
    """The ends of z, one per axis, and the number of points between them."""

    low: Numbers
    high: Numbers
    n_points: Count


class Correlation(Read):
    """The table behind D, C and I: one row per axis, one column per factor."""

    factor_names: Annotated[list[Word], Field(max_length=500)] = []
    absolute: list[list[Share]] | None = None
    signed: Table | None = None
    undefined_share: list[list[Share]] | None = None
    n_queries: Count | None = None
    values: Values | None = None
    alpha_sensitivity: Annotated[list[AtAlpha], Field(max_length=100)] = []

    @model_validator(mode="after")
    def _every_table_fits(self) -> Correlation:
        tables = [t for t in (self.absolute, self.signed, self.undefined_share) if t is not None]
        if any(len(row) != len(self.factor_names) for table in tables for row in table):
            raise ValueError("a table does not fit factor_names")
        if len({len(table) for table in tables}) > 1:
            raise ValueError("tables of different numbers of axes")
        return self


class Transitions(Read):
    """Which of the 45 pairs of digits follow each other: one row per axis."""

    table: Annotated[
        list[Annotated[list[Annotated[Number, Field(ge=0)]], Field(min_length=45, max_length=45)]],
        Field(min_length=1),
    ]


class Digits(Read):
    """Digit transitions: the table, and its metrics by name."""

    __pydantic_extra__: dict[str, Result]
    transitions: Transitions | None = None

    @property
    def results(self) -> Results:
        """Overlap and coverage by name."""
        return self.__pydantic_extra__


class AtWidth(Read):
    """The transitions of digits over mean ± ``n_std`` s.d. of z."""

    n_std: Annotated[float, Field(ge=1e-6, le=1e6)]
    overlap: Share | None = None
    coverage: Share | None = None


class Change(Read):
    """A factor, tag or word that an axis changes, in s.d., and the size that chance reaches."""

    kind: Word
    name: Word
    change: Number
    chance: Number


class Effects(Read):
    """What moving along one axis changes, see ``rivae.exploring.axis_effects.AxisEffects``."""

    axis: Word
    sentence: Annotated[str, Field(max_length=10_000)]
    changes: Annotated[list[Change], Field(max_length=3_000)] = []
    new: Number | None = None
    length: Number | None = None
