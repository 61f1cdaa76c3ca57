"""Plain text from data, made safe for Streamlit's Markdown and for HTML."""

from __future__ import annotations

import html
import re

# Everything that starts a piece of Markdown, LaTeX ($), a directive (:red[…]) or a tag. A hyphen
# within a word stays: a widget's label is also read aloud, with every backslash.
_SPECIAL = re.compile(r"([\\`*_{}\[\]()<>#+.!|~$:&]|(?<![^\W_])-|-(?![^\W_]))")


def markdown(text: str) -> str:
    """``text`` so that Markdown shows it as it is, on one line."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def escape(text: str) -> str:
    """``text`` so that HTML shows it as it is, also inside an attribute."""
    return html.escape(text, quote=True)
