"""The tag-factor graph: the tags of a site around the food factors (supplement of the paper).

One star for each factor: tags of its high end to the right, of its low end to the left, the
commonest nearest to the middle row. A tag that belongs to several factors is in each star.
Places depend on the order of the nodes only, so the same data give the same picture.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import plotly.graph_objects as go

from rivae.base.wording import join_words
from rivae.data.food_factors import FACTOR_LABELS
from rivae.exploring.words.axis_names import cut
from rivae.exploring.words.tags import TagNode
from rivae.figures.palette import theme
from rivae.figures.theme import dress, escape, row_legend

N_TAGS = 10  # tags of each side that a star shows when there are several stars
ROW = 24  # pixels of a tag
REACH, BEND = 1.0, 0.45  # distance of tags from their factor: in the middle row, less elsewhere
LARGEST, SMALLEST = 26.0, 5.0  # diameters of nodes in pixels


def tag_graph(
    nodes: Sequence[TagNode],
    *,
    n_tags: int = N_TAGS,
    columns: int = 2,
    dark: bool = False,
    title: str = "",
) -> go.Figure:
    """Stars of all factors in ``nodes``, in ``columns`` columns.

    The area of a node is the number of items that have the tag; tags of the high end are full,
    those of the low end open. ``customdata`` of a node is [tag, factor, side], so a click can
    list the items; of a factor ["", factor, ""].

    Args:
        nodes: from ``rivae.exploring.words.tags.tag_nodes``; those of one factor show it alone.
        n_tags: tags of each side to show, the commonest.
    """
    factors = list(dict.fromkeys(node.factor for node in nodes))
    stars = {
        (factor, side): [n for n in nodes if n.factor == factor and n.side == side][:n_tags]
        for factor in factors
        for side in ("high", "low")
    }
    most = max((node.count for node in nodes), default=1)
    tall = max((len(tags) for tags in stars.values()), default=0) + 2.5
    colors, columns = theme(dark), max(1, min(columns, len(factors)))
    figure = go.Figure()
    edges_x: list[float | None] = []
    edges_y: list[float | None] = []
    marks: dict[str, list[tuple[float, float, TagNode]]] = {"high": [], "low": []}
    middles = []
    for f, factor in enumerate(factors):
        # A star is 5 wide (labels included), a row 1 tall.
        x0, y0 = 5.0 * (f % columns), -float(tall * (f // columns))
        middles.append((x0, y0))
        for side, direction in (("high", 1), ("low", -1)):
            tags = stars[factor, side]
            for k, node in enumerate(tags):
                x, y = _place(k, len(tags), direction)
                marks[side].append((x0 + x, y0 + y, node))
                edges_x += [x0, x0 + x, None]
                edges_y += [y0, y0 + y, None]
    figure.add_trace(
        go.Scatter(
            x=edges_x,
            y=edges_y,
            mode="lines",
            hoverinfo="skip",
            showlegend=False,
            line={"color": colors.grid, "width": 1},
        )
    )
    for side, name in (("high", "more of the factor"), ("low", "less of it")):
        color = colors.series[1 if side == "high" else 0]
        figure.add_trace(
            go.Scatter(
                x=[x for x, _, _ in marks[side]],
                y=[y for _, y, _ in marks[side]],
                mode="markers+text",
                name=name,
                cliponaxis=False,
                text=[f"\u00a0{escape(cut(node.tag, 24))}\u00a0" for _, _, node in marks[side]],
                textposition=f"middle {'right' if side == 'high' else 'left'}",
                textfont={"size": 12, "color": colors.text},
                marker={
                    "symbol": "circle" if side == "high" else "circle-open",
                    "color": color,
                    "line": {"width": 2, "color": color},
                    "opacity": 1,
                    "size": [
                        max(SMALLEST, LARGEST * math.sqrt(node.count / most))
                        for _, _, node in marks[side]
                    ],
                },
                customdata=[[node.tag, node.factor, side] for _, _, node in marks[side]],
                hovertext=[_hover(node) for _, _, node in marks[side]],
                hoverinfo="text",
            )
        )
    figure.add_trace(
        go.Scatter(
            x=[x for x, _ in middles],
            y=[y for _, y in middles],
            mode="markers",
            showlegend=False,
            marker={"size": 16, "color": colors.frame, "symbol": "diamond"},
            cliponaxis=False,
            customdata=[["", factor, ""] for factor in factors],
            hovertext=[escape(_label(factor)) for factor in factors],
            hoverinfo="text",
        )
    )
    for (x, y), factor in zip(middles, factors, strict=True):
        figure.add_annotation(
            x=x,
            y=y + tall / 2 - 0.8,
            text=f"<b>{escape(_label(factor))}</b>",
            showarrow=False,
            font={"size": 14, "color": colors.text},
        )
    rows = math.ceil(len(factors) / columns) if factors else 1
    dress(
        figure,
        dark=dark,
        alt=describe_tags(nodes),
        title=title,
        height=round(60 + ROW * tall * rows + (30 if title else 0)),
        legend=row_legend(1.0),
        hovermode="closest",
        clickmode="event+select",
    )
    no_axis = {"visible": False, "fixedrange": True}
    figure.update_xaxes(**no_axis, range=[-2.6, 5.0 * (columns - 1) + 2.6])
    figure.update_yaxes(**no_axis, range=[-tall * (rows - 0.5), tall / 2])
    return figure


def describe_tags(nodes: Sequence[TagNode]) -> str:
    """One sentence with the commonest tags of each factor, plain text."""
    if not nodes:
        return "Graph of tags and food factors: no item has a tag of the mapping."
    parts = []
    for factor in dict.fromkeys(node.factor for node in nodes):
        tags = [n for n in nodes if n.factor == factor and n.side == "high"][:3]
        if tags:
            counts = join_words([f"{n.tag} ({n.count})" for n in tags])
            parts.append(f"{_label(factor)}: {counts}")
    return f"Tags around the food factors, with the number of items: {'; '.join(parts)}."


def _place(k: int, n: int, direction: int) -> tuple[float, float]:
    """Offset of the ``k``-th of ``n`` tags: the first in the middle row, then above and below."""
    row = (k + 1) // 2 * (1 if k % 2 else -1)
    y = row + (0.0 if n % 2 else -0.5)
    bend = (abs(y) / max(n / 2, 1)) ** 2
    return direction * (REACH - (REACH - BEND) * bend), y


def _hover(node: TagNode) -> str:
    side = "more" if node.side == "high" else "less"
    return (
        f"<b>{escape(node.tag)}</b><br>{node.count} items<br>{side} {escape(_label(node.factor))}"
    )


def _label(factor: str) -> str:
    return FACTOR_LABELS.get(factor, factor)
