"""Every snippet that the pages offer runs as it stands and makes what it names."""

import ast
import contextlib
import io
import json
import os
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

import rivae
from rivae.base.errors import ConfigError
from rivae.evaluation.of_run import evaluate
from rivae.exploring.explorer import Explorer
from rivae.figures.snippets import PANELS, literal, places_of, snippet
from rivae.jobs.launch import make_config
from rivae.models.registry import build_method
from rivae.runs import Run
from tests.waiting import PATIENCE_S

# The runs are made in one process, and the snippets run in another.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("snippets")]

DATASETS = {"synth": {"n_pairs": 240}, "split-digits": {}, "pairs": {"image_size": 16}}
# Panels about words need items with texts.
WORDS = ("clouds", "result-words", "word-contrast", "axis-evidence", "tag-graph")
FILES = {
    "topk": "results.png",
    "compare": "compare.png",
    "path": "path.gif path.png",
    "strips": "strips.png",
    "plane": "plane.png",
    "correlation": "correlation.html",
    "steer": "steer.png",
    "axis": "effects.html positions.html",
    "effects": "effects.html",
    "scatter": "scatter.html",
    "matrix": "matrix.html",
    "digits": "digits.html",
    "stored-correlation": "correlation.html",
    "stored-digits": "digits.html",
    "stored-digit-ranges": "digit_ranges.html",
    "stored-scatter": "scatter.html",
    "stored-alpha": "alpha.html",
    "clouds": "clouds.png",
    "word-contrast": "contrast.html",
    "result-words": "result-words.html",
    "tag-graph": "tags.html",
}
SMALL = {"n_queries": 4, "range": (-1.0, 1.0)}


@pytest.fixture(scope="module")
def runs(tmp_path_factory, small_store):
    """An untrained but complete run on each of three data sets, in a folder of runs."""
    with pytest.MonkeyPatch.context() as patch:
        yield make_runs(tmp_path_factory.mktemp("runs"), small_store, patch)


def make_runs(root, small_store, monkeypatch):
    made = {}
    for name, settings in DATASETS.items():
        if name == "pairs":
            monkeypatch.setenv("RIVAE_DATA", str(small_store.parent))
            settings = {**settings, "store": small_store.name}
        config = make_config(name, name=f"tiny-{name}", dataset_settings=settings)
        run = Run.create(config, root)
        data = run.load_dataset()
        choice = config.method
        run.write_model(build_method(choice.name, choice.settings, data.x1.shape, data.x2.shape))
        for epoch in (1, 2):
            run.log.append({"epoch": epoch, "stage": "joint", "objective": 1.0 / epoch})
        run.write_evaluation(
            evaluate(
                run.load_method(),
                data,
                n_queries=3,
                traversal=(-1.0, 1.0),
                n_search_sets=2,
                null_permutations=0,
                null_permutations_slow=0,
            )
        )
        made[name] = run
    return root, made, small_store.parent


@pytest.fixture(autouse=True)
def elsewhere(runs, tmp_path, monkeypatch):
    monkeypatch.setenv("RIVAE_RUNS", str(runs[0]))
    monkeypatch.chdir(tmp_path)


RUNNER = """
import contextlib, io, json, os, sys, traceback
printed_by = {}
for call, text, folder in json.load(sys.stdin):
    for name in [name for name in os.environ if name.startswith("RIVAE_")]:
        del os.environ[name]
    os.chdir(folder)
    output = io.StringIO()
    try:
        with contextlib.redirect_stdout(output):
            exec(compile(text, call, "exec"), {})
    except Exception:
        output.write(traceback.format_exc())
    printed_by[call] = output.getvalue()
json.dump(printed_by, sys.stdout)
"""


