"""Finds the item of a name in a file or an old store; unknown names are refused.

An item is known if it belongs to the data of a plan, or if the store has labels of it. In a store
without plans, any item of an installed data set is known.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

from rivae.base.errors import LabelError, RivaeError
from rivae.data import dataset_names
from rivae.data.base import PairedDataset
from rivae.data.sets.pairs import PAIRS, import_key
from rivae.data.store import PairStore, list_stores
from rivae.labels.events import OLD_IMPORT
from rivae.labels.kept_plans import kept_plans, plan_data
from rivae.labels.plan import LabelPlan
from rivae.labels.store import LabelStore
from rivae.labels.table import rows_by_key

_ROW = re.compile(r"[0-9]{1,9}")


class NamedItem(NamedTuple):
    """A name in a file, with the key and title of the item found for it."""

    name: str
    key: str
    title: str


class _Opened(NamedTuple):
    data: PairedDataset
    rows: dict[str, int]  # by key

    @classmethod
    def of(cls, data: PairedDataset) -> _Opened:
        return cls(data, rows_by_key(data))


class KnownItems:
    """Looks up items of a store's plans; data sets are opened when first needed.

    Args:
        default_data: the data of names without a data set: an id in this data, or a row.
        by_row: names are data rows of ``default_data``.
        deleted: also use deleted plans.
        open_data: opens the data of a plan.
    """

    def __init__(
        self,
        store: LabelStore,
        default_data: PairedDataset | None = None,
        *,
        by_row: bool = False,
        deleted: bool = False,
        open_data: Callable[[LabelPlan], PairedDataset] = plan_data,
    ) -> None:
        if by_row and default_data is None:
            raise LabelError("row numbers need their data: name a plan or a run")
        self._store, self._by_row, self._open = store, by_row, open_data
        self._with_deleted = deleted
        self._default = None if default_data is None else _Opened.of(default_data)
        self._keys = tuple(self._default.rows) if self._default and by_row else ()
        self._data: dict[str, _Opened] = {}  # by fingerprint
        self._trouble: dict[str, str] = {}  # by plan, why its data cannot be opened
        self._items_by_name: dict[str, tuple[str, _Opened]] = {}

    @cached_property
    def plans(self) -> dict[str, LabelPlan]:
        """The readable plans of the store, by name."""
        return {plan.id: plan for plan in kept_plans(self._store, deleted=self._with_deleted)}

    @cached_property
    def _stored(self) -> frozenset[str]:
        return self._store.items()

    def key(self, name: str, plan: str = "") -> str:
        """The key of the item that a file calls ``name``.

        Args:
            plan: the plan under which it was labelled, "" when unknown.

        Raises:
            LabelError: it names no item, or several could be meant.
        """
        if self._default is not None:
            key = self._by_own(self._default, name)
            if key is not None:
                return key
        if name.startswith(OLD_IMPORT):
            source = self._default
            if source is None or source.data.name != PAIRS:
                source = self._of(plan) if plan else self._only()
            return self._found(source, name, f"{source.data.key_name}:{name[len(OLD_IMPORT) :]}")
        if not name.partition(":")[1]:
            raise LabelError(
                f"'{name[:60]}' names no item: write items as in an exported file, or name "
                "their plan (--plan NAME, and --rows for row numbers)"
            )
        if name not in self._stored:
            self._check(name)
        return name

    def named(self, n: int) -> tuple[tuple[NamedItem, ...], int]:
        """The first ``n`` names that differ from their key, and how many there are in all."""
        first = list(self._items_by_name.items())[:n]
        return tuple(
            NamedItem(name, key, source.data.title(source.rows[key]))
            for name, (key, source) in first
        ), len(self._items_by_name)

    def _by_own(self, source: _Opened, name: str) -> str | None:
        """The item of ``source`` with this row or id; None where the name includes a data set."""
        if self._by_row:
            if not _ROW.fullmatch(name) or int(name) >= len(self._keys):
                raise LabelError(
                    f"'{name[:60]}' is not a row of {source.data.name}: rows are 0 to "
                    f"{len(self._keys) - 1}"
                )
            return self._found(source, name, self._keys[int(name)])
        key = f"{source.data.key_name}:{name}"
        if name in source.rows:
            return name
        if key in source.rows:
            return self._found(source, name, key)
        if ":" in name:
            return None
        raise LabelError(
            f"'{name[:60]}' is not an item of {source.data.name}: give its id (--rows for row "
            "numbers)"
        )

    def _found(self, source: _Opened, name: str, key: str) -> str:
        if key not in source.rows:
            raise LabelError(
                f"the imported data have no item '{key.partition(':')[2][:60]}': correct its id"
            )
        self._items_by_name[name] = (key, source)
        return key

    def _of(self, plan_id: str) -> _Opened:
        """The data of a plan on an import."""
        plan = self.plans.get(plan_id)
        if plan is None or plan.dataset != PAIRS:
            raise LabelError(
                f"there is no plan '{plan_id[:80]}' on imported data here: import the plan first"
            )
        source = self._opened(plan)
        if source is None:
            raise LabelError(self._trouble[plan.id])
        return source

    def _only(self) -> _Opened:
        """The data of the import that all plans on imports share."""
        sources = [self._of(plan.id) for plan in self.plans.values() if plan.dataset == PAIRS]
        if len({source.data.key_name for source in sources}) != 1:
            raise LabelError(
                "the item does not name its import, and "
                + ("several have a plan" if sources else "none has a plan")
                + ": name the plan (--plan NAME)"
            )
        return sources[0]

    def _opened(self, plan: LabelPlan) -> _Opened | None:
        """The data of a plan; None if it cannot be opened (``_trouble`` has the reason)."""
        if plan.fingerprint not in self._data and plan.id not in self._trouble:
            try:
                self._data[plan.fingerprint] = _Opened.of(self._open(plan))
            except RivaeError as error:
                self._trouble[plan.id] = str(error)
        return self._data.get(plan.fingerprint)

    def _check(self, key: str) -> None:
        """LabelError unless the item belongs to the data of a plan."""
        name = key.partition(":")[0]
        dataset = PAIRS if name.startswith(f"{PAIRS}-") else name
        trouble = ""
        for plan in self.plans.values():
            if plan.dataset != dataset:
                continue
            source = self._opened(plan)
            if source is None:
                trouble = trouble or self._trouble[plan.id]
            elif key in source.rows:
                return
        if not self.plans and name in self._here:
            return
        why = f" ({trouble})" if trouble else ""
        raise LabelError(
            f"'{key[:60]}' is not an item of the data of a plan here{why}: make or import "
            "its plan first"
        )

    @cached_property
    def _here(self) -> frozenset[str]:
        """The data sets that a key may name when there is no plan to look it up in."""
        names = {name for name in dataset_names() if name != PAIRS}
        for folder in list_stores():
            try:
                names.add(import_key(PairStore(folder).store_id))
            except RivaeError:
                continue  # a damaged import
        return frozenset(names)
