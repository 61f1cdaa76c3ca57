"""Measurements of a trained model: all metrics of a run, its tables again, the choice of a seed.

Stands on ``metrics``, ``retrieval`` and ``runs``; pages, the benchmark and the command line ask it.
Begin with ``of_run.evaluate``.
"""

from rivae.evaluation.of_run import evaluate

__all__ = ["evaluate"]
