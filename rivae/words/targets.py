"""What the words of a cloud can be related to: the axis itself, a known factor, or a tag."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from rivae.data.base import PairedDataset
from rivae.errors import ConfigError
from rivae.retrieval.base import Floats
from rivae.words.relations import MIN_COUNT, Relation, common_words, relations

AXIS = "axis"
MAX_TAGS = 200


@dataclass(frozen=True)
class Target:
    """Something that items have more or less of.

    Attributes:
        key: "axis", "factor:NAME", "factor:NAME=LEVEL" of a category, or "tag:TAG".
        label: plain text for a reader.
    """

    key: str
    label: str
    kind: Literal["axis", "factor", "tag"]


def factor_targets(data: PairedDataset) -> list[Target]:
    """The known factors; of a category its levels, which have no order, one by one."""
    found = []
    for spec in data.factor_specs:
        if spec.kind == "categorical" and spec.levels:
            found += [
                Target(f"factor:{spec.name}={level}", f"{spec.name}: {level}", "factor")
                for level in spec.levels
            ]
        elif spec.kind != "categorical":
            found.append(Target(f"factor:{spec.name}", spec.name, "factor"))
    return found


def tag_targets(
    tags: Sequence[Collection[str]] | None, ignored: Collection[str] = ()
) -> list[Target]:
    """The commonest tags that some items have and others lack."""
    counts = Counter(tag for item in tags or () for tag in set(item))
    n = len(tags or ())
    telling = [
        tag
        for tag, c in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
        if MIN_COUNT <= c <= n - MIN_COUNT and tag not in ignored
    ]
    return [Target(f"tag:{tag}", tag, "tag") for tag in telling[:MAX_TAGS]]


def find_target(
    key: str, data: PairedDataset, tags: Sequence[Collection[str]] | None, axis: str
) -> Target:
    """The target named ``key``; ``axis`` is what the axis itself is called.

    Raises:
        ConfigError: the data know no such factor or tag.
    """
    known = [Target(AXIS, axis, "axis"), *factor_targets(data), *tag_targets(tags)]
    for target in known:
        if target.key == key:
            return target
    raise ConfigError(f"{data.name} does not know {key[:60]}: choose another relation")


def target_values(
    target: Target, data: PairedDataset, tags: Sequence[Collection[str]] | None = None
) -> Floats:
    """How much each of the N items has of a factor or tag, shape (N,).

    Raises:
        ConfigError: the data know no such factor or tag (an axis is known to its model alone).
    """
    kind, _, name = target.key.partition(":")
    if kind == "tag" and tags is not None:
        return np.array([name in item for item in tags], dtype=np.float64)
    if kind == "factor" and data.factors is not None:
        for k, spec in enumerate(data.factor_specs):
            if name == spec.name:
                return np.asarray(data.factors[:, k], dtype=np.float64)
            for code, level in enumerate(spec.levels or ()):
                if name == f"{spec.name}={level}":
                    return np.asarray(data.factors[:, k] == code, dtype=np.float64)
    raise ConfigError(f"{data.name} does not know {target.label}: choose another relation")


def related_words(
    sets: Sequence[Sequence[str]], values: Floats, words: Sequence[str] | None = None
) -> dict[str, Relation]:
    """The relation of each common word (or of ``words``) to ``values`` (N,), one per item."""
    chosen = common_words(sets) if words is None else words
    return relations(sets, values, chosen).kinds(0)


def factor_table(data: PairedDataset) -> tuple[Floats | None, tuple[str, ...]]:
    """All of ``factor_targets`` as columns (N, K), with their labels; None without factors."""
    targets = factor_targets(data)
    if data.factors is None or not targets:
        return None, ()
    columns = [target_values(target, data) for target in targets]
    return np.column_stack(columns), tuple(target.label for target in targets)
