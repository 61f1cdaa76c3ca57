"""``store.json``: what an imported data set is, and how its import went."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from rivae.data.base import FactorSpec
from rivae.data.store.place import MANIFEST
from rivae.errors import DataError
from rivae.files import write_json

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
        title: what a person calls it.
        created: ISO time.
        source: what was read, without the folders of the machine it was read on.
        synthetic: made by a program; said wherever its items are shown.
        n_items: N.
        chunks: items in each chunk, in order; they sum to N.
        picture_side: pictures are squares of at most this side; 0 without pictures.
        factors: the columns of known factors.
        view_names: what a person calls the two sides.
        report: what was left out and why, see ``rivae.importing.report``.
        store_id: which data these are, see ``rivae.data.store.writer.store_id``; "" in imports
            made before it was written, for which ``PairStore.store_id`` computes the same.
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
            if path.stat().st_size > MAX_MANIFEST_BYTES:
                raise DataError(f"{path} is too large to be a manifest: import the data again")
            manifest = cls.model_validate_json(path.read_bytes())
        except OSError as error:
            raise DataError(f"{path} cannot be read: {error.strerror}") from error
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"]) or "the file"
            raise DataError(
                f"{path} is no manifest of imported data ({where}: {first['msg']}): import the "
                "data again"
            ) from error
        if sum(manifest.chunks) != manifest.n_items:
            raise DataError(f"{path} is damaged (chunks and items differ): import the data again")
        return manifest
