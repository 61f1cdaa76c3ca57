"""What an import stored and what it skipped, with the reasons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rivae.base.reading.typed_text import clean

EXAMPLES = 5
SHOWN = 2  # examples of a remark, whose records are still used
EXAMPLE_LENGTH = 160


class UnusableError(Exception):
    """A record that cannot be stored; the message is a reason in the report.

    Args:
        reason: the same for all records of this kind.
        what: of this record, for an example; the picture's name by default.
    """

    def __init__(self, reason: str, what: str = "") -> None:
        super().__init__(reason)
        self.what = what


@dataclass
class ImportReport:
    """Counts of an import, filled while it runs.

    Attributes:
        read: records of the source.
        taken: usable pairs.
        left_out: reason -> number of records; each record under its first reason only.
        notes: remark -> number of records that were stored with it.
        examples: reason or remark -> the first few records, as "which: what".
        columns: what each column became, as "title ← dish_name"; none in reports of imports that
            were made before this field existed.
    """

    read: int = 0
    taken: int = 0
    left_out: dict[str, int] = field(default_factory=dict)
    notes: dict[str, int] = field(default_factory=dict)
    examples: dict[str, list[str]] = field(default_factory=dict)
    columns: list[str] = field(default_factory=list)

    def leave_out(self, reason: str, which: str, what: str = "") -> None:
        """Count a record that cannot be used."""
        self.left_out[reason] = self.left_out.get(reason, 0) + 1
        self._example(reason, which, what)

    def note(self, remark: str, which: str, what: str = "", n: int = 1) -> None:
        """Count a remark on a record that is used, or on ``n`` of them."""
        self.notes[remark] = self.notes.get(remark, 0) + n
        self._example(remark, which, what)

    def _example(self, key: str, which: str, what: str) -> None:
        examples = self.examples.setdefault(key, [])
        if len(examples) < EXAMPLES:
            text = clean(f"{which}: {what}" if what else which)
            examples.append(text[:EXAMPLE_LENGTH])

    @property
    def sentence(self) -> str:
        """How many records are usable so far, as progress."""
        return f"{self.taken:,} of {self.read:,} records usable"

    def lines(self) -> list[str]:
        """The report as plain text, most frequent reason first."""
        out = [f"{self.read:,} records read, {self.taken:,} usable pairs"]
        if self.columns:
            out.append(f"columns: {'; '.join(self.columns)}")
        for reason, count in _most_first(self.left_out):
            out.append(f"left out: {count:,} × {reason}")
            out += self._shown(reason, EXAMPLES)
        for remark, count in _most_first(self.notes):
            out.append(f"remark: {f'{count:,} × ' if count > 1 else ''}{remark}")
            out += self._shown(remark, SHOWN)
        return out

    def _shown(self, key: str, most: int) -> list[str]:
        return [f"    {example}" for example in self.examples.get(key, [])[:most]]

    def to_dict(self) -> dict[str, Any]:
        """For ``store.json``, and for an import that resumes."""
        return {
            "read": self.read,
            "taken": self.taken,
            "left_out": dict(self.left_out),
            "notes": dict(self.notes),
            "examples": {key: list(value) for key, value in self.examples.items()},
            "columns": list(self.columns),
        }

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> ImportReport:
        return cls(
            read=int(document["read"]),
            taken=int(document["taken"]),
            left_out={str(k): int(v) for k, v in document["left_out"].items()},
            notes={str(k): int(v) for k, v in document["notes"].items()},
            examples={str(k): [str(e) for e in v] for k, v in document["examples"].items()},
            columns=[str(phrase) for phrase in document.get("columns", ())],
        )


def _most_first(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: -item[1])
