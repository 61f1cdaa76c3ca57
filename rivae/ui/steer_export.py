"""The Steer matrix as files and as Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rivae.ui import exports

if TYPE_CHECKING:
    from rivae.explorer import Explorer
    from rivae.plots.sheet import Sheet
    from rivae.ui.steer_state import SteerState


def panel(explorer: Explorer, shown: SteerState) -> None:
    """The Export button of the Steer page."""
    from rivae.steering import base_point
    from rivae.ui.steer_answers import K

    start: dict[str, Any] = {"query": shown.query}
    if shown.query == "mean":
        start = {"query": None, "z": base_point(explorer, "mean").tolist()}
    exports.panel(
        "steer", lambda: sheet(explorer, shown), shown.run, "steer", is_chart=False, **start,
        axes=shown.axes, levels=[list(row) for row in shown.rows], n_sigma=shown.n_sigma, k=K,
        side=_side(explorer),
    )  # fmt: skip


def sheet(explorer: Explorer, shown: SteerState) -> Sheet:
    """The matrix as the paper prints it."""
    from rivae.plots.steering import row_clouds, steering_sheet
    from rivae.steering import base_point, steer
    from rivae.ui.steer_answers import K

    rows, data, side = shown.steer_rows, explorer.data, _side(explorer)
    average = shown.query == "mean"
    return steering_sheet(
        rows,
        steer(explorer, base_point(explorer, shown.query), rows, shown.n_sigma, K),
        explorer.axis_names,
        lambda i: data.picture(i, side),
        clouds=row_clouds(explorer, rows, shown.n_sigma),
        query=None if shown.query == "mean" else data.picture(shown.query, 1),
        query_title="the average query" if average else data.title(int(shown.query)),
        title=data.title,
        n_sigma=shown.n_sigma,
    )


def _side(explorer: Explorer) -> int:
    return 0 if explorer.shows_whole else 2
