"""The command line: ``rivae`` or ``python -m rivae``, one file per group of commands.

The uppermost room: it may import all others, ``__main__`` alone imports it. Begin with ``main.py``
(the parser and the handling of errors) and ``common.py`` (what all commands share).
"""

from rivae.cli.main import main

__all__ = ["main"]
