"""A new part is one file: every example of ``docs/extending.md``, put into a copy of the package,
turns no fast test red.
"""

import os
import re
import shutil
import subprocess
import sys

import pytest

from tests.conftest import ROOT
from tests.documented import example

# Heading of the document -> the folder in which its example is a file.
EXAMPLES = {
    "A data set": "rivae/data/sets",
    "A method": "rivae/models/methods",
    "A metric": "rivae/metrics/measures",
    "An index": "rivae/retrieval/indexes",
}
NOT_COPIED = (
    ".*cache*",
    ".git",
    ".venv",
    ".hypothesis",
    "__pycache__",
    "runs",
    "build",
    "*.egg-info",
)


def name_of(code):
    """The name that the part of an example gives itself: as ``name``, or first of what makes it."""
    said = re.findall(r'^\s*name\b[^"\n]*=\s*"([a-z0-9-]+)"', code, re.MULTILINE)
    made = re.findall(r'^\w+ = \w+\(\s*"([a-z0-9-]+)"', code, re.MULTILINE)
    return (said or made)[-1]


@pytest.mark.slow(rare=True)
def test_the_examples_of_the_document_turn_no_test_red(tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*NOT_COPIED))
    for heading, folder in EXAMPLES.items():
        code = example(heading)
        file = copy / folder / f"{name_of(code).replace('-', '_')}.py"
        assert not file.exists()
        file.write_text(code)
    command = [sys.executable, "-m", "pytest", "-n", "3", "--dist", "loadgroup", "-q", "--tb=short"]
    said = subprocess.run(
        [*command, "-m", "not slow and not browser"],
        cwd=copy,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(copy)},
    )
    assert said.returncode == 0, said.stdout[-20_000:]
