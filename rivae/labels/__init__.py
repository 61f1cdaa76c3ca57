"""Labels by hand: the questions, the plans, the store, agreement, scores and aligned axes.

Import the module you need (``rivae.labels.store``, ...): this package imports nothing itself.
"""
