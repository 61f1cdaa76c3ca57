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


SEEN = """
import sys
from rivae.cli import main
main(["parts", "method", "--json"])
assert "torch" not in sys.modules, "a list waits for no method of this package"
"""


def test_lists_load_nothing():
    said = subprocess.run([sys.executable, "-c", SEEN], capture_output=True, text=True, cwd=ROOT)
    assert said.returncode == 0, said.stderr
    assert "rivae" in [json.loads(line)["name"] for line in said.stdout.splitlines()]


WITH_STRANGER = """
import json
from rivae.app.forms.draft import Draft, check
from rivae.benchmark.lines import ALL
from rivae.benchmark.tables import title
from rivae.cli import main
from rivae.models.registry import METHODS
assert main(["parts", "method"]) == 0
checked = check(Draft("synth", "nearest"))
assert not checked.troubles
print(json.dumps([list(METHODS), title("nearest"), [line[0] for line in ALL]]))
"""


def test_a_method_of_an_installed_package_is_seen_by_all(tmp_path):
    """In command line, form, benchmark and training, with nothing changed here."""
    (tmp_path / "nearest_method.py").write_text(example("A method"))
    info = tmp_path / "nearest_method-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: nearest-method\nVersion: 1\n")
    (info / "entry_points.txt").write_text(
        "[rivae.methods]\nnearest = nearest_method:Nearest\nbroken = nearest_method:Nothing\n"
    )
    paths = {"PYTHONPATH": os.pathsep.join((str(tmp_path), str(ROOT)))}
    env = {**os.environ, **paths, "RIVAE_RUNS": str(tmp_path / "runs")}

    def run(*words):
        said = subprocess.run(
            [sys.executable, *words], capture_output=True, text=True, cwd=tmp_path, env=env
        )
        assert said.returncode == 0, said.stderr
        return said.stdout

    listed, facts = run("-c", WITH_STRANGER).rsplit("\n", 2)[:2]
    names, title, benchmark = json.loads(facts)
    assert "nearest" in names and title == "Nearest" and "nearest" in benchmark
    assert "Nearest" in listed
    (broken,) = (line for line in listed.splitlines() if line.split()[0] == "broken")
    assert "nearest-method" in broken or "nearest_method" in broken
    settings = ("--set", "epochs=1", "--set", "dataset.n_pairs=60")
    run("-m", "rivae", "train", "synth", "--method", "nearest", "--name", "near", *settings)
    assert "Nearest" in run("-m", "rivae", "runs") or "nearest" in run("-m", "rivae", "runs")
