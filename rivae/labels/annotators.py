"""Names of annotators that may be one person: "Bob", "bob", "ＢＯＢ" and "Bob ".

Names are typed, not authenticated, so an annotator is only renamed on request.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Mapping

from rivae.base.errors import LabelError


class AlikeNamesError(LabelError):
    """A file names annotators who may be known under another spelling.

    Attributes:
        pairs: each name in the file, and the known names like it.
    """

    def __init__(self, pairs: Mapping[str, tuple[str, ...]]) -> None:
        name, others = next(iter(pairs.items()))
        more = f" (and {len(pairs) - 1} more names like that)" if len(pairs) > 1 else ""
        super().__init__(
            f"'{name}' in the file may be '{others[0]}', who is known{more}: say whether they are "
            "one person"
        )
        self.pairs = pairs


def folded(name: str) -> str:
    """The name without case, character width, composition and repeated spaces."""
    text = unicodedata.normalize("NFKC", name).casefold()
    return " ".join(unicodedata.normalize("NFKC", text).split())


def alike(name: str, names: Iterable[str]) -> tuple[str, ...]:
    """Other spellings of the name, sorted."""
    folded_name = folded(name)
    return tuple(sorted(other for other in names if other != name and folded(other) == folded_name))


def alike_groups(names: Iterable[str]) -> list[tuple[str, ...]]:
    """The groups of spellings of one name, sorted."""
    groups: dict[str, set[str]] = {}
    for name in names:
        groups.setdefault(folded(name), set()).add(name)
    return sorted(tuple(sorted(group)) for group in groups.values() if len(group) > 1)


def names_in_file(
    file_names: Collection[str], store_names: Collection[str], choices: Mapping[str, str]
) -> dict[str, str]:
    """The annotator meant by each name in a file.

    Args:
        file_names: the names in the file.
        store_names: the names in the store.
        choices: the chosen annotator by name in the file; the name itself for a new one.

    Raises:
        AlikeNamesError: a new name resembles a known one, or another in the file, without a
            decision in ``choices``.
        LabelError: a decision is about a name that is not in the file.
    """
    strange = sorted(set(choices) - set(file_names))
    if strange:
        raise LabelError(f"the file has no annotator '{strange[0][:80]}': correct the name")
    open_pairs = {
        name: others
        for name in sorted(set(file_names) - set(store_names) - set(choices))
        if (others := alike(name, {*store_names, *(set(file_names) - set(choices))}))
    }
    if open_pairs:
        raise AlikeNamesError(open_pairs)
    return {name: choices.get(name, name) for name in file_names}


def require_known(names: Iterable[str], annotators: Collection[str]) -> None:
    """LabelError unless all these annotators have labels; it suggests similar names."""
    for name in names:
        if name not in annotators:
            others = alike(name, annotators) or tuple(sorted(annotators)[:5])
            hint = f"choose from {', '.join(others)}" if others else "there are no labels yet"
            raise LabelError(f"'{name[:80]}' has no labels here: {hint}")
