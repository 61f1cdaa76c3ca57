"""What measures the effect of an axis, opened once for all visitors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

if TYPE_CHECKING:
    from rivae.exploring.effects import EffectMeasure
    from rivae.exploring.explorer import Explorer


@st.cache_resource(max_entries=4, show_spinner=False)
def effect_measure(key: str, _explorer: Explorer) -> EffectMeasure:
    """Of one opened run, which ``key`` names."""
    from rivae.exploring.effects import EffectMeasure

    return EffectMeasure(_explorer.retriever)
