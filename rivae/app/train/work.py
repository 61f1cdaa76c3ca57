"""The task of the Train page that runs in a separate process: the estimate of a run.

Streamlit is not imported here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rivae.base.errors import ConfigError
from rivae.base.progress import Progress


def estimate(spec: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """Estimate a run that is about to be queued; ``spec`` holds its ``config``, a RunConfig's JSON.

    It keeps its priority (no ``step_back``), because it measures a trainer's speed.
    """
    progress("starting", 0.0)
    from rivae.app.forms.estimate import probe
    from rivae.base.config import parse_config

    try:
        return probe(parse_config(spec["config"], "the configuration"), progress).to_dict()
    except (RuntimeError, ValueError, ArithmeticError, MemoryError) as error:
        # Settings that no schema refuses but torch does, e.g. a picture network on vectors.
        first = (str(error).splitlines() or [type(error).__name__])[0][:200]
        raise ConfigError(
            f"these settings cannot be trained ({first}): change the networks or the data"
        ) from error
