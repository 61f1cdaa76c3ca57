"""The encoding of a table that is imported: what its bytes say, and the others to choose from."""

from __future__ import annotations

import zlib
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from rivae.app.data import page_keys
from rivae.app.shell.text import markdown
from rivae.base.errors import DataError

if TYPE_CHECKING:
    from rivae.base.reading.found_encoding import Found

FOUND = "Read as {} ({}), as the bytes of the table suggest: “{}”. Choose another if this is wrong."


def choose(table: Path) -> str:
    """The control that chooses it, with the one that was found first."""
    from rivae.base.reading.encodings import ENCODINGS

    guess = _found(table)
    first = guess.encoding if guess is not None else "utf-8"
    choice = st.selectbox(
        "Encoding of the table",
        list(dict.fromkeys((first, *ENCODINGS))),
        # The key names the file: another table starts from what was found in it.
        key=f"{page_keys.ENCODING}-{table}",
        format_func=lambda name: f"{name} ({ENCODINGS[name]})" if name in ENCODINGS else name,
        width=360,
    )
    if guess is not None and choice == first != "utf-8" and guess.example:
        words = ENCODINGS.get(first, "Unicode")
        st.caption(markdown(FOUND.format(first, words, guess.example)))
    return str(choice)


def _found(table: Path) -> Found | None:
    try:
        status = table.stat()
        return _looked(table, status.st_size, status.st_mtime_ns)
    except (OSError, EOFError, zlib.error, DataError):
        return None  # said when the table is read


@lru_cache(maxsize=16)
def _looked(table: Path, size: int, changed: int) -> Found | None:
    """``found_encoding``, once for a file as it is."""
    from rivae.base.reading.found_encoding import found_encoding

    return found_encoding(table)
