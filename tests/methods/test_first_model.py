"""A process builds, opens and trains models without PyTorch's compiler."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

CODE = """
import sys
from rivae.models.registry import build_method, METHODS
for name in METHODS:
    build_method(name, {}, (1, 8, 8), (1, 8, 8))
    late = {"torch._dynamo", "sympy"} & set(sys.modules)
    assert not late, f"{name} imports {late}, which take a second or two"

from pathlib import Path
from rivae.jobs.launch import train
from tests.training.tiny import tiny_config
train([tiny_config(reg_form="jvp")], Path(sys.argv[1]))
assert "torch._dynamo" not in sys.modules, "training imports the compiler"
"""


def test_no_method_imports_the_compiler(repo_root, tmp_path):
    line = [sys.executable, "-c", CODE, str(tmp_path)]
    done = subprocess.run(line, cwd=repo_root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
