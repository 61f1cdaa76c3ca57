"""The run that a page opens when its address names none: the first that opens.

A run that cannot be opened is left out with its reason, and the next one is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, TypeVar

from rivae.app.shared import address
from rivae.app.shell import cache
from rivae.app.work.preparing import BeingPreparedError
from rivae.base.errors import RivaeError, RunError

if TYPE_CHECKING:
    from rivae.runs import Run

MAX_TRIED = 8  # runs tried for a default before the visitor is asked
LEFT_OUT = "{} cannot be opened: {}."
MORE = " Home says why {} more cannot."
Opened = TypeVar("Opened")


def names(ready: Iterable[Run]) -> list[str]:
    """The runs that are tried: the one that the visitor last looked at, then those that are
    ``ready``.
    """
    last = address.run_in_hand()
    return list(dict.fromkeys([*([last] if last else []), *(run.id for run in ready)]))


def opened(
    named: str | None, tried: Sequence[str], open_run: Callable[[str], Opened]
) -> tuple[str, Opened, list[str]]:
    """The run that a link has ``named``, else the first of those to be ``tried`` that opens.

    Returns:
        Its name, what ``open_run`` made of it, and a remark where others were left out for it.

    Raises:
        RivaeError: the named run cannot be opened; or none can, with the reason of the first.
        BeingPreparedError: it opens later.
    """
    if named:
        return named, open_run(named), []
    failures: dict[str, RivaeError] = {}
    for name in tried[:MAX_TRIED]:
        try:
            found = open_run(name)
        except BeingPreparedError:
            raise
        except RivaeError as error:
            failures[name] = error
        else:
            return name, found, left_out(name, {run: str(why) for run, why in failures.items()})
    raise next(iter(failures.values()), RunError("there is no run yet: train one"))


def left_out(shown: str, failed: dict[str, str] | None = None) -> list[str]:
    """A remark where runs that cannot be opened come before the one that is ``shown``; nothing
    else.

    Args:
        failed: why others, which nothing was known against, did not open.
    """
    order = [run.id for run in cache.runs()]
    before = order[: order.index(shown)] if shown in order else order
    why_closed = {run.id: why for run, why in cache.closed_runs() if run.id in before}
    reasons = list({**(failed or {}), **why_closed}.items())
    if not reasons:
        return []
    name, why = reasons[0]
    more = MORE.format(len(reasons) - 1) if len(reasons) > 1 else ""
    return [LEFT_OUT.format(name, why.rstrip(".")) + more]
