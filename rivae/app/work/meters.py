"""Meters of labelling plans, read in threads of their own. Streamlit is not imported here.

A page asks what a meter says and gets the last reading at once; where answers came after it, a new
reading begins meanwhile. Threads, as a reading takes well under a second once the runs are open,
and a process would open them for each; they work in numpy, outside the interpreter's lock.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from rivae.base.errors import RivaeError
from rivae.base.progress import Progress

if TYPE_CHECKING:
    from rivae.labels.early.meter import MeterReading
    from rivae.labels.early.of_run import PlanMeter

OPENING = "opening the runs of the plan"


class BackgroundMeter:
    """One plan's meter.

    Args:
        open_meter: opens it, seconds for each run; called once, in a thread.

    Attributes:
        reading: the last one; None before the first.
        error: one sentence where it cannot be opened or read.
        stage: what is done before the first reading.
    """

    def __init__(self, open_meter: Callable[[Progress], PlanMeter]) -> None:
        self.reading: MeterReading | None = None
        self.error, self.stage = "", OPENING
        self._open = open_meter
        self._meter: PlanMeter | None = None
        self._seen: tuple[int, str] | None = None
        self._lock, self._work = threading.Lock(), threading.Lock()

    def ask(self, last: int, by: str = "", patience: float = 0.0) -> None:
        """Have a reading made unless one of the store's event ``last`` and this annotator's pace
        is there, or any is being made.

        Args:
            patience: seconds to wait for the reading at most; none while the runs are opened.
        """
        with self._lock:
            if self._seen == (last, by) or self._work.locked():
                return
            self._work.acquire()
        thread = threading.Thread(target=self._read, args=(last, by), daemon=True)
        thread.name = "rivae-meter"
        is_open = self._meter is not None
        thread.start()
        if is_open:
            thread.join(patience)

    @property
    def working(self) -> bool:
        """Whether a reading is being made."""
        return self._work.locked()

    def _read(self, last: int, by: str) -> None:
        try:
            if self._meter is None:
                self._meter = self._open(self._tell)
            self.reading, self.error = self._meter.read(by), ""
        except RivaeError as error:
            self.error = str(error)
        finally:
            self._seen = last, by  # what comes meanwhile has another number
            self._work.release()

    def _tell(self, stage: str, share: float) -> None:
        self.stage = stage
