"""The split of a store: what its import names of it, and a draw of the rest."""

from __future__ import annotations

from rivae.base.arrays import Ints
from rivae.base.errors import DataError
from rivae.data.splits import USUAL_FRACTIONS, USUAL_SEED, split_of
from rivae.data.store.reader import PairStore


def store_split(
    store: PairStore,
    fractions: tuple[float, float, float] = USUAL_FRACTIONS,
    seed: int = USUAL_SEED,
) -> dict[str, Ints]:
    """Sorted rows by "train", "validation" and "test".

    Raises:
        DataError: too few items, or a damaged store.
    """
    try:
        return split_of(store.named_parts(), store.same_picture(), fractions, seed)
    except DataError as error:
        raise DataError(f"{store.folder.name}: {error}") from error
