"""Lists and objects that a program wrote into one cell as text: JSON, Python, NumPy, R, sets.

Only the text is read: nothing in it is evaluated.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from rivae.base.errors import DataError
from rivae.base.reading.documents import parse_json
from rivae.data.importing.php_lists import php_list

MAX_DEPTH = 20  # brackets inside brackets
# How programs write that a value is missing, letter for letter: a dish may be called "Nan".
MISSING = frozenset(
    ("nan", "NaN", "NAN", "None", "null", "NULL", "NA", "<NA>", "NaT", "N/A", "n/a", "#N/A")
)
# What Python, NumPy, pandas, R, Scala and Spark write before the brackets of a list.
_NAME = re.compile(
    r"(?:\w+\.)*(?:array|list|set|frozenset|tuple|c|deque|index|series|dict|dict_values|dict_keys|"
    r"ordereddict|vector|seq|arraybuffer|wrappedarray|str_|bytes_|int64|float64|int32|float32)",
    re.IGNORECASE,
)
_SETTINGS = ("dtype", "name", "length", "categories")  # what NumPy and pandas add to a list
_CLOSED_BY = {"[": "]", "(": ")", "{": "}"}
_STRING = r"""[bBuUrR]{0,2}(?:'[^'\\]*(?:\\.[^'\\]*)*'|"[^"\\]*(?:\\.[^"\\]*)*")"""
# Lists of plain texts, as most are, are taken apart by these alone.
_ITEM = re.compile(r"""'([^'\\]*)'|"([^"\\]*)\"""")
_FLAT = re.compile(rf"\[\s*(?:{_ITEM.pattern})(?:(?:\s*,\s*|\s+)(?:{_ITEM.pattern}))*\s*\]")
_TOKEN = re.compile(
    rf"\s*(?:(?P<string>{_STRING})"
    r"|(?P<open>[A-Za-z_][\w.]*\s?\(|[\[({])"
    r"|(?P<close>[\])}])|(?P<comma>[,;])|(?P<pair>=>|[:=])"
    r"""|(?P<word>[^\s,;\[\](){}'":=][^\s,;\[\](){}":=]*))""",
    re.DOTALL,
)
_MAY_BE_WRITTEN = re.compile(
    r"\s*(?:a:\d+:(?=\{)|[A-Za-z_][\w.]*\s?(?=\()|[bBuUrR]{0,2}(?=['\"]))?[\[({'\"]"
)
_ENDS = "])}'\""
_BEGINS = re.compile(r"\s*(?:\w+\(|[\[{])\s*['\"\[{]")
_ESCAPED = re.compile(
    r"\\(?:\r?\n|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL
)
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "b": " ", "f": " ", "a": "", "v": " ", "0": ""}
_NUMBER = re.compile(r"[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?")
_STRAY = re.compile(r"(?:^|[\s,])'|'(?:$|[\s,])")  # a mark around an item, not an apostrophe
_BARE = re.compile(r"\s*(?:([A-Za-z_][\w.]*)\(([^\"()\[\]{}]*)\)|\[([^\"\[\]]*)\])\s*")
_SERIES_END = re.compile(r"(?:Name: [^\n]*, )?(?:Length: \d+, )?dtype: \w+")
_INDEX = re.compile(r"\S+(?:\s+|$)")


@dataclass(frozen=True)
class Written:
    """What a text says as a list or an object.

    Attributes:
        value: a list or a dict.
        abridged: "..." stands in it for items that were lost when it was written.
        loose: its quotation marks are not those of a program, and were taken as they seem meant.
    """

    value: list[Any] | dict[Any, Any]
    abridged: bool = False
    loose: bool = False


def written(text: str) -> Written | None:
    """The list or object that ``text`` is in one of the known writings; None for other texts."""
    if not _MAY_BE_WRITTEN.match(text) or (text := text.strip())[-1] not in _ENDS:
        return _series(text) if text.endswith(("object", "str", "string", "64")) else None
    if text[0] in "aA" and (php := php_list(text)) is not None:
        return Written(php)
    if text[0] in "[{" and text[1:2] != "'":
        try:
            value = parse_json(text, nan=True, mend=True)
        except DataError:
            pass
        else:
            return Written(value)
    if text[0] in "'\"":
        return _quoted(text)
    if _FLAT.fullmatch(text):
        return Written([single or double for single, double in _ITEM.findall(text)])
    scan = _scanned(text)
    if scan is None and '""' in text:  # the doubling of a CSV file that was read as something else
        scan = _scanned(text.replace('""', '"'))
        scan = scan and Written(scan.value, scan.abridged, loose=True)
    return scan or _loose(text)


def looks_written(text: str) -> bool:
    """Whether a text begins as lists in these writings do, such as one that was cut off."""
    return _BEGINS.match(text) is not None


def bare_list(text: str) -> str | None:
    """What is inside ``[flour, salt]`` or ``WrappedArray(flour, salt)``; None for other texts."""
    match = _BARE.fullmatch(text)
    if match is None or (match[1] and not _NAME.fullmatch(match[1])):
        return None
    inner = match[2] if match[1] else match[3]
    return None if _STRAY.search(inner) else inner


def _quoted(text: str) -> Written | None:
    """``"a", "b"`` without brackets, or a list as text inside of a text."""
    try:
        inner = parse_json(text, mend=True)
    except DataError:
        scan = _scanned(f"[{text}]")
        return scan if scan and len(scan.value) > 1 else None
    return written(inner) if inner[:1] and inner[0] in "[{" else None


