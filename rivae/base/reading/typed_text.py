"""Text that a user typed or sent: plain, without characters that cannot be shown, not too long.

It is not escaped: that happens where it is shown.
"""

from __future__ import annotations

import re
import unicodedata

from rivae.base.errors import ConfigError

LOST = "\ufffd"  # replaces an invalid character
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ufeff]")
_HALF = re.compile("[\ud800-\udfff]")


def clean(value: object) -> str:
    """A value of a user's file as one line of plain text; every such text passes through here.

    Characters are composed and words are separated by single spaces. Control characters are
    removed; bytes that are not UTF-8, and halves of characters, become U+FFFD. None and NaN become
    "".
    """
    if isinstance(value, str):
        text = value
    elif value is None or (isinstance(value, float) and value != value):
        return ""
    else:
        text = value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
    if text.isascii() and text.isprintable():  # as most are; nothing below would change them
        return " ".join(text.split())
    text = unicodedata.normalize("NFC", _HALF.sub(LOST, text))
    return " ".join(_CONTROL.sub(" ", text).split())


def one_line(text: str, what: str, longest: int) -> str:
    """``text`` on one line, without spaces around it; ``what`` names it in the error.

    Raises:
        ConfigError: it is empty, longer than ``longest``, or holds characters that cannot be shown.
    """
    line = " ".join(text.split())
    if not line or len(line) > longest or not line.isprintable():
        raise ConfigError(f"{what} is one line of 1 to {longest} characters")
    return line


def some_lines(text: str, what: str, longest: int) -> str:
    """``text`` with its lines, without spaces around it; may be empty.

    Raises:
        ConfigError: it is longer than ``longest``, or holds characters that cannot be shown.
    """
    lines = [line.replace("\t", " ").rstrip() for line in text.strip().splitlines()]
    clean_text = "\n".join(lines)
    if len(clean_text) > longest or not all(line.isprintable() for line in lines):
        raise ConfigError(f"{what} has at most {longest} characters that can be shown")
    return clean_text
