"""The benchmark command: resumes, counts failures, puts the paper's numbers beside ours."""

import math

import pandas as pd
import pytest

from rivae.benchmark.paper import paper_value
from rivae.benchmark.plan import Cell
from rivae.benchmark.report import report
from rivae.benchmark.run import benchmark, run_cell
from rivae.errors import RunError
from rivae.runs import Run

SHORT = (("init_epochs", 1), ("ivae_epochs", 1), ("joint_epochs", 1))


def row(score: float, seed: int, state: str = "finished", metric: str = "recall_at_1"):
    return {
        "dataset": "sprites",
        "method": "rivae",
        "preset": "default",
        "settings": "",
        "seed": seed,
        "draw": 0,
        "state": state,
        "seconds": 1.0,
        "metric": metric,
        "range": "",
        "score": score,
    }


def test_the_report_gives_mean_spread_count_and_the_papers_number() -> None:
    text = report([row(0.9, 0), row(1.0, 1)])
    assert "| sprites | rivae (default) | 0.950 ± 0.050 [1] |" in text
    assert "[1] | – | – | – | 2 |" in text


def test_a_failed_run_is_counted_and_not_averaged() -> None:
    text = report([row(0.9, 0), row(math.nan, 1, "failed")])
    assert "0.900 ± 0.000" in text
    assert "2, 1 failed" in text


def test_a_cell_without_any_finished_run_still_has_its_line() -> None:
    text = report([row(math.nan, 0, "failed")])
    assert "1, 1 failed" in text


def test_paper_values() -> None:
    assert paper_value("sprites", "rivae", "completeness") == 0.9133
    assert paper_value("sprites", "rivae", "mcc") is None


def test_finished_runs_are_reused_and_other_settings_refused(tmp_path) -> None:
    cell = Cell("synth", "rivae", "default", (0, 1), settings=SHORT)
    said: list[str] = []
    rows = benchmark([cell], tmp_path / "runs", tmp_path / "out", said.append)
    names = {config.name for config in cell.configs()}
    assert {r["seed"] for r in rows if r["method"] == "rivae"} == {0, 1}
    assert all(r["state"] == "finished" for r in rows)
    models = {n: Run(tmp_path / "runs" / n).content_hash for n in names}

    table = pd.read_parquet(tmp_path / "out" / "results.parquet")
    assert len(table) == len(rows)
    chance = table[table.method.str.startswith("chance")]
    assert set(chance.metric) == {"disentanglement", "completeness", "informativeness"}
    again = benchmark([cell], tmp_path / "runs", tmp_path / "out", said.append)
    assert {n: Run(tmp_path / "runs" / n).content_hash for n in names} == models
    assert [r["score"] for r in again if r["metric"] == "recall_at_1"] == [
        r["score"] for r in rows if r["metric"] == "recall_at_1"
    ]

    other = tmp_path / "runs" / min(names) / "config.json"
    other.write_text(other.read_text().replace('"lambda_reg": 0.1', '"lambda_reg": 0.2'))
    with pytest.raises(RunError, match="other settings"):
        run_cell(cell, tmp_path / "runs", said.append)


def test_rows_of_another_sitting_stay(tmp_path) -> None:
    from rivae.benchmark.report import read_rows, write_report

    write_report([row(0.9, 0)], tmp_path)
    kept = read_rows(tmp_path)
    assert [r["score"] for r in kept] == [0.9]


def test_chance_is_low_on_average_and_informative() -> None:
    from rivae.benchmark.chance import rotated_factors
    from rivae.data import load_dataset

    data = load_dataset("synth")
    scores = [rotated_factors(data, 30, seed) for seed in range(8)]
    d = [s["disentanglement"] for s in scores]
    assert max(d) - min(d) > 0.05, "luck must matter"
    assert sum(s["informativeness"] for s in scores) / 8 > 0.7
    with pytest.raises(ValueError, match="shared"):
        rotated_factors(load_dataset("split-digits"))
