"""Where modules of earlier versions are now, so that scripts written with them still run.

Notebooks and exported snippets import modules by name, and ``python -m rivae.serve`` is in scripts
of people. An import of an old name gives the module of the new name and a ``DeprecationWarning``.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

from rivae.base.deprecation import MOVED_UNTIL, moved_names, warn_deprecated

# The three commands that run as ``python -m NAME``; their old names stay.
COMMANDS = {
    "rivae.browser": "rivae.base.browser",
    "rivae.demo": "rivae.cli.demo",
    "rivae.serve": "rivae.app.serve",
}
# room -> its modules and packages that were elsewhere until version 0.1
_MOVED = {
    "base": "addresses arrays config csv_text dates errors files fonts installed output paths "
    "proxies reading scratch scripts system_fonts",
    "data": "importing kitchen",
    "data.sets": "data.pairs data.sprites data.sprites_hard data.synth data.synth_modulated",
    "metrics.measures": "metrics.dci_paper metrics.dci_standard metrics.digits metrics.infomec "
    "metrics.mcc metrics.own_part metrics.r2 metrics.retrieval metrics.udr",
    "models": "methods nets methods.arguments methods.base methods.bimodal methods.contrast_start "
    "methods.contrastive methods.embedded methods.gaussians methods.joint_training methods.losses "
    "methods.pcca",
    "retrieval": "ranges traversal",
    "retrieval.indexes": "retrieval.two_stage",
    "runs": "jobs.archive trash",
    "jobs": "launch",
    "training": "alignment pair_training validation",
    "exploring": "catalogue words",
    "evaluation": "choice replay",
    "figures": "comparison export page snippets",
    "api": "estimator",
    "app": "jobs.passwords",
    "app.forms": "jobs.draft jobs.estimate jobs.field_text jobs.fields jobs.quick jobs.sweep",
}
_RENAMED = {
    "rivae.benchmark.processes": "rivae.benchmark.run",
    "rivae.data.digits": "rivae.data.sets.split_digits",
    "rivae.data.mnist": "rivae.data.sets.split_mnist",
    "rivae.importing.ahead": "rivae.base.ahead",
    "rivae.importing.pretrained": "rivae.data.features.sources.checkpoint",
    "rivae.importing.statistics": "rivae.data.features.sources.statistics",
    "rivae.plots": "rivae.figures",
    "rivae.ui": "rivae.app",
    "rivae.methods.presets": "rivae.models.presets",
    "rivae.runs.vocabulary_file": "rivae.runs.data_record",
    "rivae.labels.held_out": "rivae.labels.derive",
    "rivae.retrieval.projection": "rivae.retrieval.model",
    "rivae.words.names_file": "rivae.runs.axis_names",
}
MOVED = _RENAMED | {
    f"rivae.{name}": f"rivae.{room}.{name.rpartition('.')[2]}"
    for room, names in _MOVED.items()
    for name in names.split()
}
# module of an earlier version -> where its names are that are not in the module of today
_LEFT = {
    "methods": "models.methods.bi_vae.BiVAE models.methods.bi_vae_on_v.BiVAEOnV "
    "models.methods.cos_sim.CosSim models.methods.cos_sim_lvm.CosSimLVM models.methods.dcca.DCCA "
    "models.methods.info_nce.InfoNCE models.methods.info_nce_ica.InfoNCEICA "
    "models.registry.MAX_PARAMETERS models.methods.rbi_vae.RBiVAE models.methods.rivae.RIVAE",
    "methods.base": "models.settings.Axes models.stages.Noise models.stages.parameters_of",
    "methods.contrastive": "models.methods.cos_sim.CosSim models.methods.cos_sim.CosSimConfig "
    "models.methods.info_nce.InfoNCE models.methods.info_nce.InfoNCEConfig "
    "models.methods.info_nce_ica.InfoNCEICA models.methods.info_nce_ica.InfoNCEICAConfig "
    "models.methods.info_nce.MIN_TEMPERATURE models.components.shared_components",
    "methods.cos_sim_lvm": "models.losses.AlignmentTerms models.word_reader.MAX_PART "
    "models.word_reader.N_PARTS",
    "methods.dcca": "models.cca_losses.MIN_VARIANCE models.cca_losses.covariance",
    "methods.embedded": "models.starts.SMOOTH_Z_SCALE",
    "methods.joint_training": "models.nets.recipe_rnn.Perturbable "
    "models.nets.recipe_rnn.perturbable",
    "methods.presets": "models.methods.method_class",
    "api": "api.run.Query api.run.SLOW_SHUFFLES",
    "data.kitchen": "data.sets.kitchen.FOLDER data.sets.kitchen.Settings data.sets.kitchen.content "
    "data.sets.kitchen.load",
    "evaluation": "evaluation.of_run.DIGIT_RANGES evaluation.of_run.MAX_FACTOR_ROWS "
    "evaluation.of_run.N_QUERIES evaluation.of_run.N_QUERIES_DIGITS "
    "evaluation.of_run.N_QUERIES_RANGES evaluation.of_run.PRIOR_ROWS evaluation.of_run.SAMPLES "
    "evaluation.of_run.evaluated_rows evaluation.of_run.is_digits "
    "evaluation.of_run.require_settings",
    "figures": "figures.of_run.PLOT_QUERIES figures.of_run.write_traversals",
    "retrieval": "retrieval.prior.AggregatedPrior retrieval.prior.DensityDistance "
    "retrieval.exact_path.ExactPath retrieval.base.Index retrieval.base.Retrieved "
    "retrieval.retriever.Retriever retrieval.exact_path.exact_change_points "
    "retrieval.exact_path.exact_paths",
    "alignment.folding": "training.alignment.base.unchanged",
    "alignment.steps": "training.alignment.axis_steps.independent.MAX_SLOPES",
    "comparison": "exploring.comparison.COUNTERPART exploring.comparison.Counterpart "
    "exploring.comparison.MATCH_ROWS exploring.comparison.Matching exploring.comparison.NORMAL_99 "
    "exploring.comparison.OTHER_ITEMS exploring.comparison.TOO_FEW "
    "exploring.comparison.check_number exploring.comparison.match_runs",
    "data.base": "data.factors.FactorKind data.factors.FactorRole",
    "data.registry": "data.names.dataset_names",
    "exploring.explorer": "retrieval.retriever.FAR",
    "importing.pretrained": "data.features.making.PARTIAL data.features.making.make_features "
    "data.features.contract.short_text",
    "labels.align": "training.alignment.white.SHRINKAGE",
    "metrics.certainty": "metrics.measures.r2.held_out_r2",
    "retrieval.exact": "retrieval.indexes.brute_force.NumpyIndex "
    "retrieval.indexes.brute_force.direct_squared_distances",
    "retrieval.storage": "retrieval.indexes.brute_force.LARGE",
    "training.starts": "models.stages.Start",
    "words.naming": "runs.axis_names.HeldOut runs.axis_names.N_EVIDENCE",
}
MOVED_NAMES = {
    f"rivae.{old}": {
        name: f"rivae.{home}" for home, _, name in (each.rpartition(".") for each in new.split())
    }
    for old, new in _LEFT.items()
}


def new_name(name: str) -> str:
    """The name of today of a module; the name itself where it did not move.

    >>> new_name("rivae.plots.heatmap")
    'rivae.figures.heatmap'
    >>> new_name("rivae.data.store")
    'rivae.data.store'
    """
    parent, rest = name, ""
    while parent not in MOVED:
        parent, _, last = parent.rpartition(".")
        if not parent:
            return name
        rest = f".{last}{rest}"
    return MOVED[parent] + rest


class _Forward:
    """Loads the module of today in place of the one of the old name, whose names it also finds."""

    def __init__(self, old: str, target: str) -> None:
        self.old, self.target = old, target

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = importlib.import_module(self.target)
        self.spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self.spec  # the import system has written the old name into it
        module.__loader__ = self.spec.loader if self.spec else None
        if homes := MOVED_NAMES.get(self.old):
            vars(module).setdefault("__getattr__", moved_names(self.old, homes))


def _finding_moved_names(spec: ModuleSpec | None) -> ModuleSpec | None:
    """The module stays where it is, and finds those of its names that left it."""
    if spec is not None and (loader := spec.loader) is not None:
        execute = loader.exec_module

        def execute_and_forward(module: ModuleType) -> None:
            execute(module)
            names = moved_names(module.__name__, MOVED_NAMES[module.__name__])
            vars(module).setdefault("__getattr__", names)

        loader.exec_module = execute_and_forward  # type: ignore[method-assign]
    return spec


class _Moved:
    """Asked before the usual finders: these would load ``rivae.plots.alpha`` a second time, since
    ``rivae.plots`` is the package ``rivae.figures`` with its folder.
    """

    # No base classes from importlib.abc: loading it takes longer than all of `import rivae`.
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not fullname.startswith("rivae."):
            return None
        if fullname in COMMANDS:
            spec = importlib.util.find_spec(COMMANDS[fullname])
            return spec and importlib.util.spec_from_file_location(fullname, spec.origin)
        name = new_name(fullname)
        if name == fullname and fullname in MOVED_NAMES:
            return _finding_moved_names(PathFinder.find_spec(fullname, path, target))
        if name == fullname or (moved_spec := importlib.util.find_spec(name)) is None:
            return None
        warn_deprecated(fullname, name, MOVED_UNTIL)
        return ModuleSpec(
            fullname,
            _Forward(fullname, name),  # type: ignore[arg-type]
            is_package=moved_spec.submodule_search_locations is not None,
        )


def forward_moved_modules() -> None:
    """Let old names be imported; called once, by ``rivae/__init__.py``."""
    if not any(isinstance(finder, _Moved) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Moved())
