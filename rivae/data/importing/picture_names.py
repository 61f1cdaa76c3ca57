"""When the name of a picture in a table means the path of a file: strictly, then more loosely.

Nothing here looks at a disk.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from enum import IntEnum
from urllib.parse import unquote

from rivae.data.pictures import NAMED_SUFFIXES

_LOCAL_FILES = "/?d="  # Label Studio: /data/local-files/?d=photos/1.png
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/+")  # a drive has one letter


class Level(IntEnum):
    """How a name and a path are compared; every level forgives what those before it do."""

    AS_WRITTEN = 0  # but for backslashes, doubled slashes and "./"
    SPACES = 1  # Unicode normalisation, kinds and numbers of spaces, marks that are not seen
    PERCENT = 2  # %20 is a space
    CASE = 3
    ENDING = 4  # one of them has no ending, or another


class Relation(IntEnum):
    """What part of a path a name is."""

    NONE = -1
    SAME = 0
    ENDS_WITH = 1  # the path ends with the name: photos/1.png for 1.png
    END_OF = 2  # the whole path is the end of the name: 1.png for images/1.png


_FORGIVEN = {
    Level.SPACES: "with other spaces in its name",
    Level.PERCENT: "with the codes like %20 in its name read as characters",
    Level.CASE: "with other capital letters in its name",
    Level.ENDING: "with another ending of its name, or none",
}
_ELSEWHERE = {
    Relation.ENDS_WITH: "in a folder that the table does not name",
    Relation.END_OF: "without the folders that the table names",
}


def parts(path: str) -> tuple[str, ...]:
    """The folders and the name of a path; backslashes part them too, empty ones and "." do not
    count, and "a/.." is nothing.
    """
    names: list[str] = []
    for part in path.replace("\\", "/").split("/"):
        if part == ".." and names and names[-1] != "..":
            names.pop()
        elif part not in ("", "."):
            names.append(part)
    return tuple(names)


def comparable(path: str, level: Level) -> tuple[str, ...]:
    """The parts of a path in the writing in which ``level`` compares them."""
    if level >= Level.PERCENT and "%" in path:
        path = unquote(path)
    pieces = parts(path)
    if level >= Level.SPACES:
        pieces = tuple(filter(None, map(_spaced, pieces)))
    if level >= Level.CASE:
        pieces = tuple(unicodedata.normalize("NFC", part.casefold()) for part in pieces)
    if level >= Level.ENDING and pieces:
        pieces = (*pieces[:-1], _without_ending(pieces[-1]))
    return pieces


def relation(name: tuple[str, ...], path: tuple[str, ...]) -> Relation:
    """What ``name`` is of ``path``, both comparable."""
    if not name or not path:
        return Relation.NONE
    if name == path:
        return Relation.SAME
    if len(name) < len(path):
        return Relation.ENDS_WITH if path[-len(name) :] == name else Relation.NONE
    return Relation.END_OF if name[-len(path) :] == path else Relation.NONE


def remark(name: str, path: str, level: Level, how: Relation) -> str:
    """What was guessed when ``name`` was taken to mean ``path``; "" where nothing was."""
    words = [_ELSEWHERE[how]] if how in _ELSEWHERE else []
    if level == Level.SPACES:  # composed and decomposed letters are the same letters
        texts = (unicodedata.normalize("NFC", text) for text in (name, path))
        comparable_texts = (comparable(text, Level.AS_WRITTEN) for text in texts)
        level = Level.SPACES if relation(*comparable_texts) == Relation.NONE else Level.AS_WRITTEN
    if level in _FORGIVEN:
        words.append(_FORGIVEN[level])
    return f"picture found {', '.join(words)}" if words else ""


def writings(name: str) -> Iterator[str]:
    """A name as it stands, then with slashes, then without what makes an address of it.

    The last one is what the comparisons above are made with.
    """
    yield name
    if "\\" in name:
        name = name.replace("\\", "/")
        yield name
    if match := _SCHEME.match(name):
        rest = name[match.end() :]
        if match[1].lower() == "file":
            yield "/" + unquote(rest).removeprefix("localhost/")
        elif _LOCAL_FILES not in rest:
            yield re.split("[?#]", rest, maxsplit=1)[0]
    if _LOCAL_FILES in name:
        yield unquote(name.partition(_LOCAL_FILES)[2])


def _spaced(part: str) -> str:
    if part.isascii() and part.isprintable() and "  " not in part and part == part.strip():
        return part  # as most are; nothing below would change them
    visible = "".join(c for c in part if unicodedata.category(c) != "Cf")
    return " ".join(unicodedata.normalize("NFC", visible).split())


def _without_ending(part: str) -> str:
    for ending in NAMED_SUFFIXES:
        if part.endswith(ending) and len(part) > len(ending):
            return part[: -len(ending)]
    return part
