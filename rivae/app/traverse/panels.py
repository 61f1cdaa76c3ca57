"""Panels of the Traverse page made of pictures: strips of one dimension, a plane of two."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from rivae.app.shared import frame, share
from rivae.app.shared.axes import axes_version, axis_picker, say_gone
from rivae.app.traverse import page_keys, pictures, traversals
from rivae.app.traverse.session import axes_picker, first_axes, query_picker
from rivae.exploring.placing import axis_names
from rivae.exploring.traversing import place_on, sign_of

if TYPE_CHECKING:
    from rivae.app.traverse.session import Anchor
    from rivae.exploring.explorer import Explorer
    from rivae.figures.sheet import Sheet
    from rivae.retrieval.ranges import Range


def _whole(explorer: Explorer) -> bool:
    """Whether items are shown completed, or as the retrieved view alone."""
    if not explorer.whole_label:
        return False
    key = f"{page_keys.WHOLE}_{explorer.data.name}"
    return st.toggle(explorer.whole_label, value=explorer.shows_whole, key=key)


def _start(anchor: Anchor) -> dict[str, Any]:
    """Where a snippet starts: at a data row, or at the average query's z."""
    if anchor.query == "mean":
        return {"query": None, "z": list(anchor.z), "asks": anchor.asks}
    return {"query": anchor.query, "asks": anchor.asks}


def strips(explorer: Explorer, anchor: Anchor, choice: Range) -> None:
    """What is retrieved while one dimension moves, at the points where the best item changes."""
    from rivae.figures.traversals import strips_of, strips_sheet

    query_picker(explorer, anchor)
    say_gone(explorer, st.query_params.get(page_keys.DIMS, ""))
    with frame.details("Axes", ":material/format_list_bulleted:"):
        axes = axes_picker(explorer)
    with frame.details():
        k = st.segmented_control(
            "Items per point",
            [1, 2, 3],
            default=1,
            required=True,
            key=page_keys.K,
            bind="query-params",
        )
        changes_only = st.toggle(
            "Changes only",
            value=True,
            key=page_keys.CHANGES,
            bind="query-params",
            help="Only points where the best item differs from the one before.",
        )
        side = 0 if _whole(explorer) else explorer.found_side
    if not axes:
        st.info("Choose at least one axis.")
        return
    names, n_items = axis_names(explorer), int(k or 1)
    traversal = traversals.one_query(
        anchor.key, anchor.z, choice, tuple(axes), n_items, axes_version(explorer, axes), explorer
    )
    as_shown = traversal.turned(explorer.signs)
    found_strips = strips_of(as_shown, names=list(names.values()), changes_only=changes_only)
    data, query = explorer.data, anchor.query
    values = dict(zip(axes, traversal.values, strict=True))
    pictures.strips(explorer, anchor, dict(zip(axes, found_strips, strict=True)), values, side)

    def sheet() -> Sheet:
        row = query if query != "mean" else int(explorer.topk(traversal.z_ref[0], 1).ids[0])
        return strips_sheet(
            found_strips,
            lambda i: data.picture(i, side),
            query=data.picture(row, explorer.query_side),
            query_title="Average query" if query == "mean" else data.title(row),
            title=data.title,
            marked=() if query == "mean" else (row,),
        )

    share.figure(
        "Strips",
        "strips",
        sheet,
        anchor.run,
        "strips",
        is_chart=False,
        **_start(anchor),
        range=choice,
        dims=axes,
        k=n_items,
        side=side,
        changes_only=changes_only,
    )


def plane(explorer: Explorer, anchor: Anchor, choice: Range) -> None:
    """Two axes at once: the best item at every point of a grid."""
    from rivae.figures.traversals import plane_sheet

    d, names = explorer.n_components, axis_names(explorer)
    if d < 2:
        st.info("This run has only one axis; a plane needs two.")
        return
    first, second = first_axes(explorer)[:2]
    for key in (page_keys.A, page_keys.B):
        say_gone(explorer, st.query_params.get(key, ""))
    query_picker(explorer, anchor)
    with frame.details("Axes", ":material/format_list_bulleted:"):
        a = axis_picker(explorer, "Horizontal axis", page_keys.A, first, width=200)
        b = axis_picker(explorer, "Vertical axis", page_keys.B, second, width=200)
    with frame.details():
        n = (
            st.segmented_control(
                "Points",
                [7, 9, 11, 15],
                default=9,
                required=True,
                key=page_keys.POINTS,
                bind="query-params",
            )
            or 9
        )
        side = 0 if _whole(explorer) else explorer.found_side
    axes = (a, b)
    if a == b:
        st.info("Choose two different axes.")
        return
    ids, values_a, values_b = traversals.plane(
        anchor.key, anchor.z, axes, choice, n, axes_version(explorer, axes), explorer
    )
    pictures.plane(explorer, anchor, ids, axes, (values_a, values_b), side)
    sheet = partial(
        plane_sheet,
        ids,
        values_a,
        values_b,
        lambda i: explorer.data.picture(i, side),
        names=(names[a], names[b]),
        reference=(place_on(explorer, anchor.z, a), place_on(explorer, anchor.z, b)),
        signs=(sign_of(explorer, a), sign_of(explorer, b)),
        title=explorer.data.title,
        side=56 if n <= 11 else 44,
    )
    share.figure(
        "Plane",
        "plane",
        sheet,
        anchor.run,
        "plane",
        is_chart=False,
        **_start(anchor),
        dims=axes,
        range_a=(float(values_a[0]), float(values_a[-1])),
        n_points=n,
        side=side,
        range_b=(float(values_b[0]), float(values_b[-1])),
    )
