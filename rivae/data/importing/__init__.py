"""Reads other people's files into stores of pairs: tables with pictures, and Recipe1M."""

from rivae.data.importing.mapping import Mapping, guess_mapping
from rivae.data.importing.pairs import PairsImport
from rivae.data.importing.recipe1m import Recipe1MImport, is_recipe1m
from rivae.data.importing.report import ImportReport
from rivae.data.importing.session import ImportSettings, run_import

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
