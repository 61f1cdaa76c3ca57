"""The stable Python surface: what it offers, that its examples run, and that it loads lazily."""

import doctest
import inspect
import subprocess
import sys

import numpy as np
import pytest

import rivae
from rivae.api import axes as api_axes
from rivae.api import estimator
from rivae.api import run as api
from rivae.base.errors import ConfigError, DataError, RunError
from rivae.exploring.explorer import Explorer
from rivae.notebook import opening, view
from rivae.retrieval.traversal import traverse
from rivae.runs import find_run


@pytest.mark.slow
@pytest.mark.parametrize("module", [api, api_axes, estimator, opening, view])
def test_examples_run(module, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RIVAE_RUNS", raising=False)
    result = doctest.testmod(module)
    assert result.attempted and not result.failed


# What only reads a value needs no example of its own: the class has one.
def test_everything_public_has_an_example():
    shown = [getattr(rivae, name) for name in rivae.__all__ if name != "Axis"]
    shown += [
        f for _, f in inspect.getmembers(rivae.Run, inspect.isfunction) if f.__name__[0] != "_"
    ]
    shown += [rivae.PairModel.topk]
    assert [each for each in shown if ">>> " not in (each.__doc__ or "")] == []


def test_importing_the_package_loads_nothing_large():
    text = (
        "import rivae, sys; assert set(rivae.__all__) <= set(dir(rivae))\n"
        "print([m for m in ('torch', 'numpy', 'sklearn', 'rivae.api.run') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    with pytest.raises(AttributeError, match="nothing_such"):
        _ = rivae.nothing_such


@pytest.fixture(scope="module")
def run():
    return rivae.load_run("demo-digits")


def test_a_run_answers_as_the_app_does(run):
    explorer = Explorer.open(find_run("demo-digits"))
    row = int(explorer.search_rows[4])
    z = run.encode(row)
    np.testing.assert_array_equal(z, explorer.encode(row))
    assert run.topk(z, 7).ids.tolist() == explorer.topk(z, 7).ids.tolist()
    assert len(run.topk(z, 10_000).ids) == len(run.items) == len(explorer.search_rows)
    both = run.topk(np.stack([z, run.mean]), 3)
    assert both.ids[0].tolist() == run.topk(z, 3).ids.tolist()
    word = explorer.title(row).split()[0]
    assert set(run.topk(z, 5, only=word).ids) <= set(explorer.find(word))
    labels = [axis.label for axis in run.axes]
    assert labels == explorer.axis_names and len(labels) == run.n_components
    found = run.traverse(z, over=(-2, 2), dims=[3], k=2)
    wanted = traverse(explorer.retriever, z, np.linspace(-2, 2, 201), [3], 2)
    np.testing.assert_array_equal(found.ids, wanted.ids)


def test_what_is_stored_needs_no_model(tmp_path, monkeypatch):
    monkeypatch.setattr(Explorer, "open", None)
    run = rivae.load_run(find_run("demo-digits").path)
    assert run.id == "demo-digits" and run.config.method.name == "rivae"
    assert run.evaluation.score("recall_at_1") is not None


def test_wrong_calls_say_what_is_wrong(run):
    with pytest.raises(RunError, match="no run 'no-such'"):
        rivae.load_run("no-such")
    with pytest.raises(DataError, match="shape"):
        run.topk(np.zeros(3))
    with pytest.raises(DataError):
        run.topk(run.mean, 0)
    for k in (2.5, 3.0, True, "3", None, float("nan")):
        with pytest.raises(DataError, match="k must"):
            run.topk(run.mean, k)
        with pytest.raises(DataError, match="k must"):
            run.traverse(run.mean, over=(-1, 1), dims=[0], k=k)
    for z in (run.mean * 1e14, run.mean * 1e300, np.ma.masked_greater(run.mean, 0), ["1"] * 10,
        run.mean * 1j, [None] * 10, [True] * 10, [10**400] * 10, "word"):  # fmt: skip
        for ask in (run.topk, run.traverse):
            with pytest.raises(DataError, match=r"^z "):
                ask(z)
    assert len(run.topk(run.mean, np.int64(3)).ids) == 3
    with pytest.raises(ConfigError, match="no item 99999"):
        run.encode(99_999)
    for no_row in (1.5, True, None, [0.5]):
        with pytest.raises(DataError, match="integers"):
            run.encode(no_row)
    with pytest.raises(ConfigError, match="range"):
        run.traverse(run.mean, over="far")
    with pytest.raises(ConfigError, match="rows"):
        _ = rivae.load_run("demo-digits", rows="none").items


@pytest.mark.slow
def test_an_evaluation_can_be_kept(tmp_path):
    import shutil

    folder = tmp_path / "mine"
    shutil.copytree(find_run("demo-digits").path, folder)
    (folder / "evaluation.json").unlink(missing_ok=True)
    run = rivae.load_run(folder)
    assert run.evaluation is None
    result = run.evaluate(n_queries=3, shuffles=0, over=(-1, 1), save=True)
    assert run.evaluation.score("recall_at_10") == result.score("recall_at_10")
