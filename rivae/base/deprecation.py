"""How the library says that a name goes: one sentence, the same everywhere.

Before 1.0 a name that was in a release stays for one more, and warns with this.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable, Mapping
from typing import Any

MOVED_UNTIL = "0.3"  # the names of before 0.1 that `rivae.base.moved` and rooms forward


def warn_deprecated(old: str, new: str, removed_in: str, stacklevel: int = 2) -> None:
    """Warn the caller's caller that ``old`` is ``new`` now.

    Args:
        old: what was used, as it is written in code: "rivae.plots.heatmap".
        new: what to write in its place.
        removed_in: the first version without ``old``.
        stacklevel: as of ``warnings.warn``, counted from the function that calls this one: 2 is its
            caller.

    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     warn_deprecated("rivae.plots", "rivae.figures", "0.3")
    >>> str(caught[0].message)
    'rivae.plots is deprecated and goes in version 0.3: write rivae.figures'
    """
    text = f"{old} is deprecated and goes in version {removed_in}: write {new}"
    warnings.warn(text, DeprecationWarning, stacklevel=stacklevel + 1)


def moved_names(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """A ``__getattr__`` for a package whose names lie elsewhere now, imported when asked for.

    Args:
        package: its name, ``__name__``.
        homes: name -> the module that has it now.
    """

    def __getattr__(name: str) -> Any:  # noqa: N807
        if (home := homes.get(name)) is None:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        warn_deprecated(f"{package}.{name}", f"{home}.{name}", MOVED_UNTIL)
        return getattr(importlib.import_module(home), name)

    return __getattr__
