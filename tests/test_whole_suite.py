"""A new part is one file: every example of ``docs/extending.md``, put into a copy of the package,
turns no fast test red.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rivae.api.register import kinds
from tests.conftest import ROOT
from tests.documented import example

# Heading of the document -> the folder in which its example is a file.
EXAMPLES = {
    f"{'An' if parts.kind[0] in 'aeiou' else 'A'} {parts.kind}": parts.package.replace(".", "/")
    for parts in kinds()
}
NOT_COPIED = {".git", ".venv", "runs", "build"}  # of the root
# Every file that an example has turned red so far, and contracts that take moments.
LISTING = (
    "tests/alignment/test_registry.py",
    "tests/app/test_walk.py",
    "tests/benchmark/test_steps.py",
    "tests/cli/test_cli_training.py",
    "tests/data/test_contract.py",
    "tests/importing/test_features.py",
    "tests/methods/test_docstrings.py",
    "tests/methods/test_presets.py",
    "tests/metrics/test_registry.py",
    "tests/retrieval/test_indexes.py",
    "tests/retrieval/test_storage.py",
    "tests/test_extending.py",
    "tests/test_register.py",
)


def name_of(code):
    """The name that the part of an example gives itself: as ``name``, or first of what makes it."""
    said = re.findall(r'^\s*name\b[^"\n]*=\s*"([a-z0-9-]+)"', code, re.MULTILINE)
    made = re.findall(r'^\w+ = \w+\(\s*"([a-z0-9-]+)"', code, re.MULTILINE)
    return (said or made)[-1]


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """The files of this repository, and a new one for each example."""
    copy = tmp_path_factory.mktemp("whole") / "copy"
    # Bytecode goes along: times of files are copied as well, so that nothing is compiled again;
    # but not pytest's, which names the files that it was made of.
    made = shutil.ignore_patterns(".*_cache", ".hypothesis", "*.egg-info", "*-pytest-*.pyc")

    def left_out(folder, names):
        of_root = NOT_COPIED.intersection(names) if Path(folder) == ROOT else set()
        return made(folder, names) | of_root

    shutil.copytree(ROOT, copy, ignore=left_out)
    for heading, folder in EXAMPLES.items():
        code = example(heading)
        file = copy / folder / f"{name_of(code).replace('-', '_')}.py"
        assert not file.exists()
        file.write_text(code)
    return copy


def passes(copy, *words):
    """Run a module of Python in the copy, whose own files it imports."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    env.pop("RIVAE_LEFT_OUT", None)
    env = {"RIVAE_SHARED": str(ROOT.parent / "shared" / "data")} | env | {"PYTHONPATH": str(copy)}
    said = subprocess.run(
        [sys.executable, "-m", *words], cwd=copy, capture_output=True, text=True, env=env
    )
    assert said.returncode == 0, said.stdout[-20_000:] + said.stderr[-5_000:]


TESTS = ("pytest", "-q", "--tb=short", "-m", "not slow and not browser")
# Not of a list: seconds with networks that are there already.
OF_OLD_PARTS = ("efficientnet", "minilm", "read_together", "dropped", "one_command", "every_step")


@pytest.mark.slow
def test_the_examples_turn_no_test_of_lists_red(copy):
    passes(copy, "ruff", "check", *EXAMPLES.values())
    lists = ("-k", " and ".join(f"not {word}" for word in OF_OLD_PARTS), *LISTING)
    passes(copy, *TESTS, *lists)  # in one process: a second one would import all of it again


@pytest.mark.slow(rare=True)
def test_the_examples_of_the_document_turn_no_test_red(copy):
    passes(copy, "mypy", *EXAMPLES.values())
    passes(copy, *TESTS, "-n", "3", "--dist", "loadgroup")
