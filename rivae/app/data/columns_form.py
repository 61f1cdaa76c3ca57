"""The columns of a table on the Data page: a chooser per role, and what becomes of each column."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING

import streamlit as st

from rivae.app.data import page_keys
from rivae.app.shell.text import markdown
from rivae.base.errors import RivaeError
from rivae.base.reading.tables import InputTable, Record

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

    from rivae.data.importing.plan import Plan

NONE = "–"
LABELS = {"id": "ID", "url": "Address"}
QUICK_BYTES = 16 * 2**20  # of a table that is looked through for columns that appear late


def columns_form(
    plan: Plan, head: Sequence[Record], chips: DeltaGenerator, change: DeltaGenerator
) -> Plan:
    """The plan with the roles and factors that are chosen here.

    Roles are left open where all are as guessed: columns that appear late count then, too.

    Args:
        head: the first records of the table.
        chips: where the columns that are used stand.
        change: where other columns are chosen.
    """
    from rivae.data.importing.mapping import ROLES, guess_from_all
    from rivae.data.importing.plan import column_with_pictures, columns_of

    columns = _columns(plan, head)
    guess = guess_from_all(columns, columns_of(head), head)
    if not plan.images:
        guess["picture"] = column_with_pictures(head)
    roles: dict[str, str] = {}
    with change, st.container(horizontal=True):
        for role in ROLES:
            options = [NONE, *columns]
            usual = options.index(guess[role]) if guess.get(role) else 0
            # The key names the file and how it is read: another starts from its own guesses.
            choice = st.selectbox(
                LABELS.get(role, role.capitalize()),
                options,
                index=usual,
                width=180,
                key=f"{page_keys.ROLE}-{role}-{plan.table}-{plan.encoding}",
            )
            roles[role] = "" if choice == NONE else str(choice)
    factors = change.multiselect(
        "Known factors",
        [c for c in columns if c not in roles.values()],
        key=f"{page_keys.FACTORS}-{plan.table}-{plan.encoding}",
        help="Columns of numbers or levels to compare the axes with. Optional.",
    )
    as_guessed = all(roles[role] == guess.get(role, "") for role in ROLES)
    _say(columns, head, roles, tuple(factors), chips)
    return plan.model_copy(update={"roles": {} if as_guessed else roles, "factors": tuple(factors)})


def _say(
    columns: Sequence[str],
    head: Sequence[Record],
    roles: dict[str, str],
    factors: tuple[str, ...],
    chips: DeltaGenerator,
) -> None:
    """A chip per column that has a role, and a line about the others, as far as the first records
    tell.
    """
    from rivae.data.importing.columns import what_became
    from rivae.data.importing.factors import FactorReader
    from rivae.data.importing.mapping import Mapping
    from rivae.data.importing.report import ImportReport

    reader = FactorReader(factors)
    for record in head:
        reader.look(record)
    column_of = {role: name for role, name in roles.items() if name}
    outcomes = what_became(columns, Mapping(**column_of, factors=factors), reader, head)
    remarks = ImportReport()
    reader.tell(remarks)
    notes = [f"{remark}: {texts[0]}" for remark, texts in remarks.examples.items()]
    for phrase in outcomes[: len(column_of)]:
        chips.badge(markdown(phrase), icon=":material/check:", color="green")
    st.caption(markdown("; ".join((*outcomes[len(column_of) :], *notes))))


def _columns(plan: Plan, head: Sequence[Record]) -> list[str]:
    """The columns of the first records; of a table that is not too large, all there are."""
    from rivae.data.importing.plan import columns_of

    with suppress(OSError, RivaeError):  # of what comes late, the import itself speaks
        table = InputTable(plan.table, plan.encoding)
        files = [path.stat() for path in table.files]
        if sum(file.st_size for file in files) <= QUICK_BYTES and table.has_late_columns:
            return list(_all(table, tuple(file.st_mtime_ns for file in files)))
    return columns_of(head)


@lru_cache(maxsize=8)
def _all(table: InputTable, changed: tuple[int, ...]) -> tuple[str, ...]:
    """All columns of a table whose files were last ``changed`` then."""
    return table.columns()
