"""Names of annotators that may be one person: "Bob", "bob", "ＢＯＢ" and "Bob " are asked about.

A name is typed and not proven, so nobody is renamed without a person's word.
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
        said, known = next(iter(pairs.items()))
        more = f" (and {len(pairs) - 1} more names like that)" if len(pairs) > 1 else ""
        super().__init__(
            f"'{said}' in the file may be '{known[0]}', who is known{more}: say whether they are "
            "one person"
        )
        self.pairs = pairs


def folded(name: str) -> str:
    """What spellings of one name share: without case, width, composition and more than one space
    between words.
    """
    text = unicodedata.normalize("NFKC", name).casefold()
    return " ".join(unicodedata.normalize("NFKC", text).split())


def alike(name: str, known: Iterable[str]) -> tuple[str, ...]:
    """Other names that may be the same person's, sorted."""
    wanted = folded(name)
    return tuple(sorted(other for other in known if other != name and folded(other) == wanted))


def alike_groups(names: Iterable[str]) -> list[tuple[str, ...]]:
    """The sets of names that may each be one person's, sorted."""
    groups: dict[str, set[str]] = {}
    for name in names:
        groups.setdefault(folded(name), set()).add(name)
    return sorted(tuple(sorted(group)) for group in groups.values() if len(group) > 1)


def names_in_file(
    said: Collection[str], known: Collection[str], decided: Mapping[str, str]
) -> dict[str, str]:
    """The annotator meant by each name in a file.

    Args:
        said: the names in the file.
        known: the names in the store.
        decided: by name in the file, the annotator that a person has chosen for it; the name
            itself for somebody else.

    Raises:
        AlikeNamesError: a name that is new is like a known one, or like another in the file, and
            nobody has decided.
        LabelError: a decision is about a name that is not in the file.
    """
    strange = sorted(set(decided) - set(said))
    if strange:
        raise LabelError(f"the file has no annotator '{strange[0][:80]}': correct the name")
    open_pairs = {
        name: others
        for name in sorted(set(said) - set(known) - set(decided))
        if (others := alike(name, {*known, *(set(said) - set(decided))}))
    }
    if open_pairs:
        raise AlikeNamesError(open_pairs)
    return {name: decided.get(name, name) for name in said}


def require_known(asked: Iterable[str], known: Collection[str]) -> None:
    """LabelError unless every asked annotator has labels; it names those who may be meant."""
    for name in asked:
        if name not in known:
            others = alike(name, known) or tuple(sorted(known)[:5])
            hint = f"choose from {', '.join(others)}" if others else "there are no labels yet"
            raise LabelError(f"'{name[:80]}' has no labels here: {hint}")
