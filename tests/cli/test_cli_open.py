"""``rivae open``: from a table and pictures to the app on a run, and what it refuses."""

import json
import re
import signal
import subprocess
import sys
import urllib.request
from contextlib import suppress
from pathlib import Path

import pytest

from rivae.app.serve import free_port
from rivae.base.errors import RunError
from rivae.cli import main
from rivae.data.store import list_stores
from rivae.jobs.ledger import Ledger
from rivae.runs import Run
from tests.jobs.test_quick import table_of
from tests.waiting import PATIENCE_S, until

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["nowhere.csv", "--images", "photos"], "nowhere.csv"),
        (["dishes.csv"], "--images FOLDER_OR_ZIP"),
        (["dishes.csv", "--images", "empty"], "40 × picture file"),
        (["bare.csv", "--images", "photos"], "--map picture=COLUMN"),
        (["mute.csv", "--images", "photos"], "--map title=COLUMN"),
        (["dishes.csv", "--images", "photos", "--name", "kitchen"], "'kitchen' "),
        (["dishes.csv", "--images", "photos", "--name", "No Name"], "'No Name' "),
    ],
)
def test_bad_input_is_one_sentence_and_leaves_nothing(tmp_path, monkeypatch, capsys, words, reason):
    monkeypatch.setenv("RIVAE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("RIVAE_RUNS", str(tmp_path / "runs"))
    monkeypatch.chdir(tmp_path)
    table_of(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "bare.csv").write_text("name,steps\nrice,boil")
    (tmp_path / "mute.csv").write_text("photo,depth\n0.png,3")
    assert main(["open", *words, "--json"]) == 1
    said = capsys.readouterr()
    assert reason in json.loads(said.out)["error"] and said.err.count("\n") == 1
    assert not list_stores() and not (tmp_path / "runs").exists()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_one_command_to_the_app_and_ctrl_c_leaves_the_training(tmp_path):
    table_of(tmp_path)
    line = [sys.executable, "-m", "rivae", "open", "dishes.csv", "--images", "photos"]
    line += ["--no-browser", "--port", str(free_port(20_000))]
    env = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    process = subprocess.Popen(
        line, cwd=tmp_path, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    said, found = "", None
    assert process.stdout is not None
    try:
        for text in process.stdout:
            said += text
            if found := re.search(r"RIVAE Explorer: (\S+/explore\?run=dishes) ", text):
                break
        assert found and said.index("dishes is solved") < said.index("RIVAE Explorer"), said
        assert Run(tmp_path / "runs" / "dishes").ready
        with urllib.request.urlopen(found[1], timeout=PATIENCE_S) as page:
            assert page.status == 200
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=PATIENCE_S)
    finally:
        process.kill()
    assert process.returncode == 130 and "Traceback" not in rest
    assert (said + rest).count("http://") == 1  # where JSON is asked for, nothing else may stand
    assert "rivae serve" in rest or "rivae cancel dishes" in rest
    ledger = Ledger(tmp_path / "runs")
    until(  # in the queue, without the command
        lambda: ledger.of_run("dishes-refined").state == "finished", "it is refined"
    )
    assert Run(tmp_path / "runs" / "dishes-refined").status.state == "finished"
    for job in ledger.jobs("queued", "starting", "running"):
        with suppress(RunError):  # it has ended meanwhile
            ledger.cancel(job.id)
