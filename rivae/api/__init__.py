"""What people import: a trained run in Python, and training on two arrays.

The stable names are those of ``rivae.__all__`` (``docs/api.md``); only ``notebook`` imports this
room. Begin with ``run.Run``, what the exported Python of every panel calls.
"""

from rivae.api.run import Axis, Run, load_run

__all__ = ["Axis", "Run", "load_run"]
