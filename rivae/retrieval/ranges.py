"""The ranges over which z is moved: their names and values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rivae.base.arrays import Floats
from rivae.base.config import LEAST, MOST
from rivae.base.errors import ConfigError, shown
from rivae.retrieval.prior import AggregatedPrior

Range = str | tuple[float, float]  # the key of a named range, or its ends in units of z


@dataclass(frozen=True)
class NamedRange:
    """One range by name.

    Attributes:
        key: its name in commands, files and code.
        title: its name on screen and in links.
        extent: the range of z in words.
        scale: how it depends on the unit of z, as stored in evaluations.
    """

    key: str
    title: str
    extent: str
    scale: str


RANGES = {
    each.key: each
    for each in (
        NamedRange(
            "data",
            "Data",
            "z over the central 99 % of the queries",
            "the central 99 % of the queries' means: free of the scale of z",
        ),
        NamedRange(
            "prior",
            "3 s.d.",
            "z over mean ± 3 s.d.",
            "mean +- 3 s.d. of the aggregated prior: free of the scale of z",
        ),
        NamedRange(
            "sigma",
            "10 s.d.",
            "z over mean ± 10 s.d.",
            "mean +- 10 s.d. of the aggregated prior: free of the scale of z",
        ),
        NamedRange(
            "paper",
            "Paper",
            "z from −10 to 10",
            "-10 ... 10 in the units of z: depends on the scale that training gave z",
        ),
    )
}
PAPER, PRIOR = "paper", "prior"
CHOICES = f"{', '.join(sorted(RANGES))} or LOW,HIGH"  # as they are typed


def title(choice: Range) -> str:
    """The name of a range on screen."""
    if isinstance(choice, str):
        return RANGES[choice].title if choice in RANGES else choice
    return f"{choice[0]:g} … {choice[1]:g}"


def extent(choice: Range) -> str:
    """The range of z in words."""
    if isinstance(choice, str) and choice in RANGES:
        return RANGES[choice].extent
    return f"z over {title(choice)}"


def second_range(choice: Range) -> str:
    """The range that an evaluation measures as well: free of the scale of z, or the paper's."""
    return PAPER if choice == PRIOR else PRIOR


def parse_range(text: str) -> Range:
    """A named range, or two numbers; ConfigError for anything else."""
    choice: Range = text
    if "," in text:
        try:
            low, high = (float(part) for part in text.split(","))
        except ValueError:
            raise ConfigError(f"'{shown(text)}' is not a range: write {CHOICES}") from None
        choice = (low, high)
    require_range(choice)
    return choice


def require_range(choice: Range) -> None:
    """Check a range before the work along it.

    Raises:
        ConfigError: there is none of this name, or it is empty, or too wide for a computation.
    """
    if isinstance(choice, str):
        if choice not in RANGES:
            names = ", ".join(sorted(RANGES))
            raise ConfigError(
                f"there is no traversal range '{shown(choice)}': choose {names} or two numbers"
            )
        return
    try:
        low, high = map(float, choice)
    except (TypeError, ValueError, OverflowError):
        raise ConfigError("a range of z is a name or two numbers: (low, high)") from None
    _require_ends(low, high)


def _require_ends(low: float, high: float) -> None:
    if not (np.isfinite(low) and np.isfinite(high) and low < high):
        raise ConfigError(f"a traversal range needs low < high, got {low} and {high}")
    if max(-low, high) > MOST or high - low < LEAST:
        raise ConfigError(
            f"the range {low:g} … {high:g} is too {'wide' if high - low > 1 else 'narrow'}: choose "
            f"ends of at most {MOST:g} that are at least {LEAST:g} apart"
        )


def traversal_values(choice: Range, prior: AggregatedPrior) -> tuple[Floats, str]:
    """Values of a named or custom range, (d, T), and one sentence about them.

    "paper": -10 ... 10 by 0.1 for every axis. "sigma": mean +- 10 s.d. of the aggregated
    prior, 100 points (the paper's Recipe1M). "prior": mean +- 3 s.d., 201 points, which stays
    near the data whatever the scale of z. "data": from the 0.5 to the 99.5 percentile of the
    queries' means, 201 points: the range of the data. (low, high): 201 points.

    Raises:
        ConfigError: for another name, or an empty range.
    """
    d = len(prior.mean)
    require_range(choice)
    if not isinstance(choice, str):
        low, high = map(float, choice)
        note = f"{low} ... {high} in the units of z: depends on the scale that training gave z"
        return np.tile(grid(low, high, n_points=201), (d, 1)), note
    if choice == "paper":
        values = np.tile(paper_grid(), (d, 1))
    elif choice == "sigma":
        values = sigma_grid(prior)
    elif choice == "prior":
        values = sigma_grid(prior, 3.0, 201)
    else:
        end = np.maximum(prior.high, prior.low + 1e-9)  # a constant axis has no extent
        values = np.linspace(prior.low, end, 201, axis=1)
    return values, RANGES[choice].scale


def grid(
    low: float, high: float, *, n_points: int | None = None, step: float | None = None
) -> Floats:
    """Values from ``low`` to ``high``, both included, shape (T,).

    Args:
        n_points: how many values (at least 2), or
        step: the distance between them; it must divide the range within 1e-6 of a step.

    Raises:
        ConfigError: if not exactly one of the two is given, or the range is empty.
    """
    _require_ends(low, high)
    if (n_points is None) == (step is None):
        raise ConfigError("give either the number of points of a traversal or its step, not both")
    if step is not None:
        if not step > 0:
            raise ConfigError(f"the step of a traversal must be positive, got {step}")
        steps = (high - low) / step
        if abs(steps - round(steps)) > 1e-6:
            raise ConfigError(f"a step of {step} does not divide the range {low} ... {high}")
        n_points = round(steps) + 1
    assert n_points is not None
    if n_points < 2:
        raise ConfigError(f"a traversal needs at least 2 points, got {n_points}")
    return np.linspace(low, high, n_points)


def paper_grid() -> Floats:
    """-10 ... +10 by 0.1, 201 values (a comment in the paper's LaTeX)."""
    return grid(-10.0, 10.0, step=0.1)


def sigma_grid(prior: AggregatedPrior, n_sigma: float = 10.0, n_points: int = 100) -> Floats:
    """mean +- n_sigma s.d. of the aggregated prior, one row of values per axis, (d, T).

    The paper's Recipe1M traversal has 10 s.d. and 100 points.

    Raises:
        ConfigError: for a width that is not positive or fewer than 2 points.
    """
    unit = grid(-n_sigma, n_sigma, n_points=n_points)
    return np.asarray(prior.mean[:, None] + prior.std[:, None] * unit)
