"""Notes about a run in ``about.json``: a note, tags, and whether the run is archived.

The file is not trusted: it is validated when it is read, and its plain text escaped when shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from rivae.base.errors import ConfigError, DataError, RivaeError, RunError
from rivae.base.files import change_json, why_not
from rivae.base.reading.documents import read_form
from rivae.base.reading.regular import is_file
from rivae.base.reading.typed_text import one_line, some_lines
from rivae.runs.folders import require_own
from rivae.runs.run import Run

ABOUT = "about.json"
MAX_BYTES = 100_000
MAX_NOTE = 10_000
MAX_TAGS = 20
MAX_TAG = 40


@dataclass(frozen=True, slots=True)
class About:
    """A note of at most ``MAX_NOTE`` characters, different tags, and whether lists hide the run."""

    note: str = ""
    tags: tuple[str, ...] = ()
    archived: bool = False


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    version: Literal[1]
    note: Annotated[str, Field(max_length=MAX_NOTE)] = ""
    tags: Annotated[list[str], Field(max_length=MAX_TAGS)] = []
    archived: bool = False

    @field_validator("note")
    @classmethod
    def _plain(cls, note: str) -> str:
        try:
            return some_lines(note, "a note", MAX_NOTE)
        except RivaeError as error:
            raise ValueError(str(error)) from None

    @field_validator("tags")
    @classmethod
    def _lines(cls, tags: list[str]) -> list[str]:
        try:
            return list(_tags(tags))
        except RivaeError as error:
            raise ValueError(str(error)) from None


def read_about(source: Path | bytes) -> About:
    """The notes in a file, or in its content.

    Raises:
        DataError: it cannot be read, is larger than ``MAX_BYTES`` or not of this form.
    """
    file = read_form(
        _File,
        source,
        MAX_BYTES,
        unreadable=f"{ABOUT} cannot be read: restore or delete it",
        too_large=f"{ABOUT} is too large to be one: delete it",
        foreign=f"{ABOUT} holds no notes ({{problem}}): restore or delete it",
    )
    return About(file.note, tuple(file.tags), file.archived)


def about(run: Run) -> About:
    """The notes about a run; empty without a file.

    Raises:
        RunError: the file is damaged.
    """
    path = run.path / ABOUT
    if not is_file(path):
        return About()
    try:
        return read_about(path)
    except DataError as error:
        raise RunError(f"run {run.id}: {error}") from None


def is_archived(run: Run) -> bool:
    """Whether lists hide the run; one whose file is damaged is shown."""
    try:
        return about(run).archived
    except RunError:
        return False


def keep_about(
    run: Run,
    *,
    note: str | None = None,
    tags: Sequence[str] | None = None,
    archived: bool | None = None,
) -> About:
    """Change the given notes and keep the others, atomically; returns all of them.

    Raises:
        ConfigError: a text is too long, or holds characters that cannot be shown.
        RunError: the run is read-only, its file is damaged, or cannot be written.
    """
    require_own(run)
    changes: dict[str, Any] = {} if archived is None else {"archived": archived}
    if note is not None:
        changes["note"] = some_lines(note, "a note", MAX_NOTE)
    if tags is not None:
        changes["tags"] = _tags(tags)
    result = About()

    def change() -> dict[str, object]:
        nonlocal result
        result = replace(about(run), **changes)
        return {"version": 1, **asdict(result)}

    try:
        change_json(run.path / ABOUT, change)
    except OSError as error:
        why = "somebody else is" if isinstance(error, BlockingIOError) else why_not(error)
        raise RunError(f"the notes of run {run.id} cannot be written: {why}") from None
    return result


def _tags(tags: Sequence[str]) -> tuple[str, ...]:
    """Tags as they are stored: each once, in their order."""
    result = tuple(dict.fromkeys(one_line(tag, "a tag", MAX_TAG) for tag in tags))
    if len(result) > MAX_TAGS:
        raise ConfigError(f"a run has at most {MAX_TAGS} tags: leave some out")
    return result
