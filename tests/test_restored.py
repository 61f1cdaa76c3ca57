"""What docs/operating.md says to back up, put back into other folders, as on another machine."""

import json
import shutil

import numpy as np
import pandas as pd
import pytest

import rivae
from rivae.cli.main import main

pytestmark = pytest.mark.slow
VARIABLES = {"RIVAE_DATA": "data", "RIVAE_RUNS": "runs", "RIVAE_LABELS": "labels/labels.db"}
SHORT = ("init_epochs=1", "ivae_epochs=1", "joint_epochs=1", "n_components=4", "dim_v=16")
Z = np.linspace(-1, 1, 4)


@pytest.fixture
def world(tmp_path, monkeypatch, capsys):
    """Sets where everything is kept, and runs a command there."""

    def at(place):
        for variable, path in VARIABLES.items():
            monkeypatch.setenv(variable, str(tmp_path / place / path))
        (tmp_path / place).mkdir(exist_ok=True)
        return tmp_path / place

    def command(*line):
        assert main([*map(str, line)]) == 0
        return capsys.readouterr().out

    return at, command


def test_a_backup_is_put_back_elsewhere(world, few_pairs):
    at, command = world
    first = at("first")
    shutil.copytree(few_pairs, first / "data" / "few")
    settings = [part for one in SHORT for part in ("--set", one)]
    command("train", "few", "--name", "bars", *settings)
    factor = rivae.load_run("bars").data.factor_specs[0].name
    command("axes", "add", "bars", "--factor", factor, "--name", "Mine", "--keep")
    command("evaluate", "bars")
    command("labels", "plan", "plan", "bars", "--minutes", 20)
    ids = [rivae.load_run("bars").data.recipe(i).id for i in range(3)]
    table = pd.DataFrame({"item": ids, "annotator": "ann", "baked": [1, 3, 5]})
    table.to_csv(first / "mine.csv", index=False)
    command("labels", "import", first / "mine.csv", "--plan", "plan")
    before = seen(command, first)
    assert len(before[1]) == 3

    # As the table says: folders as they are but for what is made again, labels as a file.
    second = first.parent / "second"
    for name in ("runs", "data"):
        ignored = shutil.ignore_patterns("cache")
        shutil.copytree(first / name, second / name, ignore=ignored)
    (second / "labels").mkdir()
    newest = max((first / "labels" / "backups").glob("*.db"))
    shutil.copy(newest, second / "labels" / "labels.db")
    command("labels", "export", second / "labels.jsonl")
    shutil.rmtree(first)
    at("second")
    command("labels", "import", second / "labels.jsonl")
    assert seen(command, second) == before


def seen(command, place):
    """The items that a point finds, and every list, wherever the files are."""
    ids = rivae.load_run("bars").explorer.topk(Z, 10).ids.tolist()
    lists = [command(*line, "--json").replace(str(place), "PLACE") for line in LISTS]
    labels = command("labels", "export", "-").splitlines()
    return ids, sorted(labels), *map(json.loads, lists)


LISTS = (("runs",), ("axes", "list", "bars"), ("labels", "plans"), ("datasets",))
