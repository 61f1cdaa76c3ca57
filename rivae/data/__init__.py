"""Paired data sets: the contract, the registry and one file per data set."""

from rivae.data.base import FactorSpec, PairedDataset, TensorView, View
from rivae.data.registry import (
    dataset_loader,
    dataset_names,
    describe_dataset,
    item_shapes,
    load_dataset,
)

__all__ = [
    "FactorSpec",
    "PairedDataset",
    "TensorView",
    "View",
    "dataset_loader",
    "dataset_names",
    "describe_dataset",
    "item_shapes",
    "load_dataset",
]
