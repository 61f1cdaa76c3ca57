"""Scripts of before: what they import is where it is now, and a warning says the new name."""

import importlib
import subprocess
import sys
import warnings

import pytest
from packaging.version import Version

import rivae
from rivae.base.deprecation import MOVED_UNTIL
from rivae.base.moved import COMMANDS, MOVED, MOVED_NAMES
from rivae.models.registry import METHODS
from tests.waiting import PATIENCE_S

# What a user of before could import, and where it is: written down, not taken from the code.
MODULES = {
    "rivae.addresses": "rivae.base.addresses",
    "rivae.alignment": "rivae.training.alignment",
    "rivae.arrays": "rivae.base.arrays",
    "rivae.catalogue": "rivae.exploring.catalogue",
    "rivae.choice": "rivae.evaluation.choice",
    "rivae.comparison": "rivae.figures.comparison",
    "rivae.config": "rivae.base.config",
    "rivae.data.mnist": "rivae.data.sets.split_mnist",
    "rivae.data.pairs": "rivae.data.sets.pairs",
    "rivae.data.sprites": "rivae.data.sets.sprites",
    "rivae.data.synth": "rivae.data.sets.synth",
    "rivae.errors": "rivae.base.errors",
    "rivae.estimator": "rivae.api.estimator",
    "rivae.export": "rivae.figures.export",
    "rivae.files": "rivae.base.files",
    "rivae.importing": "rivae.data.importing",
    "rivae.importing.pairs": "rivae.data.importing.pairs",
    "rivae.jobs.archive": "rivae.runs.archive",
    "rivae.jobs.quick": "rivae.app.forms.quick",
    "rivae.kitchen": "rivae.data.kitchen",
    "rivae.launch": "rivae.jobs.launch",
    "rivae.methods": "rivae.models.methods",
    "rivae.methods.presets": "rivae.models.presets",
    "rivae.methods.rivae": "rivae.models.methods.rivae",
    "rivae.nets": "rivae.models.nets",
    "rivae.page": "rivae.figures.page",
    "rivae.paths": "rivae.base.paths",
    "rivae.plots": "rivae.figures",
    "rivae.plots.heatmap": "rivae.figures.heatmap",
    "rivae.ranges": "rivae.retrieval.ranges",
    "rivae.reading.tables": "rivae.base.reading.tables",
    "rivae.replay": "rivae.evaluation.replay",
    "rivae.snippets": "rivae.figures.snippets",
    "rivae.trash": "rivae.runs.trash",
    "rivae.traversal": "rivae.retrieval.traversal",
    "rivae.ui": "rivae.app",
    "rivae.validation": "rivae.training.validation",
    "rivae.words": "rivae.exploring.words",
    "rivae.words.naming": "rivae.exploring.words.naming",
}
# What exported Python, the notebooks and docs/ imported.
IMPORTS = """
from rivae import Axis, PairModel, Run, explore, fit, load_run
from rivae.api import Query, Run
from rivae.comparison import Counterpart, Matching, match_runs
from rivae.comparison import compare, factor_sheet, factor_strips
from rivae.data import FactorSpec, PairedDataset, TensorView, load_dataset
from rivae.data.base import random_split
from rivae.data.kitchen import Settings, load
from rivae.data.settings import DatasetSettings, Seed
from rivae.evaluation import evaluate, evaluated_rows
from rivae.exploring.axis_card import QUANTILES, examples, factor_links
from rivae.exploring.paths import find_path
from rivae.exploring.steering import steer, steer_rows
from rivae.export import export_bytes, save
from rivae.figures import write_traversals
from rivae.launch import make_config
from rivae.importing.pretrained import make_features, short_text
from rivae.methods import RIVAE, RBiVAE, DCCA, BiVAE, BiVAEOnV
from rivae.methods import CosSim, CosSimLVM, InfoNCE, InfoNCEICA
from rivae.methods import Batch, Method, MethodConfig, Noise, ParamGroup, Stage, build_method
from rivae.methods import method_class, method_config, method_names, require_training
from rivae.methods.contrastive import CosSim, InfoNCE, InfoNCEConfig, InfoNCEICA
from rivae.methods.cos_sim_lvm import AlignmentTerms, CosSimLVM
from rivae.metrics.correlation import correlation_table, numeric_factors
from rivae.metrics.digits import digit_metrics, transition_table
from rivae.plots.alpha import alpha_curve
from rivae.plots.axis_card import link_dots, position_histogram
from rivae.plots.cloud_sheet import cloud_sheet
from rivae.plots.clouds import make_clouds
from rivae.plots.contrast import contrast_dots
from rivae.plots.digits import digit_range_lines, transition_heatmap
from rivae.plots.heatmap import correlation_heatmap
from rivae.plots.paths import path_strip, to_gif
from rivae.plots.results import results_sheet
from rivae.plots.scatter import plot_matrix, traversal_scatter
from rivae.plots.steering import row_clouds, steering_sheet
from rivae.plots.tables import scores_of, to_markdown
from rivae.plots.tag_graph import tag_graph
from rivae.plots.traversals import plane_sheet, strips_of, strips_sheet
from rivae.ranges import grid
from rivae.replay import replay
from rivae.runs import Run
from rivae.traversal import traverse_plane
from rivae.words.clouds import N_QUERIES, axis_states, count_words
from rivae.words.contrast import contrast
from rivae.words.item_terms import ItemTerms
from rivae.words.item_words import item_tags, item_words
from rivae.words.naming import AxisName, propose_name
from rivae.words.relations import AXIS, find_target, related_words, target_values
from rivae.words.tags import read_tag_map, tag_nodes
"""


