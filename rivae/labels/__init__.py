"""Labels by hand: what is labelled, the events of labelling, where they are kept.

Import the module you need (``rivae.labels.store``, ...): this package imports nothing by itself.
"""
