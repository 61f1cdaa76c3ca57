"""The paper's tables, reproduced by one command: plan, run, level of chance, report.

It may import ``jobs`` and below; the app shows its results, ``rivae benchmark`` runs it.
Begin with ``plan.py`` (which rows of which tables) and ``report.py`` (how they are written).
"""
