"""Paired data sets: the contract, the registry and one file per data set."""

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
