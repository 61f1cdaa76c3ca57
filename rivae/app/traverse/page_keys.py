"""The session-state keys of Strips and axes, named once.

The bound ones are names in the address as well.
"""

from __future__ import annotations

from typing import Final

MATRIX: Final = "plots"  # whether all plots are shown
CELL: Final = "traverse_cell"  # (dimension, factor) whose scatter is open, or None
ITEM: Final = "traverse_item"  # the item at the side and where it was found, or None
SHEET: Final = "traverse_sheet"
QUERY: Final = "traverse_query"
RANDOM: Final = "traverse_random"
AVERAGE: Final = "traverse_average"
WHOLE: Final = "traverse_whole"
HEATMAP: Final = "traverse_heatmap"
SCATTER: Final = "traverse_scatter"
TRANSITIONS: Final = "traverse_transitions"
CELL_DIM: Final = "traverse_cell_dim"
CELL_FACTOR: Final = "traverse_cell_factor"
RANGE: Final = "range"
LOW: Final = "from"
HIGH: Final = "to"
DIMS: Final = "dims"
K: Final = "top"
CHANGES: Final = "changes"
QUERIES: Final = "queries"
WAY: Final = "way"
WAY_KIND: Final = "kind"
WAY_POINTS: Final = "steps"
WAY_TEXT: Final = "traverse_way_text"
WAY_ADD: Final = "traverse_way_add"
A: Final = "a"
B: Final = "b"
POINTS: Final = "points"
