"""How imported pairs lie on the disk: the files of a chunk and the columns of its table."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

ROW_GROUP = 250  # items decoded to show one of them

TEXT_FIELDS = [
    pa.field("id", pa.string()),
    pa.field("title", pa.string()),
    pa.field("ingredients", pa.list_(pa.string())),
    pa.field("ingredient_names", pa.list_(pa.string())),
    pa.field("instructions", pa.list_(pa.string())),
    pa.field("tags", pa.list_(pa.string())),
    pa.field("url", pa.string()),
    pa.field("partition", pa.string()),
    pa.field("record", pa.int64()),
    pa.field("picture_offset", pa.int64()),
    pa.field("picture_length", pa.int64()),
]
FACTOR_PREFIX = "factor:"
# Those that say what an item is, and not where it was read or lies.
ITEM_COLUMNS = tuple(f.name for f in TEXT_FIELDS if f.name not in ("record", "picture_offset"))


def items_path(folder: Path, chunk: int) -> Path:
    """The texts and numbers of a chunk."""
    return folder / f"items-{chunk:05d}.parquet"


def pictures_path(folder: Path, chunk: int) -> Path:
    """The pictures of a chunk."""
    return folder / f"pictures-{chunk:05d}.bin"


def marks_path(folder: Path, chunk: int) -> Path:
    """The marks of a chunk's pictures while the import grows, see ``rivae.data.store.twins``."""
    return folder / f"marks-{chunk:05d}.bin"
