"""What axes change: of one, a mark for each factor, tag and word beside what chance reaches; of
all, a heat map in which what chance may reach is blank.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from rivae.base.arrays import Floats
from rivae.exploring.axis_effects import KINDS, AxisEffects
from rivae.exploring.words.axis_names import cut
from rivae.figures.heatmap import as_table, click_layer, frame, heat_cells
from rivae.figures.palette import sample, series_color, text_on, theme
from rivae.figures.theme import axis_label, axis_style, dress, escape, join_words, short
from rivae.runs.results import Change

N_SHOWN = 15
N_COLUMNS = 24  # of a heat map
ENOUGH = 8  # columns, so that tags, and then words, are shown only where there are fewer
ROW_HEIGHT = 26
LABELS = 112  # pixels below the cells
LONGEST = 36  # letters of a row
READING = "s.d.; blank:<br>chance"
BLANK = "no more than chance"

Column = tuple[str, str]  # kind and name


def effect_bars(effects: AxisEffects, *, n: int = N_SHOWN, dark: bool = False) -> go.Figure:
    """The ``n`` columns that change most, the measurable ones first; the rest is chance's width.

    Bands are the sizes that chance reaches, and marks the changes: filled where they are larger.
    """
    colors, order = theme(dark), effects.order[:n][::-1]
    names = [f"{escape(effects.names[c])} ({effects.kinds[c]})" for c in order]
    change, chance = effects.change[order], effects.chance[order]
    is_measurable = effects.is_measurable[order]
    band = go.Bar(
        x=2 * chance,
        base=-chance,
        y=names,
        orientation="h",
        marker={"color": colors.muted, "opacity": 0.25, "line": {"width": 0}},
        hoverinfo="skip",
        name="chance",
    )
    marks = go.Scatter(
        x=change,
        y=names,
        mode="markers",
        marker={
            "size": 11,
            "color": series_color(0, dark),
            "symbol": np.where(is_measurable, "circle", "circle-open").tolist(),
        },
        customdata=chance,
        hovertemplate="%{y}: %{x:+.2f} s.d., chance %{customdata:.2f}<extra></extra>",
        name="change",
    )
    figure = go.Figure([band, marks])
    figure.add_vline(x=0, line={"color": colors.muted, "width": 1})
    title = f"change of retrieved items along {axis_label(effects.axis)}, s.d."
    figure.update_xaxes(axis_style(dark), title_text=title)
    figure.update_yaxes(axis_style(dark))
    figure.update_layout(showlegend=False, bargap=0.3)
    return dress(figure, dark=dark, alt=effects.sentence, height=90 + 26 * max(len(order), 1))


def effect_columns(
    changes: Sequence[Sequence[Change]], factors: Sequence[str] = (), most: int = N_COLUMNS
) -> list[Column]:
    """The columns of a heat map of ``changes`` by axis: factors, then tags, then words where there
    are few of the others, the ones that change most; in the order of the axes that change them.

    Args:
        factors: names that are among them even where no axis changes them.
    """
    largest: dict[Column, tuple[int, float]] = {}
    for row, of_axis in enumerate(changes):
        for change in of_axis:
            column, size = (change.kind, change.name), abs(change.change)
            if size > largest.get(column, (0, 0.0))[1]:
                largest[column] = (row, size)
    chosen: list[Column] = [("factor", name) for name in factors][:most]
    for kind in KINDS:
        if kind == "word" and len(chosen) >= ENOUGH:
            break
        others = [column for column in largest if column[0] == kind and column not in chosen]
        others.sort(key=lambda column: -largest[column][1])
        chosen += others[: most - len(chosen)]
    order = list(KINDS)
    last = (len(changes), 0.0)

    def place(column: Column) -> tuple[int, int, float]:
        row, size = largest.get(column, last)
        return order.index(column[0]), row, -size

    return sorted(chosen, key=place)


def effect_heatmap(
    changes: Sequence[Sequence[Change]],
    axis_names: Sequence[str],
    columns: Sequence[Column] | None = None,
    *,
    axes: Sequence[int] | None = None,
    selected: tuple[int, Column] | None = None,
    dark: bool = False,
) -> go.Figure:
    """Heat map of what each axis changes among the items found, one row per axis.

    Cells that change no more than by chance are blank. A click in a cell selects a point whose
    ``customdata`` is (number of the axis, position of the column).

    Args:
        changes: of each axis what it changes measurably (``AxisEffects.changes``).
        axis_names: what the rows are called, plain text.
        columns: kind and name of each; ``effect_columns`` when None.
        axes: numbers of the axes of the rows; 0, 1, 2 ... when None.
        selected: the number of an axis and the column of the chosen cell.
    """
    numbers = list(range(len(changes))) if axes is None else list(axes)
    shown = effect_columns(changes) if columns is None else list(columns)
    cells = _cells(changes, shown)
    values = np.full((len(changes), len(shown)), np.nan)
    for (row, c), change in cells.items():
        values[row, c] = change.change
    most = max(1.0, float(np.nanmax(np.abs(values), initial=0.0)))
    colors, names = theme(dark), [escape(cut(name, LONGEST)) for name in axis_names]
    figure = go.Figure(
        heat_cells(
            values,
            (-most, most),
            colors.diverging,
            gap=2,
            name="change",
            muted=colors.muted,
            bar={"title_text": READING, "nticks": 5},
        )
    )
    places = [(c, row) for row in range(len(changes)) for c in range(len(shown))]
    layer = click_layer(
        places, [_hover(axis_names[row], shown[c], cells.get((row, c))) for c, row in places]
    )
    layer.customdata = [[numbers[row], c] for c, row in places]
    figure.add_trace(layer)
    texts = [
        {
            "x": c,
            "y": row,
            "showarrow": False,
            "text": signed(change.change),
            "font": {
                "size": 12,
                "color": text_on(sample(colors.diverging, (change.change + most) / (2 * most))),
            },
        }
        for (row, c), change in cells.items()
    ]
    frames = []
    if selected is not None and selected[0] in numbers and selected[1] in shown:
        cell = shown.index(selected[1]), numbers.index(selected[0])
        frames.append(frame(cell, colors.selection, 0.47, 2))
    marks: dict[str, Any] = {
        "annotations": texts,
        "shapes": [*_rules(values, colors.grid), *frames],
    }
    alt = describe_effects(changes, axis_names, shown)
    dress(figure, dark=dark, alt=alt, height=effect_height(len(changes)), **marks)
    labels = [escape(cut(name, 20)) for _, name in shown]
    return as_table(figure, labels, names, dark, slanted=True)


def effect_height(n_axes: int) -> int:
    """Pixels of a heat map of so many axes."""
    return ROW_HEIGHT * max(n_axes, 1) + LABELS


def signed(value: float) -> str:
    """A change with its sign: "+.82", "−.41"."""
    return short(value) if value < 0 else f"+{short(value)}"


def describe_effects(
    changes: Sequence[Sequence[Change]], axis_names: Sequence[str], columns: Sequence[Column]
) -> str:
    """One sentence: what each axis changes most among the columns."""
    parts = []
    for name, of_axis in zip(axis_names, changes, strict=True):
        told = [change for change in of_axis if (change.kind, change.name) in columns]
        if told:
            top = max(told, key=lambda change: abs(change.change))
            parts.append(f"{name} changes {top.name} most ({signed(top.change)})")
        else:
            parts.append(f"{name} changes none of them measurably")
    return (
        f"Heat map of what {len(axis_names)} axes change of {len(columns)} factors, tags and "
        f"words: {join_words(parts)}."
    )


def _cells(
    changes: Sequence[Sequence[Change]], columns: Sequence[Column]
) -> dict[tuple[int, int], Change]:
    """By row and column what changes measurably."""
    at = {column: c for c, column in enumerate(columns)}
    return {
        (row, at[change.kind, change.name]): change
        for row, of_axis in enumerate(changes)
        for change in of_axis
        if (change.kind, change.name) in at
    }


def _hover(axis_name: str, column: Column, change: Change | None) -> str:
    kind, name = column
    head = f"{escape(axis_name)} × {escape(name)} ({kind})<br>"
    if change is None:
        return f"{head}{BLANK}"
    return f"{head}{signed(change.change)} s.d., chance {short(change.chance)}"


def _rules(values: Floats, color: str) -> list[dict[str, Any]]:
    """Thin lines between the rows, which the eye follows over blank cells."""
    n, m = values.shape
    return [
        {
            "type": "line",
            "layer": "below",
            "x0": -0.5,
            "x1": m - 0.5,
            "y0": row + 0.5,
            "y1": row + 0.5,
            "line": {"color": color, "width": 1},
        }
        for row in range(-1, n)
    ]
