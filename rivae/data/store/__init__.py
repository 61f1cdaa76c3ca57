"""Imported pairs on disk: texts in Parquet, pictures in shards, both read without loading all."""

from rivae.data.store.manifest import (
    FactorColumn,
    Manifest,
    data_root,
    find_store,
    list_stores,
    own_store,
)
from rivae.data.store.reader import PairStore
from rivae.data.store.writer import StoreItem, StoreWriter

__all__ = [
    "FactorColumn",
    "Manifest",
    "PairStore",
    "StoreItem",
    "StoreWriter",
    "data_root",
    "find_store",
    "list_stores",
    "own_store",
]
