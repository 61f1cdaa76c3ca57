"""Words as evidence: ingredients, clouds, contrasts, axis names and tags.

Import the module you need (``rivae.words.ingredients``, ...): this package imports nothing by
itself. Everything here takes and returns plain text; it is escaped where it is drawn.
"""
