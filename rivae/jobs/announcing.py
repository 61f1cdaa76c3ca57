"""Tell others that a run of the queue has ended: a command of the user's, or an address on the web.

``RIVAE_ON_END`` is a command line, which gets one JSON object on its standard input; it is run
without a shell. ``RIVAE_WEBHOOK`` is an http or https address, to which the same object is posted.
Both are set by whoever starts the app or the queue, and neither can be set from the app. The object
has "run", "state" ("finished", "failed", "cancelled" or "lost") and "message".
"""

from __future__ import annotations

import json
import logging
import os
import shlex
import subprocess
import sys
import urllib.request
from collections.abc import Mapping
from contextlib import suppress
from urllib.parse import urlsplit

from rivae.base.installed import PACKAGE_ROOT

COMMAND, ADDRESS = "RIVAE_ON_END", "RIVAE_WEBHOOK"
SECONDS = 30.0  # for either to answer
log = logging.getLogger("rivae.jobs")


def announce(event: Mapping[str, str]) -> None:
    """Tell it in a process of its own, so that nothing waits; does nothing where none is set."""
    if not (os.environ.get(COMMAND) or os.environ.get(ADDRESS)):
        return
    with suppress(OSError):
        process = subprocess.Popen(
            [sys.executable, "-m", "rivae.jobs.announcing"],
            cwd=str(PACKAGE_ROOT),
            stdin=subprocess.PIPE,
            start_new_session=True,
        )
        assert process.stdin is not None
        with process.stdin as stream:
            stream.write(json.dumps(event).encode())


def tell(event: bytes) -> list[str]:
    """Run the command and post to the address; returns a sentence about each that failed."""
    failed = []
    if command := os.environ.get(COMMAND):
        try:
            subprocess.run(shlex.split(command), input=event, timeout=SECONDS, check=True)
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            failed.append(f"the command of {COMMAND} failed: {error}")
    if address := os.environ.get(ADDRESS):
        try:
            if urlsplit(address).scheme not in ("http", "https"):
                raise ValueError("it is no http or https address")
            request = urllib.request.Request(
                address, event, {"Content-Type": "application/json"}, method="POST"
            )
            urllib.request.urlopen(request, timeout=SECONDS).close()
        except (OSError, ValueError) as error:
            failed.append(f"the address of {ADDRESS} was not told: {error}")
    return failed


if __name__ == "__main__":
    for sentence in tell(sys.stdin.buffer.read()):
        log.warning("%s", sentence)
