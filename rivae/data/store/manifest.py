"""Where imports live (``RIVAE_DATA``, else ``data/``), and ``store.json``: what they are."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from rivae.base.errors import DataError, shown, some_of
from rivae.base.files import is_folder, write_json
from rivae.base.paths import variable_path
from rivae.base.reading.regular import is_file, read_at_most
from rivae.data.factors import FactorSpec
from rivae.data.settings import optional_path

ROOT_VARIABLE = "RIVAE_DATA"
MANIFEST = "store.json"
NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,39}")
# Names that an import's folder may hold.
_PART = re.compile(
    r"(store|import)\.json|items-\d{5}\.parquet|(pictures|marks)-\d{5}\.bin|same_picture\.npy"
    r"|features|cache"
)


def data_root() -> Path:
    """The folder that imports go into; it need not exist yet."""
    return variable_path(ROOT_VARIABLE, "data")


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
    """The complete imports under ``root``, by name, and those that cannot be looked at now."""
    root = root or data_root()
    try:
        folders = list(root.iterdir())
    except OSError:  # not there, no folder, or not ours to read
        return []
    return sorted(path for path in folders if not path.name.startswith(".") and _is_import(path))


def _is_import(folder: Path) -> bool:
    try:
        return (folder / MANIFEST).is_file()
    except OSError:  # without the right, or its disk does not answer: reading it says so
        return NAME.fullmatch(folder.name) is not None


def find_store(name_or_path: str, root: Path | None = None) -> Path:
    """The folder of imported data, by its name under ``root`` or by its path.

    Raises:
        DataError: when there is none, naming those that exist, or it cannot be looked at.
        ConfigError: it is neither a name nor a path.
    """
    root = root or data_root()
    trouble = ""
    candidates = [root / name_or_path] if NAME.fullmatch(name_or_path) else []
    path = optional_path("store", name_or_path)
    if path is not None:
        candidates.append(path)
    for candidate in candidates:
        try:
            if (candidate / MANIFEST).is_file():
                return candidate.absolute()
        except OSError as error:  # too long for a name, without the right, on a dead disk
            trouble = trouble or error.strerror or "it does not answer"
    if trouble:
        raise DataError(
            f"the imported data set '{shown(name_or_path)}' cannot be looked at ({trouble}): give "
            "it back, or choose another"
        )
    raise DataError(
        f"there is no imported data set '{shown(name_or_path)}' (imported: "
        f"{_known(root, name_or_path)}): import it, "
        "or choose another"
    )


def _known(root: Path, name: str = "") -> str:
    """The imports under ``root`` for a sentence, of many those like ``name``."""
    return some_of((path.name for path in list_stores(root)), name)


def own_store(name: str, root: Path | None = None) -> Path:
    """The folder of the import with this name, for deleting it.

    It is directly below ``root``, is not a link, and its files show that it is an import: it has a
    valid manifest, or a damaged one next to the import's other files and nothing else.

    Raises:
        DataError: no such import exists.
    """

    root = root or data_root()
    folder = root / checked_name(name)
    if folder.is_symlink():
        raise DataError(f"{name} is a link to a folder elsewhere: delete it there")
    if not is_folder(folder) or not is_file(folder / MANIFEST):
        raise DataError(f"there is no imported data set '{name}' (imported: {_known(root)})")
    try:
        Manifest.read(folder)
    except DataError:
        names = {path.name for path in folder.iterdir()}
        if "items-00000.parquet" not in names or not all(map(_PART.fullmatch, names)):
            raise DataError(
                f"{name} holds a {MANIFEST} that is not an import's: it is not deleted"
            ) from None
    return folder


MAX_MANIFEST_BYTES = 4 * 2**20
MAX_SOURCE, MAX_TITLE = 2000, 200  # characters
MAX_FACTORS = 200
Text = Annotated[str, Field(max_length=MAX_SOURCE)]
ShortText = Annotated[str, Field(max_length=MAX_TITLE)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class FactorColumn(_Strict):
    """A column of known factors; see ``rivae.data.base.FactorSpec``."""

    name: ShortText
    kind: Literal["continuous", "ordinal", "categorical"]
    levels: Annotated[tuple[ShortText, ...], Field(max_length=200)] = ()
    role: Literal["shared", "private1", "private2"] = "shared"

    @property
    def spec(self) -> FactorSpec:
        return FactorSpec(self.name, self.kind, self.role, self.levels)


class Manifest(_Strict):
    """A finished import.

    Attributes:
        name: the folder's name when it was made.
        title: its name for people.
        created: ISO time.
        source: the files read, without the folders of that machine.
        synthetic: made by a program; pages say so wherever they show its items.
        n_items: N.
        chunks: items in each chunk, in order; they sum to N.
        picture_side: pictures are squares of at most this side; 0 without pictures.
        factors: the columns of known factors.
        view_names: what a person calls the two sides.
        report: skipped records and the reasons, see ``rivae.data.importing.report``.
        store_id: which data these are, see ``rivae.data.store.writer.store_id``; "" in imports
            made before this field existed, for which ``PairStore.store_id`` computes the same.
        content: the hash of all that it holds, see ``rivae.data.store.content``; "" in imports
            made before this field existed.
        made_of: the table and choices that it was made of, see
        ``rivae.data.importing.session.same_as``. files_read: the hash of the pictures and
        embeddings as they were read; "" in imports made
            before this field existed, whose ``made_of`` has the names of these files.
    """

    format: Literal[1] = 1
    name: ShortText
    title: ShortText
    created: ShortText
    source: Text = ""
    synthetic: bool = False
    n_items: Annotated[int, Field(ge=1, le=100_000_000)]
    chunks: Annotated[tuple[Annotated[int, Field(ge=1, le=1_000_000)], ...], Field(min_length=1)]
    picture_side: Annotated[int, Field(ge=0, le=4096)]
    factors: Annotated[tuple[FactorColumn, ...], Field(max_length=MAX_FACTORS)] = ()
    view_names: tuple[ShortText, ShortText] = ("picture", "recipe")
    report: dict[str, Any] = {}
    store_id: Annotated[str, Field(pattern="^([0-9a-f]{16})?$")] = ""
    content: Annotated[str, Field(pattern="^([0-9a-f]{32})?$")] = ""
    made_of: Annotated[str, Field(pattern="^([0-9a-f]{16})?$")] = ""
    files_read: Annotated[str, Field(pattern="^([0-9a-f]{32})?$")] = ""

    def write(self, folder: Path) -> None:
        """Atomically; a folder with this file is a finished import."""
        write_json(folder / MANIFEST, self.model_dump(mode="json"))

    @classmethod
    def read(cls, folder: Path) -> Manifest:
        """The manifest of ``folder``.

        Raises:
            DataError: when it is missing, damaged or of a newer version.
        """
        path = folder / MANIFEST
        try:
            content = read_at_most(path, MAX_MANIFEST_BYTES)
            if content is None:
                raise DataError(f"{path} is too large to be a manifest: import the data again")
            manifest = cls.model_validate_json(content)
        except OSError as error:
            raise DataError(
                f"{shown(path, 120)} cannot be read ({error.strerror}): give it back, or choose "
                "other data"
            ) from error
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"]) or "the file"
            raise DataError(
                f"{path} is not a manifest of imported data ({where}: {first['msg']}): import the "
                "data again"
            ) from error
        if sum(manifest.chunks) != manifest.n_items:
            raise DataError(f"{path} is damaged (chunks and items differ): import the data again")
        return manifest
