"""Imports pairs in a process of its own: ``python -m rivae.ui.import_job SPEC``.

SPEC is the JSON of a ``rivae.ui.data_import.Plan``. See ``rivae.ui.background`` for what it writes.
No streamlit here.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from types import FrameType

from rivae.errors import RivaeError
from rivae.ui.background import step_back, tell


def main(argv: Sequence[str]) -> int:
    """Do what ``argv[0]`` says; returns the exit status."""

    def stop(signum: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, stop)
    step_back()
    # Said before the modules are loaded, which takes seconds on a busy machine.
    tell(stage="reading the table", share=0.0)
    from rivae.importing import run_import
    from rivae.importing.plan import Plan

    def progress(words: str, share: float) -> None:
        tell(stage=words, share=share)

    try:
        plan = Plan.model_validate_json(argv[0])
        report = run_import(
            plan.source(), plan.settings(), dry_run=plan.dry_run, progress=progress
        )
        name = None if plan.dry_run else plan.name
        tell(done=True, result={"name": name, "report": report.to_dict()})
    except RivaeError as error:
        tell(error=str(error))
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
