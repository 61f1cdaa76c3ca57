"""Demo runs come with what opening them for the first time would compute: it equals that, and it is
what is asked for.
"""

import json
import shutil

import numpy as np
import pytest

from rivae.base.installed import COMPUTED, cache_folder
from rivae.cli.demo import DEMOS, compute
from rivae.evaluation.evidence import kept_evidence
from rivae.exploring.comparison import match_runs
from rivae.exploring.explorer import Explorer
from rivae.runs import DEMO_ROOT, Run


@pytest.fixture
def copy_of(tmp_path):
    """Copies a demo run as a new installation has it."""

    def copied(name):
        ignored = shutil.ignore_patterns("cache")
        return Run(shutil.copytree(DEMO_ROOT / name, tmp_path / name, ignore=ignored))

    return copied


@pytest.mark.parametrize("name", sorted(DEMOS))
def test_a_demo_run_opens_without_encoding_its_queries(copy_of, name):
    run = copy_of(name)
    explorer = Explorer.open(run)
    explorer.prepare()
    assert len(explorer.positions) == len(explorer.search_rows)
    assert kept_evidence(run, run.evaluation_of("first")) is not None
    asked = {path.name for path in cache_folder(run.path).iterdir() if "index" not in path.name}
    assert asked == {path.name for path in (run.path / COMPUTED).iterdir()}


def test_kept_positions_match_runs_as_new_ones_do(copy_of, monkeypatch):
    names = ("demo-sprites", "demo-sprites-cos-sim-lvm")
    explorers = [Explorer.open(copy_of(name)) for name in names]
    kept = match_runs(explorers)
    encoded = lambda explorer, rows: explorer.retriever.latents(rows)  # noqa: E731
    monkeypatch.setattr("rivae.exploring.comparison._latents", encoded)
    for own, new in zip(kept[1], match_runs(explorers)[1], strict=True):
        assert (own.axis, own.sign) == (new.axis, new.sign)
        assert own.strength == pytest.approx(new.strength, abs=1e-6)


# Two runs of one data set by two methods: the second goes the first's way again.
AGAIN = {name for name in DEMOS if name.endswith("-cos-sim-lvm")}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow(rare=True) if name in AGAIN else pytest.mark.slow)
        for name in sorted(DEMOS)
    ],
)
def test_what_a_demo_run_came_with_is_computed_again(copy_of, name):
    folder = copy_of(name).path
    before = shutil.copytree(folder / COMPUTED, folder.parent / "before")
    compute(folder)
    assert {p.name for p in before.iterdir()} == {p.name for p in (folder / COMPUTED).iterdir()}
    for path in before.iterdir():
        again = folder / COMPUTED / path.name
        if path.suffix == ".json":
            old, new = (json.loads(p.read_text(encoding="utf-8")) for p in (path, again))
            assert_effects_close(old.pop("effects", []), new.pop("effects", []))
            assert_close(old, new)
        elif path.suffix == ".npz":
            with np.load(path) as old, np.load(again) as new:
                for part in ("mu", "log_var"):
                    np.testing.assert_allclose(old[part], new[part], rtol=1e-3, atol=1e-4)
        else:
            np.testing.assert_allclose(np.load(path), np.load(again), rtol=1e-3, atol=2e-2)


def assert_effects_close(old, new):
    """Axes change the same by nearly as much. Other processors round differently, items that nearly
    tie change places, and what lies at the edge of chance (itself .08 off) comes or goes."""
    assert len(old) == len(new)
    for one, other in zip(old, new, strict=True):
        first, second = ({c["name"]: c["change"] for c in e.pop("changes")} for e in (one, other))
        both = first.keys() & second.keys()
        assert len(both) >= 0.7 * max(len(first), len(second))
        assert_close({name: first[name] for name in both}, {name: second[name] for name in both})
        assert one.pop("sentence") and other.pop("sentence")
        assert_close(one, other)


def assert_close(old, new):
    """Documents with the same words and nearly the same numbers."""
    assert type(old) is type(new)
    if isinstance(old, dict):
        assert old.keys() == new.keys()
        for key in old:
            assert_close(old[key], new[key])
    elif isinstance(old, list):
        assert len(old) == len(new)
        for pair in zip(old, new, strict=True):
            assert_close(*pair)
    elif isinstance(old, float):
        assert old == pytest.approx(new, abs=2e-2)
    else:
        assert old == new
