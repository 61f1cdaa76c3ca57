"""Paths as people write them: in settings, options and variables of the environment."""

from __future__ import annotations

import os
from pathlib import Path
from typing import overload

from rivae.base.errors import ConfigError, shown


def home_path(text: str | Path, name: str = "") -> Path:
    """The path that a person wrote, with "~" as in a shell; where it is relative, it stays so.

    Args:
        name: of the variable or setting that holds it, for the error.

    Raises:
        ConfigError: it begins with the home folder of a user who does not exist.
    """
    path = Path(os.path.expanduser(text))  # noqa: PTH111 - Path.expanduser raises no sentence
    start = path.parts[0] if path.parts else ""
    if start.startswith("~") and not Path(start).exists() and (name or len(path.parts) > 1):
        subject = f"{name} holds" if name else "there is"
        raise ConfigError(
            f"{subject} a path in an unknown home folder, {shown(start)}: write the whole path"
        )
    return path


@overload
def variable_path(variable: str) -> Path | None: ...
@overload
def variable_path(variable: str, default: str) -> Path: ...


def variable_path(variable: str, default: str | None = None) -> Path | None:
    """The path in an environment variable, or the default; None without both.

    Raises:
        ConfigError: as ``home_path``.
    """
    text = os.environ.get(variable) or default
    return home_path(text, variable) if text is not None else None
