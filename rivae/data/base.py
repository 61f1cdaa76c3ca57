"""The contract of a paired data set: two views, optional true factors, a fixed split, a display."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, Literal, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image

from rivae.base.errors import DataError
from rivae.data.factors import FactorSpec as FactorSpec
from rivae.data.recipe import SPLITS as SPLITS
from rivae.data.recipe import Recipe as Recipe
from rivae.data.tokenizer import FIRST
from rivae.data.vocabulary import Vocabulary

# Settings that say where the data lie and not what they are.
PLACES = frozenset({"store", "features", "folder", "path", "download"})
NO_TEXTS = "{} accepts no texts as queries: choose one from the gallery"
Shape = tuple[int, ...]


def _digest(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, default=str)
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def floats(rows: torch.Tensor) -> torch.Tensor:
    """Rows as a model reads them: uint8 as float32 in [0, 1], others as they are."""
    return rows.float().div_(255.0) if rows.dtype == torch.uint8 else rows


class View(Protocol):
    """One modality: ``len(view)`` items of ``shape``, served in batches."""

    @property
    def shape(self) -> tuple[int, ...]: ...

    def __len__(self) -> int: ...

    def batch(self, ids: Any) -> torch.Tensor:
        """Items ``ids`` (any integer array of shape ``s``) as float32 of shape ``s + shape``."""
        ...


class TensorView:
    """A view held in memory; uint8 tensors are served as float32 in [0, 1]."""

    def __init__(self, tensor: torch.Tensor) -> None:
        if tensor.dtype not in (torch.float32, torch.uint8):
            raise DataError(f"a view must be float32 or uint8, this one is {tensor.dtype}")
        if tensor.dtype == torch.float32 and not bool(torch.isfinite(tensor).all()):
            raise DataError("a view holds NaN or infinite values: remove or repair those rows")
        self.tensor = tensor

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.tensor.shape[1:])

    def __len__(self) -> int:
        return int(self.tensor.shape[0])

    def batch(self, ids: Any) -> torch.Tensor:
        index = torch.as_tensor(ids, dtype=torch.long)
        # Flat, because a single number as index would return the stored row, not a copy.
        rows = self.tensor[index.reshape(-1)].reshape(index.shape + self.tensor.shape[1:])
        return floats(rows)


class PairedDataset:
    """Pairs (x1, x2): the query view and the searched view. Row ``i`` of both belong together.

    Attributes:
        name: the name in the registry.
        settings: the keyword arguments that ``load_dataset(name, **settings)`` rebuilds it from.
        x1, x2: the two views, N items each.
        factors: (N, K) float64 true factors in their own units, or None; categories are codes.
        factor_specs: K specifications, empty when ``factors`` is None.
        splits: row numbers (int64, sorted) by "train", "validation", "test"; disjoint.
        view_names: the names of the two views for people, e.g. ("left half", "right half").
        search_size: items in one random search set of the retrieval metrics (the paper's number).
        content: a hash of what the items are made of, or the version of the program that makes
            them; ``load_dataset`` sets it.
        item_content: the same for the items alone, where ``content`` also says how pictures or
            texts became numbers; "" where that makes no difference.
        vocabulary: the words by which texts became numbers; None where they did not.
        query_fixes: "factors" when a query determines the shared factors, "distribution" when it
            only determines how they are distributed; latents are then scored by z of the pair.
    """

    accepts_upload: bool = False
    accepts_text: bool = False
    # Whether an item is best shown as both views in one picture, as halves are in the paper.
    shows_whole: bool = False
    content: str = ""
    item_content: str = ""
    vocabulary: Vocabulary | None = None
    # The view (1 or 2) that is text and therefore shown by the other one's picture, if any.
    text_view: int | None = None

    def __init__(
        self,
        *,
        name: str,
        settings: Mapping[str, Any],
        x1: View,
        x2: View,
        splits: Mapping[str, NDArray[np.int64]],
        factors: NDArray[np.float64] | None = None,
        factor_specs: tuple[FactorSpec, ...] = (),
        view_names: tuple[str, str] = ("view 1", "view 2"),
        search_size: int = 1000,
        query_fixes: Literal["factors", "distribution"] = "factors",
    ) -> None:
        n = len(x1)
        if len(x2) != n:
            raise DataError(f"{name}: {n} items in view 1 but {len(x2)} in view 2")
        if set(splits) != set(SPLITS):
            raise DataError(f"{name}: the split must name exactly {', '.join(SPLITS)}")
        all_rows = np.concatenate([splits[s] for s in SPLITS])
        if len(all_rows) and (all_rows.min() < 0 or all_rows.max() >= n):
            raise DataError(f"{name}: a split names a row outside 0 .. {n - 1}")
        in_split = np.zeros(n, dtype=bool)
        in_split[all_rows.astype(np.int64)] = True
        if in_split.sum() != len(all_rows):
            raise DataError(f"{name}: a row is in two splits, or twice in one")
        if factors is not None:
            if factors.shape != (n, len(factor_specs)):
                factors_shape = (n, len(factor_specs))
                raise DataError(f"{name}: factors have shape {factors.shape}, not {factors_shape}")
            if not np.isfinite(factors).all():
                raise DataError(f"{name}: a factor holds NaN or infinite values")
        self.name = name
        self.settings = dict(settings)
        self.x1, self.x2 = x1, x2
        self.splits = {s: np.asarray(splits[s], dtype=np.int64) for s in SPLITS}
        self.factors, self.factor_specs = factors, factor_specs
        self.view_names = view_names
        self.search_size, self.query_fixes = search_size, query_fixes

    def __len__(self) -> int:
        return len(self.x1)

    @property
    def first_name(self) -> str:
        """The first name of these data, by which what was computed from them is kept."""
        return self.name

    @cached_property
    def fingerprint(self) -> str:
        """16 hex digits for what the items are and how they are read; their place does not count.

        The key of everything that is computed from a data set.
        """
        settings = {k: v for k, v in self.settings.items() if k not in PLACES}
        vocabulary = self.vocabulary
        # Without those of the first rules: what was kept by this name stays valid.
        words = [] if vocabulary is None or vocabulary.tokenizer == FIRST else [vocabulary.key]
        return _digest([self.first_name, settings, len(self), self.content, *words])

    @cached_property
    def items_key(self) -> str:
        """16 hex digits for the items, their order and their split, however a model reads them."""
        rows = [hashlib.blake2b(self.splits[s].tobytes()).hexdigest() for s in SPLITS]
        return _digest([self.item_content or self.fingerprint, rows])

    def is_named(self, fingerprint: str) -> bool:
        """Whether a labelling plan with this fingerprint is about these items.

        Versions before 2026-11-27 made it from name, settings and length, and not from what the
        items are.
        """
        before = _digest([self.first_name, self.settings, len(self)])
        return fingerprint in (self.items_key, before)

    @property
    def key_name(self) -> str:
        """The prefix of item ids in labels, which names these data for good."""
        return self.name

    def item_ids(self) -> list[str]:
        """The lasting id of every item, in the order of the rows: its recipe's, else its row."""
        recipes = (self.recipe(i) for i in range(len(self)))
        return [str(i) if recipe is None else recipe.id for i, recipe in enumerate(recipes)]

    # How an item looks. Each data set overrides what it can show better.

    def picture(self, i: int, side: int = 2) -> Image.Image:
        """Item ``i`` as a picture: view 1, view 2, or both in one (``side`` = 1, 2, 0)."""
        raise NotImplementedError

    def recipe(self, i: int) -> Recipe | None:
        """The text of item ``i`` in its parts (not HTML-escaped); None where there is none."""
        return None

    def title(self, i: int) -> str:
        """A short plain-text name of item ``i`` (not HTML-escaped)."""
        return f"{self.name} {i}"

    def text(self, i: int) -> str:
        """Plain text about item ``i`` (not HTML-escaped); its factors unless overridden."""
        if self.factors is None:
            return ""
        return " · ".join(
            f"{spec.name} {self.factor_text(i, k)}" for k, spec in enumerate(self.factor_specs)
        )

    def search_texts(self) -> Iterator[tuple[str, str]]:
        """Title and text of every item, for full-text search, in the order of the rows."""
        return ((self.title(i), self.text(i)) for i in range(len(self)))

    def factor_text(self, i: int, k: int) -> str:
        """The value of factor ``k`` of item ``i``, with its level name where it has one."""
        assert self.factors is not None
        return self.factor_specs[k].say(self.factors[i, k])

    def from_upload(self, image: Image.Image) -> torch.Tensor:
        """A user's picture as a query batch of shape ``(1, *x1.shape)``; see ``accepts_upload``."""
        raise DataError(f"{self.name} accepts no uploaded queries: choose one from the gallery")

    def from_text(self, text: str) -> torch.Tensor:
        """A user's text as a batch of shape ``(1, *x2.shape)``; see ``accepts_text``."""
        raise DataError(NO_TEXTS.format(self.name))


def random_split(
    n: int, fractions: tuple[float, float, float], seed: int
) -> dict[str, NDArray[np.int64]]:
    """Disjoint sorted train / validation / test rows of ``range(n)``, fixed by ``seed``."""
    if min(fractions) < 0 or abs(sum(fractions) - 1) > 1e-9:
        raise DataError(f"split fractions must be positive and sum to 1, got {fractions}")
    order = np.random.default_rng(seed).permutation(n)
    first, second = round(n * fractions[0]), round(n * (fractions[0] + fractions[1]))
    parts = (order[:first], order[first:second], order[second:])
    return {name: np.sort(part).astype(np.int64) for name, part in zip(SPLITS, parts, strict=True)}
