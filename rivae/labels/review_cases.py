"""Items of a plan that people should look at together, and what was said about them."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from rivae.labels.review import Agreed, Said


@dataclass(frozen=True)
class Case:
    """An item to look at.

    Attributes:
        row: data row.
        factor: id; "" where the whole item is flagged.
        gap: levels between the lowest and the highest; 0 for a flag.
        flagged_by: annotators.
    """

    row: int
    factor: str
    gap: int = 0
    flagged_by: tuple[str, ...] = ()


def far_cases(agreed: Agreed, factor: str | None = None) -> list[Case]:
    """Items whose levels are two or more apart, the widest first; of one factor if given."""
    apart = agreed.apart if factor is None else agreed.apart[agreed.apart["factor"] == factor]
    return [
        Case(int(item), str(name), int(gap))
        for item, name, gap in zip(apart["item"], apart["factor"], apart["gap"], strict=True)
    ]


def flagged_cases(said: Said, factor: str | None = None) -> list[Case]:
    """Flagged items, those that most annotators flagged first.

    Args:
        factor: only flags of this factor, and of whole items, which are then asked about it.
    """
    found: dict[tuple[int, str], set[str]] = {}
    for item, name, who in said.flags.itertuples(index=False):
        if factor is None or name in ("", factor):
            found.setdefault((int(item), name if factor is None else factor), set()).add(str(who))
    cases = [Case(row, name, 0, tuple(sorted(who))) for (row, name), who in found.items()]
    return sorted(cases, key=lambda case: (-len(case.flagged_by), case.row, case.factor))


def levels_of(labels: pd.DataFrame, case: Case) -> list[tuple[str, int | None]]:
    """What everybody said about a case, by name; None is "cannot tell"."""
    own = labels[(labels["item"] == case.row) & (labels["factor"] == case.factor)]
    return [
        (str(who), None if level != level else int(level))
        for who, level in zip(own["annotator"], own["level"], strict=True)
    ]
