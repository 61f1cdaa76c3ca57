"""Finds Chrome or Chromium on this machine: for charts as PNG and SVG, for tests and for CI.

``python -m rivae.browser`` prints its path, or exits with 1 and one sentence. Needs nothing but
the standard library, so that ``.ci/run`` can ask before anything is installed.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys

# The first is Chromium's engine without its windows, which starts in half the time.
NAMES = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
)
HOW_TO = (
    "install Chrome or Chromium (Debian: apt-get install chromium), or set BROWSER_PATH to one "
    "that is installed elsewhere"
)


def find_browser() -> str | None:
    """The path of a browser to drive, or None.

    ``BROWSER_PATH`` decides where it is set; then the names above are looked for on the path, then
    the places of macOS and Windows that kaleido knows.
    """
    if from_environment := os.environ.get("BROWSER_PATH"):
        return shutil.which(from_environment)
    for name in NAMES:
        if path := shutil.which(name):
            return path
    with contextlib.suppress(ImportError):
        from choreographer.browsers.chromium import Chromium

        return Chromium.find_browser(skip_local=False)
    return None


def main() -> int:
    """Print the path of the browser; 1 when none is found."""
    browser = find_browser()
    if browser is None:
        sys.stderr.write(f"no browser found: {HOW_TO}\n")
        return 1
    sys.stdout.write(f"{browser}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
