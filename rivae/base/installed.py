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

VERSION = "0.1.0"
PROJECT = "rivae-explorer"  # what pip calls it
# A new process needs this on its path to import this package, also from a bare checkout.
PACKAGE_ROOT = Path(__file__).resolve().parents[2]
IN_WHEEL = "_app"  # their folder in the package; setup.py writes it
CACHE = "cache"


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
    Only the folder above the returned one is made.
    """
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
