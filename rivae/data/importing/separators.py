"""Where the items of a text that is no written list end: at lines, bars, semicolons, commas.

Line breaks and ``|`` always part items. Other marks also stand inside of items, so the cells of a
column decide together: a mark parts items where it is not found inside of them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

_LINE_ENDS = re.compile(r"[\n\r\x0b\x0c\u2028\u2029]")
_WRITTEN_ENDS = re.compile(r"(?:\\r)?\\n")  # a backslash and a letter
_BULLET = re.compile(r"\s*[-*+\u2013\u2014\u2022\u25aa\u25cf\u25e6\u2023\u00b7\u2043]\s+")
_BULLETS = re.compile(r"\s*[\u2022\u25aa\u25cf\u25e6\u2023]\s*|\s+\u00b7\s+")
_HASHES = re.compile(r"(?:#[^\s#,;]+[\s,;]*)+")
# Stronger ones first: where semicolons part items, commas may stand inside of these.
MARKS = {";": ";\uff1b\u061b", "\u3001": "\u3001\uff64", ",": ",\uff0c\u060c"}
_STOPS = {
    mark: re.compile(rf"([(\uff08\[])|([)\uff09\]])|(?<=\d),(?=\d)|([{letters}])")
    for mark, letters in MARKS.items()
}
_STOPS_ALONE = {
    mark: re.compile(rf"(?<!\d)[{letters}]|[{letters}](?!\d)") for mark, letters in MARKS.items()
}
_ANY = {mark: re.compile(f"[{letters}]") for mark, letters in MARKS.items()}
_ALL, _BUT_COMMAS = (
    re.compile(f"[{''.join(MARKS.values())}]"),
    re.compile("[;\uff1b\u061b\u3001\uff64]"),
)
SELDOM = 0.1  # so few cells with a mark inside of an item, for each that it parts, are slips
# What comes after a comma inside of an item: "1 onion, finely chopped".
_DESCRIBES = re.compile(
    r"\s*(?:(?:\w+ly\s+)?\w{2,}(?<!e)ed(?:\s+(?:and|or)\s+(?:\w+ly\s+)?(?:\w{2,}ed|cut))?"
    r"(?:\s+(?:in|into|to|with)\s.*|\s+\w+(?:ly|wise)|\s+(?:thin|thick|fine))?"
    r"|(?:\w+\s+){1,3}(?:removed|only|discarded|reserved|separated)"
    r"|(?:to taste|optional|divided|at room temperature|or to taste|or more|or as needed)\b.*"
    r"|(?:plus|such as|preferably|about|for)\s.*"
    r"|(?:cut|sliced|chopped|torn)\s+(?:in|into|to|up|thin|thinly|fine|finely)\b.*"
    r"|(?-i:(?:fein |grob |frisch )?ge\w{3,}(?:t|en))"
    r"|(?:finement )?(?:hach|émin|coup|râp|pel|fond)\w*[éu]e?s?\b.*"
    r"|(?:picad|cortad|pelad|rallad|tritat|tagliat|grattugiat|sbucciat)\w{1,2}\b.*)\s*",
    re.IGNORECASE | re.DOTALL,
)


def at_lines(text: str) -> list[str]:
    """The parts between line breaks or, on one line, between ``|``; one where there is neither.

    A bullet before every line is no part of it.
    """
    if not _LINE_ENDS.search(text):
        return text.split("|")
    lines = text.splitlines()
    texts = [line for line in lines if line.strip()]
    if len(texts) > 1 and all(map(_BULLET.match, texts)):
        return [_BULLET.sub("", line, count=1) for line in texts]
    return lines


def at_other_marks(text: str) -> tuple[list[str], str]:
    r"""The parts between bullets, or ``\n`` written as two letters, and which it was."""
    for mark, stop in (("\\n", _WRITTEN_ENDS), ("•", _BULLETS)):
        if stop.search(text.strip()):
            return stop.split(text), mark
    return [text], ""


def at_hashes(text: str) -> list[str] | None:
    """``#easy #quick``; None for other texts."""
    text = text.strip()
    return re.findall(r"#([^\s#,;]+)", text) if _HASHES.fullmatch(text) else None


def at_mark(text: str, mark: str) -> list[str]:
    """The parts between one of ``MARKS``, which brackets protect; "1,5" is a number."""
    parts, depth, start = [], 0, 0
    for match in _STOPS[mark].finditer(text):
        opening, closing, stop = match.groups()
        if opening:
            depth += 1
        elif closing:
            depth = max(depth - 1, 0)
        elif stop and not depth:
            parts.append(text[start : match.start()])
            start = match.end()
    if depth:  # a bracket that never closes protects nothing
        return _STOPS_ALONE[mark].split(text)
    return [*parts, text[start:]]


def strongest(text: str) -> tuple[list[str], str]:
    """The parts between the strongest of ``MARKS`` in a text, and that mark; "" without one."""
    for mark, any_of in _ANY.items():
        if any_of.search(text):
            parts = at_mark(text, mark)
            if len([part for part in parts if part.strip()]) > 1:
                return parts, mark
    return [text], ""


def _parted(text: str, mark: str) -> bool:
    return len([part for part in at_mark(text, mark) if part.strip()]) > 1


class MarkUse:
    """Learns from the cells of a column which of ``MARKS`` part its items."""

    def __init__(self, strict: bool) -> None:
        """
        Args:
            strict: a comma inside of a single item means that commas part none.
        """
        self._strict = strict
        self._inside: Counter[str] = Counter()
        self._parting: Counter[str] = Counter()

    def is_open(self, text: str) -> bool:
        """Whether the items of ``text`` can still change what is known."""
        commas_settled = self._strict and self._inside[","]
        return (_BUT_COMMAS if commas_settled else _ALL).search(text) is not None

    def look_at_items(self, items: Iterable[str]) -> None:
        """Learn from the items of a cell that are parted by anything stronger than a mark."""
        items = list(items)
        text = "\n".join(items)
        for mark, any_of in _ANY.items():
            if any_of.search(text):
                self._inside[mark] += any(_parted(item, mark) for item in items)

    def look_at_text(self, text: str) -> None:
        """Learn from a cell whose items nothing but a mark can part."""
        parts, mark = strongest(text)
        if not mark:
            return
        self._parting[mark] += 1
        if mark != ",":
            self._inside[","] += any(_parted(part, ",") for part in parts)
        elif self._strict:
            self._inside[","] += any(map(_DESCRIBES.fullmatch, parts[1:]))

    def parts_items(self, mark: str) -> bool:
        """Whether the column's items are parted by ``mark``."""
        if mark == "," and self._strict:
            return not self._inside[mark]
        return self._inside[mark] <= SELDOM * self._parting[mark]
