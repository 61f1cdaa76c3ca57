"""The data sets by name, known without loading any: lists and titles ask here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rivae.base.parts import Parts
from rivae.data.kitchens import KITCHEN_DRAWN, has_rendered

if TYPE_CHECKING:
    from rivae.data.dataset import Dataset

IMPORTED = "pairs"  # the data set that reads imports
# In the order of the paper, then what was added.
DATASETS: Parts[Dataset] = Parts(
    "data set",
    "rivae.data.sets",
    "rivae.datasets",
    "rivae.data.dataset:Dataset",
    first=(
        *("synth", "synth-modulated", "sprites", "sprites-hard"),
        *("split-mnist", "split-digits", "kitchen", KITCHEN_DRAWN, IMPORTED),
    ),
    unlisted=lambda: () if has_rendered() else (KITCHEN_DRAWN,),
)


def dataset_names() -> tuple[str, ...]:
    """The names of all data sets, in the order of the paper."""
    return tuple(DATASETS)


def dataset_title(name: str) -> str:
    """What a table and a page call the data set ``name``; the name itself where there is none."""
    return str(DATASETS.said(name, "title", name)) if name in DATASETS else name
