"""How texts write a list of names, and a number between -1 and 1."""

from __future__ import annotations

from collections.abc import Sequence


def join_words(parts: Sequence[str]) -> str:
    """A list in a sentence.

    >>> join_words(["a", "b", "c"])
    'a, b and c'
    """
    if len(parts) < 2:
        return "".join(parts)
    return ", ".join(parts[:-1]) + " and " + parts[-1]


def short(value: float) -> str:
    """A number in [-1, 1] with two decimals and no leading zero, as the paper prints it.

    NaN becomes an en dash.

    >>> short(0.4149), short(-0.5), short(1.0)
    ('.41', '−.50', '1.00')
    """
    if value != value:
        return "–"
    text = f"{value:.2f}"
    text = "0.00" if text == "-0.00" else text
    return text.replace("-", "−").replace("0.", ".", 1)
