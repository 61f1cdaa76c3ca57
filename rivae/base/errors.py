"""The errors a user can cause; each carries one sentence that names the fix.

Names, paths and lists in a sentence may be of any length; no sentence is. ``shown`` and ``some_of``
shorten what is put into one, and what still becomes too long is shortened where it is raised: its
names first, then its lists, then its middle, for the end says what to do.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches

LONGEST = 290  # letters of a sentence: 300 with "rivae: " in front of it
_WORD, _END = 40, 140  # letters that stay of a long word, and of the end of a sentence
_SEPARATOR = re.compile(r", ")
# They move a terminal's cursor, or cannot be written at all.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


class RivaeError(Exception):
    """Base of every error whose message is written for the user, not the developer."""

    def __init__(self, sentence: object = "") -> None:
        super().__init__(shortened(str(sentence)))


class DataError(RivaeError):
    """A data file or data setting cannot be used."""


class WorkStoppedError(DataError):
    """What the work needs went away, a disk, a store, a cluster; its files are not to blame.

    What is finished is kept, and the same command resumes.
    """


class ConfigError(RivaeError):
    """A setting is unknown, out of range or contradicts another one."""


class RunError(RivaeError):
    """A run folder is missing, damaged or not ready."""


class DataReplacedWarning(UserWarning):
    """The data of a run are not those that it was trained on."""


class LabelError(RivaeError):
    """A label, a guideline or the place that keeps them cannot be used."""


class LabelStoreError(LabelError):
    """The place that keeps the labels did not answer; trying again may work."""


def shown(name: object, most: int = 80) -> str:
    """A name, path or value for a sentence: printable, its middle left out beyond ``most``."""
    text = _CONTROL.sub("\ufffd", " ".join(str(name).splitlines()))
    if len(text) <= most:
        return text
    head = (most - 1) // 2
    return f"{text[:head]}…{text[len(text) - (most - 1 - head) :]}"


def some_of(names: Iterable[object], like: str = "", most: int = 8) -> str:
    """ "a, b, c": at most ``most`` names, first those like ``like``, and how many others."""
    texts = [str(name) for name in names]
    near = get_close_matches(like[:80], texts, n=most, cutoff=0.5) if like else []
    ordered_texts = [*near, *(name for name in texts if name not in near)]
    if len(ordered_texts) <= most:
        ordered_texts = texts
    text = ", ".join(shown(name, 40) for name in ordered_texts[:most]) or "none"
    return text + (f" and {len(ordered_texts) - most} others" if len(ordered_texts) > most else "")


def shortened(sentence: str, most: int = LONGEST) -> str:
    """``sentence`` in at most ``most`` letters, printable."""
    text = _CONTROL.sub("\ufffd", sentence)
    if len(text) <= most:
        return text
    # More letters than can be read are not looked at one by one.
    if len(text) > 100 * most:
        text = f"{text[: 50 * most]}… …{text[-50 * most :]}"
    for word in sorted(set(text.split()), key=len, reverse=True):
        if len(text) <= most or len(word) <= _WORD:
            break
        text = text.replace(word, shown(word, max(_WORD, len(word) - (len(text) - most))))
    if len(text) > most:
        text = _without_entries(text, len(text) - most)
    if len(text) > most:
        end = text[-_END:]
        start = text[: most - len(end) - 3]
        # Whole words, where there are any.
        text = f"{start.rpartition(' ')[0] or start} … {end.partition(' ')[2] or end}"
    return text


def _without_entries(text: str, excess: int) -> str:
    """The sentence without the middle of its longest list, as many entries as needed."""
    runs: list[list[re.Match[str]]] = [[]]
    for comma in _SEPARATOR.finditer(text):
        before = runs[-1][-1].end() if runs[-1] else comma.start()
        between = text[before : comma.start()]
        if len(between) > 2 * _WORD or ":" in between or ";" in between:
            runs.append([])
        runs[-1].append(comma)
    commas = max(runs, key=len)
    for n_parts in range(len(commas) - 2, 0, -1):
        left_out = f", … {len(commas) - n_parts} others …, "
        start, end = commas[n_parts - 1].start(), commas[-1].end()
        if end - start - len(left_out) >= excess or n_parts == 1:
            return text[:start] + left_out + text[end:]
    return text
