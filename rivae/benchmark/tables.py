"""The tables: their columns in order, and the names of data sets and rows."""

from __future__ import annotations

from collections.abc import Iterable

from rivae.data.names import dataset_names, dataset_title
from rivae.metrics import registry
from rivae.models.registry import method_title

RIDGE_CCA = "ridge-cca"  # the baseline, and the start of methods on features
UNTRAINED = "joint_epochs=0"  # a run that ends with that start
# Changed settings, as the ``settings`` of a result row, and how a table names them.
WITHOUT_REG = "lambda_reg=0.0"  # the paper's ablation
VARIANTS = {
    WITHOUT_REG: "without L_Reg",
    "init=cos-sim-lvm, anchor=None, init_epochs=60": "from the paper's start",
    "init=cos-sim-lvm, anchor=None, init_epochs=200": "from the paper's start",
    "ivae_epochs=0, joint_epochs=0": "the start alone, untrained",
    "init=smooth": "from RIVAE's start",
    "init=contrast": "from RIVAE's start",
    "init=ridge-cca, embedder.hidden=()": "from ridge CCA, linear embedders",
    "form=non-linear": "non-linear",
    "dataset.store=food": "photographs",
}
FEATURES = "dataset.features"
SOURCES = {
    "statistics": "statistics",
    "efficientnet-lite0": "Lite0",
    "efficientnet-lite2": "Lite2",
    "minilm": "MiniLM",
}
TABLES = ("retrieval", "factors", "digits", "standard", "steps", "alpha", "ablation")
# Tables that repeat columns of others.
REPEATED = ("steps", "ablation")


def columns(table: str) -> tuple[str, ...]:
    """The metrics of a table in the order of its columns."""
    if table == "steps":
        return ("mcc", "r2", "disentanglement", "overlap", "coverage")
    return registry.columns("retrieval" if table == "ablation" else table)


def digit_range(n_std: float) -> str:
    """Name of the range mean +- n s.d. of the aggregated prior."""
    return f"{n_std:g} s.d."


def by_samples(n: str) -> str:
    """Name of retrieval by the mean score of n samples of z, where others have a range of z."""
    return f"{n} sample{'s' * (n != '1')}"


# Where the paper's numbers belong; it searches with samples of z, we also with their mean.
OF_THE_PAPER = ("", "paper", by_samples("1"), by_samples("20"))


def title(method: str, settings: str = "") -> str:
    """The name of a row for readers."""
    name = CHANCE.get(method) or method_title(method)
    if settings == WITHOUT_REG:
        return f"{name} {VARIANTS[settings]}"
    if settings not in VARIANTS and f"{FEATURES}=" in settings:
        parts = settings.split(", ")
        name = CHANCE[RIDGE_CCA] if UNTRAINED in parts else name
        settings = _on_features(part for part in parts if part != UNTRAINED)
    return f"{name} ({VARIANTS.get(settings, settings)})" if settings else name


def _on_features(settings: Iterable[str]) -> str:
    """The sources of features by their short names, the number of axes, and what else changed."""
    changes = dict(part.split("=", 1) for part in settings if "=" in part)
    changes.pop("dataset.store", None)
    parts = [features_title(changes.pop(FEATURES))]
    if axes := changes.pop("n_components", ""):
        parts.append(f"{axes} axes")
        for width in ("dim_v", "head_hidden"):  # which follow the axes
            changes.pop(width, None)
    return ", ".join([*parts, *(f"{key}={value}" for key, value in changes.items())])


def features_title(features: str) -> str:
    """``statistics + Lite0`` of ``statistics+efficientnet-lite0``."""
    return " + ".join(SOURCES.get(source, source) for source in features.split("+"))


RECIPE1M = {"recipe1m": "Recipe1M"}  # only the paper has numbers of it


def dataset_titles() -> dict[str, str]:
    """The titles of data sets by name, in the order of the tables."""
    titles = {name: dataset_title(name) for name in dataset_names()}
    first_own = tuple(titles).index("kitchen")  # the first that is not in the paper
    return dict(
        [*list(titles.items())[:first_own], *RECIPE1M.items(), *list(titles.items())[first_own:]]
    )


CHANCE = {
    "chance-rotation": "chance: true factors, randomly rotated",
    "chance-items": "chance: random items",
    RIDGE_CCA: "ridge CCA",
}
