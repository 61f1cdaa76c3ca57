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
    request = read(OfAxis, question)
    explorer = open_run(request.run, request.rows, request.asks)
    axes_by_id = {axis["short"]: axis for axis in (*axes_of(explorer), *added_sliders(explorer))}
    if request.axis not in axes_by_id:
        raise ConfigError(f"this run has no axis {request.axis}: reload the page")
    axis = axes_by_id[request.axis]
    key = f"{cache.model_key(request.run, request.asks)}/{request.rows}"
    effects = axis_effects(key, request.axis, axis["name"], explorer)
    missing = () if effects.names else effects.missing  # what there is says enough
    named_effects = replace(effects, axis=called(axis), missing=missing)
    return {"seq": request.seq, "sentence": named_effects.told(N_NAMES)}


def called(axis: dict[str, Any]) -> str:
    """What there is more of along an axis of a panel: its right end, else its name or number."""
    return str(axis["right"] or axis["given"] or axis["short"])
