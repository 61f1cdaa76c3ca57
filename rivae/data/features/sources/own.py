"""Embeddings made elsewhere, which came with their table: ``rivae.data.importing.embeddings``."""

from __future__ import annotations

from rivae.data.features.contract import FeatureSource
from rivae.data.store.features import OWN as NAME
from rivae.data.store.features import SIDES

OWN = FeatureSource(NAME, "Your embeddings", "your embeddings", None, sides=SIDES)
