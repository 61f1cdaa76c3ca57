"""RIVAE Explorer: see and steer what a cross-modal retrieval model has learned.

The package reads like the paper: ``data -> models -> retrieval -> training -> metrics``, then
``explore``, ``evaluation`` and ``figures``, and last ``app`` and ``cli``. Imports run one way only;
the docstring of each room says what lives there.

The names in ``__all__`` are the stable Python surface (``docs/api.md``). They are loaded on first
use, so that ``import rivae`` waits for nothing.
"""

import os
from typing import TYPE_CHECKING

from rivae.base.installed import VERSION
from rivae.base.lazy import loads_on_use
from rivae.base.moved import forward_moved_modules

if TYPE_CHECKING:
    from rivae.api.estimator import PairModel, fit
    from rivae.api.register import register
    from rivae.api.run import Axis, Run, load_run
    from rivae.notebook.opening import explore

# With a busy neighbour two OpenMP threads are five to nine times slower than one on networks of
# this size, so one thread is the default. Both must be set before torch is first imported.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

forward_moved_modules()

__version__ = VERSION
__all__ = ["Axis", "PairModel", "Run", "explore", "fit", "load_run", "register"]

_MODULES = {
    "Axis": "rivae.api.run",
    "PairModel": "rivae.api.estimator",
    "Run": "rivae.api.run",
    "explore": "rivae.notebook.opening",
    "fit": "rivae.api.estimator",
    "load_run": "rivae.api.run",
    "register": "rivae.api.register",
}
__getattr__ = loads_on_use(__name__, _MODULES)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
