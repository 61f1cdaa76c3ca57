"""Where this installation is: the package, the files of the app, and what is computed from them.

In a checkout the app's files (``app.py``, ``pages/``, ``assets/``) are next to the package and are
edited there. A wheel has one folder only, so ``setup.py`` puts a copy of them into it.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
from pathlib import Path

from rivae.base.files import write_atomic

VERSION = "0.1.0"
PROJECT = "rivae-explorer"  # what pip calls it
# A new process needs this on its path to import this package, also from a bare checkout.
PACKAGE_ROOT = Path(__file__).resolve().parents[2]
IN_WHEEL = "_app"  # their folder in the package; setup.py writes it
CACHE = "cache"
COMPUTED = "computed"  # what a demo run came with, as it would stand in its cache


def how_to_install(extra: str) -> str:
    """The command that brings the packages of an extra of ``pyproject.toml``.

    >>> how_to_install("app")
    "pip install 'rivae-explorer[app]'"
    """
    return f"pip install '{PROJECT}[{extra}]'"


def app_files(package: Path = PACKAGE_ROOT / "rivae") -> Path:
    """The folder that holds ``app.py``, ``pages`` and ``assets``."""
    inside = package / IN_WHEEL
    return inside if inside.is_dir() else package.parent


APP_FILES = app_files()


def cache_folder(folder: Path, app: Path = APP_FILES) -> Path:
    """Where to keep what is computed from ``folder``, a run or a data set: in its own ``cache``.

    The demo runs and data of an installed package belong to pip and may be read-only, so their
    caches lie in the user's cache folder, in one that changes when the package is installed again.
    What the folder came with already ``COMPUTED`` is put there; of a folder without that, only the
    one above the returned one is made.
    """
    cache = _cache_of(folder, app)
    with contextlib.suppress(OSError):  # it can be computed
        _give(folder / COMPUTED, cache)
    return cache


def _give(computed: Path, cache: Path) -> None:
    """Copy the files of ``computed`` that ``cache`` lacks."""
    if not computed.is_dir():
        return
    for path in computed.iterdir():
        if not (cache / path.name).exists():
            cache.mkdir(exist_ok=True)
            # Two threads may open a run at once, and neither must read half a file.
            write_atomic(cache / path.name, path.read_bytes())


def _cache_of(folder: Path, app: Path) -> Path:
    if app.name != IN_WHEEL or not folder.resolve().is_relative_to(app):
        return folder / CACHE
    with contextlib.suppress(OSError, RuntimeError):  # RuntimeError: this user has no home
        version = f"{folder.resolve()} {folder.stat().st_mtime_ns}"
        digest = hashlib.blake2b(version.encode(), digest_size=6).hexdigest()
        cache = user_cache()
        cache.mkdir(mode=0o700, parents=True, exist_ok=True)
        return cache / f"{folder.name}-{digest}"
    return Path(os.devnull) / CACHE  # cannot be made, so nothing is kept


def user_cache() -> Path:
    """This project's folder among the user's caches, by the convention of the system.

    Raises:
        RuntimeError: the user has no home.
    """
    setting = os.environ.get("XDG_CACHE_HOME", "")
    if Path(setting).is_absolute():
        return Path(setting) / "rivae"
    if os.name == "nt":
        local = os.environ.get("LOCALAPPDATA")
        return (Path(local) if local else Path.home() / "AppData" / "Local") / "rivae" / CACHE
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "rivae"
    return Path.home() / ".cache" / "rivae"
