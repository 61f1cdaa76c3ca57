"""Paired data: what a data set is, its registry, imports of people's files, the drawn kitchen.

Stands on ``base`` only; every room above may import it. Begin with ``base.py`` (``PairedDataset``,
the contract) and ``registry.py`` (data sets by name). ``sets`` has one file per data set, ``store``
is imported pairs on disk, ``importing`` reads tables, pictures and Recipe1M into it. Names of this
package are loaded on first use: a list of data sets waits for none of them.
"""

from typing import TYPE_CHECKING

from rivae.base.lazy import loads_on_use

if TYPE_CHECKING:
    from rivae.data.base import PairedDataset, TensorView, View
    from rivae.data.dataset import Dataset
    from rivae.data.factors import FactorSpec
    from rivae.data.names import IMPORTED, dataset_names
    from rivae.data.registry import (
        checked_settings,
        describe_dataset,
        import_names,
        item_shapes,
        load_dataset,
        named_dataset,
        settings_class,
    )

_MODULES = {
    "base": ("PairedDataset", "TensorView", "View"),
    "dataset": ("Dataset",),
    "factors": ("FactorSpec",),
    "names": ("IMPORTED", "dataset_names"),
    "registry": (
        "checked_settings",
        "describe_dataset",
        "import_names",
        "item_shapes",
        "load_dataset",
        "named_dataset",
        "settings_class",
    ),
}
__getattr__ = loads_on_use(
    __name__, {name: f"{__name__}.{module}" for module, names in _MODULES.items() for name in names}
)

__all__ = [
    "IMPORTED",
    "Dataset",
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
