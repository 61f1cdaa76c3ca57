"""How many cores of the processor there are for this process."""

from __future__ import annotations


def n_cores() -> int:
    """How many cores this process may use: in a container, as many as that was given.

    Example:
        >>> n_cores() >= 1
        True
    """
    from joblib import cpu_count  # its import takes .1 s, and `rivae --help` needs no cores

    return int(cpu_count())