@pytest.mark.parametrize(("old", "new"), MODULES.items())
def test_an_old_name_is_the_module_of_today(old, new, monkeypatch):
    monkeypatch.delitem(sys.modules, old, raising=False)
    with pytest.warns(DeprecationWarning) as caught:
        module = importlib.import_module(old)
    assert module is importlib.import_module(new) and module.__name__ == new
    last = caught[-1]
    assert old in str(last.message) and new in str(last.message)
    assert MOVED_UNTIL in str(last.message)


@pytest.mark.parametrize("line", IMPORTS.split("\n")[1:-1])
def test_exported_python_of_before_still_imports(line):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        exec(line, {})


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("rivae.figures.write_traversals", "rivae.figures.of_run"),
        ("rivae.evaluation.evaluated_rows", "rivae.evaluation.of_run"),
        ("rivae.data.kitchen.load", "rivae.data.sets.kitchen"),
        ("rivae.api.Query", "rivae.api.run"),
    ],
)
def test_a_name_that_left_its_module_is_forwarded(old, new):
    package, _, name = old.rpartition(".")
    with pytest.warns(DeprecationWarning) as caught:
        value = getattr(importlib.import_module(package), name)
    assert value is getattr(importlib.import_module(new), name)
    assert old in str(caught[0].message) and f"{new}.{name}" in str(caught[0].message)
    assert caught[0].filename == __file__
    with pytest.raises(AttributeError, match="nonsense"):
        _ = importlib.import_module(package).nonsense


@pytest.mark.parametrize(
    ("old", "name", "new"),
    [(old, name, new) for old, homes in MOVED_NAMES.items() for name, new in homes.items()],
)
def test_a_name_that_left_a_moved_module_is_found_by_the_old_one(old, name, new):
    script = f"from {old} import {name} as old\nfrom {new} import {name}\nassert old is {name}\n"
    with pytest.warns(DeprecationWarning, match=rf"^{old}.{name} is deprecated .*: write {new}"):
        exec(script, {})
    with pytest.raises(ImportError, match="nonsense"):
        exec(f"from {old} import nonsense", {})


def test_the_classes_of_methods_are_those_that_runs_are_made_of():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        from rivae.methods import DCCA, RIVAE
    assert METHODS["dcca"] is DCCA and METHODS["rivae"] is RIVAE


@pytest.mark.slow
def test_the_warning_names_the_line_of_the_user(tmp_path):
    script = tmp_path / "mine.py"
    script.write_text("import rivae.launch\n")
    command = [sys.executable, "-W", "always::DeprecationWarning:__main__", str(script)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0 and f"{script}:1: " in done.stderr, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("old", ["rivae.browser", "rivae.serve", "rivae.demo"])
def test_a_command_keeps_its_old_name(old):
    """``.ci/run`` of earlier versions, and people's services."""
    options = [] if old == "rivae.browser" else ["--help"]
    done = subprocess.run(
        [sys.executable, "-m", old, *options], capture_output=True, text=True, timeout=PATIENCE_S
    )
    if options:
        assert done.returncode == 0 and "usage" in done.stdout, done.stderr
    else:  # a path, or one sentence that there is no browser
        assert (done.stdout + done.stderr).count("\n") == 1
    assert "Traceback" not in done.stderr and "Warning" not in done.stderr
    assert importlib.import_module(COMMANDS[old])


def test_every_new_name_is_there_and_no_old_one_shadows_a_module():
    from importlib.machinery import PathFinder

    for old, new in MOVED.items():
        assert importlib.util.find_spec(new) is not None, new
        package = importlib.import_module(old.rpartition(".")[0])
        spec = PathFinder.find_spec(old, package.__path__)
        # A folder that an older version left behind, with compiled files alone, is no module.
        assert spec is None or spec.origin is None, old


def test_old_names_are_not_promised_beyond_their_version():
    """Raise MOVED_UNTIL, or take the forwards out, before this version is released."""
    assert Version(rivae.__version__) < Version(MOVED_UNTIL)
