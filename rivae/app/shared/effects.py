"""What axes change, measured once for all visitors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

if TYPE_CHECKING:
    from rivae.exploring.axis_effects import AxisEffects
    from rivae.exploring.effects import EffectMeasure
    from rivae.exploring.explorer import Explorer


@st.cache_resource(max_entries=4, show_spinner=False)
def effect_measure(key: str, _explorer: Explorer) -> EffectMeasure:
    """Of one opened run, which ``key`` names."""
    from rivae.exploring.effects import EffectMeasure

    return EffectMeasure(_explorer.retriever)


@st.cache_resource(max_entries=256, show_spinner=False)
def axis_effects(key: str, axis: str, name: str, _explorer: Explorer) -> AxisEffects:
    """What moving an axis changes among the items found, a latent in the direction in which it is
    shown. The first of a run takes a second or more.

    Args:
        key: names the opened run.
        axis: its id, "z3" or "a1".
        name: what it is called now, which the result says.

    Raises:
        ConfigError: there is no such axis.
    """
    from rivae.exploring.effects import shown_effects

    return shown_effects(effect_measure(key, _explorer), _explorer, axis)
