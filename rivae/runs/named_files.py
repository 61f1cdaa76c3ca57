"""The files that the settings of a run name, and which of them the app opens.

Settings from an archive are not trusted: for them the app opens only files below ``$RIVAE_FILES``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rivae.base.config import RunConfig
from rivae.base.errors import ConfigError, DataError
from rivae.base.paths import home_path
from rivae.base.reading.places import is_address
from rivae.base.reading.regular import is_file
from rivae.data.store.manifest import MANIFEST, NAME, data_root
from rivae.data.word_vectors import CORPUS, NONE
from rivae.models.nets.weight_files import is_on_hub

VARIABLE = "RIVAE_FILES"
# The settings whose text is a path.
PATHS = frozenset({"folder", "path", "weights", "word_vectors"})


def open_folders() -> tuple[Path, ...]:
    """The folders whose files may be named: ``$RIVAE_FILES``, else where the app was started."""
    parts = [part for part in os.environ.get(VARIABLE, "").split(os.pathsep) if part]
    return tuple(home_path(part, VARIABLE).resolve() for part in parts or ["."])


def is_open(text: str) -> bool:
    """Whether a path is below :func:`open_folders` once links and ``..`` are followed."""
    try:
        path = home_path(text).resolve()
    except (OSError, RuntimeError, ValueError, ConfigError):  # a loop of links, no such user, a NUL
        return False
    return any(path.is_relative_to(folder) for folder in open_folders())


def read_path(text: str, what: str) -> Path:
    """An existing file or folder from user input, without quotes, in the folders that the app reads
    (links and ``..`` resolved).

    Raises:
        DataError: in one sentence.
    """
    text = text.strip().strip("'\"")
    if not text or "\0" in text:
        raise DataError(f"give the path of {what}")
    if is_address(text):
        raise DataError(
            f"{text[:80]} is not on this machine: `rivae import` reads tables of object stores"
        )
    try:
        given_path = home_path(text)
        path = given_path.resolve()
    except (OSError, RuntimeError, ConfigError) as error:  # too long a name, no such user
        raise DataError(f"{text[:80]} is not a path that can be read: check it") from error
    if not given_path.is_absolute():
        raise DataError(f"{text[:80]} is not a full path: begin at the root of the disk")
    # Checked first: the app does not reveal whether a file elsewhere exists.
    if not is_open(str(path)):
        raise DataError(
            f"{text[:200]} is outside the folders that this app reads: move it below one of "
            "them, or start the app with `rivae serve --files FOLDER`"
        )
    try:
        exists = path.exists()
    except OSError as error:
        raise DataError(f"{text[:80]} is not a path that can be read: check it") from error
    if not exists:
        raise DataError(f"{text[:200]} does not exist on this machine: check the path of {what}")
    return path


def names_file(name: str, text: str) -> bool:
    """Whether ``text``, as the setting ``name``, is a path."""
    if name == "store":  # an import goes by its name, too
        is_name = NAME.fullmatch(text) is not None
        here = is_name and not is_file(data_root() / text / MANIFEST)
        return bool(text) and (not is_name or (here and is_file(Path(text, MANIFEST))))
    return name in PATHS and text not in ("", CORPUS, NONE) and not is_on_hub(text)


def named_files(config: RunConfig) -> list[str]:
    """The paths among the settings of a run, each once."""
    return list(dict.fromkeys(_named([config.dataset.settings, config.method.settings])))


def _named(value: Any, name: str = "") -> Iterator[str]:
    if isinstance(value, str) and names_file(name, value):
        yield value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _named(inner, str(key))
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _named(inner, name)


def require_open(config: RunConfig) -> None:
    """DataError when the run comes from an archive and names a file outside the open folders."""
    if not config.imported or not os.environ.get(VARIABLE):
        return
    for text in named_files(config):
        if not is_open(text):
            raise DataError(
                f"{config.name} came in an archive and names {text[:200]}, outside the folders "
                "that this app reads: start the app with `rivae serve --files FOLDER` if you trust "
                "it"
            )
