"""Axes that a person asks for, and those that propose themselves.

Levels of items come from words, tags, factors, examples or labels (``levels``); a regression of the
levels on white z gives a direction (``directions``), which is scored on held-out items
(``scores``). ``adding`` joins them; ``text_space`` says how near texts are to a typed line.
"""