@pytest.fixture(scope="module")
def printed_by(runs, repo_root, tmp_path_factory):
    """What each snippet prints, and its folder: run one after the other in a fresh process that
    knows nothing of this one but where the package is installed."""
    folders = {call: tmp_path_factory.mktemp("elsewhere") for call in PANELS}
    asked = []
    for call, folder in folders.items():
        name = "split-digits" if "digit" in call else "pairs" if call in WORDS else "synth"
        run = runs[1][name]
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("RIVAE_DATA", str(runs[2]))
            places = places_of(run)
        asked.append((call, snippet(run.id, call, places, **SETTINGS[call]), str(folder)))
    env = {k: v for k, v in os.environ.items() if not k.startswith("RIVAE_")}
    done = subprocess.run(
        [sys.executable, "-c", RUNNER],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        cwd=folders["topk"],
        env={**env, "PYTHONPATH": str(repo_root)},
        timeout=PATIENCE_S,
    )
    assert done.returncode == 0, done.stderr
    printed = json.loads(done.stdout)
    return {call: (printed[call], folder) for call, folder in folders.items()}


def execute(text):
    output, names = io.StringIO(), {}
    with contextlib.redirect_stdout(output):
        exec(compile(text, "<snippet>", "exec"), names)
    return output.getvalue(), names


SETTINGS = {
    "topk": {"query": 3, "k": 4},
    "path": {"way_points": ["mean", 3, 5], "n_steps": 12, "kind": "along"},
    "strips": {
        "query": 3,
        "range": "prior",
        "dims": [1, 0],
        "k": 2,
        "max_points": 5,
        "side": 0,
        "layout": "columns",
    },
    "compare": {"others": ["tiny-synth"], "query": "mean", "factor": 1, "k": 2},
    "plane": {"query": 3, "n_points": 4, "range_a": (-2.0, 2.0)},
    "steer": {"query": 3, "axes": (1, 0), "levels": [["on", -1.5], ["off", "query"]], "k": 3},
    "axis": {"dim": 1},
    "effects": {"axes": [1, 0], "names": ["b", "a"]},
    "correlation": {**SMALL, "signed": True, "threshold": 0.6},
    "scatter": {**SMALL, "dim": 1, "factor": 2},
    "matrix": SMALL,
    "digits": SMALL,
    "metrics": {},
    "scores": {},
    "clouds": {"dim": 1, "n_sigma": 2, "relation": "factor:light"},
    "word-contrast": {"n_words": 3},
    "result-words": {"query": 3, "k": 4, "n_words": 3},
    "axis-evidence": {},
    "tag-graph": {"factor": "fruit"},
    "stored-correlation": {"signed": True},
    "stored-digits": {},
    "stored-digit-ranges": {},
    "stored-scatter": {"dim": 1, "factor": 0, "other": True},
    "stored-alpha": {"columns": [0, 1], "alpha": 3.0},
}


def test_every_panel_is_tried_here():
    assert set(SETTINGS) == set(PANELS)


@pytest.mark.parametrize("call", PANELS)
def test_snippets_run_unchanged_from_any_folder(call, printed_by):
    printed, folder = printed_by[call]
    assert "Traceback" not in printed, printed
    files = FILES.get(call, "").split()
    assert sorted(p.name for p in folder.iterdir()) == files, printed
    for name in files:
        if name.endswith((".png", ".gif")):
            assert min(Image.open(folder / name).size) > 100


def test_all_metrics_are_printed(runs, printed_by):
    stored, printed = runs[1]["synth"].evaluation, printed_by["metrics"][0]
    for group in ("retrieval", "factors"):
        assert f"## {group}\n" in printed
        for name, result in stored.groups()[group].items():
            if result.score is not None:
                assert f"{result.score:.4f}" in printed, name


def test_a_demo_run_needs_no_folder_and_others_name_theirs(runs, monkeypatch, tmp_path):
    root, made, data = runs
    monkeypatch.setenv("RIVAE_DATA", str(data))
    assert places_of(made["synth"]) == {"RIVAE_RUNS": str(root)}
    assert places_of(made["pairs"], made["synth"]) == {
        "RIVAE_RUNS": str(root),
        "RIVAE_DATA": str(data),
    }
    monkeypatch.setattr("rivae.runs.folders.DEMO_ROOT", root)
    assert places_of(made["synth"]) == {}
    assert "environ" not in snippet("tiny-synth", "metrics", places_of(made["synth"]))


