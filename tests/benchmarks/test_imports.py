"""The commands in ``benchmarks`` find what they import, also inside of functions."""

import ast
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

COMMANDS = (Path(__file__).parents[2] / "benchmarks").glob("*.py")


def exists(module, name):
    found = import_module(module)
    return hasattr(found, name) or (
        hasattr(found, "__path__") and find_spec(f"{module}.{name}") is not None
    )


def test_every_imported_name_exists():
    imported = {
        (path.name, node.module, alias.name)
        for path in COMMANDS
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("rivae")
        for alias in node.names
    }
    assert len(imported) > 50
    assert not [each for each in imported if not exists(*each[1:])]
