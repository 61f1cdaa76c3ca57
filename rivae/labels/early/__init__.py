"""Numbers from a part of the labels: which items come first, and what they say, with intervals.

Begin with ``sample.py`` (the items). Import the module you need: this package imports nothing.
"""
