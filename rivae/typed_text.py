"""Text that somebody typed or sent: plain, without characters that cannot be shown, not too long.

It is not escaped: that is done where it is drawn.
"""

from __future__ import annotations

from rivae.errors import ConfigError


def one_line(text: str, what: str, longest: int) -> str:
    """``text`` on one line, without spaces around it; ``what`` it is stands in the error.

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
    joined = "\n".join(lines)
    if len(joined) > longest or not all(line.isprintable() for line in lines):
        raise ConfigError(f"{what} has at most {longest} characters that can be shown")
    return joined
