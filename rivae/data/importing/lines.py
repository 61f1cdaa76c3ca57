"""Lines of a recipe: plain text without HTML, of bounded number and length."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Any

from rivae.base.reading.typed_text import clean
from rivae.data.importing.html_text import without_html
from rivae.data.importing.report import UnusableError
from rivae.data.importing.writings import MISSING

# Far beyond real recipes, and too little to do harm.
MAX_TITLE = 500  # characters
MAX_LINE = 5_000  # characters of one ingredient or step
MAX_LINES = 500  # ingredients, steps or tags of one record
MAX_TEXT = 200_000  # characters of a cell
SHORTEST, BEGINNING = 20, 100  # characters of a long caption that become its title

TOO_LONG = f"text longer than {MAX_TEXT:,} characters"
HTML = "HTML became plain text"
MISSING_WORDS = "words such as nan and None were read as missing values"
TOO_MANY = f"more than {MAX_LINES} lines: the others were left out"
LONG_LINES = f"lines longer than {MAX_LINE:,} characters were split between sentences"

_WRAPPED = {"text"}
_SENTENCE_END = re.compile(r"[.!?…](?=\s)|[。！？।]")
_SENTENCES = re.compile(r".*[.!?…。！？।][\"'”’)]*\s*", re.DOTALL)


def one_line(value: object, longest: int) -> str:
    """``clean`` text of at most ``longest`` characters.

    Raises:
        UnusableError: when it is longer.
    """
    check_size(value)
    text = clean(value)
    if len(text) > longest:
        raise UnusableError(f"title or name longer than {longest} characters")
    return text


def check_size(cell: object) -> None:
    """Raise UnusableError for a text of more than ``MAX_TEXT`` characters."""
    if isinstance(cell, str | bytes) and len(cell) > MAX_TEXT:
        raise UnusableError(TOO_LONG)


def unwrapped(cell: list[Any]) -> list[Any]:
    """Recipe1M wraps every line: {"text": "1 cup water"}."""
    if not (cell and isinstance(cell[0], dict)):
        return cell
    return [p["text"] if isinstance(p, dict) and p.keys() == _WRAPPED else p for p in cell]


def joined(cell: list[Any]) -> str | None:
    """The texts of a list below each other; None where it holds anything else."""
    try:
        return "\n".join(cell)
    except TypeError:
        return None


def plain_lines(cell: list[Any]) -> tuple[str, ...] | None:
    """The lines of a list of texts that need no closer look, as most do; None for others."""
    cell = unwrapped(cell)
    text = joined(cell)
    if text is None or len(text) > MAX_TEXT or len(cell) > MAX_LINES:
        return None
    if "&" in text or "<" in text or "{" in text:
        return None
    lines = tuple(filter(None, map(clean, cell)))
    long = max(map(len, lines), default=0) > MAX_LINE
    return None if long or not MISSING.isdisjoint(lines) else lines


def plain_text(text: str, remarks: set[str]) -> str:
    """``text`` without HTML; ``remarks`` receives a remark where it had any."""
    if "&" not in text and "<" not in text:
        return text
    plain = without_html(text)
    if plain != text:
        remarks.add(HTML)
    return plain


def bounded_lines(
    parts: Iterable[Any], remarks: set[str], longest: int = MAX_LINE
) -> tuple[str, ...]:
    """Each part as a line of at most ``longest`` characters, without those that say nothing.

    Raises:
        UnusableError: they are longer than ``MAX_TEXT`` together.
    """
    parts = list(parts)
    if len(parts) > MAX_LINES:
        parts = [part for part in parts if part not in (None, "")]
        remarks |= {TOO_MANY} if len(parts) > MAX_LINES else set()
        parts = parts[:MAX_LINES]
    if sum([len(part) for part in parts if isinstance(part, (str, bytes))]) > MAX_TEXT:
        raise UnusableError(TOO_LONG)
    texts = [plain_text(part, remarks) if isinstance(part, str) else part for part in parts]
    lines = tuple(filter(None, map(clean, texts)))
    if not MISSING.isdisjoint(lines):
        remarks.add(MISSING_WORDS)
        lines = tuple(text for text in lines if text not in MISSING)
    if max(map(len, lines), default=0) <= longest:
        return lines
    remarks.add(LONG_LINES)
    return tuple(piece for text in lines for piece in _pieces(text, longest))[:MAX_LINES]


def _pieces(text: str, longest: int) -> list[str]:
    """``text`` in pieces that end where a sentence does, else a word."""
    out = []
    while len(text) > longest:
        window = text[:longest]
        sentence = _SENTENCES.match(window)
        at = sentence.end() if sentence else 0
        if at < longest // 2:
            at = window.rfind(" ") + 1
        if at < longest // 2:
            at = longest
            while at > 1 and unicodedata.combining(text[at]):
                at -= 1  # a letter and its marks stay together
        out.append(text[:at].strip())
        text = text[at:].strip()
    return [*out, text]


def are_sentences(texts: Iterable[str]) -> bool:
    """Whether each ends as a sentence does."""
    return all(map(_SENTENCES.fullmatch, texts))


def beginning(text: str) -> str:
    """The first sentence of a text or, where it is long, its first words and "…"."""
    end = _SENTENCE_END.search(text, SHORTEST, BEGINNING)
    if end:
        return text[: end.end()]
    return f"{text[:BEGINNING].rpartition(' ')[0] or text[:BEGINNING]}…"
