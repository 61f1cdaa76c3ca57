"""What commands print: on any terminal, to a full disk, and to a reader who has read enough."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rivae.base.errors import ConfigError
from rivae.base.output import fitting, with_output
from rivae.cli.common import Steps
from tests.waiting import PATIENCE_S

SIGNS = "3 × 4 ± 1, 2–5 … 90° · R² → “é” 日"


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "utf-8", "nonsense"])
def test_every_terminal_shows_what_it_can(encoding):
    shown = fitting(SIGNS, encoding)
    if encoding == "nonsense":
        assert shown == SIGNS
        return
    shown.encode(encoding)
    assert fitting("plain", encoding) == "plain"
    if encoding == "utf-8":
        assert shown == SIGNS
    if encoding == "ascii":
        assert shown.startswith("3 x 4 +/- 1, 2-5 ... 90 deg") and "\\xe9" in shown
    if encoding == "latin-1":
        assert "3 × 4 ± 1, 2-5" in shown and "é" in shown
    # A file's name may hold bytes that are no text.
    assert fitting("a\udcffb", encoding) == "a\\udcffb"


def command(*words, **options):
    """A command in a process of its own, with the streams of ``options``."""
    plain = {"PYTHONIOENCODING": "ascii", "LC_ALL": "C", "PYTHONUTF8": "0"}
    return subprocess.run(
        [sys.executable, "-m", "rivae", *words],
        env={**os.environ, **plain},
        check=False,
        timeout=PATIENCE_S,
        **options,
    )


FULL = Path("/dev/full")
needs_full = pytest.mark.skipif(not FULL.exists(), reason="no full device here")


@pytest.mark.slow
@needs_full
@pytest.mark.parametrize("words", [["runs"], ["--help"], ["runs", "--json"]])
def test_output_that_is_lost_is_one_sentence(words):
    with FULL.open("w") as full:
        done = command(*words, stdout=full, stderr=subprocess.PIPE)
        assert done.returncode == 1
        said = done.stderr.decode("ascii")
        assert said.count("\n") == 1 and os.strerror(28) in said
        # Nowhere to say it: the code alone.
        assert command(*words, stdout=full, stderr=full).returncode == 1


@pytest.mark.slow
@needs_full
def test_progress_that_is_lost_stops_nothing():
    with FULL.open("w") as full:
        done = command("datasets", "synth", stdout=subprocess.PIPE, stderr=full)
    assert done.returncode == 0 and b"3000" in done.stdout


@pytest.mark.slow
def test_an_ascii_terminal_and_a_short_reader():
    done = command("runs", capture_output=True)
    assert done.returncode == 0 and done.stderr == b"" and b"demo-synth" in done.stdout
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as closed:
        done = command("runs", stdout=closed, stderr=subprocess.PIPE)
    assert done.returncode == 0 and done.stderr == b""


class Broken:
    """A stream that takes ``n`` writes."""

    encoding = "utf-8"

    def __init__(self, n, error):
        self.left, self.error, self.text = n, error, ""

    def write(self, text):
        if not self.left:
            raise self.error
        self.left -= 1
        self.text += text

    def flush(self):
        pass

    def isatty(self):
        return False

    def fileno(self):
        raise OSError("no handle")


@pytest.mark.parametrize("n", range(4))
def test_streams_break_at_any_write(n, monkeypatch):
    """A command that catches OSError does not take the lost output for a failure of its own."""

    def work():
        try:
            for i in range(3):
                sys.stdout.write(str(i))
            return 0
        except OSError:
            return 7

    for error, code in ((OSError(28, "full"), 1), (BrokenPipeError(32, "closed"), 0)):
        errors = Broken(100, None)
        monkeypatch.setattr(sys, "stdout", Broken(n, error))
        monkeypatch.setattr(sys, "stderr", errors)
        assert with_output(work) == (0 if n == 3 else code)
        assert ("full" in errors.text) == (n < 3 and code == 1)


@pytest.mark.parametrize("n", range(3))
def test_steps_go_on_without_stderr(n, monkeypatch):
    def work():
        with Steps("x", "first") as steps:
            steps.keep("kept")
            steps("last", 1.0)
        return 5

    monkeypatch.setattr(sys, "stderr", Broken(n, OSError(28, "full")))
    assert with_output(work) == 5


def test_an_error_of_the_user_is_a_sentence(capsys):
    def refuse():
        raise ConfigError("too much: take less")

    assert with_output(refuse, "x") == 1
    assert capsys.readouterr().err == "x: too much: take less\n"
