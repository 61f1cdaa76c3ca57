"""What the commands share: lists of seeds, settings, tables, Ctrl-C."""

import pytest

from rivae.app.forms.sweep import parse_seeds
from rivae.base.errors import ConfigError
from rivae.cli import main
from rivae.cli.common import RESUME_HINT, number, parse_settings, print_table


@pytest.mark.parametrize(
    ("text", "seeds"),
    [("3", [3]), ("0-3", [0, 1, 2, 3]), ("0,2,5", [0, 2, 5]), ("0-1, 7", [0, 1, 7]), ("4-4", [4])],
)
def test_seeds(text, seeds):
    assert parse_seeds(text) == seeds


@pytest.mark.parametrize(
    "text", ["", "x", "-1", "3-1", "1,1", "0-2,1", "0-1000", "0-9999999999", "1.5", "1-2-3", "²"]
)
def test_wrong_seeds(text):
    with pytest.raises(ConfigError, match=r"names no seeds|must name 1 to 1000 different seeds"):
        parse_seeds(text)


def test_settings_are_json_or_text():
    pairs = ["eta=[1, 0.1]", "method.init=none", "dataset.folder=/x=y", "training.clip_norm=null"]
    assert parse_settings(pairs) == {
        "method": {"eta": [1, 0.1], "init": "none"},
        "dataset": {"folder": "/x=y"},
        "training": {"clip_norm": None},
    }
    assert parse_settings([]) == {"method": {}, "dataset": {}, "training": {}}
    assert parse_settings(["a=" + "[" * 100_000])["method"]["a"].startswith("[[")


def test_tables_and_numbers(capsys):
    print_table([("a", "long cell"), ("wide", "b")], ("x", "y"))
    assert capsys.readouterr().out == "x     y\na     long cell\nwide  b\n"
    assert number(1) == "1.00" and number(None) == "–" and number(0.1234, 3) == "0.123"


def test_ctrl_c_in_any_command_ends_with_130(monkeypatch, capsys):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("rivae.data.load_dataset", stop)
    assert main(["datasets", "synth"]) == 130
    monkeypatch.setattr("rivae.benchmark.run.benchmark", stop)
    assert main(["benchmark"]) == 130
    said = capsys.readouterr().err
    spoken = [line for line in said.splitlines() if line.startswith("stopped")]
    assert spoken == ["stopped", f"stopped: {RESUME_HINT}"]
