"""What comes with numbers of a user's own: masks, scales, column names, row labels, counts."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Ints = NDArray[np.int64]

FARTHEST = 1e12  # of a number that is searched with: beyond, rounding decides what is nearest
SHOWN = 3  # names in a message
# Of the largest number of a row whose squares float32 can add up.
_SMALLEST, _LARGEST = 1e-12, 1e15


def is_count(value: object) -> bool:
    """Whether this is a whole number of at least 1; booleans are not."""
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= 1


def require_count(error: type[Exception] = ValueError, **values: object) -> None:
    """``error`` where one of these values, by its name, is no whole number of at least 1."""
    for name, value in values.items():
        if not is_count(value):
            raise error(f"{name} must be a whole number of at least 1, got {value!r:.60}")


def is_near(values: np.ndarray) -> bool:
    """Whether all are finite and at most ``FARTHEST`` in size."""
    return bool((np.abs(values) <= FARTHEST).all())


def checked_z(
    z: Any, n_components: int, error: type[Exception] = ValueError
) -> NDArray[np.float64]:
    """Points of z as contiguous float64 (n, d) that may be written to; one (d,) becomes (1, d).

    Every public call that takes z checks it here, once; what is called from there expects it so.

    Raises:
        ``error``, in one sentence: z has another width, is masked, or holds anything but numbers,
            NaN, infinite values, or numbers beyond ``FARTHEST``.
    """
    points = np.require(numbers_of(z, "z", error), np.float64, ("C", "W"))
    if points.ndim == 1:
        points = points[None]
    if points.ndim != 2 or points.shape[1] != n_components:
        raise error(f"z must hold {n_components} numbers, got an array of shape {np.shape(z)}")
    if not np.isfinite(points).all():
        raise error("z must hold finite numbers only")
    if not is_near(points):
        raise error(f"z must hold numbers of at most {FARTHEST:g} in size")
    return points


def in_reach(rows: NDArray[Any]) -> NDArray[Any]:
    """Rows (n, D) of floats, those too large or too small for float32 divided by their largest
    number, which keeps their direction; all others, and those that are not finite, as they are.
    """
    with np.errstate(invalid="ignore", over="ignore"):  # the bounds are beyond float16
        largest = np.abs(rows).max(axis=-1, keepdims=True, initial=0)
        is_far = ((largest > 0) & (largest < _SMALLEST)) | (largest > _LARGEST)
    is_far &= np.isfinite(largest)
    if not is_far.any():
        return rows
    in_range: NDArray[Any] = np.where(is_far, rows / np.where(is_far, largest, 1), rows)
    return in_range


def refuse_masked(error: type[Exception] = ValueError, **values: object) -> None:
    """``error`` where one of these values, by its name, is a masked array or a list with one.

    Everything that reads such an array as numbers would take the hidden ones for real.
    """
    for name, value in values.items():
        parts = value if isinstance(value, list | tuple) else (value,)
        if any(isinstance(part, np.ma.MaskedArray) for part in parts):
            raise error(
                f"{name} is a masked array, whose hidden numbers would count like the others: "
                "leave those rows out, or give numbers with .filled()"
            )


def numbers_of(values: Any, name: str, error: type[Exception] = ValueError) -> NDArray[np.float64]:
    """``values`` in double precision; ``error`` where they are masked, or no real numbers: words,
    None, or yes and no, which numpy would turn into numbers.
    """
    refuse_masked(error, **{name: values})
    try:
        array = np.asarray(values)
        # Of lists numpy makes numbers at once; a row of a table is an array of objects.
        parts = array.ravel() if array.dtype.kind == "O" else _leaves(values)
        if array.dtype.kind in "iufO" and all(_is_number(part) for part in parts):
            return array.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError, RuntimeError):
        pass
    raise error(f"{name} must hold numbers only")


def _leaves(values: Any) -> Iterator[Any]:
    if isinstance(values, list | tuple):
        for part in values:
            yield from _leaves(part) if isinstance(part, list | tuple) else (part,)


def _is_number(value: Any) -> bool:
    is_truth = isinstance(value, bool | np.bool_)
    return not is_truth and (isinstance(value, Real) or hasattr(value, "ndim"))


def column_names(values: Any) -> list[Any] | None:
    """The names of the columns of a table, or of the one of a series; None where there are none."""
    if getattr(values, "ndim", None) == 1:
        name = getattr(values, "name", None)
        return None if name is None else [name]
    names = getattr(values, "column_names", None)  # pyarrow, whose columns are its numbers
    names = getattr(values, "columns", None) if names is None else names
    return None if names is None else list(names)


def check_columns(
    fit_columns: list[Any] | None, values: Any, what: str, quiet: bool = False
) -> None:
    """Compare the columns of ``values`` with those that ``fit`` saw, by their names.

    Names that pandas gave for want of others, 0 ... q - 1, count as none, but for their order.

    Args:
        what: what to call ``values``: "X" or "y".
        quiet: no warning where only one of the two has names.

    Raises:
        ValueError: they are the same columns in another order, or other columns.
    """
    new_columns = column_names(values)
    if new_columns == fit_columns:
        return
    check_order(fit_columns, new_columns, what)
    fit_columns, new_columns = _own(fit_columns), _own(new_columns)
    if fit_columns is not None and new_columns is not None:
        missing = list((Counter(fit_columns) - Counter(new_columns)).elements())
        strange = list((Counter(new_columns) - Counter(fit_columns)).elements())
        problems = [f"lacks {_some(missing)}"] if missing else []
        problems += [f"has {_some(strange)}, which fit did not see"] if strange else []
        raise ValueError(f"{what} has other columns than in fit: it {', and '.join(problems)}")
    if not quiet and (fit_columns is None) != (new_columns is None):
        where = "fit saw none" if fit_columns is None else "there are none now"
        warnings.warn(
            f"the columns of {what} have names in only one of the calls ({where}): they are taken "
            "in their order",
            UserWarning,
            stacklevel=3,
        )


def axis_labels(z: Any) -> list[Any] | None:
    """The names of the axes of z: of the columns of a table, or of the rows of a series."""
    index = row_labels(z)
    return list(index) if getattr(z, "ndim", None) == 1 and index is not None else column_names(z)


def check_order(fit_labels: list[Any] | None, new_labels: list[Any] | None, what: str) -> None:
    """Compare the order of columns.

    Raises:
        ValueError: the columns are those of ``fit_labels`` in another order.
    """
    if (
        fit_labels is None
        or new_labels is None
        or new_labels == fit_labels
        or Counter(fit_labels) != Counter(new_labels)
    ):
        return
    raise ValueError(
        f"{what} has its columns in another order, {_some(new_labels)}, than expected, "
        f"{_some(fit_labels)}"
    )


def _own(names: list[Any] | None) -> list[Any] | None:
    """Names that a person gave."""
    return None if names is None or names == list(range(len(names))) else names


def _some(names: list[Any]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(f"'{str(name)[:30]}'" for name in names[:SHOWN]) + more


def row_labels(values: Any) -> Any | None:
    """The pandas index of the rows; None where they have no labels."""
    index = getattr(values, "index", None)  # a list has a method of this name
    return index if hasattr(index, "equals") else None


def refuse_other_order(error: type[Exception] = ValueError, **values: object) -> None:
    """``error`` where these two, by their names, have the same row labels in another order.

    Row i of one belongs to row i of the other, so one of both, labels or order, is wrong.
    """
    (first, one), (second, other) = values.items()
    labels, others = row_labels(one), row_labels(other)
    if labels is None or others is None or labels.equals(others):
        return
    if len(labels) == len(others) and Counter(labels) == Counter(others):
        raise error(
            f"{second} has the row labels of {first} in another order: sort it with "
            f"{second}.loc[{first}.index], or drop the labels with reset_index(drop=True) where "
            "the rows fit as they stand"
        )
