"""A task in the background leaves the processor to the app."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rivae.app.work.tasks import LESS

GROUP = Path("/proc/self/autogroup")
SAY = """
import os
from pathlib import Path
from rivae.app.work.tasks import step_back
step_back()
group = Path("/proc/self/autogroup")
print(os.nice(0), group.read_text() if group.exists() else "")
"""


@pytest.mark.skipif(not hasattr(os, "nice"), reason="this system has no niceness")
def test_a_task_steps_back_alone_and_as_a_group():
    own = os.nice(0)
    before = GROUP.read_text() if GROUP.exists() else ""
    line = [sys.executable, "-c", SAY]
    said = subprocess.run(
        line, check=True, capture_output=True, text=True, start_new_session=True
    ).stdout.split()
    assert int(said[0]) == min(own + LESS, 19)
    if before:  # "/autogroup-4 nice 5"; the group of who started it stays as it was
        assert said[-1] == str(LESS)
        assert before == GROUP.read_text()
