"""The index of the texts of a large import, made by a process of its own while items are read.

It takes a third of the time of an import, on another core. The parent says in lines of JSON which
factors are known, how many chunks are finished, and that all are. Without the last line (the parent
was killed, the import cancelled) there is no index; the resumed import, or the first search, makes
it.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from rivae.base.files import remove_temporaries
from rivae.base.installed import PACKAGE_ROOT
from rivae.data.fulltext import index_path, write_index
from rivae.data.store import FactorColumn
from rivae.data.store.layout import items_path
from rivae.data.store.reader import texts_of_chunk

ALL = "all"


class Indexing:
    """The process, from the first finished chunk on; without one there is none.

    Args:
        folder: in which the chunks grow.
    """

    def __init__(self, folder: Path, factors: Iterable[FactorColumn]) -> None:
        self._folder = folder
        self._factors = [factor.model_dump(mode="json") for factor in factors]
        self._process: subprocess.Popen[str] | None = None

    def finished(self, n_chunks: int) -> None:
        """So many chunks can be read."""
        if self._process is None:
            with suppress(OSError):  # no memory for it; the import makes the index in the end
                self._process = self._started()
                self._say(self._factors)
        self._say(n_chunks)

    def _started(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "rivae.data.importing.indexing", str(self._folder.resolve())],
            cwd=PACKAGE_ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,  # Ctrl-C is the parent's
        )

    def all_finished(self, n_chunks: int) -> None:
        """There are no more chunks than these."""
        self._say(n_chunks)
        self._say(ALL)

    def is_running(self, seconds: float) -> bool:
        """Whether the process is running after so long."""
        if self._process is None:
            return False
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)
        return self._process.returncode is None

    def stop(self) -> None:
        """End the process, and delete what it had not finished."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            remove_temporaries(index_path(self._folder).parent)
            with suppress(OSError):
                self._process.stdin.close()  # type: ignore[union-attr]

    def _say(self, what: Any) -> None:
        if self._process is None:
            return
        assert self._process.stdin is not None
        with suppress(OSError):  # it was killed
            self._process.stdin.write(json.dumps(what) + "\n")
            self._process.stdin.flush()


def _arriving(folder: Path, messages: Iterator[Any]) -> Iterator[tuple[str, str]]:
    """The texts of the chunks in ``folder``, as they are finished."""
    factors = [FactorColumn(**each) for each in next(messages)]
    n_read = 0
    for message in messages:
        if message == ALL:
            return
        for chunk in range(n_read, message):
            with pq.ParquetFile(items_path(folder, chunk)) as file:
                yield from texts_of_chunk(file, factors)
        n_read = message
    raise EOFError("the parent ended before the import")


def main() -> None:
    """Index the chunks that standard input names."""
    folder = Path(sys.argv[1])
    write_index(index_path(folder), _arriving(folder, map(json.loads, sys.stdin)))


if __name__ == "__main__":
    main()
