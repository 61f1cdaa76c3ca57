"""The modules of the browser: each imports what it uses, all join to one text, Node tests them."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from rivae.base.scripts import FOLDER, library, source

SHELLS = (
    "explore.js",
    "steer.js",
    "tour.js",
    "path.js",
    "file.js",
    "notebook.js",
    "engine_worker.js",
)
NODE = shutil.which("node")
TESTS = Path(__file__).parent


@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_joins_to_one_scope_without_imports(shell: str) -> None:
    text = source(shell)
    assert not re.search(r"^import ", text, re.MULTILINE)
    declared = re.findall(r"^(?:async function|class|function|const|let) (\w+)", text, re.MULTILINE)
    assert [name for name, n in Counter(declared).items() if n > 1] == []


def test_what_is_needed_stands_before_what_needs_it() -> None:
    text = source("explore.js")
    assert text.index("class Panel ") < text.index("class ExplorePanel ")
    assert text.count("class MapView ") == 1


def test_every_import_names_what_its_module_exports() -> None:
    for path in FOLDER.glob("*.js"):
        for names, file in re.findall(
            r'^import \{([^}]*)\} from "\./([\w.]+)"',
            path.read_text(encoding="utf-8"),
            re.MULTILINE,
        ):
            there = (FOLDER / file).read_text(encoding="utf-8")
            for name in filter(None, (part.strip() for part in names.split(","))):
                pattern = rf"^export (?:async function|class|function|const|let) {name}\b"
                assert re.search(pattern, there, re.MULTILINE), f"{path.name}: {name} of {file}"


@pytest.mark.skipif(NODE is None, reason="no Node.js on this machine")
def test_scripts_are_modules_that_node_can_read(tmp_path: Path) -> None:
    for shell in SHELLS:
        (tmp_path / f"{shell[:-3]}.mjs").write_text(source(shell), encoding="utf-8")
    (tmp_path / "library.mjs").write_text(f"const lib = {library()}", encoding="utf-8")
    for path in tmp_path.glob("*.mjs"):
        subprocess.run([str(NODE), "--check", str(path)], check=True, capture_output=True)


@pytest.mark.slow
@pytest.mark.skipif(NODE is None, reason="no Node.js on this machine")
def test_the_modules_own_tests_pass() -> None:
    files = [str(path) for path in sorted(TESTS.glob("*.test.mjs"))]
    done = subprocess.run(
        [str(NODE), "--test", *files], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