@pytest.mark.parametrize("call", PANELS)
def test_snippets_open_runs_through_the_public_surface_alone(call):
    tree = ast.parse(snippet("r", call, **SETTINGS[call]))
    assert "rivae" in {a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
    modules = {n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
    assert not modules & {
        "rivae.runs",
        "rivae.exploring.explorer",
        "rivae.evaluation.of_run",
        "rivae.api.run",
    }
    names = {n.attr for n in ast.walk(tree) if _is_of_run(n)}
    assert names <= {name for name in dir(rivae.Run) if not name.startswith("_")}


def _is_of_run(node):
    return (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "run"
    )


def test_a_snippet_finds_what_the_page_shows(runs):
    explorer = Explorer.open(runs[1]["synth"])
    printed, _ = execute(snippet("tiny-synth", "topk", query=3, k=4))
    shown = [int(line.split()[0]) for line in printed.splitlines()]
    assert shown == explorer.topk(explorer.encode(3), 4).ids.tolist()


def test_a_snippet_searches_among_the_items_that_have_the_words(runs):
    explorer = Explorer.open(runs[1]["synth"])
    word = explorer.title(int(explorer.search_rows[2])).split()[0].lower()
    rows = explorer.find(word)
    printed, _ = execute(snippet("tiny-synth", "topk", query=3, k=4, only=word))
    shown = [int(line.split()[0]) for line in printed.splitlines()]
    among = explorer.retriever.subset(rows)
    assert shown == explorer.topk(explorer.encode(3), 4, among).ids.tolist()


def test_a_z_of_its_own_takes_the_place_of_the_query(runs):
    explorer = Explorer.open(runs[1]["synth"])
    z = explorer.encode(3) + np.array([0.5, -1.0])
    printed, names = execute(snippet("tiny-synth", "topk", query=None, z=z, k=3))
    np.testing.assert_allclose(names["z"], z, rtol=1e-5)
    assert [int(line.split()[0]) for line in printed.splitlines()] == (
        explorer.topk(z, 3).ids.tolist()
    )
    where = {"query": None, "z": z, "range": (-1.0, 1.0)}
    _, names = execute(snippet("tiny-synth", "strips", **where))
    _, every = execute(snippet("tiny-synth", "strips", **where, changes_only=False))
    assert len(every["sheet"].rows) > len(names["sheet"].rows)
    with pytest.raises(ConfigError, match="needs a query row or a z"):
        snippet("tiny-synth", "strips", query=None)


def test_settings_reach_the_panel(runs):
    _, names = execute(snippet("tiny-synth", "strips", **SETTINGS["strips"]))
    assert names["traversal"].dims.tolist() == [1, 0]
    assert names["traversal"].ids.shape[-1] == 2
    _, names = execute(snippet("tiny-synth", "correlation", **SETTINGS["correlation"]))
    assert names["figure"].layout.meta["threshold"] == 0.6
    assert len(names["traversal"].z_ref) == 4


def test_stored_scores_are_printed(runs):
    run = runs[1]["synth"]
    result = run.evaluation
    printed, _ = execute(snippet(run.id, "scores", metrics=["recall_at_1", "median_rank"]))
    assert printed.splitlines()[0] == "|  | R@1 ↑ | MedR ↓ |"
    assert f"{result.score('recall_at_1'):.2f}" in printed


def test_ids_and_texts_cannot_leave_their_quotes():
    evil = "x'); raise SystemExit('"
    text = snippet(evil, "metrics")
    assert f"load_run({evil!r})" in text
    with pytest.raises(Exception, match="no run"):
        execute(text)


@pytest.mark.parametrize("value", [1, 2.5, "a'b", None, True, [1, [2.0]], (1,), (1, 2), []])
def test_literals_come_back(value):
    assert eval(literal(value)) == value
    assert json.loads(literal(np.array([1.5, -2]))) == [1.5, -2]


@pytest.mark.parametrize(
    ("call", "kwargs", "reason"),
    [
        ("nothing", {}, "no panel"),
        ("topk", {"colour": 1}, "takes no colour"),
        ("topk", {"z": float("nan")}, "cannot hold"),
        ("topk", {"z": object()}, "cannot hold"),
    ],
)
def test_wrong_calls_are_refused(call, kwargs, reason):
    with pytest.raises(ConfigError, match=reason):
        snippet("run", call, **kwargs)
