"""The words by which tables name the parts of a split."""

from __future__ import annotations

import re
from typing import Any

from rivae.base.reading.typed_text import clean

_WORDS = {
    # "restval": of COCO's validation pictures those that Karpathy's split trains on.
    "train": ("train", "training", "trn", "trainset", "learn", "restval", "trainval"),
    "validation": (
        "validation",
        "validate",
        "validating",
        "valid",
        "val",
        "vali",
        "valset",
        "dev",
        "devset",
        "development",
        "eval",
        "evaluate",
        "evaluation",
    ),
    "test": ("test", "testing", "tst", "testset", "testdev"),
}
_PART_OF = {word: part for part, words in _WORDS.items() for word in words}
_BETWEEN = re.compile(r"[\W_]+")
_YEAR = re.compile(r"(19|20)\d\d$")


def part_named(cell: Any) -> str | None:
    """ "train", "validation" or "test" as a cell names it: Train, val2017, test_set; else None."""
    word = _YEAR.sub("", _BETWEEN.sub("", clean(cell).casefold()))
    return _PART_OF.get(word) or _PART_OF.get(word.removesuffix("split"))
