"""Words of texts without spaces: by ICU's dictionaries where they are installed, else characters.

Chinese, Japanese, Thai, Lao, Khmer and Burmese put no spaces between words. ``icu4py`` brings the
dictionaries of ICU for all six in one wheel; BudouX, the lightest other library, finds phrases and
not words, and the others know one language each.
"""

from __future__ import annotations

import re
from functools import lru_cache

import regex

from rivae.base.errors import DataError

CHARACTERS = "characters"
INSTALL = "icu4py>=1.2,<1.3"  # as in requirements.txt
# Of Chinese and Japanese with the signs that lengthen or repeat a letter (script extensions).
_SCRIPTS = {
    "Chinese or Japanese": r"\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}",
    "Thai": r"\p{Thai}",
    "Lao": r"\p{Lao}",
    "Khmer": r"\p{Khmer}",
    "Burmese": r"\p{Myanmar}",
}
UNSPACED = rf"[\p{{L}}&&[{''.join(_SCRIPTS.values())}]]"
# A lengthened or repeated character stays with the one before it: バ·ター, 人々.
CHARACTER = r"\P{M}[\p{M}\u30fc\uff70\uff9e\uff9f々〻ゝゞヽヾ]*|\p{M}+"
_MAYBE = re.compile("[\u0e00-\u10ff\u1780-\u19ff\u2e80-\U0010ffff]")  # all of them, found faster
_ANY = regex.compile(UNSPACED, regex.V1)
_LANGUAGES = {
    language: regex.compile(rf"[\p{{L}}&&[{letters}]]", regex.V1)
    for language, letters in _SCRIPTS.items()
}
_CHARACTER = regex.compile(CHARACTER)
_LETTER = regex.compile(r"\p{L}")
_MENTIONS = 0.1  # a text with a smaller share of such letters only mentions a word of the language


@lru_cache(maxsize=1)
def installed() -> str:
    """What finds the words of such texts here: "ICU 78", or "characters"."""
    try:
        from icu4py import icu_version
    except ImportError:
        return CHARACTERS
    return f"ICU {icu_version.split('.')[0]}"


def is_unspaced(text: str) -> bool:
    """Whether ``text`` has a letter of such a script."""
    return not text.isascii() and bool(_MAYBE.search(text) and _ANY.search(text))


def pieces(run: str, segmenter: str) -> list[str]:
    """The words of a ``run`` of letters and marks of such a script; joined, they are the run.

    Raises:
        DataError: ``segmenter`` is not installed.
    """
    if segmenter == CHARACTERS:
        characters: list[str] = _CHARACTER.findall(run)
        return characters
    if segmenter != installed():
        here = installed()
        has = "it is not installed" if here == CHARACTERS else f"{here} is installed"
        raise DataError(
            f"these texts were split into words by {segmenter}, and here {has}: run `pip install "
            f"'{INSTALL}'`, or train a new run"
        )
    from icu4py.breakers import WordBreaker

    return list(WordBreaker(run, "en"))  # the dictionaries are the same for every language


def remarks(text: str) -> list[str]:
    """What an import says of a text without spaces, a sentence for each kind of writing."""
    if not is_unspaced(text):
        return []
    n_letters = len(_LETTER.findall(text))
    program = installed()
    how = f"words by {program}" if program != CHARACTERS else "characters, since icu4py is missing"
    return [
        f"{language} text, which has no spaces: split into {how}"
        for language, letters in _LANGUAGES.items()
        if len(letters.findall(text)) > _MENTIONS * n_letters
    ]
