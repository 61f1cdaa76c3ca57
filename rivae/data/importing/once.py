"""An import that is made unless the same files were imported before."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from rivae.base.errors import ConfigError
from rivae.base.progress import Progress, silent
from rivae.data.importing.plan import Plan
from rivae.data.importing.session import is_read_as_now, run_import, same_as
from rivae.data.store import Manifest

OLDER_RULES = (
    "{} was imported by a version that reads some tables differently: another name reads it again"
)
TAKEN = "there is already a data set '{}' with other content: choose another name"


def import_once(
    plan: Plan, is_named: bool, progress: Progress = silent, say: Callable[[str], None] = print
) -> Path:
    """The folder of the import of ``plan``, made now or before.

    Args:
        plan: what to read, and the name it gets where it is new.
        is_named: whether the user chose the name; otherwise an import under any name will do.
        progress: called with the current step and the share in [0, 1] that is done.
        say: called with each line of what became of the files.

    Raises:
        ConfigError, DataError: with one sentence.
    """
    settings, source = plan.settings(), plan.source()
    settings.check()
    if (same := same_as(source, settings, progress)) is not None:
        as_now = is_read_as_now(source, settings, same)
        if as_now or not is_named or plan.name == same.name:
            has_content = Manifest.read(same).files_read
            unsure = "" if has_content else " by an older version (pictures compared by name only)"
            say(f"imported already, as {same.name}{unsure}")
            if not as_now:
                say(OLDER_RULES.format(same.name))
            return same
    if settings.folder.exists():
        raise ConfigError(TAKEN.format(plan.name))
    report = run_import(source, settings, progress=progress)
    for line in report.lines():
        say(line)
    return settings.folder
