"""The events of labelling, and the rule that turns them into current labels.

Events are never changed or removed: an undo is another event that refers to the undone one.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from rivae.base.errors import LabelError
from rivae.labels.guideline import N_LEVELS

if TYPE_CHECKING:
    from rivae.data.base import PairedDataset

Action = Literal["label", "undo", "flag", "unflag", "skip", "adjudicate", "unsure", "inapplicable"]
Kind = Literal["label", "repeat", "flag", "skip", "adjudication"]
ACTIONS: tuple[Action, ...] = get_args(Action)
KINDS: tuple[Kind, ...] = get_args(Kind)
ANSWERS: tuple[Action, ...] = ("label", "unsure", "inapplicable")  # each replaces the others

OLD_IMPORT = "pairs:"  # prefix of keys of imported items in older versions
MAX_ANNOTATOR = 80  # characters
MAX_ITEM = 240
MAX_SECONDS = 7 * 86_400.0  # a page left open over the holidays
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")
_FACTOR = re.compile(r"[a-z][a-z0-9_-]{0,39}")
_FIRST, _LAST = datetime(2000, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class LabelEvent:
    """One action of one annotator. Every field is checked; a wrong one raises LabelError.

    Attributes:
        id: a UUID made by the client, so that sending the same event again is harmless.
        time: when it was done by the client's clock, in UTC. Events are ordered by the store's
            sequence number, not by this time.
        annotator: a name, up to 80 characters.
        item: ``item_key`` of the item.
        factor: id of a factor; "" when the item itself is flagged or skipped.
        level: 1 to 5; None is "cannot tell" in a label or adjudication. The lower of two adjacent
            levels, 1 to 4, where the annotator is unsure between them. Always None elsewhere.
        action: "undo" takes back the event ``undoes``; "skip" means seen but not labelled;
            "unsure" is an answer of two levels; "inapplicable" says that the factor does not
            apply.
        seconds_shown: how long the item was shown before the action, 0 when unknown.
        guideline: ``Guideline.version`` that the annotator followed; "" when unknown.
        suggested: the annotator confirmed or changed a suggestion; a suggestion alone is no event.
        repeat: the answer to a hidden repeat; it never replaces the first label.
        plan: id of the labelling plan; "" without one.
        undoes: id of the event that an undo takes back; "" otherwise.
    """

    id: str
    time: datetime
    annotator: str
    item: str
    factor: str
    level: int | None
    action: Action = "label"
    seconds_shown: float = 0.0
    guideline: str = ""
    suggested: bool = False
    repeat: bool = False
    plan: str = ""
    undoes: str = ""

    def __post_init__(self) -> None:
        check_uuid(self.id, "an event's id")
        if not isinstance(self.time, datetime) or self.time.tzinfo is None:
            raise LabelError("the time of an event needs a time zone: give it in UTC")
        # Compared first, since the change to UTC may overflow.
        if not _FIRST <= self.time < _LAST:
            raise LabelError("the time of an event is out of range: set the clock of this computer")
        object.__setattr__(self, "time", self.time.astimezone(UTC))
        check_annotator(self.annotator)
        _check_text(self.item, "an item key", MAX_ITEM)
        if self.action not in ACTIONS:
            raise LabelError(
                f"'{str(self.action)[:40]}' is not an action: choose from {', '.join(ACTIONS)}"
            )
        whole = self.factor == "" and self.action in ("flag", "unflag", "skip", "undo")
        if not whole and not (isinstance(self.factor, str) and _FACTOR.fullmatch(self.factor)):
            raise LabelError(
                f"'{str(self.factor)[:40]}' is not a factor id: use a-z, 0-9, '-' and '_'"
            )
        self._check_level()
        seconds = self.seconds_shown
        if isinstance(seconds, bool) or not isinstance(seconds, int | float):
            raise LabelError("the seconds shown must be a number: correct them")
        if not 0 <= seconds <= MAX_SECONDS:  # false for NaN, too
            raise LabelError("the seconds shown must lie between 0 and a week")
        object.__setattr__(self, "seconds_shown", float(seconds))
        for word, name in ((self.guideline, "guideline version"), (self.plan, "plan id")):
            if not isinstance(word, str) or (word and not _WORD.fullmatch(word)):
                raise LabelError(
                    f"'{str(word)[:40]}' is not a {name}: use letters, digits, . _ and -"
                )
        if not (isinstance(self.suggested, bool) and isinstance(self.repeat, bool)):
            raise LabelError("'suggested' and 'repeat' of an event are true or false")
        if self.repeat and self.action == "adjudicate":
            raise LabelError("an adjudication cannot be a repeat: leave 'repeat' out")
        if self.action == "undo":
            check_uuid(self.undoes, "the event that is undone")
        elif self.undoes != "":
            raise LabelError("only an undo can name an event to undo: leave 'undoes' out")

    def _check_level(self) -> None:
        level = self.level
        unsure = self.action == "unsure"
        if level is None and not unsure:
            return
        if self.action not in ("label", "adjudicate", "unsure"):
            raise LabelError(f"an event '{self.action}' has no level: leave it out")
        most = N_LEVELS - unsure
        if isinstance(level, bool) or not isinstance(level, int) or not 1 <= level <= most:
            if unsure:
                raise LabelError(f"'unsure' needs the lower of its two levels: give 1 to {most}")
            raise LabelError(
                f"'{str(level)[:20]}' is not a level: give 1 to {N_LEVELS} or none (cannot tell)"
            )

    @property
    def kind(self) -> Kind | None:
        """The kind of slot that the event fills; None for an undo."""
        if self.action == "undo":
            return None
        if self.action in ANSWERS:
            return "repeat" if self.repeat else "label"
        if self.action == "adjudicate":
            return "adjudication"
        return "skip" if self.action == "skip" else "flag"

    @property
    def value(self) -> float | None:
        """The level, halfway between the two where the annotator is unsure; None without one."""
        return self.level + 0.5 if self.action == "unsure" and self.level else self.level

    def undone_by(self, event_id: str, time: datetime) -> LabelEvent:
        """An undo of this event by the same annotator, the only one who can undo it."""
        return LabelEvent(
            id=event_id,
            time=time,
            annotator=self.annotator,
            item=self.item,
            factor=self.factor,
            level=None,
            action="undo",
            guideline=self.guideline,
            repeat=self.repeat,
            plan=self.plan,
            undoes=self.id,
        )

    def record(self) -> dict[str, Any]:
        """Plain values for JSON; ``from_record`` reads them."""
        return {**asdict(self), "time": time_text(self.time)}


class Slot(NamedTuple):
    """A place for one current event; ``annotator`` is "" for an adjudication."""

    kind: Kind
    annotator: str
    item: str
    factor: str


def slot(event: LabelEvent) -> Slot:
    """The slot that ``event`` fills; an undo fills none (ask for the slot of the undone event)."""
    kind = event.kind
    if kind is None:
        raise LabelError("an undo fills no slot: use the event that it undoes")
    annotator = "" if kind == "adjudication" else event.annotator
    return Slot(kind, annotator, event.item, event.factor)


def current_events(events: Iterable[LabelEvent]) -> dict[Slot, LabelEvent]:
    """The current event of each slot: the last one not undone; "unflag" empties its slot.

    Args:
        events: in the order of their sequence numbers.

    An undo cannot be undone (give the label again instead), and only the annotator of an event can
    undo it. ``sql.py`` has the same rule as a database view.
    """
    events = list(events)
    undone = {(e.undoes, e.annotator) for e in events if e.action == "undo"}
    latest: dict[Slot, LabelEvent] = {}
    for event in events:
        if event.action != "undo" and (event.id, event.annotator) not in undone:
            latest[slot(event)] = event
    return {place: event for place, event in latest.items() if event.action != "unflag"}


def item_key(data: str, item: str | int) -> str:
    """The stable name of an item: data set and item id, as in "kitchen:79f935f625"."""
    if not _WORD.fullmatch(data):
        raise LabelError(
            f"'{data[:40]}' cannot stand in an item key: use letters, digits, . _ and -"
        )
    key = f"{data}:{item}"
    _check_text(key, "an item key", MAX_ITEM)
    return key


def item_key_of(data: PairedDataset, i: int) -> str:
    """The key of row ``i``, by the id of its recipe, so that it survives a new order of the rows.

    An import is named by its ``store_id``, so that two imports never share a label. Items without
    recipes are named by row number, which the settings of the data set fix.
    """
    recipe = data.recipe(i)
    return item_key(data.key_name, i if recipe is None else recipe.id)


def new_id() -> str:
    """A fresh id for an event that is not made in a browser."""
    return str(uuid.uuid4())


def from_record(record: Mapping[str, Any]) -> LabelEvent:
    """An event from the plain values of ``LabelEvent.record``, sent by a browser or in a file.

    Raises:
        LabelError: for a field that is missing, unknown or wrong.
    """
    unknown = sorted(set(record) - _FIELDS)
    if unknown:
        raise LabelError(f"an event has no field '{str(unknown[0])[:40]}'")
    missing = sorted(_NEEDED - set(record))
    if missing:
        raise LabelError(f"an event lacks the field '{missing[0]}'")
    return LabelEvent(**{**record, "time": parse_time(record["time"])})


def time_text(time: datetime) -> str:
    """ISO 8601 in UTC with microseconds: exact, and sorting the text sorts by time."""
    return time.astimezone(UTC).isoformat(timespec="microseconds")


def parse_time(text: object) -> datetime:
    """A time with its zone from ISO 8601, "2026-01-31T12:00:00Z" included; else LabelError."""
    try:
        time = datetime.fromisoformat(text if isinstance(text, str) else "")
    except ValueError:
        raise LabelError(f"'{str(text)[:40]}' is not a time: write 2026-01-31T12:00:00Z") from None
    if time.tzinfo is None:
        raise LabelError(f"the time '{str(text)[:40]}' has no zone: write 2026-01-31T12:00:00Z")
    return time


def check_uuid(text: object, name: str) -> None:
    """LabelError unless ``text`` is a UUID in its usual lower-case form."""
    try:
        good = isinstance(text, str) and str(uuid.UUID(text)) == text
    except ValueError:
        good = False
    if not good:
        raise LabelError(f"{name} must be a UUID in lower case, not '{str(text)[:40]}'")


def check_annotator(name: object) -> None:
    """LabelError unless ``name`` is valid as an annotator's name."""
    _check_text(name, "an annotator's name", MAX_ANNOTATOR)


def _check_text(text: object, name: str, longest: int) -> None:
    if not isinstance(text, str) or not text or len(text) > longest:
        raise LabelError(f"{name} must have 1 to {longest} characters")
    if not text.isprintable() or text != text.strip():
        raise LabelError(
            f"{name} has a line break, an invisible character or a space at an end: remove it"
        )


_FIELDS = frozenset(f.name for f in fields(LabelEvent))
_NEEDED = frozenset({"id", "time", "annotator", "item", "factor", "level"})
