"""Reads other people's files into stores of pairs: tables with pictures, and Recipe1M.

Names of this package are loaded on first use: the process that indexes texts needs none of them.
"""

from typing import TYPE_CHECKING

from rivae.base.lazy import loads_on_use

if TYPE_CHECKING:
    from rivae.data.importing.mapping import Mapping, guess_mapping
    from rivae.data.importing.pairs import PairsImport
    from rivae.data.importing.recipe1m import Recipe1MImport, is_recipe1m
    from rivae.data.importing.report import ImportReport
    from rivae.data.importing.session import ImportSettings, run_import

_MODULES = {
    "mapping": ("Mapping", "guess_mapping"),
    "pairs": ("PairsImport",),
    "recipe1m": ("Recipe1MImport", "is_recipe1m"),
    "report": ("ImportReport",),
    "session": ("ImportSettings", "run_import"),
}
__getattr__ = loads_on_use(
    __name__, {name: f"{__name__}.{module}" for module, names in _MODULES.items() for name in names}
)

__all__ = [
    "ImportReport",
    "ImportSettings",
    "Mapping",
    "PairsImport",
    "Recipe1MImport",
    "guess_mapping",
    "is_recipe1m",
    "run_import",
]
