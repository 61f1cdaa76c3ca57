"""Paired data: what a data set is, its registry, imports of people's files, the drawn kitchen.

Stands on ``base`` only; every room above may import it. Begin with ``base.py`` (``PairedDataset``,
the contract) and ``registry.py`` (data sets by name). ``sets`` has one file per data set, ``store``
is imported pairs on disk, ``importing`` reads tables, pictures and Recipe1M into it.
"""

from rivae.data.base import FactorSpec, PairedDataset, TensorView, View
from rivae.data.registry import (
    IMPORTED,
    checked_settings,
    dataset_names,
    describe_dataset,
    import_names,
    item_shapes,
    load_dataset,
    named_dataset,
    settings_class,
)

__all__ = [
    "IMPORTED",
    "FactorSpec",
    "PairedDataset",
    "TensorView",
    "View",
    "checked_settings",
    "dataset_names",
    "describe_dataset",
    "import_names",
    "item_shapes",
    "load_dataset",
    "named_dataset",
    "settings_class",
]
