"""Parts of all kinds: one's own in this process, and those of an installed package everywhere."""

import json
import os
import subprocess
import sys
from dataclasses import replace

import pytest

import rivae
from rivae.api.register import kinds
from rivae.base.errors import ConfigError
from rivae.cli import main
from rivae.data import load_dataset
from rivae.data.names import DATASETS
from tests.conftest import ROOT
from tests.documented import example


def test_every_kind_has_parts_and_none_has_those_of_another():
    every = kinds()
    assert len({parts.kind for parts in every}) == len({parts.group for parts in every}) == 6
    for parts in every:
        assert len(parts) > 0
        for name in parts:
            assert [other.kind for other in every if other.fits(parts[name])] == [parts.kind]


def test_a_part_of_ones_own_is_found_by_its_name(capsys):
    mine = replace(DATASETS["split-digits"], name="mine", title="My digits")
    try:
        assert rivae.register(mine) is mine and rivae.register(mine) is mine
        assert len(load_dataset("mine")) == 1797
        assert main(["parts", "data set", "--json"]) == 0
        rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        assert {
            "kind": "data set",
            "name": "mine",
            "title": "My digits",
            "blurb": mine.blurb,
        } in rows
    finally:
        DATASETS.unregister("mine")
    with pytest.raises(ConfigError):
        load_dataset("mine")


@pytest.mark.parametrize("part", [None, 3, "synth", object(), dict, replace, print])
def test_what_is_of_no_kind_is_one_sentence(part):
    with pytest.raises(ConfigError) as refused:
        rivae.register(part)
    assert "\n" not in str(refused.value) and len(str(refused.value)) < 400


def test_an_unknown_kind_is_one_sentence(capsys):
    assert main(["parts", "nothing"]) == 1
    assert len(capsys.readouterr().err.splitlines()) == 1


# A package of others, as it is installed: a method, and one that cannot be loaded.
STRANGER = {
    "nearest_method.py": example("A method"),
    "nearest_method-1.dist-info/METADATA": (
        "Metadata-Version: 2.1\nName: nearest-method\nVersion: 1\n"
    ),
    "nearest_method-1.dist-info/entry_points.txt": (
        "[rivae.methods]\nnearest = nearest_method:Nearest\nbroken = nearest_method:Nothing\n"
    ),
}
NAMES = """
import contextlib, io, sys
from rivae.cli import main
said = io.StringIO()
for command in ("train", "benchmark"):
    with contextlib.redirect_stdout(said), contextlib.suppress(SystemExit):
        main([command, "--help"])
words = said.getvalue().replace(",", " ").split()
assert words.count("nearest") >= 1 and words.count("broken") >= 1
print(sorted({"torch", "streamlit", "nearest_method"} & set(sys.modules)))
"""
LISTS = """
import json
from rivae.benchmark.lines import ALL
from rivae.benchmark.tables import title
from rivae.cli import main
from rivae.models.registry import METHODS
assert main(["parts", "method"]) == 0
print(json.dumps([list(METHODS), title("nearest"), [line[0] for line in ALL]]))
"""
PAGE = """
import json, sys
from streamlit.testing.v1 import AppTest
page = AppTest.from_file(sys.argv[1] + "/rivae/app/main.py", default_timeout=60)
page.query_params["training"] = "New run"
page.switch_page(sys.argv[1] + "/pages/train.py").run()
fields = lambda: {box.key: box for box in (*page.selectbox, *page.text_input)}
options = fields()["train_field_method"].options
fields()["train_field_method"].set_value("nearest").run()
errors = [error.value for error in page.exception]
print(json.dumps([options, errors, fields()["train_field_method.push"].label]))
"""


@pytest.fixture
def run(tmp_path):
    """Runs Python with these arguments where the package of others is installed."""
    for name, text in STRANGER.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    paths = {"PYTHONPATH": os.pathsep.join((str(tmp_path), str(ROOT)))}
    env = {**os.environ, **paths, "RIVAE_RUNS": str(tmp_path / "runs")}

    def run(*words):
        said = subprocess.run(
            [sys.executable, *words], capture_output=True, text=True, cwd=tmp_path, env=env
        )
        assert said.returncode == 0, said.stderr
        return said.stdout

    return run


def test_help_names_a_method_of_an_installed_package_and_loads_nothing(run):
    assert run("-c", NAMES) == "[]\n"


@pytest.mark.slow
def test_a_method_of_an_installed_package_is_seen_by_all(run):
    """In command line, benchmark and training, with nothing changed here."""
    listed, facts = run("-c", LISTS).rsplit("\n", 2)[:2]
    names, title, benchmark = json.loads(facts)
    assert "nearest" in names and title == "Nearest" and "nearest" in benchmark
    assert "Nearest" in listed
    (broken,) = (line for line in listed.splitlines() if line.split()[0] == "broken")
    assert "nearest-method" in broken or "nearest_method" in broken
    settings = ("--set", "epochs=1", "--set", "dataset.n_pairs=60")
    run("-m", "rivae", "train", "synth", "--method", "nearest", "--name", "near", *settings)
    assert "Nearest" in run("-m", "rivae", "runs") or "nearest" in run("-m", "rivae", "runs")


@pytest.mark.slow
def test_a_method_of_an_installed_package_has_its_form(run):
    options, errors, label = json.loads(run("-c", PAGE, str(ROOT)).splitlines()[-1])
    assert "Nearest" in options and not errors and label.startswith("Weight: push")
