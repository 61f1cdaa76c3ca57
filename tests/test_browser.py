"""One place knows what a browser is called: for exports, tests, benchmarks and .ci/run."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rivae.app.shared import share
from rivae.base import browser

TOOLS = ("sh", "bash", "dirname", "cat", "chmod")


def program(path: Path, lines: str = "exit 0") -> str:
    path.write_text(f"#!/bin/sh\n{lines}\n")
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def bare(tmp_path, monkeypatch):
    """A path that holds no browser."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("BROWSER_PATH", raising=False)
    monkeypatch.setitem(sys.modules, "choreographer.browsers.chromium", None)
    share.has_browser.cache_clear()
    yield tmp_path
    share.has_browser.cache_clear()


@pytest.mark.parametrize("name", browser.NAMES)
def test_a_browser_under_any_of_its_names_serves_everything(bare, name):
    assert browser.find_browser() is None
    path = program(bare / name)
    assert browser.find_browser() == path
    assert share.has_browser()


def test_the_variable_decides(bare, monkeypatch):
    program(bare / "chromium")
    own = program(bare / "my-own")
    monkeypatch.setenv("BROWSER_PATH", own)
    assert browser.find_browser() == own
    monkeypatch.setenv("BROWSER_PATH", str(bare / "missing"))
    assert browser.find_browser() is None


def test_no_other_file_names_browsers(repo_root):
    files = [*(repo_root / ".ci").iterdir(), repo_root / "Makefile"]
    for folder in ("rivae", "tests", "benchmarks", "tools", "pages"):
        files += (repo_root / folder).rglob("*.py")
    own = {Path(__file__), repo_root / "rivae" / "base" / "browser.py"}
    named = [f for f in files if "google-chrome" in f.read_text() and f not in own]
    assert named == []


@pytest.mark.parametrize("packaged", ["chromium-headless-shell", "chromium"])
def test_ci_installs_a_browser_where_none_ever_was(tmp_path, repo_root, packaged):
    """The script itself, where a path holds a shell and a Python; apt and make are played."""
    for tool in TOOLS:
        (tmp_path / tool).symlink_to(shutil.which(tool))
    # Without packages, as a fresh machine has it.
    program(tmp_path / "python3", f'exec "{sys._base_executable}" -S "$@"')
    program(
        tmp_path / "apt-get",
        f'echo "apt-get $*" >> "{tmp_path}/calls"\ncase "$*" in\n'
        f'*" {packaged}") echo "#!/bin/sh" > "{tmp_path}/{packaged}"; '
        f'chmod 755 "{tmp_path}/{packaged}";;\nupdate*) ;;\n*) exit 100;;\nesac',
    )
    program(tmp_path / "make", 'echo "make $* with RIVAE_REQUIRE_BROWSER=$RIVAE_REQUIRE_BROWSER"')
    env = {k: v for k, v in os.environ.items() if k not in ("BROWSER_PATH", "PYTHON")}
    env["PATH"] = str(tmp_path)
    line = [str(tmp_path / "bash"), str(repo_root / ".ci" / "run")]
    done = subprocess.run(line, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert f"browser: {tmp_path / packaged}" in done.stdout
    assert "make test-all with RIVAE_REQUIRE_BROWSER=1" in done.stdout
    assert "apt-get update" in (tmp_path / "calls").read_text()
