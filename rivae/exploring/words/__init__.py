"""Words of items: ingredients, clouds, contrasts, axis names and tags.

Import the module you need (``rivae.exploring.words.ingredients``, ...): this package imports
nothing itself. Everything here takes and returns plain text, to be escaped where it is drawn.
"""
