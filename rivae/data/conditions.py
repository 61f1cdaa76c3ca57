"""Conditions on items in one line of text: words, tags, selections and true factors.

    lemon #easy @s2 fruit >= 3 longishness = bowl

asks for items that have the word and the tag, are in the selection, and have levels of two factors.
Levels are written by name or counted from 1; a factor without levels is compared with numbers as
they are shown. An item whose factor is unknown meets no condition on it.
"""

from __future__ import annotations

import operator
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rivae.base.errors import ConfigError
from rivae.data.factors import FactorSpec

_SIGNS: dict[str, Callable[[NDArray[np.float64], float], NDArray[np.bool_]]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}
_WRITTEN = str.maketrans({"≥": ">=", "≤": "<="})
_NUMBER = re.compile(r"[-−]?\d{1,12}(?:\.(\d{0,12}))?(?![\w.])")
_TAG = re.compile(r"(?<!\S)#(\S+)")
_SELECTION = re.compile(r"(?<!\S)@(\S+)")
_SIGN = re.compile(r"\s*(>=|<=|>|<|=)\s*")


@dataclass(frozen=True)
class FactorCondition:
    """``factor`` (a column) compared with ``value`` by ``sign``; "=" within ``tolerance``."""

    factor: int
    sign: str
    value: float
    tolerance: float = 0.0

    def holds(self, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        """For which of the factor's values (n,) it holds; for no unknown one."""
        if self.sign == "=":
            return np.abs(values - self.value) <= self.tolerance + 1e-9
        return _SIGNS[self.sign](values, self.value)


@dataclass(frozen=True)
class Conditions:
    """What items must have: every one of ``words``, of ``tags`` and of ``factors``; and the
    ``selections`` (ids or names) that they must be in.
    """

    words: str
    tags: tuple[str, ...]
    factors: tuple[FactorCondition, ...]
    selections: tuple[str, ...] = ()


def tag_name(tag: str) -> str:
    """A tag as it is written after #: one word, compared without case."""
    return "-".join(tag.casefold().split())


def read_conditions(text: str, specs: Sequence[FactorSpec]) -> Conditions:
    """The conditions of ``text``.

    Raises:
        ConfigError: a comparison without a known factor, or with what is no value of its factor.
    """
    rest = unicodedata.normalize("NFC", text).translate(_WRITTEN)
    factors: list[FactorCondition] = []
    while (sign := _SIGN.search(rest)) is not None:
        start, k = _factor_before(rest[: sign.start()], specs)
        end, value, tolerance = _value_after(rest, sign.end(), specs[k])
        if sign[1] != "=" and specs[k].kind == "categorical":
            raise ConfigError(f"{specs[k].name} has no order: write '{specs[k].name} = …'")
        factors.append(FactorCondition(k, sign[1], value, tolerance))
        rest = f"{rest[:start]} {rest[end:]}"
    tags = tuple(tag_name(tag) for tag in _TAG.findall(rest))
    selections = tuple(_SELECTION.findall(rest))
    words = _SELECTION.sub(" ", _TAG.sub(" ", rest))
    return Conditions(" ".join(words.split()), tags, tuple(factors), selections)


def suggestions(specs: Sequence[FactorSpec], tags: Sequence[str]) -> list[str]:
    """Conditions to begin with: both halves of every factor with levels, then tags."""
    out = []
    for spec in specs:
        middle = (len(spec.levels) + 1) // 2
        if spec.kind == "categorical":
            out += [f"{spec.name} = {level}" for level in spec.levels]
        elif spec.levels:
            out += [f"{spec.name} > {middle}", f"{spec.name} < {middle}"]
    return out + [f"#{tag_name(tag)}" for tag in tags]


def _factor_before(text: str, specs: Sequence[FactorSpec]) -> tuple[int, int]:
    """Where the factor's name begins that ``text`` ends with, and its column; the longest name."""
    lower = text.casefold()
    ends = [(len(s.name), k) for k, s in enumerate(specs) if _ends_with(lower, s.name.casefold())]
    if not ends:
        names = ", ".join(spec.name for spec in specs) or "there is none here"
        raise ConfigError(f"no factor before the sign: write the name of one ({names})")
    length, k = max(ends)
    return len(text) - length, k


def _ends_with(text: str, name: str) -> bool:
    before = text[: -len(name)]
    return text.endswith(name) and (not before or not _is_of_a_word(before[-1]))


def _value_after(text: str, start: int, spec: FactorSpec) -> tuple[int, float, float]:
    """Where the value ends, the value, and how far one may be from it to be equal."""
    rest = text[start:].casefold()
    level_matches = [
        (len(n), code) for code, n in enumerate(spec.levels) if _begins(rest, n.casefold())
    ]
    if level_matches:
        length, code = max(level_matches)
        return start + length, float(code), 0.0
    number = _NUMBER.match(text, start)
    if number is not None:
        value = float(number[0].replace("−", "-"))
        if not spec.levels:
            return number.end(), value, 0.5 * 10.0 ** -len(number[1] or "")
        if 1 <= value <= len(spec.levels) and spec.kind == "ordinal":
            return number.end(), value - 1, 0.0
    valid_values = f"1 to {len(spec.levels)}, or one of: {', '.join(spec.levels)}"
    raise ConfigError(f"after '{spec.name}' write {valid_values if spec.levels else 'a number'}")


def _begins(text: str, level: str) -> bool:
    after = text[len(level) : len(level) + 1]
    return text.startswith(level) and not (after and _is_of_a_word(after))


def _is_of_a_word(character: str) -> bool:
    """Whether it is a letter, a number or a mark on one."""
    return character.isalnum() or unicodedata.category(character).startswith("M")
