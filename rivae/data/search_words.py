"""How texts and questions are written for full-text search, so that it finds words of any script.

A letter of a script without spaces is a word of its own there, and a question in it the letters in
a row. Accents, points and other marks that people leave out are left out beside the word as it is
written: creme finds crème, and the word without points the word with them. Marks that make another
word (आलू and आल, バ and ハ, ข้าว and ขาว) are never left out.
"""

from __future__ import annotations

import unicodedata

import regex

from rivae.data.segmenting import UNSPACED
from rivae.data.tokenizer import caseless, is_plain

JOINT = "\x04"  # around a letter of a script without spaces; no text holds it
MAX_WORDS = 20  # of a question
MAX_LETTERS = 100  # of one word
# SQLite's unicode61 leaves the marks of Latin letters out, and not these.
_OPTIONAL = r"[\p{Greek}\p{Cyrillic}\p{Hebrew}\p{Arabic}\p{Latin}]"
_MARKED = regex.compile(rf"({_OPTIONAL})\p{{Mn}}+", regex.V1)
_OTHER = regex.compile(r"[\p{Greek}\p{Cyrillic}\p{Hebrew}\p{Arabic}ßẞ\uff00-\uffef]")
_LETTER = regex.compile(rf"{UNSPACED}\p{{M}}*", regex.V1)
_WORD = regex.compile(r"[\p{L}\p{M}\p{N}_]+")


def joined(text: str) -> str:
    """``text`` with every letter of a script without spaces set apart, by what is not shown."""
    if is_plain(text):
        return text
    return _LETTER.sub(rf"{JOINT}\g<0>{JOINT}", unicodedata.normalize("NFC", text))


def folded(word: str) -> str:
    """``word`` as it may be typed: without marks, or in other widths of letters."""
    text = unicodedata.normalize("NFKD", caseless(word))
    return unicodedata.normalize("NFC", _MARKED.sub(r"\1", text))


def other_forms(text: str) -> str:
    """The folded words of ``text`` that SQLite does not find by itself."""
    if is_plain(text) or not _OTHER.search(text):
        return ""
    words = dict.fromkeys(filter(_OTHER.search, _WORD.findall(text)))
    return joined(" ".join(form for word in words if (form := folded(word)) != word))


def question(words: str, whole: bool = False) -> str:
    """What FTS5 is asked: every word, as a beginning or ``whole``; "" for a text without words."""
    end = "" if whole else "*"

    def phrase(word: str) -> str:
        return f'"{joined(word[:MAX_LETTERS])}"{end}'

    terms = []
    for word in _WORD.findall(unicodedata.normalize("NFC", words))[:MAX_WORDS]:
        forms = dict.fromkeys((word, folded(word))) if not word.isascii() else (word,)
        term = " OR ".join(map(phrase, forms))
        terms.append(f"({term})" if len(forms) > 1 else term)
    return " AND ".join(terms)
