"""What people import: a trained run in Python, and training on two arrays.

The stable names are those of ``rivae.__all__`` (``docs/api.md``); only ``notebook`` imports this
room. Begin with ``run.Run``, what the exported Python of every panel calls.
"""

from typing import TYPE_CHECKING

from rivae.api.run import Axis, Run, load_run
from rivae.base.deprecation import moved_names

__all__ = ["Axis", "Run", "load_run"]
if not TYPE_CHECKING:  # a checker would believe every name
    __getattr__ = moved_names(
        __name__, {"Query": "rivae.api.run", "SLOW_SHUFFLES": "rivae.api.run"}
    )
