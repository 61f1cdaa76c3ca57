"""``evaluation.json``: the measurements of a run, checked when they are read and written.

Older files lack some fields; unknown fields of newer ones are kept. Everything that is shown or
used in computations is a typed attribute here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from rivae.errors import DataError
from rivae.files import json_ready
from rivae.reading.documents import first_problem, read_json

# Ours are some 60 kB; one of 512 axes has 2 MB.
AGAIN = "evaluate the run again"
DAMAGED = f"evaluation.json is damaged: {AGAIN}"
MAX_BYTES = 8 * 2**20
ROUNDING = 1e-9
# Measurements along z are in the file twice: over the range asked for, and over another.
_SUFFIXES, _USUAL_RANGES = ("", "_other"), ("paper", "prior")
_ALONG = ("factors", "digits", "correlation")

_Number = Annotated[float, Field(ge=-1e30, le=1e30, allow_inf_nan=False)]
_Share = Annotated[float, Field(ge=0, le=1 + ROUNDING)]
_Count = Annotated[int, Field(ge=0, le=2**53)]
_Word = Annotated[str, Field(max_length=1000)]
_Numbers = list[_Number]
_Table = list[list[_Number]]


class _Read(BaseModel):
    model_config = ConfigDict(extra="allow", strict=True, frozen=True)


class Null(_Read):
    """A metric under shuffled factors, see ``rivae.metrics.suite.Null``."""

    mean: _Number | None = None
    std: _Number | None = None
    p_value: _Number | None = None


class Parts(_Read):
    """Pieces of a result; those of the single metrics are kept as they are."""

    null: Null | None = None


class Constants(_Read):
    """Settings that affect a score."""

    undefined: _Word | None = None
    search_size: _Number | None = None
    factors: Annotated[list[_Word], Field(max_length=500)] | None = None


class Result(_Read):
    """A ``MetricResult`` as stored: open ends and undefined scores are None."""

    score: _Number | None = None
    std: _Number | None = None
    low: _Number | None = None
    high: _Number | None = None
    n: _Count | None = None
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


Results = dict[_Word, Result]
_Group = Annotated[Results, Field(max_length=500)]
_CountInText = Annotated[str, Field(pattern=r"^[1-9][0-9]{0,5}$")]


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


class Values(_Read):
    """The ends of z, one per axis, and the number of points between them."""

    low: _Numbers
    high: _Numbers
    n_points: _Count


class Correlation(_Read):
    """The table behind D, C and I: one row per axis, one column per factor."""

    factor_names: Annotated[list[_Word], Field(max_length=500)] = []
    absolute: list[list[_Share]] | None = None
    signed: _Table | None = None
    undefined_share: list[list[_Share]] | None = None
    n_queries: _Count | None = None
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


class Transitions(_Read):
    """Which of the 45 pairs of digits follow each other: one row per axis."""

    table: Annotated[
        list[Annotated[list[Annotated[_Number, Field(ge=0)]], Field(min_length=45, max_length=45)]],
        Field(min_length=1),
    ]


class Digits(_Read):
    """Digit transitions: the table, and its metrics by name."""

    __pydantic_extra__: dict[str, Result]
    transitions: Transitions | None = None

    @property
    def results(self) -> Results:
        """Overlap and coverage by name."""
        return self.__pydantic_extra__


class AtWidth(_Read):
    """The transitions of digits over mean ± ``n_std`` s.d. of z."""

    n_std: Annotated[float, Field(ge=1e-6, le=1e6)]
    overlap: _Share | None = None
    coverage: _Share | None = None


class Moved(_Read):
    """A range that z was moved over: its name or its ends, and the scale of its unit."""

    range: _Word | Annotated[_Numbers, Field(min_length=2, max_length=2)]
    scale: _Word = ""


class Prior(_Read):
    """The aggregated prior, by axis."""

    mean: _Numbers
    std: _Numbers
    low: _Numbers | None = None
    high: _Numbers | None = None
    n: _Count


class Settings(_Read):
    """How it was measured."""

    dataset: _Word = ""
    n_queries: Annotated[_Count, Field(ge=1)] | None = None
    alpha: Annotated[_Number, Field(gt=0)] | None = None
    random_state: _Count | None = None
    latents: _Word = "mu(v1)"
    views: Annotated[list[_Word], Field(min_length=2, max_length=2)] | None = None
    prior: Prior | None = None
    traversal: Moved | None = None
    traversal_other: Moved | None = None


@dataclass(frozen=True)
class Along:
    """The measurements along one range of z.

    Attributes:
        range: its name, or its ends.
        is_named: whether the file names the range; otherwise it is the usual one.
        scale: the scale of its unit.
        factors: D, C and I by name; with the first range also the metrics of z itself.
        correlation, digits: None where the data have no such factor.
    """

    range: str | tuple[float, float]
    is_named: bool
    scale: str
    factors: Results
    correlation: Correlation | None
    digits: Digits | None

    @property
    def name(self) -> str:
        """The range in one word."""
        return self.range if isinstance(self.range, str) else "{:g},{:g}".format(*self.range)


class Evaluation(_Read):
    """The results of ``rivae.evaluation.evaluate``, as stored by any version; the file's fields."""

    created: _Word = ""
    retrieval: _Group = {}
    retrieval_back: _Group | None = None
    retrieval_sampled: Annotated[dict[_CountInText, _Group], Field(max_length=20)] = {}
    factors: _Group | None = None
    digits: Digits | None = None
    correlation: Correlation | None = None
    factors_other: _Group | None = None
    correlation_other: Correlation | None = None
    digits_other: Digits | None = None
    digits_ranges: Annotated[list[AtWidth], Field(max_length=100)] = []
    settings: Settings = Settings()

    @classmethod
    def of(
        cls,
        *,
        fields: Mapping[str, Any],
        latents: Mapping[str, Any] | None,
        along: Sequence[Mapping[str, Any]],
        settings: Mapping[str, Any],
    ) -> Evaluation:
        """An evaluation out of results by name.

        Args:
            fields: those that hang on no range of z, as far as they were measured.
            latents: the metrics of z itself.
            along: for the range asked for and for the second one: "range" and "scale", and as far
                as measured "factors", "correlation" and "digits".
        """
        none: dict[str, Any] = {"factors": None, "digits": None, "correlation": None}
        document = none | {name: value for name, value in fields.items() if value}
        ranges = {}
        for suffix, each in zip(_SUFFIXES, along, strict=True):
            ranges[f"traversal{suffix}"] = {"range": each["range"], "scale": each["scale"]}
            document |= {f"{name}{suffix}": each[name] for name in _ALONG if name in each}
        if latents is not None:
            document["factors"] = {**(document["factors"] or {}), **latents}
        document["settings"] = {**settings, **ranges}
        return cls.model_validate(json_ready(document))

    @property
    def along(self) -> tuple[Along, Along]:
        """The measurements along the range asked for, and along the second one."""
        return self._along(0), self._along(1)

    def _along(self, k: int) -> Along:
        suffix = _SUFFIXES[k]
        named = getattr(self.settings, f"traversal{suffix}")
        moved = named or Moved(range=_USUAL_RANGES[k])
        ends = moved.range
        return Along(
            ends if isinstance(ends, str) else (ends[0], ends[1]),
            named is not None,
            moved.scale,
            getattr(self, f"factors{suffix}") or {},
            getattr(self, f"correlation{suffix}"),
            getattr(self, f"digits{suffix}"),
        )

    def groups(self) -> dict[str, Results]:
        """The results of every group that holds any, those of the second range by its name."""
        found = {"retrieval": self.retrieval, "retrieval back": self.retrieval_back or {}}
        found |= {f"retrieval, {name}": results for name, results in self._sampled()}
        for k, each in enumerate(self.along):
            name = f", {each.name}" if k else ""
            found[f"factors{name}"] = each.factors
            found[f"digits{name}"] = each.digits.results if each.digits else {}
        return {name: results for name, results in found.items() if results}

    def _sampled(self) -> list[tuple[str, Results]]:
        return [
            (f"{n} sample{'s' * (n != '1')} of z", r) for n, r in self.retrieval_sampled.items()
        ]

    def searches(self) -> list[tuple[str, Results]]:
        """Retrieval by what asks: the mean of z and its samples, and the other view if measured.

        The first is the paper's direction by the mean; its name is "" if it is alone.
        """
        drawn = self._sampled()
        if not self.retrieval_back:
            return [("mean of z" if drawn else "", self.retrieval), *drawn]
        named = self.settings.views or ("view 1", "view 2")
        first, second = (" ".join(name.split())[:60] for name in named)  # a line of a table
        there, back = f"{first} → {second}", f"{second} → {first}"
        sampled = [(f"{there}, {name}", results) for name, results in drawn]
        return [(there, self.retrieval), *sampled, (back, self.retrieval_back)]

    def score(self, key: str) -> float | None:
        """The score of a metric, along the first range where it depends on one."""
        first = self.along[0]
        digits = first.digits.results if first.digits else {}
        result = {**digits, **first.factors, **self.retrieval}.get(key)
        return None if result is None else result.score

    def document(self) -> dict[str, Any]:
        """The content of the file."""
        return self.model_dump(exclude_unset=True)


def read_evaluation(source: Path | bytes) -> Evaluation:
    """A stored evaluation.

    Raises:
        DataError: it is too large, damaged, or not an ``Evaluation``; one sentence.
    """
    value = read_json(
        source,
        MAX_BYTES,
        foreign=DAMAGED,
        unreadable=DAMAGED,
        too_large=f"evaluation.json is too large: {AGAIN}",
    )
    if not isinstance(value, dict):
        raise DataError(DAMAGED)
    try:
        return Evaluation.model_validate(value)
    except ValidationError as error:
        problem = first_problem(error)
        raise DataError(f"broken evaluation ({problem}): {AGAIN}") from None
