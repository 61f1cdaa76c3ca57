"""Tables that lie in many files: a folder of tars or of Parquet, read as one in their order.

Where the names of the files begin with different words ("train-00000.parquet", "test-00000…"),
these stand in a column "split", unless the files have one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from rivae.base.errors import DataError, WorkStoppedError
from rivae.base.reading.places import is_remote, reached
from rivae.base.reading.row import Broken, Record
from rivae.base.reading.text_files import Note

TARS = (".tar", ".tar.gz", ".tgz")
# One kind is read. img2dataset puts what it knows of the pictures of a tar into Parquet next to it.
KINDS = (TARS, (".parquet",))
SPLIT = "split"
DAMAGED = "a file of the table is damaged: the rest of it is left out"
READ = "{} files are read as one table"
NOT_READ = "files of another kind next to the table's are not read"
WORD_IS_SPLIT = "the first word of each file's name is the column split"
LEAVE_OUT = "mend or remove it, or give --leave-out-damaged"
_WORD = re.compile(r"[a-z]+(?=[-_.\d])", re.IGNORECASE)


def is_tar(path: Path) -> bool:
    """Whether a file is named as a tar, packed with gzip or not."""
    return path.name.lower().endswith(TARS)


def shards(folder: Path) -> list[Path]:
    """The files of a folder that are read as one table, by their names; [] where there are none."""
    files: list[Path] = []
    with reached(folder) if is_remote(folder) else suppress(OSError):
        visible = [path for path in folder.iterdir() if not path.name.startswith((".", "_"))]
        files = [path for path in visible if path.is_file()]
    for endings in KINDS:
        if of_kind := [path for path in files if path.name.lower().endswith(endings)]:
            return sorted(of_kind, key=lambda path: (_numbers_as_numbers(path.name), path.name))
    return []


def shard_rows(
    folder: Path,
    read: Callable[[Path], Iterator[Record | Broken]],
    note: Note | None = None,
    leave_out_damaged: bool = False,
) -> Iterator[Record | Broken]:
    """The rows of all files of a folder, one file after the other.

    Args:
        read: gives the rows of one file.
        leave_out_damaged: a file that cannot be read to its end is a ``Broken`` after its last row.

    Raises:
        DataError: there is no such file, or one is damaged.
    """
    files = shards(folder)
    if not files:
        raise DataError(
            f"{folder} is a folder without tars, Parquet, or layer1.json and layer2.json: give the "
            "table itself, and the folder with --images"
        )
    words = [match[0].lower() if (match := _WORD.match(path.name)) else "" for path in files]
    has_words = len(set(words)) > 1 and all(words)
    if note is not None:
        note(READ.format(f"{len(files):,}"), folder.name, f"{files[0].name} … {files[-1].name}")
        if others := sorted(p.name for p in folder.iterdir() if _is_other(p, files)):
            note(NOT_READ, folder.name, others[0])
    is_said = note is None
    for path, word in zip(files, words, strict=True):
        n_read = 0
        try:
            for row in read(path):
                n_read += 1
                if isinstance(row, Broken):
                    row = Broken(row.line, row.reason, f"{path.name}: {row.detail}")
                elif has_words and SPLIT not in row:
                    row = {**row, SPLIT: word}
                    if note is not None and not is_said:
                        is_said = True
                        note(WORD_IS_SPLIT, folder.name, f"{path.name} → {word}")
                yield row
        except WorkStoppedError:
            raise  # nothing is damaged
        except DataError as error:
            if not leave_out_damaged:
                raise DataError(f"{error}: {LEAVE_OUT}") from error
            yield Broken(n_read + 1, DAMAGED, str(error))


def _numbers_as_numbers(name: str) -> list[tuple[int, str]]:
    """Part 10 comes after part 9, as it does for a person."""
    parts = re.split(r"(\d+)", name.lower())
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]


def _is_other(path: Path, files: list[Path]) -> bool:
    endings = (ending for endings in KINDS for ending in endings)
    return path.name.lower().endswith(tuple(endings)) and path not in files
