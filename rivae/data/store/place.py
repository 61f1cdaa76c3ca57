"""Where imported data live: one folder per data set under ``RIVAE_DATA``, or ``data/``."""

from __future__ import annotations

import os
import re
from pathlib import Path

from rivae.data import checks
from rivae.errors import DataError
from rivae.trash import is_folder

ROOT_VARIABLE = "RIVAE_DATA"
MANIFEST = "store.json"
NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,39}")
# What an import's folder may hold.
_PART = re.compile(
    r"(store|import)\.json|items-\d{5}\.parquet|pictures-\d{5}\.bin|features|cache"
)


def data_root() -> Path:
    """The folder that imports go into; it need not exist yet."""
    return Path(os.environ.get(ROOT_VARIABLE) or "data")


def checked_name(name: str) -> str:
    """``name`` when it may name a folder of imported data.

    Raises:
        DataError: otherwise.
    """
    if not NAME.fullmatch(name):
        raise DataError(
            f"{name[:60]!r} cannot name a data set: use up to 40 small letters, digits, '-', '_' "
            "and '.', beginning with a letter or digit"
        )
    return name


def list_stores(root: Path | None = None) -> list[Path]:
    """The complete imports under ``root``, by name."""
    root = root or data_root()
    if not root.is_dir():
        return []
    return sorted(path.parent for path in root.glob(f"[!.]*/{MANIFEST}"))


def find_store(name_or_path: str, root: Path | None = None) -> Path:
    """The folder of imported data, by its name under ``root`` or by its path.

    Raises:
        DataError: when there is none, naming those there are.
    """
    root = root or data_root()
    candidates = [root / name_or_path] if NAME.fullmatch(name_or_path) else []
    path = checks.optional_path("store", name_or_path)
    if path is not None:
        candidates.append(path)
    for candidate in candidates:
        if (candidate / MANIFEST).is_file():
            return candidate.absolute()
    known = ", ".join(path.name for path in list_stores(root)) or "none yet"
    raise DataError(
        f"there is no imported data set '{name_or_path}' (imported: {known}): import it, "
        "or choose another"
    )


def own_store(name: str, root: Path | None = None) -> Path:
    """The folder of the import with this name, for those who are about to delete it.

    It lies directly below ``root``, is no link, and its files show that it is an import: it has a
    valid manifest, or a damaged one beside the import's other files and nothing else.

    Raises:
        DataError: there is none.
    """
    from rivae.data.store.manifest import Manifest

    root = root or data_root()
    folder = root / checked_name(name)
    if folder.is_symlink():
        raise DataError(f"{name} is a link to a folder elsewhere: delete it where it lies")
    if not is_folder(folder) or not (folder / MANIFEST).is_file():
        known = ", ".join(path.name for path in list_stores(root)) or "none yet"
        raise DataError(f"there is no imported data set '{name}' (imported: {known})")
    try:
        Manifest.read(folder)
    except DataError:
        names = {path.name for path in folder.iterdir()}
        if "items-00000.parquet" not in names or not all(map(_PART.fullmatch, names)):
            raise DataError(
                f"{name} holds a {MANIFEST} that is not an import's: it is not deleted"
            ) from None
    return folder
