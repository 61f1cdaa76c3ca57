"""``evaluation.json``: the validated measurements of a run; other files for other query views.

Older files lack some fields; unknown fields of newer ones are kept. Everything that is shown or
used in computations is a typed attribute here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import gettempdir
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from rivae.base.errors import DataError, RunError
from rivae.base.files import json_ready, require_room, why_not, write_json
from rivae.base.reading.documents import first_problem, read_json
from rivae.runs.results import (
    AtWidth,
    Correlation,
    Count,
    CountInText,
    Digits,
    Effects,
    Group,
    Number,
    Numbers,
    Read,
    Results,
    Word,
)

MOST_USUAL = 256 * 2**10  # ours are some 60 kB; one of 512 axes has 2 MB
AGAIN = "evaluate the run again"
# The file by the view whose items were the queries.
FILES: dict[Literal["first", "second", "both"], str] = {
    "first": "evaluation.json",
    "second": "evaluation-second.json",
    "both": "evaluation-both.json",
}
DAMAGED = "{} is damaged: " + AGAIN
MAX_BYTES = 8 * 2**20
# Measurements along z are in the file twice: over the requested range, and over another.
_SUFFIXES, _USUAL_RANGES = ("", "_other"), ("paper", "prior")
_ALONG = ("factors", "digits", "correlation")


class Moved(Read):
    """A range of z: its name or its ends, and the scale of its unit."""

    range: Word | Annotated[Numbers, Field(min_length=2, max_length=2)]
    scale: Word = ""


class Prior(Read):
    """The aggregated prior, by axis."""

    mean: Numbers
    std: Numbers
    low: Numbers | None = None
    high: Numbers | None = None
    n: Count


class Settings(Read):
    """How it was measured; ``asks`` is the query view, one of ``views``, or both, and ``data`` the
    hash of the data (``rivae.data.registry.dataset_content``)."""

    dataset: Word = ""
    data: Word = ""
    n_queries: Annotated[Count, Field(ge=1)] | None = None
    alpha: Annotated[Number, Field(gt=0)] | None = None
    random_state: Count | None = None
    latents: Word = "mu(v1)"
    views: Annotated[list[Word], Field(min_length=2, max_length=2)] | None = None
    asks: Literal["first", "second", "both"] = "first"
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


class Evaluation(Read):
    """The results of ``rivae.evaluation.of_run``, as stored by any version; the fields."""

    created: Word = ""
    retrieval: Group = {}
    retrieval_back: Group | None = None
    retrieval_both: Group | None = None
    retrieval_sampled: Annotated[dict[CountInText, Group], Field(max_length=20)] = {}
    factors: Group | None = None
    digits: Digits | None = None
    correlation: Correlation | None = None
    factors_other: Group | None = None
    correlation_other: Correlation | None = None
    digits_other: Digits | None = None
    digits_ranges: Annotated[list[AtWidth], Field(max_length=100)] = []
    effects: Annotated[list[Effects], Field(max_length=10_000)] = []
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
            fields: measurements that depend on no range of z.
            latents: the metrics of z itself.
            along: of the requested and of the second range: "range", "scale" and, if measured,
                "factors", "correlation" and "digits".
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
        """The measurements along the requested range, and along the second one."""
        return self._along(0), self._along(1)

    def _along(self, k: int) -> Along:
        suffix = _SUFFIXES[k]
        own_range = getattr(self.settings, f"traversal{suffix}")
        z_range = own_range or Moved(range=_USUAL_RANGES[k])
        ends = z_range.range
        return Along(
            ends if isinstance(ends, str) else (ends[0], ends[1]),
            own_range is not None,
            z_range.scale,
            getattr(self, f"factors{suffix}") or {},
            getattr(self, f"correlation{suffix}"),
            getattr(self, f"digits{suffix}"),
        )

    def groups(self) -> dict[str, Results]:
        """The non-empty groups of results; the second range is in their names."""
        results_by_group = {
            "retrieval": self.retrieval,
            "retrieval back": self.retrieval_back or {},
        }
        results_by_group["retrieval by both"] = self.retrieval_both or {}
        results_by_group |= {f"retrieval, {name}": results for name, results in self._sampled()}
        for k, each in enumerate(self.along):
            name = f", {each.name}" if k else ""
            results_by_group[f"factors{name}"] = each.factors
            results_by_group[f"digits{name}"] = each.digits.results if each.digits else {}
        return {name: results for name, results in results_by_group.items() if results}

    def _sampled(self) -> list[tuple[str, Results]]:
        return [
            (f"{n} sample{'s' * (n != '1')} of z", r) for n, r in self.retrieval_sampled.items()
        ]

    @property
    def views(self) -> tuple[str, str]:
        """The names of the two views for users."""
        first, second = self.settings.views or ("view 1", "view 2")
        return first, second

    def searches(self) -> list[tuple[str, Results]]:
        """Retrieval by the mean of z and by its samples, and by other query views if measured.

        The first is by the mean of z of the queries; its name is "" if it is alone.
        """
        samples = self._sampled()
        if not self.retrieval_back:
            return [("mean of z" if samples else "", self.retrieval), *samples]
        first, second = (" ".join(name.split())[:60] for name in self.views)  # a line of a table
        there, back = f"{first} → {second}", f"{second} → {first}"
        named_samples = [(f"{there}, {name}", results) for name, results in samples]
        ways = [(there, self.retrieval), *named_samples, (back, self.retrieval_back)]
        if self.retrieval_both:
            ways.append((f"both → {second}", self.retrieval_both))
        by_view = {"second": self.retrieval_back, "both": self.retrieval_both}
        of_queries = by_view.get(self.settings.asks, self.retrieval)
        return sorted(ways, key=lambda way: way[1] is not of_queries)

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
    name = source.name if isinstance(source, Path) else FILES["first"]
    damage = DAMAGED.format(name)
    value = read_json(
        source,
        MAX_BYTES,
        foreign=damage,
        unreadable=damage,
        too_large=f"{name} is too large: {AGAIN}",
    )
    if not isinstance(value, dict):
        raise DataError(damage)
    try:
        return Evaluation.model_validate(value)
    except ValidationError as error:
        problem = first_problem(error)
        raise DataError(f"broken evaluation ({problem}): {AGAIN}") from None


def write_evaluation(
    folder: Path, run_id: str, evaluation: Evaluation, or_elsewhere: bool = False
) -> None:
    """Write it atomically into a run's folder, in the file of the view that was the query.

    Args:
        or_elsewhere: where this cannot be done, keep it in the current folder, or in that of
            temporary files; the error then names the file.

    Raises:
        RunError: the folder cannot be written.
    """
    name = FILES[evaluation.settings.asks]
    try:
        write_json(folder / name, evaluation.document())
    except OSError as error:
        reason = _not_kept(run_id, error)
        for place in (Path.cwd(), Path(gettempdir())) if or_elsewhere else ():
            copy = (place / f"{run_id}-{name}").absolute()
            with suppress(OSError):
                write_json(copy, evaluation.document())
                reason += f", then copy {copy} to {name} in the folder of the run"
                break
        raise RunError(reason) from None


def require_room_for_evaluation(folder: Path, run_id: str) -> None:
    """RunError, with the reason, where a run's folder cannot take an evaluation."""
    try:
        require_room(folder, MOST_USUAL)
    except OSError as error:
        raise RunError(_not_kept(run_id, error)) from None


def _not_kept(run_id: str, error: OSError) -> str:
    return f"the evaluation of run {run_id} cannot be saved: {why_not(error)}"
