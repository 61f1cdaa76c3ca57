"""Numbers from a part of the labels: which items come first, and what they say, with intervals.

Begin with ``sample.py`` (the items), ``estimates.py`` (D, C, I and MCC) and ``meter.py`` (the same
while somebody labels). Import the module you need: this package imports nothing.
"""
