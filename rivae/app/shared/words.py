"""Results of the Words page, computed once for all visitors; ``key`` is a run's
``cache.model_key``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from rivae.app.shared.axes import axes_version
from rivae.app.shell.text import escape
from rivae.data.names import DATASETS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rivae.data.base import PairedDataset
    from rivae.data.item_sets import ItemSets
    from rivae.exploring.explorer import Explorer
    from rivae.exploring.placing import AxisKey
    from rivae.exploring.words.clouds import AxisStates
    from rivae.exploring.words.item_terms import ItemTerms
    from rivae.exploring.words.item_words import ItemWords
    from rivae.exploring.words.relations import Relation, Target
    from rivae.exploring.words.tags import TagMap
    from rivae.figures.clouds import Clouds
    from rivae.retrieval.base import Floats
    from rivae.runs.axis_names import Evidence

MAX_KEPT = 64
N_CHIPS = 12


def has_texts(dataset: str) -> bool:
    """Whether the items of the data set ``dataset`` have texts."""
    return dataset in DATASETS and bool(DATASETS.said(dataset, "texts", False))


def words_of(data: PairedDataset) -> ItemWords:
    """The words of every item; the first time they are read from the texts, some seconds."""
    return _words(data.fingerprint, data)


def terms_of(data: PairedDataset) -> ItemTerms:
    """What the items can be told by: words, tags and factors."""
    return _terms(data.fingerprint, data)


@st.cache_resource(max_entries=3, show_spinner=False)
def _terms(fingerprint: str, _data: PairedDataset) -> ItemTerms:
    from rivae.exploring.words.item_terms import ItemTerms

    return ItemTerms(_data)


# 15,000 recipes take 10 MB.
@st.cache_resource(max_entries=3, show_spinner=False)
def _words(fingerprint: str, _data: PairedDataset) -> ItemWords:
    from rivae.exploring.words.item_words import item_words

    return item_words(_data)


@st.cache_resource(max_entries=3, show_spinner=False)
def _everyday(fingerprint: str, _data: PairedDataset) -> frozenset[str]:
    return words_of(_data).everyday()


@st.cache_resource(max_entries=3, show_spinner=False)
def _tags(fingerprint: str, _data: PairedDataset) -> ItemSets | None:
    from rivae.exploring.words.item_words import item_tags

    return item_tags(_data)


def tags_of(data: PairedDataset) -> ItemSets | None:
    """The tags of every item; None where no item has any."""
    return _tags(data.fingerprint, data)


def tag_map_of(data: PairedDataset) -> tuple[TagMap, str]:
    """The meaning of tags, from the file next to the imported data or else the shipped one.

    Returns:
        The mapping, and one sentence where the file next to the data cannot be used.

    Raises:
        DataError: the shipped file is damaged.
    """
    from rivae.exploring.words.tags import tag_map_of as found

    return found(data)


def targets_of(data: PairedDataset, axis: str) -> list[Target]:
    """What words can be related to; ``axis`` is the name of the axis shown, which comes first."""
    from rivae.exploring.words.relations import AXIS, Target, factor_targets

    left_out = tag_map_of(data)[0].ignored
    return [
        Target(AXIS, axis, "axis"),
        *factor_targets(data),
        *_tag_targets(data.fingerprint, frozenset(left_out), data),
    ]


@st.cache_resource(max_entries=3, show_spinner=False)
def _tag_targets(fingerprint: str, ignored: frozenset[str], _data: PairedDataset) -> list[Target]:
    from rivae.exploring.words.relations import tag_targets

    return tag_targets(tags_of(_data), ignored)


@st.cache_resource(max_entries=8, show_spinner=False)
def latents(key: str, _explorer: Explorer) -> Floats:
    """z of every searched item, (N, d)."""
    return _explorer.retriever.latents(_explorer.search_rows)


@st.cache_resource(max_entries=MAX_KEPT, show_spinner=False)
def _states(
    key: str, axis: AxisKey, n_sigma: float, version: str, _explorer: Explorer
) -> AxisStates:
    from rivae.figures.axis_clouds import shown_states

    return shown_states(_explorer, axis, n_sigma)


def states(key: str, axis: AxisKey, n_sigma: float, explorer: Explorer) -> AxisStates:
    """What 20 queries retrieve at both ends and in the middle of an axis, as it is shown."""
    return _states(key, axis, n_sigma, axes_version(explorer, [axis]), explorer)


@st.cache_resource(max_entries=MAX_KEPT, show_spinner=False)
def _relation(
    key: str, target: str, axis: AxisKey, version: str, _target: Target, _explorer: Explorer
) -> dict[str, Relation]:
    from rivae.exploring.words.relations import AXIS, related_words, target_values

    data = _explorer.data
    sets = words_of(data).sets
    if target == AXIS:
        rows = _explorer.search_rows.tolist()
        return related_words([sets[i] for i in rows], _explorer.shown_positions(axis).astype(float))
    return related_words(sets, target_values(_target, data, tags_of(data)))


def relation(key: str, target: Target, axis: AxisKey, explorer: Explorer) -> dict[str, Relation]:
    """Which words go with the target; only that of an axis depends on ``axis``."""
    depends = target.kind == "axis"
    of, version = (axis, axes_version(explorer, [axis])) if depends else (-1, "")
    return _relation(key, target.key, of, version, target, explorer)


def clouds(
    key: str, axis: AxisKey, n_sigma: float, target: Target, everyday: bool, explorer: Explorer
) -> Clouds | None:
    """The clouds of an axis, laid out; None where nothing that was retrieved has words."""
    from dataclasses import replace

    laid_out = _laid_out(key, axis, n_sigma, axes_version(explorer, [axis]), everyday, explorer)
    if laid_out is None:
        return None
    return replace(laid_out, relation=relation(key, target, axis, explorer), factor=target.label)


# The places of the words do not depend on what they are related to.
@st.cache_resource(max_entries=MAX_KEPT, show_spinner=False)
def _laid_out(
    key: str, axis: AxisKey, n_sigma: float, version: str, everyday: bool, _explorer: Explorer
) -> Clouds | None:
    from rivae.figures.axis_clouds import laid_out

    data = _explorer.data
    axis_states = _states(key, axis, n_sigma, version, _explorer)
    left_out = frozenset() if everyday else _everyday(data.fingerprint, data)
    return laid_out(axis_states, words_of(data), left_out)


@st.cache_resource(max_entries=8, show_spinner=False)
def evidence(key: str, _explorer: Explorer) -> list[tuple[Evidence, ...]]:
    """For every axis the words, tags and factors that change most along it."""
    return terms_of(_explorer.data).evidence(latents(key, _explorer), _explorer.search_rows)


def chips(evidence: Sequence[Evidence], sign: int = 1) -> str:
    """The terms with direction and strength, the strongest first, as HTML; terms are escaped.

    With ``sign`` -1 they are said of −z.
    """
    marks = {"factor": "factor", "tag": "tag", "word": ""}
    parts = []
    for e in evidence[:N_CHIPS]:
        r = sign * e.strength
        arrow = "↑" if r > 0 else "↓"
        strength = f"{abs(e.strength):.2f}".lstrip("0")
        about = f"{e.kind}, correlation {r:.2f} with the axis, p {e.p:.1g}"
        kind = f'<span style="opacity:.65">{marks[e.kind]}&nbsp;</span>' if marks[e.kind] else ""
        parts.append(
            f'<span title="{escape(about)}" style="display:inline-flex;border-radius:99px;'
            'padding:.05rem .6rem;font-size:.85rem;border:1px solid rgba(128,140,146,.4)">'
            f"{kind}{arrow}&nbsp;{escape(e.term)}&nbsp;"
            f'<span style="opacity:.65;font-variant-numeric:tabular-nums">{strength}</span></span>'
        )
    return f'<div style="display:flex;flex-wrap:wrap;gap:.3rem .4rem">{"".join(parts)}</div>'
