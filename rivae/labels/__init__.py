"""Labels by hand: the questions, the plans, the store, agreement, scores and aligned axes.

It may import ``figures`` and the rooms below it, never ``jobs``; app and command line import it.
Begin with ``guideline.py`` (what is asked), ``plan.py`` (of which items) and ``store.py`` (the
database of answers). Import the module you need: this package imports nothing.
"""
