"""Metrics of retrieval and of the learned axes, one file per metric in ``measures``.

They know arrays and searches, never a run: ``evaluation`` measures runs with them. They may import
``retrieval`` and what is below. Begin with ``base.py`` (what a metric is) and ``registry.py`` (all
metrics by name).
"""
