"""Memory that is freed goes back to the system."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from rivae.app.work import memory

# Many small pieces, of which every hundredth stays: glibc alone cannot shrink its heap then.
FREES = """
import re
from pathlib import Path
from rivae.app.work.memory import give_back

def resident():
    return int(re.search(r"RssAnon:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024

pieces = [bytearray(20_000) for _ in range(10_000)]
full = resident()
kept = pieces[::100]
del pieces
freed = resident()
gives = give_back()
print(gives, full, freed, resident())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_what_was_freed_is_given_back():
    if memory._trim() is None:
        pytest.skip("this system's library has no malloc_trim")
    env = {**os.environ, "MALLOC_ARENA_MAX": "2"}
    line = [sys.executable, "-c", FREES]
    out = subprocess.run(line, env=env, cwd=Path.cwd(), capture_output=True, text=True, check=True)
    gives, full, freed, after = out.stdout.split()
    assert gives == "True"
    assert float(freed) > float(full) - 20, "freed pieces stay with the process"
    assert float(after) < float(full) - 150, "until it is asked for them"


def test_it_ends_with_the_server_and_where_there_is_no_way(monkeypatch):
    monkeypatch.setattr(memory, "EVERY_S", 0.0)
    calls, stop = [], threading.Event()

    def asked():
        calls.append(1)
        if len(calls) == 3:
            stop.set()
        return True

    monkeypatch.setattr(memory, "give_back", asked)
    memory.keep_giving_back(stop)
    assert len(calls) == 3
    monkeypatch.setattr(memory, "give_back", lambda: False)
    memory.keep_giving_back(threading.Event())
