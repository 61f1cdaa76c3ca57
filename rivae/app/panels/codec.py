"""A page's settings, each declared once for the address and for the panel.

A page's link is a dataclass whose fields are made by ``setting``; reading and writing the address,
checking what the panel reports and what the panel is sent follow from that declaration. A link is
read as if a stranger had written it: malformed values and those out of range are dropped and
named, the rest is used. Only values other than the default are written, to keep addresses short.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Self, TypeVar

MAX_LENGTH = 6000
T = TypeVar("T")


@dataclass(frozen=True)
class Kind:
    """How one kind of value is written, read and checked.

    Attributes:
        write: the text of a value.
        read: the value of a text, None where there is none, and whether all of the text was read.
        check: a panel's report as a value for a run with that many dimensions. Raises ConfigError
            where the panel cannot send that. None for settings that the panel does not have.
    """

    write: Callable[[Any], str]
    read: Callable[[str], tuple[Any, bool]]
    check: Callable[[Any, int], Any] | None = None


@dataclass(frozen=True)
class Setting:
    """A field of a link: its name in the address, its kind and its default."""

    param: str
    kind: Kind
    default: Any


def setting(param: str, kind: Kind, default: Any) -> Any:
    """A field of a link; the order of the fields is their order in the address."""
    return field(
        default_factory=lambda: default, metadata={"setting": Setting(param, kind, default)}
    )


@dataclass(frozen=True)
class Link:
    """The settings in the address of a page."""

    @classmethod
    def settings(cls) -> dict[str, Setting]:
        """The settings by the names of their fields."""
        return {each.name: each.metadata["setting"] for each in fields(cls)}

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """The only names in the address that this page owns; it leaves others alone."""
        return tuple(each.param for each in cls.settings().values())

    @classmethod
    def read(cls, params: Mapping[str, str]) -> tuple[Self, list[str]]:
        """The link in ``params`` and the names of the parameters that were dropped in part."""
        found, dropped = {}, []
        for name, each in cls.settings().items():
            text = params.get(each.param, "")
            if not text:
                continue
            value, is_whole = (None, False) if len(text) > MAX_LENGTH else each.kind.read(text)
            if value is not None:
                found[name] = value
            if not is_whole:
                dropped.append(each.param)
        return cls(**found), dropped

    def write(self) -> dict[str, str]:
        """The query parameters; only what differs from the default."""
        values = {name: getattr(self, name) for name in self.settings()}
        return {
            each.param: each.kind.write(values[name])
            for name, each in self.settings().items()
            if values[name] != each.default
        }

    @classmethod
    def reported(cls, view: Mapping[str, Any], n_dims: int) -> dict[str, Any]:
        """What a panel reports of its settings, checked for a run of ``n_dims`` dimensions.

        Raises:
            ConfigError: the report holds something that the panel cannot send.
        """
        return {
            name: each.kind.check(view.get(name), n_dims)
            for name, each in cls.settings().items()
            if each.kind.check
        }

    @classmethod
    def sent(cls, state: object) -> dict[str, Any]:
        """The same settings of a page's ``state`` as its panel is sent them."""
        return {
            re.sub("_(.)", lambda m: m[1].upper(), name): _plain(getattr(state, name))
            for name, each in cls.settings().items()
            if each.kind.check
        }


def carry(source: object, kind: type[T], **others: Any) -> T:
    """A ``kind`` with those fields of ``source`` that it has, too, except for ``others``."""
    names = {each.name for each in fields(kind)}  # type: ignore[arg-type]
    own_names = {each.name for each in fields(source)}  # type: ignore[arg-type]
    return kind(**{name: getattr(source, name) for name in names & own_names} | others)


def unread(dropped: Sequence[str]) -> list[str]:
    """The sentence about parts of a link that were dropped; none without any."""
    if not dropped:
        return []
    return [f"Part of the link could not be read and was ignored: {', '.join(dropped)}."]


def _plain(value: Any) -> Any:
    return [_plain(each) for each in value] if isinstance(value, tuple) else value
