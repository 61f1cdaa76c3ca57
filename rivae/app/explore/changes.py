"""What the axis that was moved last changes, in one sentence above the pictures."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rivae.app.panels.questions import OfAxis, read
from rivae.app.shared.effects import axis_effects
from rivae.app.shell import cache
from rivae.base.errors import ConfigError
from rivae.exploring.sliders import added_sliders, axes_of

if TYPE_CHECKING:
    from rivae.app.panels.answers import OpenRun

N_NAMES = 3  # of a direction, so that the sentence fits into two lines


def told(question: dict[str, Any], open_run: OpenRun) -> dict[str, Any]:
    """The sentence about an axis; measured with its first question, then kept.

    Raises:
        ConfigError: a field is missing or of the wrong kind, or there is no such axis.
        RunError: there is no such run, or it is not ready.
    """
    asked = read(OfAxis, question)
    explorer = open_run(asked.run, asked.rows, asked.asks)
    known = {axis["short"]: axis for axis in (*axes_of(explorer), *added_sliders(explorer))}
    if asked.axis not in known:
        raise ConfigError(f"this run has no axis {asked.axis}: reload the page")
    axis = known[asked.axis]
    key = f"{cache.model_key(asked.run, asked.asks)}/{asked.rows}"
    effects = axis_effects(key, asked.axis, axis["name"], explorer)
    missing = () if effects.names else effects.missing  # what there is says enough
    said = replace(effects, axis=called(axis), missing=missing)
    return {"seq": asked.seq, "sentence": said.told(N_NAMES)}


def called(axis: dict[str, Any]) -> str:
    """What there is more of along an axis of a panel: its right end, else its name or number."""
    return str(axis["right"] or axis["given"] or axis["short"])
