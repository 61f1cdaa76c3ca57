"""Measurements of a trained model: all metrics of a run, its tables again, the choice of a seed.

Stands on ``metrics``, ``retrieval`` and ``runs``; pages, the benchmark and the command line ask it.
Begin with ``of_run.evaluate``.
"""

from typing import TYPE_CHECKING

from rivae.base.deprecation import moved_names
from rivae.evaluation.of_run import evaluate

__all__ = ["evaluate"]
if not TYPE_CHECKING:  # a checker would believe every name
    __getattr__ = moved_names(
        __name__,
        dict.fromkeys(
            ("DIGIT_RANGES", "MAX_FACTOR_ROWS", "N_QUERIES", "N_QUERIES_DIGITS", "N_QUERIES_RANGES")
            + ("PRIOR_ROWS", "SAMPLES", "evaluated_rows", "is_digits", "require_settings"),
            "rivae.evaluation.of_run",
        ),
    )
