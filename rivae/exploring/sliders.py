"""What a panel says of each axis: its names and poles, and where the data lie on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rivae.base.config import Asks
from rivae.base.wording import short
from rivae.exploring.explorer import Explorer
from rivae.exploring.placing import AxisKey
from rivae.exploring.steering import SteerRow, signed
from rivae.metrics.certainty import Verdict
from rivae.runs.added_axes import AddedAxis
from rivae.runs.axis_names import AxisName
from rivae.training.alignment.certainty import Certainty, kept_certainty

N_TERMS = 5  # of the evidence for a name
# How far the held-out score of an axis lies above chance: a correlation of so much more.
RELIABLE, WEAK = 0.25, 0.1
VERDICTS = {"sure": "Reliable", "plane": "Weak", "unsure": "Unclear"}
# The same verdicts on an axis without a name, by fits that agree on it.
CERTAINTY: dict[Verdict, str] = {"sure": "Sure", "plane": "Only as a plane", "unsure": "Unsure"}


def reliability(score: float, chance: float) -> dict[str, Any]:
    """What a panel says of a held-out score: a verdict as those of ``rivae.metrics.certainty``, by
    how far the score lies above chance, with both numbers in ``text``.
    """
    above = score - chance
    verdict = "sure" if above >= RELIABLE else "plane" if above >= WEAK else "unsure"
    numbers = f"{short(score)}, chance {short(chance)}"
    return {"verdict": verdict, "above": round(above, 4), "text": f"{VERDICTS[verdict]}: {numbers}"}


def axes_of(explorer: Explorer) -> list[dict[str, Any]]:
    """What a panel calls each axis: in full, by its number, the name that it was given or that is
    suggested, and what lies to the left and to the right of its slider.

    A slider is ``flipped`` where the named property falls as z grows: right is always more. What is
    ``held`` is the name's score on held-out items, None without one, and ``terms`` are the words,
    tags and factors behind it.
    """
    parts = (explorer.axis_names, explorer.axis_ids, explorer.shown_names, explorer.given_names)
    out = []
    for name, axis, label, given_name, axis_name in zip(*parts, explorer.known_names, strict=True):
        out.append(
            {
                "name": name,
                "short": axis,
                "given": label,
                "suggested": bool(label and not given_name),
                "left": axis_name.low if axis_name else "",
                "right": (axis_name.high or axis_name.name) if axis_name else "",
                "flipped": axis_name is not None and axis_name.direction < 0,
                "about": _about(axis_name) if axis_name else "",
                "held": _held(axis_name),
                "terms": [e.term for e in axis_name.evidence] if axis_name else [],
            }
        )
    return out


def sliders_of(explorer: Explorer) -> list[dict[str, Any]]:
    """``axes_of`` with where the data lie on an axis, and how much small steps along it change."""
    return [
        {
            **axis,
            "mean": round(float(explorer.mean[j]), 6),
            "std": round(float(explorer.std[j]), 6),
            "effect": round(float(explorer.effects[j]), 3),
        }
        for j, axis in enumerate(axes_of(explorer))
    ]


def added_sliders(explorer: Explorer) -> list[dict[str, Any]]:
    """What a panel says of the axes that were added to the run, and how they move z.

    An item lies at ``reads`` · z + ``offset`` on it; a step of 1 adds ``moves`` to z, or ``alone``,
    which leaves the readings of the other named axes; it is null where they say all that it says.
    """
    sliders = []
    for place in explorer.added_axes:
        axis = place.axis
        low, high = axis.poles
        sliders.append(
            {
                "name": place.name,
                "short": axis.id,
                "id": axis.id,
                "given": axis.name,
                "suggested": False,
                "left": low,
                "right": axis.name if not low and axis.name else high or axis.name,
                "flipped": False,
                "about": evidence_line(axis, explorer.data.view_names),
                "held": added_reliability(axis, explorer.asks),
                "terms": list(filter(None, (axis.spec.high, axis.spec.low, axis.spec.target))),
                "mean": round(place.mean, 6),
                "std": round(place.std, 6),
                "effect": round(place.effect, 3),
                "reads": list(axis.reads),
                "offset": axis.offset,
                "moves": list(axis.moves),
                "alone": list(place.moves_alone) or None,
            }
        )
    return sliders


def marks_of(explorer: Explorer) -> list[dict[str, str]]:
    """How certain each axis of z is, as far as it has been measured; [] where it was not."""
    kept = kept_certainty(explorer.run) if explorer.run is not None else None
    return certainty_marks(kept, explorer.axis_names)


def certainty_marks(known: Certainty | None, names: Sequence[str]) -> list[dict[str, str]]:
    """What sliders show of how certain the axes called ``names`` are: a verdict for each, and the
    sentence behind it.
    """
    return [
        {"verdict": axis.verdict, "text": f"{CERTAINTY[axis.verdict]}: {axis.reason(names)}"}
        for axis in known or ()
    ]


def axes_by_key(explorer: Explorer) -> dict[AxisKey, dict[str, Any]]:
    """``axes_of`` by number, and after them the axes that were added to the run by id."""
    added: dict[AxisKey, dict[str, Any]] = {one["id"]: one for one in added_sliders(explorer)}
    return {**dict(enumerate(sliders_of(explorer))), **added}


def reliable_first(explorer: Explorer) -> list[AxisKey]:
    """The keys of all axes by verdict, the reliable ones first; of one verdict those that a person
    has named, then those that change the best match most.
    """
    kept = kept_certainty(explorer.run) if explorer.run is not None else None
    certain: dict[AxisKey, str] = {axis.axis: axis.verdict for axis in kept or ()}
    axes = axes_by_key(explorer)

    def place(key: AxisKey) -> tuple[int, bool, float]:
        axis = axes[key]
        verdict = axis["held"]["verdict"] if axis["held"] else certain.get(key, "")
        at = list(VERDICTS).index(verdict) if verdict else len(VERDICTS)
        return at, axis["suggested"] or not axis["given"], -axis["effect"]

    return sorted(axes, key=place)


def caption(explorer: Explorer, row: SteerRow) -> str:
    """What a row of levels asks for, in words: "More dessert, less liquid"; plain text."""
    axes, parts = axes_by_key(explorer), []
    shown = row.turned(explorer.signs.tolist())
    for key, level in zip(shown.axes, shown.levels, strict=True):
        if level == "query":
            continue
        thing = (axes[key]["given"] or axes[key]["short"]).removesuffix("?")
        is_more = level == "on" or (not isinstance(level, str) and level > 0)
        how = "average" if level == 0 else "more" if is_more else "less"
        exactly = "" if isinstance(level, str) or not level else f" ({signed(level)} s.d.)"
        parts.append(f"{how} {thing}{exactly}")
    text = ", ".join(parts) or "the query itself"
    return text[0].upper() + text[1:]


def added_reliability(axis: AddedAxis, asks: Asks) -> dict[str, Any] | None:
    """How reliable an added axis is where the view ``asks``, else where any does; None where it
    was not scored.
    """
    scores = sorted(axis.scores, key=lambda one: one.asks != asks)
    return reliability(scores[0].score, scores[0].chance) if scores else None


def _held(name: AxisName | None) -> dict[str, Any] | None:
    score = name.held_out if name else None
    return reliability(score.score, score.chance) if score else None


def evidence_line(axis: AddedAxis, view_names: tuple[str, str]) -> str:
    """How well an added axis follows what it was asked for, in one line of plain text."""
    views = dict(zip(("first", "second"), view_names, strict=True))
    parts = [
        f"{views[one.asks]} asks: score {one.score:.2f} [{one.low:.2f}, {one.high:.2f}], "
        f"chance {one.chance:.2f}"
        for one in axis.scores
    ]
    return "; ".join(parts) or "not scored: too few held-out items tell"


def _about(name: AxisName) -> str:
    """The evidence for a name in one line; plain text."""
    sign, z = name.direction, "z" if name.direction > 0 else "−z"
    terms = ", ".join(f"{e.term} {sign * e.strength:+.2f}" for e in name.evidence[:N_TERMS])
    score = name.held_out
    verdict = f"; on test items {score.score:.2f}, chance {score.chance:.2f}" if score else ""
    return f"correlation with {z}: {terms}{verdict}" if terms else verdict.removeprefix("; ")