def _loose(text: str) -> Written | None:
    """``['baker's flour', 'salt']``: marks end an item only where a comma parts it from the next.

    NumPy and Python write such an item otherwise; people do not.
    """
    for mark in "'\"":
        if text.startswith(f"[{mark}") and text.endswith(f"{mark}]"):
            items = re.split(rf"{mark}\s*,\s*{mark}", text[2:-2])
            if not any(re.search(rf"{mark}\s+{mark}|{mark}\s*,|,\s*{mark}", i) for i in items):
                return Written(items, loose=True)
    return None


def _series(text: str) -> Written | None:
    """What pandas prints: an index before every line, and the kind at the end."""
    *rows, last = text.splitlines() or [""]
    if not rows or not _SERIES_END.fullmatch(last.strip()):
        return None
    items = [row[match.end() :] for row in rows if (match := _INDEX.match(row))]
    texts = [item for item in items if item.strip() not in MISSING | {"...", ""}]
    return Written(texts, abridged=any(row.split()[-1:] == ["..."] for row in rows))


class _UnknownError(Exception):
    """A text that is in no known writing."""


class _Word(str):
    """A part without quotation marks."""


_NOTHING = object()


def _scanned(text: str) -> Written | None:
    scan = _Scan(text)
    try:
        opening = scan.next_token("open")
        value = scan.inside(opening, MAX_DEPTH)
        if scan.at != len(text) or not isinstance(value, list | dict):
            return None
    except _UnknownError:
        return None
    if text[0] != "{" and scan.n_bare and not scan.n_strings:
        return None  # [flour, salt]: other cells tell whether its commas separate items
    if text[0] == "(" and isinstance(value, list) and len(value) < 2 and not scan.n_commas:
        return None  # ("salt") is a text in brackets
    return Written(value, scan.abridged)


class _Scan:
    """Reads brackets, texts, words and commas one after the other; never goes back."""

    def __init__(self, text: str) -> None:
        self._text, self.at = text, 0
        self.abridged = False
        self.n_strings = self.n_bare = self.n_commas = 0

    def next_token(self, kind: str = "") -> str:
        """The next token, whose kind is then ``kind``."""
        match = _TOKEN.match(self._text, self.at)
        if match is None or (kind and match.lastgroup != kind):
            raise _UnknownError
        self.at, self.kind = match.end(), match.lastgroup or ""
        return match[self.kind]

    def inside(self, opening: str, depth: int) -> Any:
        """The list or object that ends with the bracket for ``opening``."""
        name = opening[:-1].rstrip()
        if depth == 0 or (name and not _NAME.fullmatch(name)):
            raise _UnknownError
        items: list[Any] = []
        pairs: list[tuple[Any, Any]] = []
        parts: list[Any] = []
        key: Any = _NOTHING
        commas = 0
        while True:
            token = self.next_token()
            if self.kind == "string":
                self.n_strings += 1
                parts.append(_unescaped(token))
            elif self.kind == "word":
                parts.append(_Word(token))
            elif self.kind == "open":
                parts.append(self.inside(token, depth - 1))
            elif self.kind == "pair":
                if opening == "[" or key is not _NOTHING or len(parts) != 1:
                    raise _UnknownError
                key, parts = parts[0], []
            else:  # a comma or a bracket: here an item ends
                values = self._items(parts, may_be_array=opening == "[" and not commas)
                if key is _NOTHING:
                    self.n_bare += any(isinstance(item, _Word) for item in values)
                    items += values
                else:
                    pairs.append((key, values[0] if values else None))
                key, parts = _NOTHING, []
                if self.kind == "close":
                    if token != _CLOSED_BY[opening[-1]]:
                        raise _UnknownError
                    self.n_commas += commas
                    return self._made(name, items, pairs)
                commas += 1

    def _items(self, parts: list[Any], may_be_array: bool) -> list[Any]:
        """What stands between two commas: NumPy's items, one item, or words that make one.

        Args:
            may_be_array: no comma came before, so numbers may be a list as NumPy prints it.
        """
        words = [part for part in parts if isinstance(part, _Word)]
        plain = [word for word in words if word in MISSING or word == "..."]
        numbers = [word for word in words if _NUMBER.fullmatch(word)]
        self.abridged |= "..." in plain
        if len(words) < len(parts) or (may_be_array and len(plain) + len(numbers) == len(words)):
            if len(plain) + len(numbers) < len(words):
                raise _UnknownError  # "5" pan
            return [
                str(part) if isinstance(part, _Word) else part
                for part in parts
                if not (isinstance(part, _Word) and part in plain)
            ]
        if not words or (len(words) == 1 and plain):
            return []
        return [" ".join(words) if len(words) == len(numbers) else _Word(" ".join(words))]

    def _made(self, name: str, items: list[Any], pairs: list[tuple[Any, Any]]) -> Any:
        if not name:
            if pairs and items:
                raise _UnknownError
            return {str(key): value for key, value in pairs} if pairs else items
        short = name.rpartition(".")[2]
        fields = {str(key): value for key, value in pairs if key not in _SETTINGS}
        if fields and not items:
            return fields
        if len(items) == 1 and (
            isinstance(items[0], list | dict) or short.endswith(("_", "64", "32"))
        ):
            return items[0]  # array([…], dtype=object), np.str_('…')
        return items


def _unescaped(token: str) -> str:
    mark = token[-1]
    prefix, _, text = token[:-1].partition(mark)
    if "\\" not in text:
        return text
    text = _ESCAPED.sub(_letter, text)
    if "b" in prefix.lower():
        return text.encode("latin-1", "replace").decode("utf-8", "replace")
    # Two halves of one character, as JSON writes it.
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _letter(match: re.Match[str]) -> str:
    for code in match.groups()[:3]:
        if code:
            number = int(code, 16)
            return chr(number) if number < 0x110000 else "\ufffd"
    letter = match[4]
    if letter is None:
        return ""
    return _LETTERS.get(letter, letter if letter in "\\'\"/" else f"\\{letter}")
