"""A folder in the layout of Recipe1M as a source of pairs."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from dataclasses import field as data_field
from functools import partial
from pathlib import Path
from typing import Any

from rivae.base.errors import DataError
from rivae.base.progress import Progress
from rivae.base.reading.contents import content_hash
from rivae.base.reading.json_records import JsonList
from rivae.base.reading.typed_text import clean
from rivae.data.importing.partition_words import part_named
from rivae.data.importing.picture_files import PictureFiles
from rivae.data.importing.pictures import stored_picture
from rivae.data.importing.recipe1m.join import Join, joined
from rivae.data.importing.recipe1m.layout import (
    PICTURES,
    TAGS,
    TEXTS,
    KnownFactors,
    field,
    is_recipe1m,
    recipe_of,
)
from rivae.data.importing.records import check_paper_filter, spread_records
from rivae.data.importing.report import ImportReport, UnusableError
from rivae.data.importing.session import ImportSettings
from rivae.data.importing.texts import Remarks
from rivae.data.picture_depth import Remark
from rivae.data.pictures import RECIPE1M_SUFFIXES
from rivae.data.store import FactorColumn, StoreItem
from rivae.data.store.twins import NO_MARK, mark_of

MAX_PICTURES_TRIED = 20  # of one recipe, until one can be read
_ENDING = "|".join(map(re.escape, RECIPE1M_SUFFIXES))
_IMAGE_ID = re.compile(rf"[0-9A-Za-z_-]{{4,64}}({_ENDING})", re.IGNORECASE)


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
        tags_file = folder / TAGS
        self.files_so_far = ""  # ``files_read`` is quick
        self.folder, self.tags = folder, tags or (tags_file if tags_file.is_file() else None)
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

    def files_read(self, settings: ImportSettings, tell: Progress) -> str:
        """Names, sizes and times of the pictures; their bytes may be hundreds of gigabytes."""
        tell("comparing pictures", 1.0)
        digest = content_hash()
        for place, folders, names in os.walk(self.images):
            folders.sort()
            for name in sorted(names):
                path = Path(place, name)
                with suppress(OSError):  # gone meanwhile
                    stat = path.stat()
                    where = path.relative_to(self.images)
                    line = f"{where} {stat.st_size} {stat.st_mtime_ns}\n"
                    digest.update(line.encode(errors="surrogateescape"))
        return str(digest.hexdigest())

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
            # A folder has the published layout; a zip may hold it below a folder of its own.
            PictureFiles([self.images], walk=False) as files,
        ):
            begun = (
                (number, record, self._begun(record, join, settings) if number >= skip else None)
                for number, record in enumerate(self._texts)
            )
            read = partial(_picture, files=files, side=settings.side)
            for (number, record, one), picture in spread_records(begun, read):
                if one is None:
                    yield None
                    continue
                which = f"recipe {number + 1}"
                result = picture()
                for remark, what in result.remarks:
                    report.note(remark, which, what)
                if result.problem is None and one.item is not None:
                    for remark, what in one.remarks:
                        report.note(remark, which, what)
                    yield replace(one.item, picture=result.picture, mark=result.mark)
                else:
                    title = clean(field(record, "title"))[:80]
                    report.leave_out(str(result.problem), which, title)
                    yield None

    def _begun(self, record: object, join: Join, settings: ImportSettings) -> _Begun:
        """A record without its picture."""
        begun = _Begun(clean(field(record, "partition")).lower())
        try:
            recipe = recipe_of(record, begun.remarks)
            part = part_named(begun.partition)
            if begun.partition and part is None:
                raise UnusableError("partition is none of train, val, test")
            picture_ids = join.picture_ids(recipe.id)
            if picture_ids is None:
                raise UnusableError("no picture listed")
            if settings.paper_filter:
                check_paper_filter(recipe)
            begun.picture_ids = picture_ids[:MAX_PICTURES_TRIED]
            tags = join.tags(recipe)
            begun.item = StoreItem(
                recipe if tags is None else replace(recipe, tags=tags),
                partition=part or "",
                factors=self._factors.values(join.factors(recipe.id)),
                ingredient_names=join.detected(recipe.id),
            )
        except UnusableError as error:
            begun.problem = error
        return begun


@dataclass
class _Begun:
    """A record before its picture is read, and why it cannot be used."""

    partition: str
    item: StoreItem | None = None
    picture_ids: list[str] = data_field(default_factory=list)
    remarks: Remarks = data_field(default_factory=list)
    problem: UnusableError | None = None


@dataclass
class _Found:
    """The picture of a record, or why it has none, and remarks on guesses and skipped files."""

    picture: bytes = b""
    mark: bytes = NO_MARK
    problem: UnusableError | None = None
    remarks: list[Remark] = data_field(default_factory=list)


def _picture(record: tuple[int, object, _Begun | None], files: PictureFiles, side: int) -> _Found:
    """The first picture of the recipe that can be read; in a thread."""
    _, _, begun = record
    if begun is None or begun.problem is not None:
        return _Found(problem=begun.problem if begun else None)
    result = _Found(problem=UnusableError("no picture listed"))
    for image_id in begun.picture_ids:
        if not _IMAGE_ID.fullmatch(image_id):
            result.problem = UnusableError("picture id is not a plain file name")
            continue
        leaf = "/".join((*image_id[:4], image_id))
        try:
            data = _first_of(files, (f"{begun.partition}/{leaf}", leaf))
            picture, remarks = stored_picture(data, side)
            return _Found(picture, mark_of(data), None, result.remarks + remarks)
        except UnusableError as error:
            result.problem = error
            result.remarks.append(("a picture was passed over", str(error)))
    return result


def _first_of(files: PictureFiles, names: tuple[str, ...]) -> bytes:
    for name in names[:-1]:
        try:
            return files.read(name).data
        except UnusableError:
            continue
    return files.read(names[-1]).data
