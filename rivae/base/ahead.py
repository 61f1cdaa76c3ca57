"""Work on pictures in several threads, a little ahead of whoever takes the results in order.

Decoding, scaling and encoding a picture leaves Python's lock to others, so threads are enough to
keep all cores busy, and pictures need not travel between processes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

from rivae.base.cores import n_cores

A = TypeVar("A")
B = TypeVar("B")
AHEAD = 8  # results per thread that may wait


def ahead(
    inputs: Iterable[A], work: Callable[[A], B], n_threads: int | None = None
) -> Iterator[tuple[A, Callable[[], B]]]:
    """Each of ``inputs`` in order, and what gives ``work`` on it, or raises its error.

    Closing the iterator ends the threads; work that has not begun is dropped.

    Args:
        n_threads: the number of cores by default; 0 computes each result when it is needed.
    """
    if n_threads == 0:
        yield from ((one, partial(work, one)) for one in inputs)
        return
    n = n_threads or n_cores()
    waiting: deque[tuple[A, Callable[[], B]]] = deque()
    pool = ThreadPoolExecutor(n, thread_name_prefix="pictures")
    try:
        for one in inputs:
            waiting.append((one, pool.submit(work, one).result))
            if len(waiting) >= AHEAD * n:
                yield waiting.popleft()
        while waiting:
            yield waiting.popleft()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
