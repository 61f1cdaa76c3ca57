"""Who may start, cancel and delete trainings; looking is free to everybody."""

from __future__ import annotations

from rivae.errors import ConfigError  # noqa: F401


def may_change() -> bool:
    """Whether this visitor may change trainings: everybody, unless a login is set up."""
    return True


def require() -> None:
    """ConfigError unless :func:`may_change`."""
