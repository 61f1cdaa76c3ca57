"""What a panel says of each axis: its names and poles, and where the data lie on it."""

from __future__ import annotations

from typing import Any

from rivae.exploring.explorer import Explorer
from rivae.runs.axis_names import AxisName

N_TERMS = 5  # of the evidence for a name


def axes_of(explorer: Explorer) -> list[dict[str, Any]]:
    """What a panel calls each axis: in full, by its number, the name that it was given or that is
    suggested, and what lies to the left and to the right of its slider.

    A slider is ``flipped`` where the named property falls as z grows: right is always more.
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


def _about(name: AxisName) -> str:
    """The evidence for a name in one line; plain text."""
    sign, z = name.direction, "z" if name.direction > 0 else "−z"
    terms = ", ".join(f"{e.term} {sign * e.strength:+.2f}" for e in name.evidence[:N_TERMS])
    score = name.held_out
    verdict = f"; on test items {score.score:.2f}, chance {score.chance:.2f}" if score else ""
    return f"correlation with {z}: {terms}{verdict}" if terms else verdict.removeprefix("; ")
