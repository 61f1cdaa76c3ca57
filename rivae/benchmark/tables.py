"""The tables: their columns in order, and the names of data sets and rows."""

from __future__ import annotations

from rivae.data.names import dataset_names, dataset_title
from rivae.metrics import registry
from rivae.models.registry import method_title

# Changed settings, as the ``settings`` of a result row, and how a table names them.
WITHOUT_REG = "lambda_reg=0.0"  # the paper's ablation
VARIANTS = {
    WITHOUT_REG: "without L_Reg",
    "init=cos-sim-lvm, anchor=None, init_epochs=60": "from the paper's start",
    "init=cos-sim-lvm, anchor=None, init_epochs=200": "from the paper's start",
    "ivae_epochs=0, joint_epochs=0": "the start alone, untrained",
    "init=smooth": "from RIVAE's start",
    "init=contrast": "from RIVAE's start",
    "form=non-linear": "non-linear",
    "dataset.store=food": "photographs",
    "dataset.store=food, dataset.features=statistics": "statistics of photographs",
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
    return f"{name} ({VARIANTS.get(settings, settings)})" if settings else name


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
    "linear-cca": "linear CCA",
}
