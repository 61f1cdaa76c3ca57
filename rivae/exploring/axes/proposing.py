"""Axes that propose themselves: two poles of two title words each, found without a label.

Words of titles that z says something about are the material (``_material``). Families of axes are
made of them in different ways (``FAMILIES``), and the family whose names best say where held-out
items lie, each beyond what its other names say, is taken (``own_score``): no labels choose it, and
nothing here knows what the texts are about.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Literal

import numpy as np

from rivae.base.arrays import Floats
from rivae.base.errors import ConfigError, RivaeError
from rivae.exploring.axes.concepts import SEPARATOR, Concepts, Flags, title_words
from rivae.exploring.axes.finder import AxisFinder
from rivae.exploring.words.item_words import item_tags
from rivae.exploring.words.relations import factor_targets, tag_targets
from rivae.metrics.base import standardised
from rivae.runs.added_axes import N_PROPOSED, AddedAxis, AxisSpec
from rivae.runs.axis_names import MAX_NAME

MOST = 50
# AUC of held-out titles with a word, ranked by a regression on z, from which the word is material.
GATE = {"first": 0.65, "second": 0.85}
MIN_CONCEPTS = 4
MAX_TAGS = 50
TWINS = 0.9  # |correlation| of readings from which two axes are one
# Gain of the own score from which a family is preferred to those before it in ``FAMILIES``: a
# correlation over 2,000 held-out items has a standard error of .02.
TIE = 0.03
OPPOSITE = -0.3  # cosine of two directions that are the poles of one axis
N_POLE = 2  # words of a pole
Poles = tuple[tuple[str, ...], tuple[str, ...]]


@dataclass(frozen=True)
class Material:
    """What families are made of.

    Attributes:
        z: (n, d) white z of the training items, of the view that knows their texts best.
        names: K words.
        present: (n, K) which titles have them, 1 or 0.
        directions: (K, d) of unit length: where z goes with each word.
        auc: (K,) how well z finds held-out titles with the word, mean over the views that ask.
    """

    z: Floats
    names: tuple[str, ...]
    present: Floats
    directions: Floats
    auc: Floats


def propose_axes(finder: AxisFinder, n: int = N_PROPOSED) -> list[AddedAxis]:
    """At most ``n`` axes, scored like any other, the best first; without ids, nothing is kept.

    [] where neither texts nor tags nor factors of the items can be measured in z.

    Raises:
        ConfigError: n is no whole number from 1 to ``MOST``.
    """
    if not 1 <= n <= MOST or int(n) != n:
        raise ConfigError(f"propose 1 to {MOST} axes, not {n!r:.40}")
    proposals = family_proposals(finder, n)
    if not proposals:
        return _of_columns(finder, n)
    best: list[AddedAxis] = []
    score = -1.0
    for axes in proposals.values():
        if (family_score := own_score(finder, axes)) > score + (TIE if best else 0.0):
            best, score = axes, family_score
    return best


def family_proposals(finder: AxisFinder, n: int) -> dict[str, list[AddedAxis]]:
    """The axes of every family by its name; {} where titles give no material."""
    try:
        material = _material(finder)
    except RivaeError:
        return {}
    if len(material.names) < MIN_CONCEPTS:
        return {}
    proposals = {}
    draft = cache(partial(_draft, finder))
    for name, family in FAMILIES.items():
        distinct: list[AddedAxis] = []
        for more in range(n, 2 * n + 1, max(1, n // 4)):
            distinct = _distinct(finder, [draft(poles) for poles in family(material, more)], n)
            if len(distinct) == n:
                break
        if distinct:
            proposals[name] = distinct
    return proposals


def mean_score(axes: Sequence[AddedAxis]) -> float:
    """Mean over axes and views of the scores of their names on held-out items."""
    return float(np.mean([score.score for axis in axes for score in axis.scores]))


def own_score(finder: AxisFinder, axes: Sequence[AddedAxis]) -> float:
    """``own_correlation`` of proposed axes on held-out items."""
    levels = np.stack([finder.levels_of(axis.spec)[1] for axis in axes], axis=1)
    readings = [np.stack([axis.at(z) for axis in axes], axis=1) for z in finder.held_z]
    return float(own_correlations(levels, readings).mean())


def own_correlations(levels: Floats, readings: Sequence[Floats]) -> Floats:
    """(K,) correlation of each of K axes with what its levels say beyond those of the other axes,
    mean over the views that ask. Names that repeat each other do not add to it.

    Args:
        levels: (n, K) of items that nothing was fitted to.
        readings: of each view that asks, (n, K) places of these items on the axes.
    """
    residual = levels - levels.mean(axis=0)
    levels = residual.copy()
    if levels.shape[1] > 1:
        for k in range(levels.shape[1]):
            others = np.delete(levels, k, axis=1)
            residual[:, k] -= others @ np.linalg.lstsq(others, levels[:, k], rcond=None)[0]
    # What is left of a repeated name is rounding.
    residual[:, residual.std(axis=0) < 1e-6 * levels.std(axis=0)] = 0.0
    scores = [(standardised(one) * standardised(residual)).mean(axis=0) for one in readings]
    return np.asarray(np.mean(scores, axis=0))


def _material(finder: AxisFinder) -> Material:
    concepts = Concepts(finder.fit_titles)
    present = concepts.present.toarray()
    held_present = concepts.present_in(title_words(finder.space, finder.held_rows))
    white = finder.finder.white
    fit_z = [(z - white.mean) @ white.to for z in finder.fit_z]
    held_z = [(z - white.mean) @ white.to for z in finder.held_z]
    centred_present = present - present.mean(axis=0)
    weights = np.mean([z.T @ centred_present / len(z) for z in fit_z], axis=0)  # z is white
    passes, aucs = np.ones(len(concepts.names), dtype=bool), []
    for asks, fit, z in zip(finder.asks, fit_z, held_z, strict=True):
        directions_of_view = fit.T @ centred_present / len(fit)
        auc = _auc(z @ directions_of_view, held_present)
        passes &= auc >= GATE[asks]
        aucs.append(auc)
    columns = np.flatnonzero(passes)
    directions = weights[:, columns].T
    directions = directions / np.maximum(np.linalg.norm(directions, axis=1, keepdims=True), 1e-12)
    names = tuple(concepts.names[k] for k in columns)
    return Material(
        fit_z[-1], names, present[:, columns], directions, np.mean(aucs, axis=0)[columns]
    )


def _auc(readings: Floats, present: Floats) -> Floats:
    """(K,) share of pairs of an item with and one without a word that are in order; .5 without."""
    from scipy.stats import rankdata

    ranks = rankdata(readings, axis=0)
    n_with = present.sum(axis=0)
    n_without = len(present) - n_with
    above = (ranks * present).sum(axis=0) - n_with * (n_with + 1) / 2
    pairs = n_with * n_without
    return np.where(pairs > 0, above / np.maximum(pairs, 1), 0.5)


def tree(material: Material, n: int) -> list[Poles]:
    """Splits of items by what is near in z: k-means with n + 1 clusters, joined by average linkage;
    the two sides of each of the n splits are its poles, the widest split first.
    """
    from scipy.cluster.hierarchy import linkage

    unit = material.z / np.maximum(np.linalg.norm(material.z, axis=1, keepdims=True), 1e-12)
    n_clusters = min(n + 1, len(unit))
    of_item, centres = _kmeans(unit, n_clusters)
    members: list[list[int]] = [[k] for k in range(n_clusters)]
    poles = []
    for left, right, *_ in linkage(centres, "average"):
        sides = members[int(left)], members[int(right)]
        members.append([*sides[0], *sides[1]])
        inside = [np.isin(of_item, side) for side in sides]
        names = (
            _telling(material, inside[0], inside[1]),
            _telling(material, inside[1], inside[0]),
        )
        if all(names):
            poles.append(names)
    return poles[::-1]


def _telling(material: Material, here: Flags, there: Flags) -> tuple[str, ...]:
    """The words that titles here have more often than those there, by the two-sample z score."""
    counts = [material.present[side].sum(axis=0) for side in (here, there)]
    sizes = [max(1, int(side.sum())) for side in (here, there)]
    share = [count / size for count, size in zip(counts, sizes, strict=True)]
    overall = (counts[0] + counts[1]) / sum(sizes)
    spread = np.sqrt(np.maximum(overall * (1 - overall), 1e-12) * (1 / sizes[0] + 1 / sizes[1]))
    z = (share[0] - share[1]) / spread
    order = np.argsort(-z, kind="stable")[:N_POLE]
    return tuple(material.names[k] for k in order if z[k] > 0)


def word_kinds(material: Material, n: int) -> list[Poles]:
    """Kinds of words that point into one direction of z: k-means of the directions; two opposite
    kinds are the poles of one axis, others stand against the rest.
    """
    n_kinds = min(2 * n, len(material.names))
    of_word, _ = _kmeans(material.directions, n_kinds)
    centres = np.stack([material.directions[of_word == k].mean(axis=0) for k in range(n_kinds)])
    centres /= np.maximum(np.linalg.norm(centres, axis=1, keepdims=True), 1e-12)
    names = [_of_kind(material, of_word == k, centres[k]) for k in range(n_kinds)]
    weight = np.array([material.present[:, of_word == k].sum() for k in range(n_kinds)])
    cosine, free, poles = centres @ centres.T, set(range(n_kinds)), []
    for k in np.argsort(-weight, kind="stable"):
        if k not in free:
            continue
        free.discard(k)
        other = min(free, key=lambda j: cosine[k, j], default=None)
        if other is not None and cosine[k, other] <= OPPOSITE:
            free.discard(other)
            poles.append((names[k], names[other]))
        else:
            poles.append((names[k], ()))
    return poles


def _of_kind(material: Material, members: Flags, centre: Floats) -> tuple[str, ...]:
    """The words of a kind that say most of it: near its centre, and common."""
    rows = np.flatnonzero(members)
    near = material.directions[rows] @ centre * np.sqrt(material.present[:, rows].sum(axis=0))
    return tuple(material.names[rows[i]] for i in np.argsort(-near, kind="stable")[:N_POLE])


def rotated(material: Material, n: int) -> list[Poles]:
    """Directions that few words follow: varimax (Kaiser 1958) of the words' directions; the words
    at both ends of each are its poles.
    """
    weights = np.sqrt(material.present.sum(axis=0))[:, None]
    u, s, _ = np.linalg.svd(material.directions * weights, full_matrices=False)
    loadings = _varimax(u * s)
    poles: list[Poles] = []
    for column in loadings.T[np.argsort(-(loadings**2).sum(axis=0), kind="stable")][:n]:
        order = np.argsort(-column, kind="stable")
        high = tuple(material.names[i] for i in order[:N_POLE] if column[i] > 0)
        low = tuple(material.names[i] for i in order[::-1][:N_POLE] if column[i] < 0)
        if high and low:
            poles.append((low, high))
    return poles


def _varimax(loadings: Floats, n_steps: int = 100) -> Floats:
    """The rotation of (K, k) loadings whose squares vary most within the columns."""
    rotation = np.eye(loadings.shape[1])
    for _ in range(n_steps):
        current = loadings @ rotation
        target = current**3 - current * (current**2).mean(axis=0)
        u, _, vt = np.linalg.svd(loadings.T @ target)
        before, rotation = rotation, u @ vt
        if np.abs(rotation - before).max() < 1e-9:
            break
    return np.asarray(loadings @ rotation)


def splits_and_kinds(material: Material, n: int) -> list[Poles]:
    """The two widest splits of ``tree``, then ``word_kinds``."""
    return [*tree(material, n)[:2], *word_kinds(material, n)]


FAMILIES: dict[str, Callable[[Material, int], list[Poles]]] = {
    "tree": tree,
    "word kinds": word_kinds,
    "splits and kinds": splits_and_kinds,
    "rotated": rotated,
}


def _kmeans(points: Floats, k: int) -> tuple[Floats, Floats]:
    """The cluster (n,) of each point, and the centres (k, d)."""
    from sklearn.cluster import KMeans

    clusters = KMeans(k, n_init=4, random_state=0).fit(points)
    return clusters.labels_, clusters.cluster_centers_


def _draft(finder: AxisFinder, poles: Poles) -> AddedAxis:
    low, high = (SEPARATOR.join(words) for words in poles)
    if not high:
        low, high = "", low
    return finder.draft(AxisSpec("proposed", high, low), name=(high)[:MAX_NAME])


def _distinct(finder: AxisFinder, drafts: Sequence[AddedAxis], n: int) -> list[AddedAxis]:
    """The first ``n`` that chance does not explain and that read otherwise than those before."""
    distinct: list[AddedAxis] = []
    readings: list[Floats] = []
    for draft in drafts:
        if not draft.scores or any(one.score <= one.chance for one in draft.scores):
            continue
        reading = standardised(draft.at(finder.finder.z)[:, None])[:, 0]
        if all(abs(reading @ other) / len(reading) < TWINS for other in readings):
            distinct.append(draft)
            readings.append(reading)
    return distinct[:n]


def _of_columns(finder: AxisFinder, n: int) -> list[AddedAxis]:
    """Axes of factors and tags, the best known first."""
    tags = tag_targets(item_tags(finder.data))[:MAX_TAGS]
    drafts = []
    for target in [*factor_targets(finder.data), *tags]:
        try:
            kind: Literal["tag", "factor"] = "tag" if target.kind == "tag" else "factor"
            drafts.append(finder.draft(AxisSpec(kind, target=target.key)))
        except RivaeError:
            continue
    drafts.sort(key=lambda draft: -mean_score([draft]) if draft.scores else 0.0)
    return _distinct(finder, drafts, n)
