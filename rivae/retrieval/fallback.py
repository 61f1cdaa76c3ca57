"""An index elsewhere, and the same items here while it does not answer.

A search that the engine does not answer is done here at once, and so are those of the next minute;
then the engine is asked again. Both have the same ids, so a drag continues with the same pictures.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from rivae.base.arrays import Floats, Ints
from rivae.retrieval.base import Index
from rivae.retrieval.engine import URL, EngineGoneError, connect, open_engine

T = TypeVar("T")
ANSWERS_WITHIN_S = 10  # a search; after that the engine counts as gone
ASKED_AGAIN_S = 60.0
# A failure that comes so soon may be a connection that was idle and just closed: asked twice.
QUICKLY_S = 2.0


def pushed_or(here: Callable[[], Index], key: Callable[[], str]) -> Index:
    """The index that was pushed under ``key()`` to the engine of ``RIVAE_INDEX_URL``, which falls
    back to ``here()``; that alone where no engine is named, or nothing was pushed.

    Raises:
        ConfigError: this is no address, or what is there is not ours.
    """
    url = os.environ.get(URL)
    if not url:
        return here()
    engine, find = Engine(), partial(open_engine, connect(url, ANSWERS_WITHIN_S), key())
    there = engine.answer(find)
    if there is None and not engine.is_gone:
        return here()
    return FallingBack(engine, find, here, there)


class Engine:
    """Whether an engine answers; shared by an index and its subsets."""

    def __init__(self) -> None:
        self._gone_at = -float("inf")

    @property
    def is_gone(self) -> bool:
        """Whether it did not answer within the last minute."""
        return time.monotonic() - self._gone_at < ASKED_AGAIN_S

    def answer(self, ask: Callable[[], T]) -> T | None:
        """What ``ask`` gives; None where the engine does not answer, or did not a moment ago."""
        if not self.is_gone:
            for _ in range(2):
                begun = time.monotonic()
                try:
                    return ask()
                except EngineGoneError:
                    if time.monotonic() - begun > QUICKLY_S:
                        break
            self._gone_at = time.monotonic()
        return None

    @property
    def sentence(self) -> str:
        """Who searches; visitors read it, so that it does not say where the engine is."""
        if self.is_gone:
            return "Qdrant does not answer: this machine searches instead."
        return "Qdrant searches."


class FallingBack(Index):
    """An ``Index`` that is one elsewhere as long as that answers, and else one here.

    Args:
        engine: of the one elsewhere.
        find: opens it, and raises ``EngineGoneError`` where nobody answers.
        here: opens the same items in this process, once, when they are needed first.
        there: what ``find`` has opened already.
    """

    def __init__(
        self,
        engine: Engine,
        find: Callable[[], Index | None],
        here: Callable[[], Index],
        there: Index | None = None,
    ) -> None:
        self.engine, self.there = engine, there
        self._find, self._open = find, here
        self._opened, self._lock = list[Index](), threading.Lock()

    def here(self) -> Index:
        """The index in this process."""
        with self._lock:
            if not self._opened:
                self._opened.append(self._open())
            return self._opened[0]

    @property
    def searched_by(self) -> str:
        """Who searches, in a sentence for visitors."""
        return self.engine.sentence

    @property
    def n_items(self) -> int:
        """Number of points."""
        return (self.there or self.here()).n_items

    @property
    def n_features(self) -> int:
        """Numbers of a point."""
        return (self.there or self.here()).n_features

    def rows(self, positions: Ints) -> Floats:
        """See ``Index.rows``."""
        return self._asked("rows", positions)

    def search(self, queries: Floats, k: int) -> tuple[Ints, Floats]:
        """See ``Index.search``."""
        return self._asked("search", queries, k)

    def all_squared_distances(self, queries: Floats) -> Floats:
        """See ``Index.all_squared_distances``."""
        return self._asked("all_squared_distances", queries)

    def subset(self, positions: Ints) -> Index:
        """See ``Index.subset``; it falls back with this one."""

        def find() -> Index | None:
            there = self._found()
            return there and there.subset(positions)

        def here() -> Index:
            return self.here().subset(positions)

        return FallingBack(self.engine, find, here, self.engine.answer(find))

    def _found(self) -> Index | None:
        self.there = self.there or self._find()
        return self.there

    def _asked(self, what: str, *args: Any) -> Any:
        there = self.engine.answer(self._found)
        if there is not None:
            answer = self.engine.answer(lambda: getattr(there, what)(*args))
            if answer is not None:
                return answer
        return getattr(self.here(), what)(*args)
