"""The words of a text in any script: runs of letters and their marks, composed and without case.

A mark is part of its letter: आलू, バター, bò and ข้าว are words as they stand, and so is crème. Two
versions of the rules are known, because the vocabulary of a trained model was counted with one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import regex

from rivae.data import segmenting

# Words of two letters or more; numbers and amounts say little about a dish.
TOKEN = r"(?u)\b[^\W\d_][^\W\d_]+\b"
# Version 1, until 2026-11-27: decomposed, and what can be taken off a letter is taken off.
FIRST, NEWEST = 1, 2
# Most texts hold, beside ASCII, only punctuation, signs and fractions; there, words are simple.
_BEYOND = re.compile(
    "[^\x00-\x7f\xa0-\xa9\xab\xac\xae-\xb4\xb6-\xb9\xbb-\xbf\xd7\xf7"
    "\u2010-\u2027\u2030-\u205e\u20a0-\u20bf\u2120\u2122\u2150-\u215f\u2190-\u27bf]"
)
# They join or shape letters, or say in which direction they run; a word is the same without.
_UNSEEN = re.compile("[\xad\u061c\u200c-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")
_SPACED = rf"[\p{{L}}--{segmenting.UNSPACED}]"
# Marks belong to the letter before them, or to a sign that is no letter (1️⃣); after a space only,
# to what follows.
_WORD = regex.compile(
    rf"(?P<unspaced>{segmenting.UNSPACED}[{segmenting.UNSPACED}\p{{M}}]*)"
    rf"|(?:(?<!\S)\p{{M}}+)?{_SPACED}[{_SPACED}\p{{M}}]*",
    regex.V1,
)
_SIMPLE = re.compile(r"\b[a-z][a-z]+\b")  # the same for plain English
_AMOUNT = regex.compile(r"[\p{N}_]")
_SYLLABLE = re.compile("[가-힣]")  # Korean words may have one


def is_plain(text: str) -> bool:
    """Whether plainly no letter or mark beyond ASCII is in ``text``, as in most."""
    return text.isascii() or not _BEYOND.search(text)


def caseless(text: str) -> str:
    """``text`` composed (NFC) and casefolded; no mark is lost."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def cut(text: str, longest: int) -> str:
    """The first ``longest`` characters of ``text``, fewer where a mark would lose its letter."""
    if len(text) <= longest:
        return text
    while longest and unicodedata.category(text[longest]).startswith("M"):
        longest -= 1
    return text[:longest]


@dataclass(frozen=True)
class Tokenizer:
    """The rules by which a text has words.

    Attributes:
        version: 1 or 2; of version 2 a word has two letters or marks, one suffices where a
            character is a syllable or a word (Chinese, Japanese, Korean).
        segmenter: what finds words in texts without spaces, see ``rivae.data.segmenting``; version
            1 took them as they are.
    """

    version: int = NEWEST
    segmenter: str = segmenting.CHARACTERS

    @property
    def key(self) -> str:
        """What tells these rules from others, in the names of kept files."""
        return TOKEN if self.version == FIRST else f"{self.version} {self.segmenter}"

    def words(self, text: str) -> list[str]:
        """The words of a text in order.

        Raises:
            DataError: it has no spaces, and the segmenter is not installed.
        """
        if self.version == FIRST:
            return _first()(text)
        if is_plain(text):
            return _SIMPLE.findall(text.lower())
        text = caseless(_UNSEEN.sub("", text))
        words: list[str] = []
        for match in _WORD.finditer(text):
            word, (start, end) = match[0], match.span()
            if match["unspaced"]:
                words += segmenting.pieces(word, self.segmenter)
                continue
            # "2cups" and "x_1" hold no words, as ever.
            alone = not _AMOUNT.search(text[max(start - 1, 0) : end + 1])
            if _SYLLABLE.match(word) or (alone and len(word) > 1):
                words.append(word)
        return words


def newest() -> Tokenizer:
    """The rules for everything that is read from now on."""
    return Tokenizer(NEWEST, segmenting.installed())


@lru_cache(maxsize=1)
def _first() -> Callable[[str], list[str]]:
    from sklearn.feature_extraction.text import CountVectorizer

    counter = CountVectorizer(token_pattern=TOKEN, lowercase=True, strip_accents="unicode")
    analyzer: Callable[[str], list[str]] = counter.build_analyzer()
    return analyzer
