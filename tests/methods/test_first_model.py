"""The first model of a process opens without PyTorch's compiler."""

import subprocess
import sys

CODE = """
import sys
from rivae.methods import build_method, method_names
for name in method_names():
    build_method(name, {}, (1, 8, 8), (1, 8, 8))
    late = {"torch._dynamo", "sympy"} & set(sys.modules)
    assert not late, f"{name} imports {late}, which take a second or two"
"""


def test_no_method_imports_the_compiler_to_be_built(repo_root):
    done = subprocess.run(
        [sys.executable, "-c", CODE], cwd=repo_root, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
