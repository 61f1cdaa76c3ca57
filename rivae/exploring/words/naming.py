"""The words, tags and factors that change along each latent axis, and a short name from them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Literal

import numpy as np

from rivae.base.arrays import Floats
from rivae.base.errors import DataError
from rivae.exploring.words.relations import LEVEL, Relations, common_words, holm, relations
from rivae.runs.axis_names import KEPT, MAX_NAME, MAX_TERM, AxisName, Evidence, Kind

MIN_STRENGTH = 0.1  # |correlation|; with thousands of items even weaker ones are significant
MIN_FACTOR = 0.3  # |correlation| from which a factor names the axis
N_WORDS = 2  # of a pole


def axis_evidence(
    z: Floats,
    words: Sequence[Collection[str]],
    tags: Sequence[Collection[str]] | None = None,
    factors: Floats | None = None,
    factor_names: Sequence[str] = (),
    *,
    ignored_tags: Collection[str] = (),
    level: float = LEVEL,
) -> list[tuple[Evidence, ...]]:
    """For every axis the terms that change most along it, the strongest first.

    Args:
        z: (N, d) positions, one row per item (not per query: repeated rows are no new evidence).
        words, tags: of each of N items.
        factors: (N, K) numeric factors; NaN where unknown.
        ignored_tags: tags that tell nothing about the dish.
        level: of Holm's p, over all terms and axes.

    Returns:
        d tuples of terms, at most ``KEPT`` of each kind, that are significant at ``level`` and at
        least ``MIN_STRENGTH`` strong.

    Raises:
        DataError: the numbers of rows differ.
    """
    z = np.asarray(z, dtype=np.float64)
    tables: list[tuple[Kind, Relations]] = [
        ("word", relations([sorted(item) for item in words], z))
    ]
    if tags is not None:
        telling = [[t for t in item if t not in ignored_tags] for item in tags]
        tables.append(("tag", relations(telling, z, common_words(telling))))
    terms = [(kind, term) for kind, table in tables for term in table.words]
    strength, shift, p = (
        np.concatenate([getattr(table, name) for _, table in tables])
        for name in ("correlation", "shift", "p")
    )
    if factors is not None:
        if len(factors) != len(z):
            raise DataError(f"{len(factors)} rows of factors for {len(z)} items: give one per item")
        r, p_factor = _factor_correlations(np.asarray(factors, dtype=np.float64), z)
        terms += [("factor", name) for name in factor_names]
        strength, shift = np.concatenate([strength, r]), np.concatenate([shift, r])
        p = np.concatenate([p, p_factor])
    p_adjusted = holm(p)
    out = []
    for j in range(z.shape[1]):
        sure = (p_adjusted[:, j] <= level) & (np.abs(strength[:, j]) >= MIN_STRENGTH)
        order = sorted(np.flatnonzero(sure), key=lambda i: (-abs(strength[i, j]), terms[i][1]))
        n_free = dict(KEPT)
        axis_terms = []
        for i in order:
            kind, term = terms[i]
            if n_free[kind]:
                n_free[kind] -= 1
                numbers = (float(table[i, j]) for table in (strength, shift, p_adjusted))
                axis_terms.append(Evidence(term[:MAX_TERM], kind, *numbers))
        out.append(tuple(axis_terms))
    return out


def propose_name(
    dim: int,
    evidence: Sequence[Evidence],
    poles: Mapping[str, tuple[str, str]] | None = None,
) -> AxisName | None:
    """A short name such as "greenness" or "kale, spinach", or None without evidence.

    It is the strongest factor of at least ``MIN_FACTOR``, with the ``poles`` of that factor or the
    strongest factor that falls. Or else it is the strongest words: those that grow are the name,
    those that fall the other pole. Tags, which often repeat words, are used only if there is no
    word.
    """
    if not evidence:
        return None
    by_strength = tuple(sorted(evidence, key=lambda e: -abs(e.strength)))
    strong = [e for e in by_strength if e.kind == "factor" and abs(e.strength) >= MIN_FACTOR]
    plain = [e for e in by_strength if e.kind == "word"] or [
        e for e in by_strength if e.kind == "tag"
    ]
    if strong or not plain:
        head = (strong or by_strength)[0]
        against = [e.term for e in by_strength if e.kind == "factor" and _sign(e) != _sign(head)]
        low, high = (poles or {}).get(head.term, ("".join(against[:1]), ""))
        name, low, high = (text[:MAX_NAME] for text in (head.term, low, high))
        return AxisName(dim, name, _sign(head), by_strength, low=low, high=high)
    direction = _sign(plain[0])
    rising = [e.term for e in plain if _sign(e) == direction]
    falling = [e.term for e in plain if _sign(e) != direction]
    return AxisName(dim, _listed(rising), direction, by_strength, low=_listed(falling))


def _sign(evidence: Evidence) -> Literal[-1, 1]:
    return 1 if evidence.strength > 0 else -1


def _listed(terms: Sequence[str]) -> str:
    """The first terms that differ, as many as fit."""
    different = _different(terms)[:N_WORDS]
    while len(text := ", ".join(different)) > MAX_NAME and len(different) > 1:
        different.pop()
    return text[:MAX_NAME]


def _different(terms: Sequence[str]) -> list[str]:
    """The terms without those that repeat a stronger one ("sugar" after "white sugar")."""
    different: list[str] = []
    for term in terms:
        parts = set(term.replace("-", " ").split())
        if not any(parts & set(other.replace("-", " ").split()) for other in different):
            different.append(term)
    return different


def _factor_correlations(factors: Floats, z: Floats) -> tuple[Floats, Floats]:
    """Pearson correlation (K, d) and its two-sided p; 0 and 1 where it is undefined."""
    from scipy.special import stdtr

    shape = (factors.shape[1], z.shape[1])
    r, p = np.zeros(shape), np.ones(shape)
    for k in range(shape[0]):
        is_known = np.isfinite(factors[:, k])
        n = int(is_known.sum())
        if n < 5 or np.ptp(factors[is_known, k]) == 0:
            continue
        value = factors[is_known, k] - factors[is_known, k].mean()
        place = z[is_known] - z[is_known].mean(axis=0)
        norm = np.sqrt((place**2).sum(axis=0) * (value**2).sum())
        moving = np.ptp(z[is_known], axis=0) > 0
        r[k, moving] = np.clip((value @ place)[moving] / norm[moving], -1.0, 1.0)
        with np.errstate(divide="ignore"):
            t = np.abs(r[k]) * np.sqrt((n - 2) / (1 - r[k] ** 2))
        p[k, moving] = 2 * stdtr(n - 2, -t[moving])
    return r, p
