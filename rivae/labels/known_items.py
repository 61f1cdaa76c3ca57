"""Finds the item of a name in a file or an old store; unknown names are refused.

An item is known if it belongs to the data of a kept plan, or if the store already has labels of it.
In a store without plans, where nothing can be looked up, any item of an installed data set counts.
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

    said: str
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
        own: the data for names without a data set: an id in this data, or a row.
        by_row: names are data rows of ``own``.
        deleted: also use deleted plans.
        open_data: opens the data of a plan.
    """

    def __init__(
        self,
        store: LabelStore,
        own: PairedDataset | None = None,
        *,
        by_row: bool = False,
        deleted: bool = False,
        open_data: Callable[[LabelPlan], PairedDataset] = plan_data,
    ) -> None:
        if by_row and own is None:
            raise LabelError("row numbers need their data: name a plan or a run")
        self._store, self._by_row, self._open = store, by_row, open_data
        self._deleted = deleted
        self._own = None if own is None else _Opened.of(own)
        self._keys = tuple(self._own.rows) if self._own and by_row else ()
        self._data: dict[str, _Opened] = {}  # by fingerprint
        self._trouble: dict[str, str] = {}  # by plan, why its data cannot be opened
        self._named: dict[str, tuple[str, _Opened]] = {}

    @cached_property
    def plans(self) -> dict[str, LabelPlan]:
        """The readable plans of the store, by name."""
        return {plan.id: plan for plan in kept_plans(self._store, deleted=self._deleted)}

    @cached_property
    def _stored(self) -> frozenset[str]:
        return self._store.items()

    def key(self, said: str, plan: str = "") -> str:
        """The key of the item that a file calls ``said``.

        Args:
            plan: the plan under which it was labelled, "" when unknown.

        Raises:
            LabelError: it names no item, or several could be meant.
        """
        if self._own is not None:
            found = self._by_own(self._own, said)
            if found is not None:
                return found
        if said.startswith(OLD_IMPORT):
            opened = self._own
            if opened is None or opened.data.name != PAIRS:
                opened = self._of(plan) if plan else self._only()
            return self._found(opened, said, f"{opened.data.key_name}:{said[len(OLD_IMPORT) :]}")
        if not said.partition(":")[1]:
            raise LabelError(
                f"'{said[:60]}' names no item: write items as in an exported file, or name "
                "their plan (--plan NAME, and --rows for row numbers)"
            )
        if said not in self._stored:
            self._check(said)
        return said

    def named(self, n: int) -> tuple[tuple[NamedItem, ...], int]:
        """The first ``n`` names that differ from their key, and how many there are in all."""
        first = list(self._named.items())[:n]
        return tuple(
            NamedItem(said, key, opened.data.title(opened.rows[key]))
            for said, (key, opened) in first
        ), len(self._named)

    def _by_own(self, own: _Opened, said: str) -> str | None:
        """The item of ``own`` with this row or id; None where the name includes a data set."""
        if self._by_row:
            if not _ROW.fullmatch(said) or int(said) >= len(self._keys):
                raise LabelError(
                    f"'{said[:60]}' is not a row of {own.data.name}: rows are 0 to "
                    f"{len(self._keys) - 1}"
                )
            return self._found(own, said, self._keys[int(said)])
        key = f"{own.data.key_name}:{said}"
        if said in own.rows:
            return said
        if key in own.rows:
            return self._found(own, said, key)
        if ":" in said:
            return None
        raise LabelError(
            f"'{said[:60]}' is not an item of {own.data.name}: give its id (--rows for row numbers)"
        )

    def _found(self, opened: _Opened, said: str, key: str) -> str:
        if key not in opened.rows:
            raise LabelError(
                f"the imported data have no item '{key.partition(':')[2][:60]}': correct its id"
            )
        self._named[said] = (key, opened)
        return key

    def _of(self, plan_id: str) -> _Opened:
        """The data of a plan on an import."""
        plan = self.plans.get(plan_id)
        if plan is None or plan.dataset != PAIRS:
            raise LabelError(
                f"there is no plan '{plan_id[:80]}' on imported data here: import the plan first"
            )
        found = self._opened(plan)
        if found is None:
            raise LabelError(self._trouble[plan.id])
        return found

    def _only(self) -> _Opened:
        """The data of the import that all plans on imports share."""
        found = [self._of(plan.id) for plan in self.plans.values() if plan.dataset == PAIRS]
        if len({opened.data.key_name for opened in found}) != 1:
            raise LabelError(
                "the item does not name its import, and "
                + ("several have a plan" if found else "none has a plan")
                + ": name the plan (--plan NAME)"
            )
        return found[0]

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
            found = self._opened(plan)
            if found is None:
                trouble = trouble or self._trouble[plan.id]
            elif key in found.rows:
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
        found = {name for name in dataset_names() if name != PAIRS}
        for folder in list_stores():
            try:
                found.add(import_key(PairStore(folder).store_id))
            except RivaeError:
                continue  # a damaged import
        return frozenset(found)
