"""One pass over the points for the questions of several users who ask at the same time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rivae.retrieval.base import Floats, Singles


@dataclass(eq=False)
class _Asked:
    queries: Floats
    answer: Singles | None = None


class OnePass:
    """``work`` on the rows of an array, one thread at a time; what others ask for meanwhile is
    answered in the next pass, together.

    Who asks alone waits for nobody.

    Args:
        work: takes rows (n, m) and gives as many (n, …), each independent of the others.
        most: rows of one pass; a single question may have more.
    """

    def __init__(self, work: Callable[[Floats], Singles], most: int) -> None:
        self._work, self._most = work, most
        self._turn, self._guard = threading.Lock(), threading.Lock()
        self._waiting: list[_Asked] = []

    def __call__(self, queries: Floats) -> Singles:
        """``work`` on ``queries`` (n, m). An error reaches whoever ran the pass; the others of it
        ask again by themselves.
        """
        mine = _Asked(queries)
        with self._guard:
            self._waiting.append(mine)
        with self._turn:
            if mine.answer is None:  # nobody took it along
                self._answer(self._taken(mine))
        assert mine.answer is not None
        return mine.answer

    def _taken(self, mine: _Asked) -> list[_Asked]:
        """The questions of the next pass: ``mine``, and the first of the others as far as it has
        room.
        """
        with self._guard:
            if mine in self._waiting:
                self._waiting.remove(mine)
            taken, n = [mine], len(mine.queries)
            while self._waiting and n + len(self._waiting[0].queries) <= self._most:
                taken.append(self._waiting.pop(0))
                n += len(taken[-1].queries)
        return taken

    def _answer(self, taken: list[_Asked]) -> None:
        answers = self._work(np.concatenate([one.queries for one in taken]))
        ends = np.cumsum([len(one.queries) for one in taken])
        for one, answer in zip(taken, np.split(answers, ends[:-1]), strict=True):
            one.answer = answer
