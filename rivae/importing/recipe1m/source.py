"""A folder in the layout of Recipe1M as a source of pairs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from rivae.data.store import FactorColumn, StoreItem
from rivae.errors import DataError
from rivae.importing.pairs import PARTITIONS, check_paper_filter
from rivae.importing.pictures import PictureFiles, stored_picture
from rivae.importing.recipe1m.join import Join, joined
from rivae.importing.recipe1m.layout import (
    PICTURES,
    TAGS,
    TEXTS,
    KnownFactors,
    field,
    is_recipe1m,
    recipe_of,
)
from rivae.importing.report import ImportReport, UnusableError
from rivae.importing.session import ImportSettings, Progress
from rivae.reading.json_records import JsonList
from rivae.typed_text import clean

MAX_PICTURES_TRIED = 20  # of one recipe, until one can be read
_IMAGE_ID = re.compile(r"[0-9A-Za-z_-]{4,64}\.(jpg|jpeg|png|webp)", re.IGNORECASE)


class Recipe1MImport:
    """A folder in Recipe1M's layout as a ``Source``.

    Args:
        folder: holds ``layer1.json``, ``layer2.json``, perhaps ``det_ingrs.json`` and, for data
            with known factors such as the kitchen, ``factors.csv``.
        images: folder of the pictures; ``folder/images``, or ``folder``, by default.
        tags: a CSV with the columns id and tags (food.com's ``RAW_recipes.csv``, which is also
            looked for in ``folder``); joined by the number at the end of a food.com address, or by
            the recipe's own id.
    """

    def __init__(self, folder: Path, images: Path | None = None, tags: Path | None = None) -> None:
        if not is_recipe1m(folder):
            raise DataError(f"{folder} needs {TEXTS} and {PICTURES}, as Recipe1M is published")
        own = folder / TAGS
        self.folder, self.tags = folder, tags or (own if own.is_file() else None)
        inner = folder / "images"
        self.images = images or (inner if inner.is_dir() else folder)
        self._factors, self._texts = KnownFactors(folder), JsonList(folder / TEXTS)
        self._bytes = max((folder / TEXTS).stat().st_size, 1)

    @property
    def synthetic(self) -> bool:
        """Whether the items are made by a program; known after ``factor_columns``."""
        return self._factors.synthetic

    def fingerprint(self) -> dict[str, Any]:
        """Names, sizes and times of the files, and the settings."""
        stat = (self.folder / TEXTS).stat()
        return {
            "kind": "a folder in the layout of Recipe1M",
            "bytes": stat.st_size,
            "changed": stat.st_mtime_ns,
            "tags": self.tags.name if self.tags else None,
        }

    def factor_columns(self, report: ImportReport, tell: Progress) -> tuple[FactorColumn, ...]:
        """The columns of ``factors.csv``, where there is one."""
        return self._factors.read(report)

    def share_done(self) -> float:
        """By bytes of ``layer1.json``."""
        return min(self._texts.bytes_read() / self._bytes, 1.0)

    def after(self, folder: Path) -> None:
        """Nothing."""

    def items(
        self, settings: ImportSettings, report: ImportReport, skip: int, tell: Progress
    ) -> Iterator[StoreItem | None]:
        """See ``Source.items``."""
        with (
            joined(self.folder, self.tags, bool(self._factors.columns), tell) as join,
            PictureFiles([self.images]) as files,
        ):
            for number, record in enumerate(self._texts):
                if number < skip:
                    yield None
                    continue
                which = f"recipe {number + 1}"
                try:
                    yield self._item(record, join, files, settings, report, which)
                except UnusableError as error:
                    report.leave_out(str(error), which, clean(field(record, "title"))[:80])
                    yield None

    def _item(
        self,
        record: object,
        join: Join,
        files: PictureFiles,
        settings: ImportSettings,
        report: ImportReport,
        which: str,
    ) -> StoreItem:
        recipe = recipe_of(record)
        partition = clean(field(record, "partition")).lower()
        if partition and partition not in PARTITIONS:
            raise UnusableError("partition is none of train, val, test")
        picture_ids = join.picture_ids(recipe.id)
        if picture_ids is None:
            raise UnusableError("no picture listed")
        if settings.paper_filter:
            check_paper_filter(recipe)
        picture = _picture(picture_ids, partition, files, settings.side, report, which)
        factors = self._factors.values(join.factors(recipe.id))
        tags = join.tags(recipe)
        return StoreItem(
            recipe if tags is None else replace(recipe, tags=tags),
            picture,
            PARTITIONS.get(partition, ""),
            factors,
            join.detected(recipe.id),
        )


def _picture(
    ids: list[str], partition: str, files: PictureFiles, side: int, report: ImportReport, which: str
) -> bytes:
    """The first picture of the recipe that can be read."""
    problem = UnusableError("no picture listed")
    for image_id in ids[:MAX_PICTURES_TRIED]:
        if not _IMAGE_ID.fullmatch(image_id):
            problem = UnusableError("picture id is not a plain file name")
            continue
        leaf = "/".join((*image_id[:4], image_id))
        try:
            return stored_picture(_first_of(files, (f"{partition}/{leaf}", leaf)), side)
        except UnusableError as error:
            problem = error
            report.note("a picture was passed over", which, str(error))
    raise problem


def _first_of(files: PictureFiles, names: tuple[str, ...]) -> bytes:
    for name in names[:-1]:
        try:
            return files.read(name)
        except UnusableError:
            continue
    return files.read(names[-1])
