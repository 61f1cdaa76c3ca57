"""What runs on the workers of a cluster; nothing but a connection to one imports this."""

from __future__ import annotations

import ctypes
import pickle
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from distributed import WorkerPlugin, get_worker

from rivae.base.installed import VERSION

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # of glibc's malloc.h


class Work(WorkerPlugin):
    """The function that a worker needs, also one that joins later: opened once in each of them.

    Args:
        name: of this plugin.
        function: pickled, so that the scheduler, which sees no folders, opens nothing.
    """

    def __init__(self, name: str, function: bytes) -> None:
        self.name, self._function = name, function

    def setup(self, worker: Any) -> None:
        """A worker begins; what it needs is opened with its first task."""
        self._lock, self._opened = threading.Lock(), list[Callable[[Any], Any]]()
        _keep_memory()

    def opened(self) -> Callable[[Any], Any]:
        """The function."""
        with self._lock:
            if not self._opened:
                function = pickle.loads(self._function)  # noqa: S301  (of whoever uses the cluster)
                self._opened.append(function)
            return self._opened[0]


def _keep_memory() -> None:
    """Let the C library keep freed memory as it does by itself.

    Dask starts workers with ``MALLOC_TRIM_THRESHOLD_``. Then glibc gives each larger tensor back to
    the system at once, and a network spends much of its time on getting it again.
    """
    with suppress(OSError, AttributeError):  # another C library
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(_M_MMAP_THRESHOLD, 32 * 2**20)
        mallopt(_M_TRIM_THRESHOLD, 64 * 2**20)


def facts(paths: Sequence[str]) -> tuple[str, list[str]]:
    """The version here, and those of ``paths`` that are not seen."""
    return VERSION, [path for path in paths if not Path(path).exists()]


def results(name: str, inputs: bytes) -> list[tuple[Any, Exception | None]]:
    """Of each input what the function of the plugin ``name`` gives, and what it raised: an error of
    one input ends no other.

    Args:
        inputs: a pickled list. Dask ends a worker that cannot open what it is sent by itself, where
            a package is missing; opened here, that is an error of the task.
    """
    plugin: Any = get_worker().plugins[name]
    work, pairs = plugin.opened(), list[tuple[Any, Exception | None]]()
    for one in pickle.loads(inputs):  # noqa: S301  (of whoever uses the cluster)
        try:
            pairs.append((work(one), None))
        except Exception as error:  # noqa: BLE001  (raised where the result is wanted)
            pairs.append((None, error))
    return pairs
