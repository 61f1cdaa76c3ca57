"""The benchmark from training to report: failures, reuse, interruption, sizes kept apart."""

import json
import subprocess
import sys
from dataclasses import replace

import pandas as pd
import pytest

from rivae.base.errors import ConfigError, DataError
from rivae.benchmark.cell import run_cell
from rivae.benchmark.chance import chance_rows, random_items, rotated_factors
from rivae.benchmark.plan import Cell, completed_row
from rivae.benchmark.report import report, settings_report
from rivae.benchmark.rows import make_row, merge, read_rows, write_rows
from rivae.benchmark.run import benchmark
from rivae.benchmark.tables import columns
from rivae.cli import main
from rivae.data import load_dataset
from rivae.metrics.measures.dci_paper import DEFAULT_ALPHA
from rivae.runs import Run
from tests.benchmark.rows_for_tests import failed, not_run, row
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.xdist_group("benchmark benchmark")  # its runs are trained once

GOOD = Cell("synth", "rivae", "default", (0, 1), size="tiny")
# A rate at which z is NaN after an epoch.
BAD = Cell("synth", "bi-vae", "default", (0, 1), settings=(("learning_rate", 1e12),), size="tiny")
NOWHERE = Cell("split-mnist", "rivae", "default", (0,), size="tiny")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with runs and a report: one line that works, one that diverges, one without data."""
    folder = tmp_path_factory.mktemp("benchmark")
    said: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("RIVAE_MNIST", raising=False)
        benchmark([GOOD, BAD, NOWHERE], folder / "runs", folder / "out", said.append)
    return folder, said


@pytest.mark.slow
def test_the_table_has_every_metric_of_every_run(made) -> None:
    folder, _ = made
    table = pd.read_parquet(folder / "out" / "results.parquet")
    good = table[table.method == "rivae"].query("dataset == 'synth'")
    assert set(good.seed) == {0, 1} and set(good.state) == {"finished"}
    for name in ("retrieval", "factors", "standard", "alpha"):
        assert set(columns(name)) <= set(good.metric)
    at_default = good[good.metric == f"disentanglement_alpha_{DEFAULT_ALPHA:g}"].score.tolist()
    assert at_default == good[good.metric == "disentanglement"].score.tolist()
    bad = table[table.method == "bi-vae"]
    assert list(bad.state) == ["failed"] * 2 and bad.message.str.contains("infinite|nan|inf").all()


@pytest.mark.slow
def test_the_report_gives_ours_failures_and_what_was_not_run(made) -> None:
    folder, said = made
    text = (folder / "out" / "results.md").read_text()
    assert "No number here is a result" in text
    lines = text.splitlines()
    good = next(line for line in lines if line.startswith("| RIVAE (tiny) | 0.35 |"))
    assert good.count("±") == 4 and good.endswith("| 2 |")
    bad = next(line for line in lines if line.startswith("| Bi-VAE (learning_rate=1"))
    assert "| failed |" in bad and "failed (2 of 2): " in bad
    assert any("Bi-VAE on V | 0.20 | not run" in line for line in lines)
    assert any("not run: split-mnist needs the folder" in line for line in lines)
    assert any("| Bi-VAE | Failed | not run" in line for line in lines), "Recipe1M"
    assert "chance: true factors, randomly rotated" in text and "chance: random items" in text
    assert any(line.startswith("skipped: ") and "RIVAE_MNIST" in line for line in said)
    settings = (folder / "out" / "settings.md").read_text()
    assert '"learning_rate": 1000000000000.0' in settings
    assert str(folder) not in text + settings


@pytest.mark.slow
def test_finished_runs_are_reused(made) -> None:
    folder, _ = made
    runs = [folder / "runs" / config.name for config in GOOD.configs()]
    before = [(Run(run).content_hash, (run / "evaluation.json").stat().st_mtime_ns) for run in runs]
    rows = read_rows(folder / "out")
    said: list[str] = []
    again = benchmark([GOOD, BAD], folder / "runs", folder / "out", said.append)
    after = [(Run(run).content_hash, (run / "evaluation.json").stat().st_mtime_ns) for run in runs]
    assert before == after
    assert not any("train" in line or "evaluating" in line for line in said)
    key = ["dataset", "method", "seed", "metric", "range"]
    frames = [
        pd.DataFrame(r)[[*key, "score", "state"]].sort_values(key, ignore_index=True)
        for r in (rows, again)
    ]
    pd.testing.assert_frame_equal(*frames, check_dtype=False)


@pytest.mark.slow
def test_another_machine_trains_only_what_the_table_lacks(made, tmp_path) -> None:
    folder, _ = made
    table = (folder / "out" / "results.parquet").read_bytes()
    more = replace(GOOD, seeds=(1, 2))
    changed = replace(GOOD, settings=(("lambda_reg", 0.3),), seeds=(0,))

    def trained(cells, out, **how):
        (tmp_path / out).mkdir()
        (tmp_path / out / "results.parquet").write_bytes(table)
        benchmark(cells, tmp_path / out / "runs", tmp_path / out, lambda _: None, **how)
        return sorted(path.name for path in (tmp_path / out / "runs").glob("bench-*"))

    # Seed 0 and 1 stand in the table; a failed line is not tried again.
    assert trained([more, changed, BAD], "new") == sorted(
        [more.config(0, 2).name, changed.config(0, 0).name]
    )
    rows = read_rows(tmp_path / "new")
    assert {r["seed"] for r in rows if r["method"] == "rivae" and not r["settings"]} >= {0, 1, 2}
    assert trained([replace(GOOD, seeds=(1,))], "again", again=True) == [GOOD.config(0, 1).name]
    # A row of before steps were measured is not enough.
    old = [r | {"chosen": None} for r in read_rows(folder / "out")]
    write_rows(old, tmp_path)
    benchmark([replace(GOOD, seeds=(0,))], tmp_path / "old", tmp_path, lambda _: None)
    assert (tmp_path / "old" / GOOD.config(0, 0).name).exists()


@pytest.mark.slow
def test_other_settings_in_a_run_folder_are_refused(made, tmp_path) -> None:
    folder, _ = made
    run = folder / "runs" / GOOD.configs()[0].name
    copy = tmp_path / run.name
    copy.mkdir()
    for name in ("config.json", "status.json"):
        text = (run / name).read_text()
        (copy / name).write_text(text.replace('"lambda_reg": 0.1', '"lambda_reg": 0.2'))
    (rows,) = run_cell(Cell("synth", "rivae", "default", (0,), size="tiny"), tmp_path, print)
    assert rows[0]["state"] == "not run" and "has other settings: delete" in rows[0]["message"]


@pytest.mark.slow
def test_a_setting_younger_than_a_run_does_not_make_it_another_run(made, tmp_path) -> None:
    folder, _ = made
    run = folder / "runs" / GOOD.configs()[0].name
    copy = tmp_path / run.name
    copy.mkdir()
    for name in ("status.json", "evaluation.json"):
        (copy / name).write_bytes((run / name).read_bytes())
    config = json.loads((run / "config.json").read_text())
    del config["method"]["settings"]["axis_reach"]  # its default
    (copy / "config.json").write_text(json.dumps(config))
    (rows,) = run_cell(Cell("synth", "rivae", "default", (0,), size="tiny"), tmp_path, print)
    assert rows[0]["state"] == "finished"


@pytest.mark.slow
def test_a_run_of_another_processor_is_used_and_named(made, tmp_path) -> None:
    folder, _ = made
    (tmp_path / "runs").mkdir()
    for config in GOOD.configs():
        other = replace(GOOD, place=(("device", "cuda"), ("precision", "bf16")))
        run = Run.create(other.config(0, config.seed), tmp_path / "runs")
        for name in ("status.json", "evaluation.json", "steps.json"):
            source = folder / "runs" / run.id / name
            if source.exists():
                (run.path / name).write_bytes(source.read_bytes())
        status = json.loads((run.path / "status.json").read_text()) | {"precision": "bf16"}
        (run.path / "status.json").write_text(json.dumps(status))
    rows = benchmark([GOOD], tmp_path / "runs", tmp_path / "out", print, training=False)
    ours = [r for r in rows if r["method"] == "rivae"]
    assert {(r["state"], r["device"], r["precision"]) for r in ours} == {
        ("finished", "cuda", "bf16")
    }
    text = (tmp_path / "out" / "results.md").read_text()
    assert "| in batches of up to 2, on a card, in bfloat16 |" in text
    stored = read_rows(tmp_path / "out")
    assert {r["device"] for r in stored} == {"cuda", "cpu"}  # the chance levels took none


def test_a_broken_run_is_one_row_beside_the_others(tmp_path) -> None:
    cell = Cell("synth", "cos-sim-lvm", "default", (0, 1), size="tiny")
    broken, failed = (Run.create(config, tmp_path) for config in cell.configs())
    (broken.path / "status.json").write_text('{"state": 5}')
    failed.set_status(state="failed", message="it diverged", started="20", updated="yesterday")
    ((first,), (second,)) = run_cell(cell, tmp_path, print, training=False)
    assert first["state"] == "not run" and "no readable status.json" in first["message"]
    assert (second["state"], second["message"]) == ("failed", "it diverged")
    assert second["seconds"] is None, "its times are none"


@pytest.mark.slow
def test_stopped_in_the_middle_it_keeps_its_rows_and_goes_on(made, tmp_path) -> None:
    def stop(line: str) -> None:
        if line.startswith("evaluating") and line.endswith("s1"):
            raise KeyboardInterrupt

    cell = Cell("synth", "cos-sim-lvm", "default", (0, 1), size="tiny")
    with pytest.raises(KeyboardInterrupt):
        benchmark([cell], tmp_path / "runs", tmp_path / "out", stop)
    kept = [r for r in read_rows(tmp_path / "out") if r["method"] == "cos-sim-lvm"]
    assert {r["seed"] for r in kept} == {0}
    said: list[str] = []
    rows = benchmark([cell], tmp_path / "runs", tmp_path / "out", said.append, training=False)
    assert {r["seed"] for r in rows if r["method"] == "cos-sim-lvm"} == {0, 1}
    assert not any("training" in line for line in said)


def test_only_ended_runs_without_training(tmp_path) -> None:
    rows = list(run_cell(GOOD, tmp_path, print, training=False))
    assert rows == [] and not list(tmp_path.iterdir())


@pytest.mark.slow
def test_short_runs_never_join_full_ones(made) -> None:
    folder, _ = made
    full = Cell("synth", "rivae", "default", (0,))
    before = (folder / "out" / "results.parquet").read_bytes()
    with pytest.raises(ConfigError, match="full and tiny results together"):
        benchmark([full], folder / "runs", folder / "out", print)
    assert (folder / "out" / "results.parquet").read_bytes() == before


@pytest.mark.slow
def test_the_command_runs_a_tiny_benchmark_in_two_processes(tmp_path, capsys) -> None:
    words = ["--tiny", "--methods", "rivae,cos-sim-lvm", "--seeds", "1", "--jobs", "2", "--json"]
    places = ["--runs", str(tmp_path / "runs"), "--out", str(tmp_path / "out")]
    assert main(["benchmark", *words, *places]) == 0
    lines = json.loads(capsys.readouterr().out)
    ours = {
        line["method"]: line
        for line in lines
        if line["metric"] == "recall_at_1" and line["table"] == "retrieval" and line["n"]
    }
    assert {"rivae", "cos-sim-lvm"} <= set(ours) and ours["rivae"]["size"] == "tiny"
    assert (tmp_path / "out" / "results.md").exists()
    assert Run(tmp_path / "runs" / GOOD.configs()[0].name).status.state == "finished"


def test_a_worker_that_dies_is_reported(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(sys, "executable", "false")
    said: list[str] = []
    rows = benchmark([GOOD], tmp_path / "runs", tmp_path / "out", said.append, jobs=2)
    mine = [r for r in rows if r["method"] == "rivae"]
    assert [(r["state"], r["seed"]) for r in mine] == [("not run", 0), ("not run", 1)]
    assert "its process ended with code 1" in mine[0]["message"]


@pytest.mark.slow
def test_a_worker_ends_with_its_parent(tmp_path) -> None:
    task = {
        "cell": {
            "dataset": "synth",
            "method": "rivae",
            "preset": "default",
            "seeds": [0],
            "draws": [0],
            "settings": [["joint_epochs", 100000]],
            "size": "tiny",
        },
        "root": str(tmp_path),
    }
    worker = subprocess.Popen(
        [sys.executable, "-m", "rivae.benchmark.run", json.dumps(task)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert worker.stdin is not None and worker.stdout is not None
    assert "training" in json.loads(worker.stdout.readline())["say"]
    worker.stdin.close()  # as when the parent is killed
    assert worker.wait(timeout=PATIENCE_S) == 130
    worker.stdout.close()


# Rows and report, by hand.


def test_rows_survive_the_file(tmp_path) -> None:
    rows = [row(0.5), failed(1), not_run(2)]
    write_rows(rows, tmp_path)
    assert read_rows(tmp_path) == rows
    assert read_rows(tmp_path / "empty") == []
    (tmp_path / "results.parquet").write_bytes(b"no table")
    with pytest.raises(DataError, match="damaged"):
        read_rows(tmp_path)


def test_merging_replaces_runs_and_drops_lines_of_other_settings() -> None:
    old = [row(0.1, 0, config="a"), row(0.2, 1, config="a"), row(0.3, 0, method="dcca")]
    same = merge(old, [row(0.9, 1, config="a")])
    assert sorted(r["score"] for r in same) == [0.1, 0.3, 0.9]
    other = merge(old, [row(0.9, 1, config="b")])
    assert sorted(r["score"] for r in other) == [0.3, 0.9]
    assert merge(old, [not_run(0)]) == old
    assert len(merge([not_run(0)], [row(0.5, 1, config="a")])) == 2


@pytest.mark.slow
def test_rows_from_before_a_setting_existed_stay(made, tmp_path) -> None:
    folder, _ = made
    kept = read_rows(folder / "out")
    older = []
    for old in kept:
        config = json.loads(old["config"] or "{}")
        if old["method"] == "rivae" and config:
            del config["method"]["init_schedule"], config["method"]["embedder"]["input_dropout"]
            config["training"]["precision"] = "bf16"  # of the processor, not of the line
            old = {**old, "config": json.dumps(config, sort_keys=True), "seed": old["seed"] + 7}
        older.append(old)
    write_rows(older, tmp_path)
    rows = benchmark([GOOD], folder / "runs", tmp_path, print)
    mine = [r for r in rows if r["method"] == "rivae" and r["dataset"] == "synth"]
    assert {r["seed"] for r in mine} == {0, 1, 7, 8}
    assert len({r["config"] for r in mine}) == 1
    strange = {**older[0], "config": '{"method": {"no_such_setting": 1}}'}
    assert completed_row(strange) == strange


def test_text_of_a_reason_cannot_break_the_table() -> None:
    text = report([failed(0, message="a | b\nc")])
    assert "failed (1 of 1): a \\| b c |" in text


def test_settings_are_those_of_the_runs() -> None:
    config = json.dumps({"method": {"eta": [0.3, 0.1]}, "training": {"device": "cpu"}})
    text = settings_report([row(0.5, config=config)])
    block = text.split("```json\n")[1].split("```")[0]
    assert json.loads(block) == json.loads(config)


@pytest.mark.slow
def test_chance_depends_on_luck_and_is_informative() -> None:
    data = load_dataset("synth", n_pairs=600)
    scores = [rotated_factors(data, 20, seed) for seed in range(4)]
    d = [s["disentanglement"] for s in scores]
    assert max(d) - min(d) > 0.05, "luck must matter"
    assert min(s["informativeness"] for s in scores) > 0.7
    assert max(s["mcc"] for s in scores) > 0.8, "a rotation of two axes keeps a high MCC"
    with pytest.raises(ValueError, match="shared"):
        rotated_factors(load_dataset("split-digits"))


def test_random_items_retrieve_by_their_number() -> None:
    digits = load_dataset("split-digits")
    n = len(digits.splits["test"])
    scores = random_items(digits)
    assert scores["recall_at_10"] == 10 / n and scores["median_rank"] == (n + 1) / 2
    assert scores["coverage"] > 0.99
    rows = chance_rows("split-digits", (0,), "full")
    assert {r["metric"] for r in rows} == set(scores)


def test_rows_of_other_data_of_the_same_name_are_not_kept():
    usual = {"dataset": "pairs", "method": "rivae", "preset": "default", "config": "{}"}
    old = [make_row(**usual, seed=seed, data="before") for seed in (0, 1)]
    unknown = make_row(**usual, seed=2)
    new = make_row(**usual, seed=0, data="now")
    assert merge([*old, unknown], [new]) == [unknown, new]
    assert merge(old, [make_row(**usual, seed=0, data="before")])[0] == old[1]
