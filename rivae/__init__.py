"""RIVAE Explorer: see and steer what a cross-modal retrieval model has learned.

The package reads like the paper: ``data -> nets -> methods -> training -> retrieval ->
traversal -> metrics``, then ``plots`` and last ``ui``. Imports run one way only.

The names in ``__all__`` are the stable Python surface (``docs/api.md``). They are loaded on first
use, so that ``import rivae`` waits for nothing.
"""

import importlib
import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rivae.api import Axis, Run, load_run
    from rivae.estimator import PairModel, fit
    from rivae.notebook.opening import explore

# With a busy neighbour two OpenMP threads are five to nine times slower than one on networks of
# this size, so one thread is the default. Both must be set before torch is first imported.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

__version__ = "0.1.0"
__all__ = ["Axis", "PairModel", "Run", "explore", "fit", "load_run"]

_HOME = {
    "Axis": "rivae.api",
    "PairModel": "rivae.estimator",
    "Run": "rivae.api",
    "explore": "rivae.notebook.opening",
    "fit": "rivae.estimator",
    "load_run": "rivae.api",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'rivae' has no attribute '{name}'")
    value = getattr(importlib.import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
