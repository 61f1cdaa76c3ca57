"""RIVAE Explorer: see and steer what a cross-modal retrieval model has learned.

The package reads like the paper: ``data -> nets -> methods -> training -> retrieval ->
traversal -> metrics``, then ``plots`` and last ``ui``. Imports run one way only.
"""

import os

# With a busy neighbour two OpenMP threads are five to nine times slower than one on networks of
# this size, so one thread is the default. Both must be set before torch is first imported.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

__version__ = "0.1.0"
