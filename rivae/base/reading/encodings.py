"""Guesses the encoding of a text: charset-normalizer's opinion, and the letters that it gives.

charset-normalizer says how orderly the bytes read in each encoding. Several often read equally
well ("Crème" in cp1252 is "Crčme" in cp1250), so the letters beyond ASCII are compared with those
of the languages that are written so, and the more common encoding wins a tie.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Container, Iterable
from contextlib import suppress
from itertools import pairwise

from rivae.base.errors import DataError

# Best first; what a person is offered, with the words for it.
ENCODINGS = {
    "utf-8": "Unicode",
    "utf-16": "Unicode, as Excel's “Unicode text”",
    "cp1252": "Western European, Windows",
    "cp1250": "Central European, Windows",
    "iso8859-2": "Central European",
    "cp1251": "Cyrillic, Windows",
    "koi8-r": "Cyrillic",
    "cp866": "Cyrillic, DOS",
    "cp1253": "Greek, Windows",
    "cp1254": "Turkish, Windows",
    "cp1255": "Hebrew, Windows",
    "cp1256": "Arabic, Windows",
    "cp1257": "Baltic, Windows",
    "cp874": "Thai, Windows",
    "cp932": "Japanese, Shift-JIS",
    "euc-jp": "Japanese, EUC",
    "gb18030": "Chinese, simplified",
    "big5": "Chinese, traditional",
    "cp949": "Korean",
    "mac-roman": "Western European, old Macs",
    "cp850": "Western European, DOS",
}
MAX_SAMPLE = 8_000  # bytes
ENOUGH = 0.75  # share of the letters that the best language must explain

# The small letters beyond a to z of the languages that are written in an encoding.
_WESTERN = (
    "àâæçéèêëîïôœùûüÿ",  # French
    "äöüßéàèôñ",  # German, with its loan words
    "áéíóúüñçàèòïª",  # Spanish, Catalan
    "ãõáéíóúâêôàçü",  # Portuguese
    "àèéìíîòóùúï",  # Italian
    "åäöæøéüáèà",  # Swedish, Danish, Norwegian, Finnish
    "ëïéèöüáóê",  # Dutch
)
_CENTRAL = (
    "ąćęłńóśźżé",  # Polish
    "áčďéěíňóřšťúůýž",  # Czech
    "áäčďéíĺľňóôŕšťúýž",  # Slovak
    "áéíóöőúüű",  # Hungarian
    "ăâîşţ",  # Romanian
    "čćđšž",  # Croatian, Slovene
)
_LETTERS: dict[str, tuple[str, ...]] = {
    "cp1252": _WESTERN,
    "mac-roman": _WESTERN,
    "cp850": _WESTERN,
    "cp1250": _CENTRAL,
    "iso8859-2": _CENTRAL,
    "cp1254": ("çğıöşüâî",),
    "cp1257": ("ąčęėįšųūž", "āčēģīķļņšūž", "äöõüšž"),
}
_ANY = {name: "".join(alphabets) for name, alphabets in _LETTERS.items()}
_ANY["cp1252"] += "ðýþ"  # of Icelandic, which in Turkish stand for other letters
# Where the encoding has one script: its letters, and the most frequent of them.
_CYRILLIC = "[\u0400-\u045f\u0490\u0491]", "оеаинтсрвл"
_BLOCKS = {
    "cp1251": _CYRILLIC,
    "koi8-r": _CYRILLIC,
    "cp866": _CYRILLIC,
    "cp1253": ("[\u0384-\u03ce]", "αοιετσνηυρ"),
    "cp1255": ("[\u05b0-\u05ea]", "יוהלארמתבש"),
    "cp1256": ("[\u060c-\u0652\u067e\u0686\u0698\u06a9\u06af\u06cc]", "اليمونرتبة"),
    "cp874": ("[\u0e01-\u0e5b]", "านรอกเงมย่้ั"),
}
# Marks that texts of all languages have.
_MARKS = "“”‘’‚„‹›«»–—…•·€£°½¼¾×™®©§¿¡\xa0"
# A sign in the middle of a word, and a capital after a small letter, are what wrong encodings give.
_INSIDE = re.compile(r"(?<=[^\W\d_])[^\w\s’‘´·\xad\x00-\x7f](?=[^\W\d_])")
_SMALL = {"İ": "ı"}  # lower() makes two characters of it
# Bytes of the characters that make up ordinary text, of those with two bytes.
_COMMON = {
    "cp932": "[\x81\x82\x83\x88-\x97].",
    "euc-jp": "[\xa1\xa3\xa4\xa5\xb0-\xcf].",
    "gb18030": "[\xa1\xa3\xb0-\xd7][\xa1-\xfe]",
    "big5": "[\xa1-\xc6].",
    "cp949": "[\xa1\xa3\xb0-\xc8][\xa1-\xfe]",
}
TWICE_ENCODED = "text looks as if it had been read in a wrong encoding before: kept as it is"
# The characters that cp1252 or latin-1 make of the bytes that follow the first of a character in
# UTF-8.
_AFTER = f"[{bytes(range(0x80, 0xC0)).decode('cp1252', 'ignore')}\x80-\x9f]"
# One is enough for Western letters and marks. Others also follow each other in sound texts, as
# "é »" does, so it takes two.
_TWICE = re.compile(
    f"(?:[ÂÃ]{_AFTER}|â[€\x80]{_AFTER})+|(?:[Ä-Ú]{_AFTER}){{2,}}|(?:[à-ï]{_AFTER}{{2}}){{2,}}"
    f"|[ÄÅ]{_AFTER}(?=[a-z])|[\x80-\x9f]"
)
_KANA = re.compile("[\u3041-\u30fe]")
# What the others have to do better than cp1252, by their order in ENCODINGS.
_PRIOR = {name: 0.04 + 0.002 * i for i, name in enumerate(ENCODINGS)} | {"cp1252": 0.0}
_PRIOR |= {"mac-roman": 0.15, "cp866": 0.15, "cp850": 0.2}  # of the last century


def checked_encoding(encoding: str) -> str:
    """The name of a text encoding.

    Raises:
        DataError: for an unknown name.
    """
    try:
        name = codecs.lookup(encoding).name
        with suppress(UnicodeError):
            " ".encode(name)  # Python also has codecs that are of bytes, such as base64
    except (LookupError, ValueError) as error:
        raise DataError(f"there is no text encoding '{encoding[:40]}': try utf-8") from error
    return name


def likely_encoding(sample: bytes) -> str | None:
    """The most plausible 8-bit or East Asian encoding of some whole lines; None if none is.

    Only the first ``MAX_SAMPLE`` bytes count, best of lines that hold bytes beyond ASCII.
    """
    sample = _whole_lines(sample[:MAX_SAMPLE])
    scores = {name: _score(sample, name) for name in (*_LETTERS, *_BLOCKS, *_COMMON)}
    best = max(scores, key=lambda name: scores[name])
    return best if scores[best] > 0 else None


def twice_encoded(text: str) -> str:
    """A part that looks like text of another encoding, and what it says: "Ã¨ for è".

    "" without one. It may be meant, so nobody mends it.
    """
    if text.isascii():
        return ""
    for match in _TWICE.finditer(text):
        part = match[0]
        encoded_bytes = b"".join(c.encode("latin-1" if c < "\u0100" else "cp1252") for c in part)
        with suppress(UnicodeError):
            if len(part) == 1:
                return f"U+{ord(part):04X} for {encoded_bytes.decode('cp1252')}"
            return f"{part} for {encoded_bytes.decode('utf-8')}"
    return ""


def _score(sample: bytes, name: str) -> float:
    """How well ``sample`` reads in an encoding; 0 where it hardly does."""
    from charset_normalizer import from_bytes

    codec = codecs.lookup(name).name
    try:
        fit, usual = _fit(sample.decode(codec), name)
    except UnicodeDecodeError:
        return 0.0
    if fit < ENOUGH:
        return 0.0
    guess = from_bytes(sample, cp_isolation=[codec], threshold=1.0, enable_fallback=False).best()
    disorder, coherence = (guess.chaos, guess.coherence) if guess else (0.3, 0.0)
    return fit + (0.25 * coherence if name in _BLOCKS else 0) + usual - disorder - _PRIOR[name]


def _whole_lines(sample: bytes) -> bytes:
    end = max(sample.rfind(b"\n"), sample.rfind(b"\r"))
    return sample[: end + 1] if end > 0 else sample


def _fit(text: str, name: str) -> tuple[float, float]:
    """The share of the characters beyond ASCII that texts in this encoding have, in [0, 1]; and
    how usual these letters are, in [0, 0.25].
    """
    beyond = [letter for letter in text if letter > "\x7f"]
    n = max(1, len(beyond))
    if name in _COMMON:
        return _n_common(beyond, name) / n, 0.15
    wrong = len(_INSIDE.findall(text)) + sum(
        after > "\x7f" and after.isupper() and before.islower() for before, after in pairwise(text)
    )
    letters = [_SMALL.get(c, c.lower()) for c in beyond if c not in _MARKS]
    usual = 0.15
    if name in _BLOCKS:
        block, frequent = _BLOCKS[name]
        n_fitting = float(sum(re.match(block, letter) is not None for letter in letters))
        within = f"(?<=[a-z]){block}|{block}(?=[a-z])"  # a word of two scripts
        wrong += len(re.findall(within, text, re.IGNORECASE))
        if n_fitting - wrong < ENOUGH * max(1, len(letters)):
            return 0.0, 0.0
        # Not in capitals: a text of these alone is rather one in another encoding.
        usual = 0.25 * _n_in(beyond, frequent) / max(1, len(letters))
    else:
        n_fitting = float(max(_n_in(letters, alphabet) for alphabet in _LETTERS[name]))
        # A cookbook has dishes of all countries.
        n_fitting = max(n_fitting, 0.88 * _n_in(letters, _ANY[name]))
    return max(0.0, n_fitting + len(beyond) - len(letters) - wrong) / n, usual


def _n_in(letters: Iterable[str], alphabet: Container[str]) -> int:
    return sum(letter in alphabet for letter in letters)


def _n_common(beyond: list[str], name: str) -> int:
    common = re.compile(_COMMON[name], re.DOTALL)
    n_kana = sum(_KANA.match(letter) is not None for letter in beyond)
    n_fitting = sum(
        common.fullmatch(letter.encode(name).decode("latin-1")) is not None for letter in beyond
    )
    if name not in ("cp932", "euc-jp"):
        n_fitting -= n_kana
    elif n_kana < 0.1 * len(beyond):
        n_fitting -= len(beyond) // 4  # Japanese without its syllables is likely Chinese
    return max(0, n_fitting)
