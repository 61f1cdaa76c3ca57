"""What an import holds, as a hash: the identity of its data, whatever its name and place are.

Two imports with the same content have the same items in the same order: ids, texts, tags, parts of
the split, known factors and the bytes of the pictures, and, where the split is drawn, the same of
them share a picture. How many items a file holds, when and under which name it was imported, and
which rows of the table were left out, makes no difference.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from rivae.base.errors import DataError
from rivae.base.files import write_cache
from rivae.base.installed import cache_folder
from rivae.base.reading.contents import Written, content_hash, written
from rivae.base.reading.documents import read_json
from rivae.data.store.layout import FACTOR_PREFIX, ITEM_COLUMNS, items_path, pictures_path
from rivae.data.store.manifest import MANIFEST, FactorColumn, Manifest
from rivae.data.store.twins import SAME_PICTURE, Groups, read_groups

_KEPT = "content.json"
_ROWS = 1_000  # items whose texts are in memory at once
_BLOCK = 1 << 20


class ContentDigest:
    """The hash of items that are added one group after the other; groups of any size give the same.

    Args:
        factor_names: the known factors, in order.
    """

    def __init__(self, factor_names: Sequence[str] = ()) -> None:
        factors = [FACTOR_PREFIX + name for name in factor_names]
        self._columns = {name: content_hash() for name in (*ITEM_COLUMNS, *factors)}
        self._pictures = content_hash()
        self._n = 0

    @property
    def columns(self) -> list[str]:
        """The columns that count."""
        return list(self._columns)

    def add(self, rows: Mapping[str, Sequence[Any]], pictures: Iterable[bytes]) -> None:
        """Take some items.

        Args:
            rows: by column, at least ``columns``.
            pictures: the bytes of their pictures, in order and in pieces of any size.
        """
        for name, digest in self._columns.items():
            values: Sequence[Any] = rows[name]
            if name.startswith(FACTOR_PREFIX):  # 3 is stored as 3.0
                values = [float(value) for value in values]
            if len(values):
                digest.update(json.dumps(values)[1:-1].encode() + b", ")
        self._n += len(rows["id"])
        for piece in pictures:
            self._pictures.update(piece)

    def hexdigest(self, factors: Iterable[FactorColumn], groups: Groups | None = None) -> str:
        """32 hexadecimal digits for the items so far, what their known factors are, and which of
        them share a picture where that is kept.
        """
        whole: dict[str, Any] = {
            "n_items": self._n,
            "columns": {name: digest.hexdigest() for name, digest in self._columns.items()},
            "pictures": self._pictures.hexdigest(),
            "factors": [column.model_dump(mode="json") for column in factors],
        }
        if groups is not None:
            whole["same_picture"] = content_hash(groups.astype("<i8").tobytes()).hexdigest()
        return str(content_hash(json.dumps(whole, sort_keys=True).encode()).hexdigest())


def read_content(folder: Path, chunks: Sequence[int], factors: Sequence[FactorColumn]) -> str:
    """The content of the files in ``folder``, all of them read.

    Args:
        chunks: items in each chunk.
        factors: the columns of known factors.

    Raises:
        OSError, pa.ArrowException, DataError: a file is missing or damaged.
    """
    digest = ContentDigest([column.name for column in factors])
    for chunk in range(len(chunks)):
        with pq.ParquetFile(items_path(folder, chunk), memory_map=True) as file:
            for batch in file.iter_batches(_ROWS, columns=digest.columns):
                digest.add({name: batch[name].to_pylist() for name in digest.columns}, ())
        if (path := pictures_path(folder, chunk)).exists():
            with path.open("rb") as stream:
                no_rows = dict.fromkeys(digest.columns, ())
                digest.add(no_rows, iter(lambda: stream.read(_BLOCK), b""))
    has_groups = (folder / SAME_PICTURE).exists()
    return digest.hexdigest(factors, read_groups(folder, sum(chunks)) if has_groups else None)


def store_content(folder: Path) -> str:
    """The content of the import in ``folder``: from its manifest, or for an import of an older
    version from its files, which are read once and then remembered in its cache.

    Raises:
        DataError: the import is gone or damaged.
    """
    try:
        return _store_content(folder, written(folder / MANIFEST))
    except OSError as error:
        raise DataError(f"{folder} cannot be read: {error.strerror}") from error


@lru_cache(maxsize=64)  # pages ask at every rerun
def _store_content(folder: Path, when: Written) -> str:
    manifest = Manifest.read(folder)
    if manifest.content:
        return manifest.content
    cache_file = cache_folder(folder) / _KEPT
    with suppress(DataError, KeyError, TypeError):
        document = read_json(cache_file)
        if tuple(document["written"]) == when:
            return str(document["content"])
    try:
        content = read_content(folder, manifest.chunks, manifest.factors)
    except (OSError, pa.ArrowException) as error:
        raise DataError(f"{folder} is damaged: import the data again") from error
    document = {"written": when, "content": content}
    write_cache(cache_file, lambda stream: stream.write(json.dumps(document).encode()))
    return content
