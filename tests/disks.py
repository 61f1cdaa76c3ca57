"""A disk that is full, as far as this process and those that it starts can see."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch


@contextmanager
def files_of_at_most(n_bytes: int) -> Iterator[None]:
    """What is written directly fails in the middle, as it does on a full disk.

    No bytecode is written meanwhile: Python (before 3.12.8) leaves a part of it in the environment,
    and every later process that imports the module fails.
    """
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    no_bytecode = {"PYTHONDONTWRITEBYTECODE": "1"}
    with patch.object(sys, "dont_write_bytecode", True), patch.dict(os.environ, no_bytecode):
        resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, before[1]))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
