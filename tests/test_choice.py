"""Seeds of one configuration, ranked without labels; the command that prints it."""

import json
import shutil

import numpy as np
import pytest
from safetensors.torch import load_file, save_file

from rivae.base.config import DatasetConfig, MethodChoice, RunConfig
from rivae.base.errors import ConfigError, DataError, RunError
from rivae.cli import main
from rivae.cli.choose import REMARK
from rivae.evaluation.choice import comparison_rows, rank_runs, run_latents
from rivae.runs import Run
from rivae.training import Trainer, TrainingJob

SETTINGS = {
    "n_components": 2,
    "dim_v": 4,
    "init": "none",
    "ivae_epochs": 0,
    "joint_epochs": 40,
    "loss_form": "hinge",
    "embedder": {},
    "head_hidden": [10, 10],
    "learning_rate": 0.01,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Seeds "s0" to "s2" of one configuration, and "other", which differs in a setting."""
    root = tmp_path_factory.mktemp("choice")
    jobs = []
    for seed in range(3):
        config = RunConfig(
            name=f"s{seed}",
            seed=seed,
            method=MethodChoice(settings=SETTINGS),
            dataset=DatasetConfig(name="synth", settings={"n_pairs": 600}),
        )
        run = Run.create(config, root)
        jobs.append(TrainingJob(run, run.load_dataset()))
    Trainer(jobs).fit()
    shutil.copytree(root / "s0", root / "other")
    config = json.loads((root / "other" / "config.json").read_text())
    config["method"]["settings"]["lambda_reg"] = 0.7
    (root / "other" / "config.json").write_text(json.dumps({**config, "name": "other"}))
    return root


@pytest.fixture
def runs(folder):
    return [Run(folder / f"s{seed}") for seed in range(3)]


def test_runs_come_best_first_and_no_label_is_reported(runs):
    ranked = rank_runs(runs)
    scores = [c.agreement.score for c in ranked]
    assert scores == sorted(scores, reverse=True) and 0 < scores[0] <= 1
    assert {c.run.id for c in ranked} == {"s0", "s1", "s2"}
    assert [f"s{c.seed}" for c in ranked] == [c.run.id for c in ranked]
    assert all(set(c.validation) == {"recall_at_1", "median_rank"} for c in ranked)


def test_labels_are_not_read(runs, monkeypatch):
    before = [c.agreement.score for c in rank_runs(runs)]
    build = Run.load_dataset

    def shuffled(run):
        data = build(run)
        data.factors = np.random.default_rng(0).permutation(data.factors)
        return data

    monkeypatch.setattr(Run, "load_dataset", shuffled)
    assert [c.agreement.score for c in rank_runs(runs)] == before


def test_a_copy_of_a_seed_agrees_fully_with_it(runs, folder):
    """Two runs with the same axes agree more with each other than with the third."""
    if not (folder / "twin").exists():
        shutil.copytree(folder / "s0", folder / "twin")
    ranked = rank_runs([*runs[:2], Run(folder / "twin")])
    pairwise = {c.run.id: c.agreement.parts["pairwise"] for c in ranked}
    assert pairwise["s0"]["twin"] > pairwise["s0"]["s1"]
    assert ranked[-1].run.id == "s1"


def test_latents_are_those_of_the_pair_where_the_query_fixes_only_a_distribution(runs):
    data = runs[0].load_dataset()
    rows, method = comparison_rows(data), runs[0].load_method(data)
    assert set(rows) <= set(data.splits["validation"])
    query, mask = run_latents(method, data, rows)
    data.query_fixes = "distribution"
    pair, same = run_latents(method, data, rows)
    assert pair.shape == query.shape == (len(rows), 2)
    assert not np.allclose(pair, query) and (mask == same).all()


@pytest.mark.parametrize(
    ("names", "reason"),
    [
        (["s0", "s1"], "at least three"),
        (["s0", "s1", "s1"], "named twice"),
        (["s0", "s1", "other"], "different method settings"),
    ],
)
def test_what_cannot_be_ranked_is_said_in_one_sentence(folder, names, reason):
    with pytest.raises(ConfigError, match=reason) as refusal:
        rank_runs([Run(folder / name) for name in names])
    assert "\n" not in str(refusal.value)


def test_a_run_that_diverged_or_has_no_model_is_named(runs, folder):
    bad = folder / "bad"
    if not bad.exists():
        shutil.copytree(folder / "s0", bad)
    state = load_file(str(bad / "model.safetensors"))
    save_file({k: v * float("nan") for k, v in state.items()}, str(bad / "model.safetensors"))
    with pytest.raises(DataError, match="bad"):
        rank_runs([*runs, Run(bad)])
    (bad / "model.safetensors").unlink()
    with pytest.raises(RunError, match="bad"):
        rank_runs([*runs, Run(bad)])


def test_the_command_prints_the_ranking(folder, monkeypatch, capsys):
    monkeypatch.setenv("RIVAE_RUNS", str(folder))
    assert main(["choose", "s0", "s1", "s2"]) == 0
    shown = capsys.readouterr()
    lines = shown.out.splitlines()
    assert lines[0].split()[:3] == ["run", "seed", "UDR"] and len(lines) == 4
    assert REMARK in shown.err
    assert main(["choose", "s0", "s1", "s2", "--json", "--similarity", "lasso"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["udr"] for row in rows] == sorted((row["udr"] for row in rows), reverse=True)
    assert main(["choose", "s0", "nowhere", "s2"]) == 1
    assert "nowhere" in capsys.readouterr().err


def test_a_derived_run_is_no_seed(runs, folder, tmp_path, capsys):
    shutil.copytree(folder / "s0", tmp_path / "s0-aligned")
    config = json.loads((tmp_path / "s0-aligned" / "config.json").read_text())
    changed = {**config, "name": "s0-aligned", "parent": "s0"}
    (tmp_path / "s0-aligned" / "config.json").write_text(json.dumps(changed))
    with pytest.raises(ConfigError, match="s0-aligned is s0 in other axes"):
        rank_runs([Run(tmp_path / "s0-aligned"), *runs[1:]])
    names = [str(run.path) for run in runs[1:]]
    assert main(["choose", str(tmp_path / "s0-aligned"), *names]) == 1
    assert "remove it, or name the original" in capsys.readouterr().err
