"""Imports pairs in a process of its own: ``python -m rivae.ui.data.import_job SPEC KEY TITLE``.

SPEC is the JSON of a ``rivae.importing.plan.Plan``; see ``rivae.ui.work.tasks`` for what it writes,
and ``rivae.ui.data.import_record`` for what it leaves beside the data sets. No streamlit here.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from types import FrameType
from typing import TYPE_CHECKING, Any

from rivae.errors import ConfigError, DataError, RivaeError
from rivae.ui.work.tasks import step_back, tell

if TYPE_CHECKING:
    from rivae.importing.plan import Plan
    from rivae.ui.data.import_record import Keep

BUSY = "another import is running: wait for it, or stop it"


def main(argv: Sequence[str]) -> int:
    """Do what ``argv[0]`` says; returns the exit status."""

    def stop(signum: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, stop)
    step_back()
    # Said before the modules are loaded, which takes seconds on a busy machine.
    tell(stage="reading the table", share=0.0)
    from rivae.importing.plan import Plan

    try:
        with ExitStack() as stack:
            return work(Plan.model_validate_json(argv[0]), argv[1], argv[2], stack)
    except KeyboardInterrupt:
        return 130


def work(plan: Plan, key: str, title: str, stack: ExitStack) -> int:
    """Import, and say what comes of it; returns the exit status."""
    from rivae.importing import run_import
    from rivae.ui.data.import_record import recording

    keep: Keep | None = None

    def say(**message: Any) -> None:
        tell(**message)
        if keep is not None:
            keep(**{name: value for name, value in message.items() if name != "done"})

    try:
        settings = plan.settings()
        if not plan.dry_run:  # a check writes nothing
            root = settings.folder.parent
            try:
                keep = stack.enter_context(recording(root, key, title))
            except BlockingIOError:
                raise ConfigError(BUSY) from None
            except OSError as error:
                why = error.strerror or error
                raise DataError(f"{root} cannot be written: {why}") from None
        report = run_import(
            plan.source(),
            settings,
            dry_run=plan.dry_run,
            progress=lambda words, share: say(stage=words, share=share),
        )
        name = None if plan.dry_run else plan.name
        say(done=True, result={"name": name, "report": report.to_dict()})
    except RivaeError as error:
        say(error=str(error))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
