"""What the tables hold and in which order: their columns, and the names of their rows."""

from __future__ import annotations

from rivae.benchmark.names import TITLES
from rivae.metrics import registry

# The row that the paper's ablation switches off, as the ``settings`` of a result row.
WITHOUT_REG = "lambda_reg=0.0"
TABLES = ("retrieval", "factors", "digits", "standard", "alpha", "ablation")


def columns(table: str) -> tuple[str, ...]:
    """The metrics of a table in the order of its columns."""
    return registry.columns("retrieval" if table == "ablation" else table)


def digit_range(n_std: float) -> str:
    """Name of the range mean +- n s.d. of the aggregated prior."""
    return f"{n_std:g} s.d."


def title(method: str, settings: str = "") -> str:
    """The name of a row as a reader knows it."""
    name = TITLES.get(method, method)
    if settings == WITHOUT_REG:
        return f"{name} without L_Reg"
    return f"{name} ({settings})" if settings else name
