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
_METHODS = "rivae.models.methods"
# module of an earlier version -> its names that are not in the module of today, and where they are
MOVED_NAMES = {
    "rivae.methods": {
        "BiVAE": f"{_METHODS}.bi_vae",
        "BiVAEOnV": f"{_METHODS}.bi_vae_on_v",
        "CosSim": f"{_METHODS}.cos_sim",
        "CosSimLVM": f"{_METHODS}.cos_sim_lvm",
        "DCCA": f"{_METHODS}.dcca",
        "InfoNCE": f"{_METHODS}.info_nce",
        "InfoNCEICA": f"{_METHODS}.info_nce_ica",
        "MAX_PARAMETERS": "rivae.models.registry",
        "RBiVAE": f"{_METHODS}.rbi_vae",
        "RIVAE": f"{_METHODS}.rivae",
    },
    "rivae.methods.base": {
        "Axes": "rivae.models.settings",
        "Noise": "rivae.models.stages",
        "parameters_of": "rivae.models.stages",
    },
    "rivae.methods.contrastive": {
        "CosSim": f"{_METHODS}.cos_sim",
        "CosSimConfig": f"{_METHODS}.cos_sim",
        "InfoNCE": f"{_METHODS}.info_nce",
        "InfoNCEConfig": f"{_METHODS}.info_nce",
        "InfoNCEICA": f"{_METHODS}.info_nce_ica",
        "InfoNCEICAConfig": f"{_METHODS}.info_nce_ica",
        "MIN_TEMPERATURE": f"{_METHODS}.info_nce",
        "shared_components": "rivae.models.components",
    },
    "rivae.methods.cos_sim_lvm": {
        "AlignmentTerms": "rivae.models.losses",
        "MAX_PART": "rivae.models.word_reader",
        "N_PARTS": "rivae.models.word_reader",
    },
    "rivae.methods.dcca": {
        "MIN_VARIANCE": "rivae.models.cca_losses",
        "covariance": "rivae.models.cca_losses",
    },
    "rivae.methods.embedded": {"SMOOTH_Z_SCALE": "rivae.models.starts"},
    "rivae.methods.joint_training": {
        "Perturbable": "rivae.models.nets.recipe_rnn",
        "perturbable": "rivae.models.nets.recipe_rnn",
    },
    "rivae.methods.presets": {"method_class": "rivae.models.methods"},
    "rivae.alignment.folding": {"unchanged": "rivae.training.alignment.base"},
    "rivae.alignment.steps": {"MAX_SLOPES": "rivae.training.alignment.axis_steps.independent"},
    "rivae.comparison": dict.fromkeys(
        (
            *("COUNTERPART", "Counterpart", "MATCH_ROWS", "Matching", "NORMAL_99", "OTHER_ITEMS"),
            *("TOO_FEW", "check_number", "match_runs"),
        ),
        "rivae.exploring.comparison",
    ),
    "rivae.data.base": {
        "FactorKind": "rivae.data.factors",
        "FactorRole": "rivae.data.factors",
    },
    "rivae.data.registry": {"dataset_names": "rivae.data.names"},
    "rivae.exploring.explorer": {"FAR": "rivae.retrieval.retriever"},
    "rivae.importing.pretrained": {
        "PARTIAL": "rivae.data.features.making",
        "make_features": "rivae.data.features.making",
        "short_text": "rivae.data.features.contract",
    },
    "rivae.labels.align": {"SHRINKAGE": "rivae.training.alignment.white"},
    "rivae.metrics.certainty": {"held_out_r2": "rivae.metrics.measures.r2"},
    "rivae.retrieval.exact": {
        "NumpyIndex": "rivae.retrieval.indexes.brute_force",
        "direct_squared_distances": "rivae.retrieval.indexes.brute_force",
    },
    "rivae.retrieval.storage": {"LARGE": "rivae.retrieval.indexes.brute_force"},
    "rivae.training.starts": {"Start": "rivae.models.stages"},
    "rivae.words.naming": {
        "HeldOut": "rivae.runs.axis_names",
        "N_EVIDENCE": "rivae.runs.axis_names",
    },
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
