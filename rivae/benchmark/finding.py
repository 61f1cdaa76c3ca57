"""How often a run finds the right item, in one sentence for somebody who knows no metric."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rivae.benchmark.run_report import Measured, measured
from rivae.metrics.measures.retrieval import RECALL

if TYPE_CHECKING:
    from rivae.runs.evaluation_file import Evaluation


@dataclass(frozen=True)
class Finding:
    """What an evaluation says of retrieval.

    Attributes:
        sentence: plain text.
        recalls: recall at k by k, those that were measured.
        n_items: how many items were searched; 0 where the evaluation does not say.
    """

    sentence: str
    recalls: Mapping[int, Measured]
    n_items: int


def finding(stored: Evaluation, views: tuple[str, str] | None = None) -> Finding | None:
    """How often the right item comes first and among the first ten; None where no recall is known.

    Args:
        views: what people call both views, where the evaluation does not say.

    Example:
        >>> from rivae.runs.evaluation_file import Evaluation
        >>> stored = Evaluation.model_validate({"retrieval": {"recall_at_1": {"score": 0.68}}})
        >>> finding(stored, ("photograph", "recipe")).sentence
        'Finds the recipe of a photograph first in 68 of 100.'
    """
    first, second = stored.settings.views or views or ("", "")
    query, found, results = {
        "first": (first, second, stored.retrieval),
        "second": (second, first, stored.retrieval_back or {}),
        "both": (f"{first} and {second}", second, stored.retrieval_both or {}),
    }[stored.settings.asks]
    recalls = {
        k: measured(of.key, results[of.key]) for k, of in RECALL.items() if of.key in results
    }
    recalls = {k: recall for k, recall in recalls.items() if recall.value == recall.value}
    if not recalls:
        return None
    sizes = [results[recall.name].constants.search_size for recall in recalls.values()]
    said = [f"Finds {f'the {found} of a {query}' if found else 'the right item'}"]
    if (at_1 := recalls.get(1)) is not None:
        chance = f" (chance: 1 in {round(1 / at_1.chance):,})" if at_1.chance else ""
        said.append(f"first in {_cases(at_1.value)}{chance}")
    if (at_10 := recalls.get(10)) is not None:
        said[-1] += "," * (len(said) > 1)
        said.append(f"among the first ten in {_cases(at_10.value).removesuffix(' of 100')}")
    return Finding(f"{' '.join(said)}.", recalls, int(next(iter(filter(None, sizes)), 0)))


def _cases(share: float) -> str:
    """A share as a number of cases."""
    if 0 < share < 0.01:
        return f"{share * 1000:.0f} of 1,000"
    return f"{share * 100:.0f} of 100"
