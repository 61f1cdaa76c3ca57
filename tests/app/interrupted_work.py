"""Work for a task that, like a library in C, answers an interruption with an error of its own."""

import time

from rivae.base.errors import RivaeError


def fail_when_interrupted(spec, progress):
    progress("working", 0.5)
    try:
        time.sleep(60)
    except KeyboardInterrupt:
        raise RivaeError("broken off") from None
