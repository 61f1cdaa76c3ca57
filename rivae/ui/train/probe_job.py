"""Measures a run that is about to be queued, in a process of its own: ``python -m … CONFIG``.

CONFIG is the JSON of a ``rivae.config.RunConfig``. See ``rivae.ui.work.tasks`` for what it writes.
No streamlit here.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from types import FrameType

from rivae.errors import RivaeError
from rivae.ui.work.tasks import tell


def main(argv: Sequence[str]) -> int:
    """Probe the run ``argv[0]``; returns the exit status."""
    # As a trainer has it, and before torch is imported.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

    def stop(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, stop)
    tell(stage="starting", share=0.0)
    try:
        from rivae.config import parse_config
        from rivae.jobs.probe import probe

        config = parse_config(argv[0], "the configuration")
        found = probe(config, lambda stage, share: tell(stage=stage, share=share))
        tell(done=True, result=found.to_dict())
    except RivaeError as error:
        tell(error=str(error))
        return 1
    except KeyboardInterrupt:
        return 130
    except (RuntimeError, ValueError, ArithmeticError, MemoryError) as error:
        # Settings that no schema refuses but torch does, e.g. a picture network on vectors.
        first = (str(error).splitlines() or [type(error).__name__])[0][:200]
        tell(error=f"these settings cannot be trained ({first}): change the networks or the data")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
